"""Linear sums by hand, and what documents get that a list does not hold."""

import numpy as np
import pytest

from kakehashi.fuse.rules import Fusion, fuse_runs, unanswered
from tests.fuse.lists import run

FIRST = run("first", q={"a": 4.0, "b": 2.0, "c": 0.0})
SECOND = run("second", q={"c": 30.0, "b": -10.0})


def fused(fusion: Fusion, weights: list[float]) -> dict[str, float]:
    found = fuse_runs(fusion, [FIRST, SECOND], weights).rankings["q"]
    return dict(zip(found.docs, found.scores.tolist(), strict=True))


def test_raw_scores_by_hand() -> None:
    found = fused(Fusion("linear", normalise="none"), [0.75, 0.25])
    assert found == {"c": 7.5, "a": 3.0, "b": -1.0}


def test_min_max_by_hand() -> None:
    found = fused(Fusion("linear"), [0.75, 0.25])
    assert found == {"a": 0.75, "b": 0.375, "c": 0.25}


def test_standard_scores_by_hand() -> None:
    found = fused(Fusion("linear", normalise="z"), [0.5, 0.5])
    unit = float(np.sqrt(8 / 3))  # of 4 2 0
    assert found == pytest.approx({"a": 0.5 * 2 / unit, "b": -0.5, "c": 0.5 - 0.5 * 2 / unit})


def test_equal_scores_are_average() -> None:
    flat = run("flat", q={"a": 7.0, "b": 7.0})
    found = fuse_runs(Fusion("linear", normalise="z"), [flat, flat]).rankings["q"]
    assert found.scores.tolist() == [0.0, 0.0]


def test_missing_documents_get_the_lowest_score_if_asked() -> None:
    found = fused(Fusion("linear", normalise="none", missing="min"), [0.75, 0.25])
    assert found == {"c": 7.5, "a": 0.75 * 4 - 0.25 * 10, "b": -1.0}


def test_list_without_documents_gives_none_anything() -> None:
    for missing in ("zero", "min"):
        fusion = Fusion("linear", normalise="none", missing=missing)
        found = fuse_runs(fusion, [FIRST, run("empty", q={})], [0.5, 0.5]).rankings["q"]
        assert (list(found.docs), found.scores.tolist()) == (["a", "b", "c"], [2.0, 1.0, 0.0])


def test_list_of_weight_0_brings_no_documents() -> None:
    third = run("third", q={"e": 1.0})
    found = fuse_runs("linear", [FIRST, SECOND, third], [0.5, 0.5, 0.0]).rankings["q"]
    assert "e" not in found.docs


def test_constant_of_reciprocal_ranks_can_be_set() -> None:
    found = fuse_runs(Fusion("rrf", constant=0), [FIRST, SECOND], [1.0, 2.0]).rankings["q"]
    assert dict(zip(found.docs, found.scores.tolist(), strict=True)) == pytest.approx(
        {"a": 1.0, "b": 1 / 2 + 2 / 2, "c": 1 / 3 + 2.0}
    )


def test_queries_that_only_others_answer_are_known() -> None:
    one, other = run("one", q1={"a": 1.0}, q2={"a": 1.0}), run("other", q2={"b": 1.0}, q3={"b": 1.0})
    assert unanswered([one, other]) == [["q3"], ["q1"]]
    assert list(fuse_runs("borda", [one, other]).rankings) == ["q1", "q2", "q3"]
