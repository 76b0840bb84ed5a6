"""All rules against their formulas, and what must hold for any lists: ties, one document, none, strange ids."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.errors import InputError
from kakehashi.evaluation.measures import MAP
from kakehashi.evaluation.scores import evaluate
from kakehashi.fuse.judging import Judge
from kakehashi.fuse.points import NEGATIVE, NORMALISE
from kakehashi.fuse.rules import RULES, Fuser, Fusion, checked, checked_weights, fuse_runs
from kakehashi.types import Ranking, Run
from tests.fuse.lists import LISTS, ranking, run
from tests.fuse.plain import plain_fusion

OPTIONS: list[dict[str, Any]] = [{"rule": rule, "missing": how} for rule in RULES for how in ("zero", "min")]
OPTIONS += [{"rule": "borda", "negative": how} for how in NEGATIVE]
OPTIONS += [{"rule": "linear", "normalise": how, "missing": m} for how in NORMALISE for m in ("zero", "min")]
OPTIONS += [{"rule": "rrf", "constant": 0.0}, {"rule": "rrf", "constant": 7.5}]
ANY_RULE = st.sampled_from(OPTIONS)
WEIGHTS = st.lists(st.floats(1e-3, 10), min_size=5, max_size=5)
# few enough for ties, and all that may come from outside
STRANGE = st.dictionaries(
    st.text(st.characters(exclude_categories=("Cs", "Z", "Cc")), min_size=1, max_size=3),
    st.floats(-1e100, 1e100) | st.integers(-2, 2).map(float) | st.sampled_from([5e-324, -5e-324, 0.0, -0.0]),
    max_size=6,
)


def found_by(
    options: dict[str, Any], lists: list[dict[str, float]], weights: list[float], depth: int = 1000
) -> Ranking:
    fusion = Fusion(**options, depth=depth)
    return Fuser(fusion, checked_weights(fusion, weights, len(lists))).fuse(
        [ranking(found) for found in lists]
    )


@given(ANY_RULE, st.lists(LISTS, min_size=2, max_size=5), WEIGHTS, st.integers(1, 14))
def test_every_rule_is_its_formula(
    options: dict[str, Any], lists: list[dict[str, float]], weights: list[float], depth: int
) -> None:
    weights = weights[: len(lists)]
    fused = found_by(options, lists, weights, depth)
    plain = plain_fusion(options["rule"], lists, weights, depth, options)
    assert dict(zip(fused.docs, fused.scores.tolist(), strict=True)) == pytest.approx(
        plain, rel=1e-6, abs=1e-9
    )
    keys = list(zip(fused.scores.tolist(), fused.docs, strict=True))
    assert keys == sorted(keys, reverse=True)


@given(ANY_RULE, st.lists(STRANGE, min_size=2, max_size=5), WEIGHTS, st.randoms(use_true_random=False))
def test_order_of_runs_does_not_show_even_in_the_last_digit(
    options: dict[str, Any], lists: list[dict[str, float]], weights: list[float], random: Any
) -> None:
    weights = weights[: len(lists)]
    order = list(range(len(lists)))
    random.shuffle(order)
    one = found_by(options, lists, weights)
    other = found_by(options, [lists[i] for i in order], [weights[i] for i in order])
    assert list(one.docs) == list(other.docs)
    assert one.scores.tolist() == other.scores.tolist()


@given(ANY_RULE, st.lists(STRANGE, min_size=2, max_size=4), st.integers(0, 3))
def test_weight_of_all_gives_the_list_itself(
    options: dict[str, Any], lists: list[dict[str, float]], which: int
) -> None:
    which %= len(lists)
    alone = ranking(lists[which])
    fused = found_by(options, lists, [float(i == which) for i in range(len(lists))])
    assert list(fused.docs) == list(alone.docs)
    assert fused.scores.tobytes() == alone.scores.tobytes()


@given(ANY_RULE, st.lists(STRANGE, min_size=2, max_size=4), WEIGHTS)
def test_every_listed_document_comes_once_with_a_number(
    options: dict[str, Any], lists: list[dict[str, float]], weights: list[float]
) -> None:
    fused = found_by(options, lists, weights[: len(lists)])
    assert sorted(fused.docs) == sorted({doc for found in lists for doc in found})
    assert np.isfinite(fused.scores).all()
    assert (np.diff(fused.scores) <= 0).all()


@given(
    ANY_RULE,
    st.lists(st.dictionaries(st.sampled_from("pqrs"), LISTS, max_size=4), min_size=2, max_size=4),
    st.dictionaries(
        st.sampled_from("pqrs"), st.sets(st.sampled_from(["d1", "d5", "d9"]), min_size=1), min_size=1
    ),
    WEIGHTS,
)
def test_judge_sees_what_the_fused_run_shows(
    options: dict[str, Any], rankings: list[Any], relevant: dict[str, set[str]], weights: list[float]
) -> None:
    """Queries may be missing from any run, or from all."""
    runs = [run(f"s{i}", **lists) for i, lists in enumerate(rankings)]
    qrels = {query: dict.fromkeys(docs, 1) for query, docs in relevant.items()}
    fusion, weights = Fusion(**options), weights[: len(runs)]
    scores = Judge(fusion, runs, qrels, MAP()).scores(weights)
    fused = evaluate(qrels, fuse_runs(fusion, runs, weights), [MAP()])
    assert scores.tolist() == fused.values[:, 0].tolist()


@pytest.mark.parametrize("scores", [[1.0, np.nan], [np.inf, 1.0], [1.0, -np.inf], [1e300, 1.0]])
@pytest.mark.parametrize("rule", RULES)
def test_scores_that_cannot_be_added_up_name_their_run(rule: str, scores: list[float]) -> None:
    bad = Run("bad", {"q": Ranking(["a", "b"], np.array(scores))})
    with pytest.raises(InputError, match="run 'bad', query q: a score is not a number or is beyond"):
        fuse_runs(rule, [run("good", q={"a": 1.0}), bad])


def test_ranking_out_of_order_is_refused() -> None:
    """Ranks and depth would mean nothing."""
    with pytest.raises(InputError, match="not sorted by score"):
        checked(Ranking(["a", "b"], np.array([1.0, 2.0])))
    assert len(checked(Ranking(["a", "b"], np.array([1.0, 1.0])))) == 2
