import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.errors import InputError
from kakehashi.evaluation.judged import look_up
from kakehashi.evaluation.measures import MAP, MEASURES, NDCG, PRES, Judged, Measure, Recall, parse, parse_all
from kakehashi.types import Ranking
from tests.evaluation.examples import (
    case_of,
    levels_and_missing,
    levels_by_rank,
    ranked_at,
    ranking,
    slow_score,
)

ALL = ["MAP", "MAP@5", "NDCG", "NDCG@5", "P@5", "P", "R@5", "R", "MRR", "MRR@2", "PRES@5", "PRES@1000"]


def score(measure: Measure, found: Ranking, judged: dict[str, int], level: int = 1) -> float:
    return measure.score(look_up(found, judged).see(level))


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [([1], 0.25), ([50, 51, 53, 54], 0.505), ([1, 2, 3, 4], 1.0), ([1, 98, 99, 100], 0.28)],
)
def test_pres_of_four_relevant_at_depth_100_is_exact(ranks: list[int], expected: float) -> None:
    judged = {f"r{number}": 1 for number in range(1, 5)}
    assert score(PRES(100), ranked_at(ranks, 100), judged) == expected


def test_pres_ignores_what_comes_after_its_depth() -> None:
    judged = {"r1": 1, "r2": 2}
    assert score(PRES(10), ranked_at([3, 11], 20), judged) == score(PRES(10), ranked_at([3], 20), judged)


def test_average_precision_counts_relevant_documents_that_were_not_found() -> None:
    judged = {"a": 1, "b": 2, "c": 0, "elsewhere": 1, "too": 1}
    assert score(MAP(), ranking("a", "c", "b"), judged) == pytest.approx((1 / 1 + 2 / 3) / 4)
    assert score(MAP(2), ranking("a", "c", "b"), judged) == pytest.approx(1 / 4)


def test_ndcg_by_hand() -> None:
    judged = {"a": 1, "b": 3, "c": 2}
    gained = 1 / math.log2(2) + 3 / math.log2(4)
    ideal = 3 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    assert score(NDCG(), ranking("a", "x", "b"), judged) == pytest.approx(gained / ideal)
    assert score(NDCG(1), ranking("a", "x", "b"), judged) == pytest.approx(1 / 3)


def test_level_says_what_is_relevant_but_leaves_gains_alone() -> None:
    judged = {"a": 1, "b": 2}
    assert score(Recall(), ranking("a"), judged, level=2) == 0
    assert score(Recall(), ranking("b"), judged, level=2) == 1
    assert score(NDCG(), ranking("a"), judged, level=2) == score(NDCG(), ranking("a"), judged)


def test_judged_share_counts_zero_levels_as_judged() -> None:
    assert score(Judged(), ranking("a", "b", "x", "y"), {"a": 1, "b": 0, "z": 1}) == 0.5
    assert score(Judged(3), ranking("a", "b", "x", "y"), {"a": 1, "b": 0}) == pytest.approx(2 / 3)


def test_negative_levels_mean_not_judged() -> None:
    judged = {"spam": -2, "a": 1}
    assert score(NDCG(), ranking("spam", "a"), judged) == pytest.approx(1 / math.log2(3))
    assert score(Judged(), ranking("spam", "a"), judged) == 0.5


@pytest.mark.parametrize("name", [name for name in ALL if name != "PRES@1000"])
@given(case=levels_and_missing, level=st.integers(1, 3))
def test_every_measure_follows_its_definition(
    name: str, case: tuple[list[int], list[int]], level: int
) -> None:
    found, judged = case_of(*case)
    measure = parse(name)
    expected = slow_score(measure.name, measure.cutoff, levels_by_rank(found, judged), judged, level)
    assert score(measure, found, judged, level) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ALL)
@given(case=levels_and_missing)
def test_every_measure_stays_between_zero_and_one(name: str, case: tuple[list[int], list[int]]) -> None:
    assert 0 <= score(parse(name), *case_of(*case)) <= 1 + 1e-12


@pytest.mark.parametrize("name", ["MAP", "NDCG", "MRR", "PRES@10", "PRES@1000", "P@5", "R@5"])
@given(case=levels_and_missing, at=st.tuples(st.integers(0, 39), st.integers(0, 39)))
def test_moving_a_better_document_up_never_hurts(
    name: str, case: tuple[list[int], list[int]], at: tuple[int, int]
) -> None:
    found, judged = case_of(*case)
    upper, lower = sorted(place % len(found) for place in at)
    swapped = list(found.docs)
    swapped[upper], swapped[lower] = swapped[lower], swapped[upper]
    before, after = score(parse(name), found, judged), score(parse(name), ranking(*swapped), judged)
    if case[0][upper] > case[0][lower]:  # then the swap moved the better one down
        before, after = after, before
    assert after >= before - 1e-12


@given(case=levels_and_missing, depth=st.integers(1, 60))
def test_pres_lies_between_its_bounds(case: tuple[list[int], list[int]], depth: int) -> None:
    found, judged = case_of(*case)
    n = sum(level >= 1 for level in judged.values())
    recall = score(Recall(depth), found, judged)
    pres = score(PRES(depth), found, judged)
    assert n * recall**2 / depth - 1e-12 <= pres <= recall + 1e-12


@pytest.mark.parametrize("name", ALL)
@given(case=levels_and_missing, seed=st.integers(0, 2**32))
def test_order_in_the_run_file_does_not_count(
    name: str, case: tuple[list[int], list[int]], seed: int
) -> None:
    found, judged = case_of(*case)
    order = np.random.default_rng(seed).permutation(len(found))
    shuffled = Ranking([found.docs[i] for i in order], found.scores[order])
    assert score(parse(name), shuffled, judged) == score(parse(name), found, judged)


def test_ties_are_broken_by_descending_document_id() -> None:
    tied = Ranking(["a", "c", "b"], np.array([1.0, 1.0, 1.0]))
    assert score(MAP(), tied, {"c": 1}) == 1
    assert score(MAP(), tied, {"a": 1}) == pytest.approx(1 / 3)


def test_scores_equal_in_single_precision_are_ties() -> None:
    near = Ranking(["a", "b"], np.array([1.0 + 1e-9, 1.0]))
    assert score(MAP(), near, {"b": 1}) == 1
    huge = Ranking(["a", "b"], np.array([1e301, 1e300]))
    assert score(MAP(), huge, {"b": 1}) == 1


@pytest.mark.parametrize(
    "name", ["MAP", "MAP@1000", "NDCG@10", "P@10", "R@1000-mate", "MRR", "PRES@1000", "Judged@10"]
)
def test_measures_parse_and_print_alike(name: str) -> None:
    assert str(parse(name)) == name
    assert parse(name.lower()) == parse(name) == parse(f" {name.upper()} ")
    assert hash(parse(name)) == hash(parse(name.lower()))


def test_plain_pres_has_depth_1000() -> None:
    assert parse("pres") == PRES(1000)
    assert str(parse("PRES-mate")) == "PRES@1000-mate"


def test_measures_in_a_list_count_once() -> None:
    assert list(map(str, parse_all(["MAP, ndcg@10", "map P@5"]))) == ["MAP", "NDCG@10", "P@5"]


@pytest.mark.parametrize(
    "name", ["", "MAPP", "MAP@", "MAP@0", "MAP@-1", "MAP@1e3", "MAP-mat", "@5", "P@٣", "R@" + "9" * 10]
)
def test_what_is_no_measure_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(name)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=20))
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        measure = parse(text)
    except InputError:
        return
    assert parse(str(measure)) == measure


def test_every_measure_explains_itself_in_one_line() -> None:
    for kind in MEASURES.values():
        first = (kind.__doc__ or "").splitlines()[0]
        assert first.endswith(".")
        assert len(first) > 30


def test_faulty_rankings_are_refused() -> None:
    with pytest.raises(InputError, match="twice"):
        look_up(ranking("a", "a"), {"a": 1})
    with pytest.raises(InputError, match="not a number"):
        look_up(Ranking(["a", "b"], np.array([1.0, np.nan])), {"a": 1})
    with pytest.raises(InputError, match="1 documents but 2 scores"):
        look_up(Ranking(["a"], np.array([1.0, 2.0])), {"a": 1})
