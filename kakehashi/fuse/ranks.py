"""Compiled: the ranks of judged documents in the list that given weights produce; nothing else is sorted."""

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.types import Bools, Floats, Longs

BLOCK = 128  # documents summed up together, in the fastest cache


@kernel
def fused_ranks(
    weights: Floats,  # (lists,)
    points: Floats,  # (lists, entries) the documents of one query after another, by id descending
    listed: Bools,  # (lists, entries)
    starts: Longs,  # (queries + 1,) into entries
    judged: Longs,  # (judged,) entries, those of one query after another
    judged_starts: Longs,  # (queries + 1,) into judged
    k: int,
    times_found: bool,
    ranks: Longs,  # (judged,) out: from 1; 0 if the list of k documents does not contain it
    lengths: Longs,  # (queries,) out
) -> None:
    """Ranks as `evaluate` sees them in a run cut to k documents.

    The cut uses scores in double precision; measures see them in single precision.
    """
    for query in range(len(starts) - 1):
        first, end = starts[query], starts[query + 1]
        total, found = _totals(weights, points[:, first:end], listed[:, first:end])
        n = int(np.count_nonzero(found))
        for i in range(end - first):
            if not found[i]:
                total[i] = np.nan  # no list with weight contains it: never greater, never equal
            elif times_found:
                total[i] *= found[i]
        lengths[query] = min(n, k)
        seen = total.astype(np.float32)
        for j in range(judged_starts[query], judged_starts[query + 1]):
            ranks[j] = _rank(total, seen, judged[j] - first, k, n)


@kernel
def _totals(weights: Floats, points: Floats, listed: Bools) -> tuple[Floats, Longs]:
    """(sums, numbers of lists) by document, added in the order of `rules.add_up`: smallest first."""
    rows = np.flatnonzero(weights > 0)
    n = points.shape[1]
    total, found = np.zeros(n), np.zeros(n, dtype=np.int64)
    parts = np.empty((len(rows), BLOCK))
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        sums, numbers = total[start : start + size], found[start : start + size]
        for j, row in enumerate(rows):
            given, is_listed, part = (
                points[row, start : start + size],
                listed[row, start : start + size],
                parts[j],
            )
            for i in range(size):
                part[i] = weights[row] * given[i]
                numbers[i] += is_listed[i]
        if len(rows) > 2:  # two numbers have one sum
            _sort_columns(parts, size)
        for j in range(len(rows)):
            part = parts[j]
            for i in range(size):
                sums[i] += part[i]
    return total, found


@kernel
def _sort_columns(parts: Floats, size: int) -> None:
    """Ascending, by odd-even transposition: comparing whole rows needs no branches, so it runs in SIMD steps."""
    n = len(parts)
    for turn in range(n):
        for j in range(turn % 2, n - 1, 2):
            for i in range(size):
                a, b = parts[j, i], parts[j + 1, i]
                parts[j, i] = a if a < b else b
                parts[j + 1, i] = b if a < b else a


@kernel
def _rank(total: Floats, seen: Floats, place: int, k: int, n: int) -> int:
    if np.isnan(total[place]) or (n > k and _ahead(total, place) >= k):
        return 0
    rank: int = 1 + _ahead(seen, place)
    if n > k:
        for i in range(place):  # equal in single precision and before by id, but cut off
            if seen[i] == seen[place] and total[i] < total[place] and _ahead(total, i) >= k:
                rank -= 1
    return rank


@kernel
def _ahead(values: Floats, place: int) -> int:
    """Documents with a higher value, or with the same value and a higher id."""
    value, count = values[place], 0
    for i in range(place):
        count += values[i] >= value
    for i in range(place + 1, len(values)):
        count += values[i] > value
    return count
