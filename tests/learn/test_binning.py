"""Bounds and estimates of collisions, against published values, enumeration and chance."""

from itertools import product
from math import prod, sqrt

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.learn.binning import (
    collision_chance,
    features_until_collision,
    no_loss_bound,
    overload,
    simulated_no_loss,
)


@pytest.mark.parametrize(("copies", "bound"), [(1, -99.0), (2, 0.596), (3, 0.9883)])
def test_bound_has_its_published_values(copies: int, bound: float) -> None:
    assert no_loss_bound(10**5, 10**8, copies) == pytest.approx(bound, abs=1.1e-3 if copies == 1 else 5e-5)


@pytest.mark.parametrize(
    ("features", "bits", "factor"), [(365_553 * 60_470, 29, 41.17), (30_000 * 57_459, 29, 3.21)]
)
def test_overload_has_its_published_values(features: int, bits: int, factor: float) -> None:
    assert overload(features, 2**bits) == pytest.approx(factor, abs=5e-3)


def test_limited_newsgroups_have_more_buckets_than_pairs() -> None:
    assert 1 / overload(10**8, 2**27) == pytest.approx(1.34, abs=5e-3)


@pytest.mark.parametrize("features", [2, 10, 23, 40, 80])
def test_birthday_estimate_is_near_the_exact_chance(features: int) -> None:
    exact = 1 - prod(1 - i / 365 for i in range(features))
    assert collision_chance(features, 365) == pytest.approx(exact, abs=0.015)


def test_half_a_chance_of_collision_comes_at_1_18_times_the_root() -> None:
    for buckets in (2**18, 2**29):
        assert features_until_collision(buckets) / sqrt(buckets) == pytest.approx(1.18, abs=5e-3)
    assert round(features_until_collision(365)) == 23  # people in a room
    assert features_until_collision(365, 0.0) == 1


def enumerated_no_loss(features: int, buckets: int, copies: int) -> float:
    """Over all ways to place the copies; a feature survives by a copy in a bucket of its own."""
    kept = 0
    for places in product(range(buckets), repeat=features * copies):
        rows = [places[i : i + copies] for i in range(0, len(places), copies)]
        others = [set().union(*rows[:i], *rows[i + 1 :]) for i in range(features)]
        kept += all(set(row) - other for row, other in zip(rows, others, strict=True))
    return kept / buckets ** (features * copies)


@pytest.mark.parametrize(
    ("features", "buckets", "copies"),
    [(1, 3, 2), (2, 4, 1), (3, 3, 1), (2, 3, 2), (3, 4, 2), (2, 3, 3), (4, 5, 1)],
)
def test_simulation_agrees_with_enumeration(features: int, buckets: int, copies: int) -> None:
    exact = enumerated_no_loss(features, buckets, copies)
    measured = simulated_no_loss(features, buckets, copies, np.random.default_rng(1), rounds=4000)
    assert measured == pytest.approx(exact, abs=4 * sqrt(exact * (1 - exact) / 4000) + 1e-12)


@pytest.mark.parametrize(
    ("features", "buckets", "copies"), [(10, 1000, 1), (100, 10_000, 2), (100, 4000, 3), (1000, 50_000, 4)]
)
def test_simulation_obeys_the_bound(features: int, buckets: int, copies: int) -> None:
    bound = no_loss_bound(features, buckets, copies)
    assert bound > 0.3
    measured = simulated_no_loss(features, buckets, copies, np.random.default_rng(2), rounds=1000)
    assert measured >= bound - 4 * sqrt(bound * (1 - bound) / 1000)


def test_copies_help_where_buckets_are_many_and_harm_where_they_are_few() -> None:
    rng = np.random.default_rng(3)
    assert simulated_no_loss(100, 10_000, 2, rng) > simulated_no_loss(100, 10_000, 1, rng) + 0.2
    assert simulated_no_loss(5, 8, 8, rng) < simulated_no_loss(5, 8, 1, rng)


@pytest.mark.parametrize("bad", [(0, 5, 1), (5, 0, 1), (5, 5, 0), (5, 5, 6)])
def test_impossible_sizes_are_refused(bad: tuple[int, int, int]) -> None:
    with pytest.raises(InputError, match="binning needs"):
        no_loss_bound(*bad)
    with pytest.raises(InputError, match="binning needs"):
        simulated_no_loss(*bad, np.random.default_rng(1))
    with pytest.raises(InputError, match="at least 0 and below 1"):
        features_until_collision(5, 1.0)
    with pytest.raises(InputError, match="1 round or more"):
        simulated_no_loss(1, 1, 1, np.random.default_rng(1), 0)
