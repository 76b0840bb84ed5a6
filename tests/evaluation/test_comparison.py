import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.evaluation.comparison import compare, paired
from kakehashi.evaluation.measures import MAP
from kakehashi.evaluation.scores import Scores
from kakehashi.evaluation.significance import holm, mean_interval, t_test_p

N = 60
QUERIES = tuple(f"q{i}" for i in range(N))


def scores(system: str, seed: int, better_by: float = 0.0, queries: tuple[str, ...] = QUERIES) -> Scores:
    values = np.random.default_rng(seed).random((len(queries), 1)) * 0.5 + better_by
    return Scores(system, queries, (MAP(),), values)


A, B, C = scores("a", 1), scores("b", 2, 0.04), scores("c", 3, 0.3)


def test_every_pair_is_compared_once_and_corrected_together() -> None:
    found = compare([A, B, C], MAP())
    assert [(pair.a, pair.b) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [pair.p_holm for pair in found] == holm([pair.p for pair in found])


def test_difference_is_the_first_less_the_second() -> None:
    pair = compare([A, C], MAP())[0]
    differences = A.values[:, 0] - C.values[:, 0]
    assert pair.difference == pytest.approx(A.mean(MAP()) - C.mean(MAP()))
    assert pair.difference < 0
    assert pair.interval == mean_interval(differences)
    assert pair.interval[1] < 0
    assert pair.p < 0.001


def test_the_first_can_be_compared_with_the_others_alone() -> None:
    found = compare([A, B, C], MAP(), against_first=True)
    assert [(pair.a, pair.b) for pair in found] == [("a", "b"), ("a", "c")]


def test_a_pair_does_not_depend_on_who_else_is_compared() -> None:
    alone = compare([A, B], MAP(), rounds=2000)[0]
    together = compare([C, A, B], MAP(), rounds=2000)[2]
    assert (together.a, together.b) == ("a", "b")
    assert together.p == alone.p


def test_t_test_can_be_chosen() -> None:
    assert compare([A, B], MAP(), "t")[0].p == t_test_p(A.values[:, 0], B.values[:, 0])


def test_seeds_decide() -> None:
    assert compare([A, B], MAP(), rounds=500, seed=1) == compare([A, B], MAP(), rounds=500, seed=1)
    assert len({compare([A, B], MAP(), rounds=500, seed=seed)[0].p for seed in range(5)}) > 1


def test_systems_are_paired_by_query_not_by_place() -> None:
    back = Scores("back", QUERIES[::-1], (MAP(),), A.values[::-1])
    assert compare([A, back], MAP())[0].p == 1
    assert compare([A, back], MAP())[0].difference == 0


def test_only_shared_queries_are_paired() -> None:
    some = scores("some", 4, queries=("q3", "elsewhere", "q1"))
    a, b = paired(A, some, MAP())
    assert a.tolist() == [A.of(MAP())["q1"], A.of(MAP())["q3"]]
    assert b.tolist() == [some.of(MAP())["q1"], some.of(MAP())["q3"]]
    with pytest.raises(InputError, match="share no query"):
        paired(A, scores("far", 5, queries=("elsewhere",)), MAP())


def test_one_system_is_not_a_comparison() -> None:
    with pytest.raises(InputError, match="at least 2"):
        compare([A], MAP())
