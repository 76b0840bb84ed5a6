"""Paired significance tests over per-query scores.

Both arguments of a test are the scores of the same queries in the same order. All tests are two-sided.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from kakehashi.errors import InputError
from kakehashi.types import Floats, Longs

EXACT_UP_TO = 20  # maximum queries that differ: 2^20 labellings are enumerated quickly
_BLOCK = 1 << 20  # table lookups in memory at once; results do not depend on it


def randomization_p(a: Floats, b: Floats, rng: Generator, rounds: int = 100_000) -> float:
    """Paired randomization test: how often does swapping the systems at random give as large a difference?

    p = (c + 1) / (rounds + 1) with c shuffles whose |mean difference| is at least the observed one: never 0,
    because the observed labelling is itself one of the shuffles. If at most 20 queries differ, all labellings
    are enumerated instead, and p is exact. The error of a sampled p is at most 1 / (2 sqrt(rounds)).
    """
    differences = _differences(a, b)
    moving = differences[differences != 0]  # swapping equal scores changes nothing
    if len(moving) <= EXACT_UP_TO:
        return exact_p(moving)
    return sampled_p(moving, rng, rounds)


def exact_p(differences: Floats) -> float:
    """p over all 2^n labellings; by symmetry the sign of the first difference can stay fixed."""
    sums = differences[:1].copy() if len(differences) else np.zeros(1)
    for difference in differences[1:]:
        sums = np.concatenate([sums + difference, sums - difference])
    return float(np.mean(np.abs(sums) >= _threshold(differences)))


def sampled_p(differences: Floats, rng: Generator, rounds: int) -> float:
    """p over `rounds` random labellings, drawn in blocks of limited memory."""
    if rounds < 1:
        raise InputError(f"{rounds} rounds: a randomization test needs at least 1")
    table = _sums_by_byte(differences)
    groups, threshold, extreme = len(table), _threshold(differences), 0
    first = np.arange(groups, dtype=np.int64) * 256  # where each group's sums begin in the flat table
    flat = table.ravel()
    block = max(1, _BLOCK // groups)
    for done in range(0, rounds, block):
        size = min(block, rounds - done)
        signs = np.frombuffer(rng.bytes(size * groups), dtype=np.uint8).reshape(size, groups)
        sums = flat.take(signs + first).sum(axis=1)  # (size,)
        extreme += int(np.count_nonzero(np.abs(sums) >= threshold))
    return (extreme + 1) / (rounds + 1)


def _sums_by_byte(differences: Floats) -> Floats:
    """(groups, 256): sums of eight differences under every pattern of signs, so a byte is one look-up.

    Groups come in fours, like the generator's bytes, so that blocks of any size draw the same values.
    """
    padded = np.zeros(-(-max(1, len(differences)) // 32) * 32)
    padded[: len(differences)] = differences
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)  # (256, 8)
    sums: Floats = padded.reshape(-1, 8) @ (2.0 * bits - 1.0).T
    return sums


def _threshold(differences: Floats) -> float:
    """The observed |sum|, minus a tolerance for rounding."""
    return float(abs(differences.sum()) - 1e-12 * np.abs(differences).sum())


def t_test_p(a: Floats, b: Floats) -> float:
    """Paired t-test: t = mean / (s / sqrt n) of the differences, with n - 1 degrees of freedom."""
    differences = _differences(a, b)
    n = len(differences)
    if n < 2:
        raise InputError(f"a t-test needs at least 2 queries, got {n}: use the randomization test")
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    if mean == 0:
        return 1.0
    if deviation == 0:
        return 0.0
    from scipy.special import stdtr  # slow to import, and most commands compute no p value

    return float(2 * stdtr(n - 1, -abs(mean) / (deviation / np.sqrt(n))))


def mean_interval(values: Floats, confidence: float = 0.95) -> tuple[float, float]:
    """Student's t interval of a mean; NaN for fewer than two values, whose spread is unknown."""
    if not 0 < confidence < 1:
        raise InputError(f"confidence {confidence}: it must be between 0 and 1")
    n = len(values)
    if n < 2:
        return float("nan"), float("nan")
    mean = float(values.mean())
    from scipy.special import stdtrit

    reach = float(stdtrit(n - 1, 0.5 + confidence / 2) * values.std(ddof=1) / np.sqrt(n))
    return mean - reach, mean + reach


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the i-th smallest of m becomes max over j <= i of (m - j + 1) p_j, at most 1."""
    p = np.asarray(p_values, dtype=np.float64)
    order: Longs = np.argsort(p, kind="stable")
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return [float(value) for value in corrected]


def _differences(a: Floats, b: Floats) -> Floats:
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise InputError(
            f"paired tests need the same queries on both sides, got {a.shape} and {b.shape} scores"
        )
    if not len(a):
        raise InputError("paired tests need at least one query")
    differences: Floats = a - b
    if not np.isfinite(differences).all():
        raise InputError("a score is not a number: leave that query out on both sides")
    return differences
