from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.errors import InputError
from kakehashi.evaluation.crossval import cross_validate, cross_validate_settings, split
from kakehashi.evaluation.measures import MAP, Recall
from kakehashi.evaluation.scores import Scores

QUERIES = [f"q{i:02d}" for i in range(23)]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(n=st.integers(2, 60), folds=st.integers(2, 10), seed=st.integers(0, 1000))
def test_folds_are_disjoint_complete_and_even(n: int, folds: int, seed: int) -> None:
    queries = [f"q{i}" for i in range(n)]
    folds = min(folds, n)
    parts = split(queries, folds, rng(seed))
    assert sorted(query for part in parts for query in part) == sorted(queries)
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    assert len(parts) == folds


def test_folds_depend_on_ids_and_seed_alone() -> None:
    assert split(QUERIES, 5, rng(1)) == split(QUERIES[::-1], 5, rng(1))
    assert split(QUERIES, 5, rng(1)) != split(QUERIES, 5, rng(2))


def test_the_chooser_never_sees_a_held_out_query() -> None:
    seen: list[frozenset[str]] = []

    def choose(training: Sequence[str]) -> frozenset[str]:
        seen.append(frozenset(training))
        return seen[-1]

    def apply(training: frozenset[str], held_out: Sequence[str]) -> dict[str, float]:
        assert not training & set(held_out)
        assert training | set(held_out) == set(QUERIES)
        return {query: float(len(training)) for query in held_out}

    found = cross_validate(QUERIES, choose, apply, rng())
    assert len(seen) == 5
    assert sorted(found.scores) == QUERIES
    assert all(fold.setting == set(QUERIES) - set(fold.held_out) for fold in found.folds)


def test_scores_for_other_queries_are_refused() -> None:
    with pytest.raises(InputError, match="held-out queries"):
        cross_validate(
            QUERIES, lambda training: 0, lambda setting, held_out: dict.fromkeys(QUERIES, 1.0), rng()
        )


def two_measures(system: str, ap: dict[str, float], recall: dict[str, float]) -> Scores:
    values = np.array([[ap[query], recall[query]] for query in QUERIES])
    return Scores(system, tuple(QUERIES), (MAP(), Recall()), values)


def test_each_measure_chooses_its_own_setting() -> None:
    low, high = dict.fromkeys(QUERIES, 0.2), dict.fromkeys(QUERIES, 0.6)
    candidates = {0.1: two_measures("x", high, low), 0.9: two_measures("y", low, high)}
    pooled, rounds = cross_validate_settings(candidates, rng())
    assert {fold.setting for fold in rounds[MAP()].folds} == {0.1}
    assert {fold.setting for fold in rounds[Recall()].folds} == {0.9}
    assert pooled.means() == pytest.approx({"MAP": 0.6, "R": 0.6})
    assert [fold.held_out for fold in rounds[MAP()].folds] == [
        fold.held_out for fold in rounds[Recall()].folds
    ]


def test_a_setting_that_only_wins_where_it_is_tested_is_not_chosen() -> None:
    # "lucky" is far better on one query and worse elsewhere: without that query nothing speaks for it
    steady = dict.fromkeys(QUERIES, 0.5)
    lucky = {**dict.fromkeys(QUERIES, 0.45), "q07": 1.0}
    candidates = {"steady": two_measures("s", steady, steady), "lucky": two_measures("l", lucky, lucky)}
    pooled, rounds = cross_validate_settings(candidates, rng(), folds=len(QUERIES))
    chosen = {fold.held_out[0]: fold.setting for fold in rounds[MAP()].folds}
    assert chosen["q07"] == "steady"
    assert pooled.of(MAP())["q07"] == 0.5


def test_the_first_of_equal_settings_wins() -> None:
    same = dict.fromkeys(QUERIES, 0.5)
    candidates = {name: two_measures(name, same, same) for name in ("one", "two")}
    _, rounds = cross_validate_settings(candidates, rng())
    assert {fold.setting for fold in rounds[MAP()].folds} == {"one"}


def test_queries_left_out_of_a_measure_stay_left_out() -> None:
    ap = {**dict.fromkeys(QUERIES, 0.5), "q03": float("nan")}
    pooled, _ = cross_validate_settings({"only": two_measures("s", ap, dict.fromkeys(QUERIES, 0.5))}, rng())
    assert "q03" not in pooled.of(MAP())
    assert len(pooled.of(Recall())) == len(QUERIES)


def test_bad_folds_and_candidates_are_refused() -> None:
    same = dict.fromkeys(QUERIES, 0.5)
    good = two_measures("good", same, same)
    fewer = Scores("fewer", good.queries[1:], good.measures, good.values[1:])
    with pytest.raises(InputError, match="1 folds"):
        split(QUERIES, 1, rng())
    with pytest.raises(InputError, match="30 folds of 23"):
        split(QUERIES, 30, rng())
    with pytest.raises(InputError, match="twice"):
        split(["q1", "q1", "q2"], 2, rng())
    with pytest.raises(InputError, match="were measured differently"):
        cross_validate_settings({1: good, 2: fewer}, rng())
    with pytest.raises(InputError, match="no settings"):
        cross_validate_settings({}, rng())
