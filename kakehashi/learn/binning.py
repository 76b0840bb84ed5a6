"""What is lost when features share hashed weights: bounds, estimates and a simulation; hashes nothing."""

from math import expm1, log1p, sqrt

import numpy as np
from numpy.random import Generator

from kakehashi.errors import InputError


def overload(features: int, buckets: int) -> float:
    """Features per bucket."""
    _check(features, buckets)
    return features / buckets


def collision_chance(features: int, buckets: int) -> float:
    """The birthday estimate of the probability that any two share a bucket: 1 - exp(-l(l - 1) / 2n)."""
    _check(features, buckets)
    return -expm1(-features * (features - 1) / (2 * buckets))


def features_until_collision(buckets: int, chance: float = 0.5) -> float:
    """How many features give this probability of a collision, by the birthday estimate; for 0.5 about 1.18 sqrt(n)."""
    _check(1, buckets)
    if not 0 <= chance < 1:
        raise InputError(f"a probability of collision must be at least 0 and below 1, not {chance}")
    return 0.5 + sqrt(0.25 - 2 * buckets * log1p(-chance))


def no_loss_bound(features: int, buckets: int, copies: int) -> float:
    """A lower bound of the probability that no feature is lost if each has c copies: multiple binning.

        1 - l[1 - (1 - c/n)^c + (lc/n)^c]        l features, n buckets

    A feature is lost when each of its copies shares its bucket with another feature. A bound below 0 carries no
    information.
    """
    _check(features, buckets, copies)
    own_meet = 1.0 if copies == buckets else -expm1(copies * log1p(-copies / buckets))
    return 1 - features * (own_meet + (features * copies / buckets) ** copies)


def simulated_no_loss(features: int, buckets: int, copies: int, rng: Generator, rounds: int = 1000) -> float:
    """The share of rounds in which no feature was lost, with every copy in a random bucket."""
    _check(features, buckets, copies)
    if rounds < 1:
        raise InputError(f"a simulation needs 1 round or more, not {rounds}")
    return sum(_no_feature_lost(features, buckets, copies, rng) for _ in range(rounds)) / rounds


def _no_feature_lost(features: int, buckets: int, copies: int, rng: Generator) -> bool:
    chosen = rng.integers(buckets, size=features * copies)  # copy i belongs to feature i // copies
    order = np.argsort(chosen, kind="stable")
    feature = order // copies  # ascending within a bucket, because the sort is stable
    starts = np.flatnonzero(np.diff(chosen[order], prepend=-1))  # (used buckets,)
    ends = np.append(starts[1:], len(order))
    shared = np.empty(len(order), dtype=np.bool_)
    shared[order] = np.repeat(feature[starts] != feature[ends - 1], ends - starts)
    return not shared.reshape(features, copies).all(axis=1).any()


def _check(features: int, buckets: int, copies: int = 1) -> None:
    if features < 1 or buckets < 1 or not 1 <= copies <= buckets:
        raise InputError(
            "binning needs 1 feature or more, 1 bucket or more, and 1 to as many copies as buckets,"
            f" not {features}, {buckets} and {copies}"
        )
