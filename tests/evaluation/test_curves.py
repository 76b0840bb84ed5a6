import numpy as np
import pytest
from hypothesis import given

from kakehashi.errors import InputError
from kakehashi.evaluation.curves import interpolated, precision_at_recall
from kakehashi.evaluation.judged import look_up
from kakehashi.types import Run
from tests.evaluation.examples import case_of, levels_and_missing, levels_by_rank, ranking


def test_three_points_by_hand() -> None:
    # relevant at ranks 2 and 3 of two: the later precision 2/3 is the better one everywhere
    curve = interpolated(look_up(ranking("x", "a", "b"), {"a": 1, "b": 1}).see(), 3)
    assert curve == pytest.approx([2 / 3, 2 / 3, 2 / 3])
    # one of two at rank 1: recall 1 is never reached
    assert interpolated(look_up(ranking("a"), {"a": 1, "b": 1}).see(), 3) == pytest.approx([1, 1, 0])


@given(levels_and_missing)
def test_interpolated_precision_follows_its_definition(case: tuple[list[int], list[int]]) -> None:
    found, judged = case_of(*case)
    n = sum(level >= 1 for level in judged.values())
    hits = np.cumsum([level >= 1 for level in levels_by_rank(found, judged)])
    expected = [
        max([h / rank for rank, h in enumerate(hits, 1) if n and h >= int(tenth / 10 * n + 0.5)], default=0.0)
        for tenth in range(11)
    ]
    curve = interpolated(look_up(found, judged).see(), 11)
    assert curve == pytest.approx(expected)
    assert (np.diff(curve) <= 1e-12).all()


def test_unanswered_queries_pull_the_curve_down_unless_left_out() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, Run("r", {"q1": ranking("a")})
    assert precision_at_recall(qrels, run).tolist() == [0.5] * 11
    assert precision_at_recall(qrels, run, answered_only=True).tolist() == [1.0] * 11


def test_no_curve_without_answers_or_points() -> None:
    with pytest.raises(InputError, match="none of the judged"):
        precision_at_recall({"q1": {"a": 1}}, Run("r", {}))
    with pytest.raises(InputError, match="at least 2"):
        precision_at_recall({"q1": {"a": 1}}, Run("r", {"q1": ranking("a")}), points=1)
