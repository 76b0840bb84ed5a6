"""Score-normalised Borda against the formula in plain Python, and what must hold at its ends."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.errors import InputError
from kakehashi.fuse.points import NEGATIVE
from kakehashi.fuse.rules import RULES, Fusion, fuse_runs
from kakehashi.types import Ranking
from tests.fuse.lists import LISTS, ranking, run

FIRST = run("first", q={"a": 6.0, "b": 3.0, "c": 1.0})
SECOND = run("second", q={"d": 3.0, "b": 2.0})
BELOW_ZERO = run("below", q={"x": -1.0, "y": -3.0, "z": -5.0})
ENDS = st.sampled_from(list(RULES))


def plain_borda(
    lists: Sequence[dict[str, float]], weights: Sequence[float], depth: int, negative: str
) -> dict[str, float]:
    total: dict[str, float] = {}
    for found, weight in zip(lists, weights, strict=True):
        top = sorted(found, key=lambda doc: (found[doc], doc), reverse=True)[:depth]
        f = [found[doc] for doc in top]
        if negative == "shift" and f and min(f) < 0:
            f = [score - min(f) for score in f]
        if negative == "floor" and f:
            f = [score - min(f) for score in f]
        if negative in ("shift", "floor") and f and min(f) == 0:
            f = [score + 1e-9 * max(f) for score in f]
        if negative == "clip":
            f = [max(0.0, score) for score in f]
        if negative == "softmax":
            f = [math.exp(score) for score in f]
        if negative == "points":
            f = [float(len(f) - i) for i in range(len(f))]
        for doc, score in zip(top, f, strict=True):
            share = score / sum(f) if sum(f) else 1 / len(f)
            total[doc] = total.get(doc, 0.0) + weight * share
    return total


@given(
    st.lists(LISTS, min_size=2, max_size=4),
    st.lists(st.integers(1, 9), min_size=4, max_size=4),
    st.integers(1, 12),
    st.integers(1, 12),
    st.sampled_from(sorted(NEGATIVE)),
)
def test_fused_lists_are_those_of_the_formula(
    lists: list[dict[str, float]], parts: list[int], depth: int, k: int, negative: str
) -> None:
    weights = [part / sum(parts[: len(lists)]) for part in parts[: len(lists)]]
    fusion = Fusion("borda", negative=negative, depth=depth)
    fused = fuse_runs(fusion, [run(str(i), q=found) for i, found in enumerate(lists)], weights, k)
    plain = plain_borda(lists, weights, depth, negative)
    found = dict(zip(fused.rankings["q"].docs, fused.rankings["q"].scores.tolist(), strict=True))
    assert found == pytest.approx({doc: plain[doc] for doc in found}, abs=1e-12)
    assert len(found) == min(k, len(plain))
    left_out = [plain[doc] for doc in plain if doc not in found]
    assert max(left_out, default=0.0) <= min(found.values(), default=0.0) + 1e-12
    keys = [(score, doc) for doc, score in found.items()]
    assert keys == sorted(keys, reverse=True)


def test_two_lists_by_hand() -> None:
    # 6 3 1 -> 0.6 0.3 0.1; 3 2 -> 0.6 0.4
    fused = fuse_runs("borda", [FIRST, SECOND], [0.25, 0.75]).rankings["q"]
    assert fused.docs == ["d", "b", "a", "c"]
    assert fused.scores.tolist() == pytest.approx([0.45, 0.375, 0.15, 0.025])


def test_without_weights_all_count_alike() -> None:
    assert fuse_runs("borda", [FIRST, SECOND]).rankings["q"].scores[0] == pytest.approx(0.35)  # b
    only_proportions_count = fuse_runs("borda", [FIRST, SECOND], [3, 9]).rankings["q"]
    assert only_proportions_count.scores.tolist() == pytest.approx([0.45, 0.375, 0.15, 0.025])


def test_more_than_two_lists_nest_or_have_a_weight_each() -> None:
    pair, other = fuse_runs("borda", [FIRST, SECOND]), fuse_runs("borda", [BELOW_ZERO, FIRST])
    nested = fuse_runs("borda", [pair, other]).rankings["q"]
    flat = fuse_runs("borda", [FIRST, SECOND, BELOW_ZERO], [0.5, 0.25, 0.25]).rankings["q"]
    assert nested.docs == flat.docs  # nothing was cut, and every list sums to 1 already
    assert nested.scores.tolist() == pytest.approx(flat.scores.tolist())


@given(LISTS, LISTS, ENDS, st.sampled_from(sorted(NEGATIVE)), st.sampled_from(["zero", "min"]))
def test_ends_reproduce_the_lists(
    one: dict[str, float], other: dict[str, float], rule: str, negative: str, missing: str
) -> None:
    fusion = Fusion(rule, negative=negative, missing=missing)
    runs = [run("one", q=one), run("other", q=other)]
    for weights, alone in (([1.0, 0.0], one), ([0.0, 1.0], other)):
        fused = fuse_runs(fusion, runs, weights).rankings["q"]
        assert list(fused.docs) == list(ranking(alone).docs)
        assert fused.scores.tolist() == ranking(alone).scores.tolist()


@given(
    st.sets(st.integers(-1000, 1000), min_size=1, max_size=50), st.sampled_from(["shift", "floor", "points"])
)
def test_points_fall_with_scores_and_never_to_nothing(scores: set[int], negative: str) -> None:
    """So near the ends, too, a list keeps its order, and its last document stays above those not in it."""
    ordered = np.array(sorted(scores, reverse=True), dtype=np.float64)
    points = NEGATIVE[negative](ordered)
    assert (np.diff(points) < 0).all()
    assert points[-1] > 0 or len(points) == 1


def test_last_document_of_a_list_beats_what_is_not_in_it() -> None:
    other = run("other", q={"x": 2.0, "y": 1.0, "z2": 0.0})
    fused = fuse_runs("borda", [BELOW_ZERO, other], [0.5, 0.5]).rankings["q"]
    assert list(fused.docs[:2]) == ["x", "y"]
    assert min(fused.scores) > 0


def test_lists_without_negative_scores_are_not_shifted_but_floored_if_asked() -> None:
    other = run("other", q={"e": 1.0})
    for negative, share_of_c in (("shift", 0.1), ("floor", 0.0)):
        fused = fuse_runs(Fusion("borda", negative=negative), [FIRST, other]).rankings["q"]
        assert fused.scores[fused.docs.index("c")] * 2 == pytest.approx(share_of_c, abs=1e-8)


@pytest.mark.parametrize("scores", [[0.0, 0.0], [-2.0, -2.0], [-1e-300, -1e-300]])
def test_lists_that_sum_to_nothing_share_equally(scores: list[float]) -> None:
    for negative in ("shift", "floor", "clip"):
        equal = run("equal", q=dict(zip("ab", scores, strict=True)))
        fused = fuse_runs(Fusion("borda", negative=negative), [equal, run("none", q={})]).rankings["q"]
        assert fused.docs == ["b", "a"]
        assert fused.scores.tolist() == pytest.approx([0.25, 0.25])


def test_only_documents_within_the_depth_enter_the_sum() -> None:
    fused = fuse_runs(Fusion("borda", depth=2), [FIRST, SECOND]).rankings["q"]
    assert "c" not in fused.docs
    assert fused.scores[fused.docs.index("a")] == pytest.approx(0.5 * 6 / 9)


def test_scale_of_scores_does_not_matter() -> None:
    scaled = run("scaled", q={"a": 6e9, "b": 3e9, "c": 1e9})
    assert (
        fuse_runs("borda", [scaled, SECOND]).rankings["q"].docs
        == fuse_runs("borda", [FIRST, SECOND]).rankings["q"].docs
    )


def test_rank_borda_is_another_rule() -> None:
    # depth 10: 10 9 8 and 10 9, whatever the scores
    fused = fuse_runs(Fusion("rank-borda", depth=10), [FIRST, SECOND]).rankings["q"]
    assert fused.docs == ["b", "d", "a", "c"]
    assert fused.scores.tolist() == [9.0, 5.0, 5.0, 4.0]


@pytest.mark.parametrize("weights", [[1.0], [0.5, 0.3, 0.2], [0.0, 0.0], [-1.0, 2.0], [math.nan, 1.0]])
def test_senseless_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(InputError, match="weights"):
        fuse_runs("borda", [FIRST, SECOND], weights)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (Ranking(["a", "a"], np.array([2.0, 1.0])), "query q: a ranking contains a document twice"),
        (Ranking(["a"], np.array([math.nan])), "query q: a score is not a number"),
        (Ranking(["a"], np.array([1e200])), "query q: a score is not a number or is beyond 1e.100"),
        (Ranking(["a", "b"], np.array([1.0])), "query q: a ranking has 2 documents but 1 scores"),
    ],
)
def test_broken_rankings_are_named(bad: Ranking, message: str) -> None:
    broken = run("broken")
    broken.rankings["q"] = bad
    with pytest.raises(InputError, match=message):
        fuse_runs("borda", [FIRST, broken])
