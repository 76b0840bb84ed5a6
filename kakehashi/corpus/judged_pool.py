"""The judgments of queries on a pool of documents, as arrays that pairs can be drawn from; draws nothing itself."""

from collections.abc import Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.types import Array, Qrels

OUTSIDE = -1  # the number of a document that is not in the pool
HIGHEST_LEVEL = 255  # margins are stored as bytes


class Judgments(NamedTuple):
    """For each query its relevant documents in the pool, and those that have a possible negative."""

    n_documents: int
    starts: Array  # (queries + 1,) int64
    documents: Array  # (relevant,) int32, by ascending level, then number
    levels: Array  # (relevant,) uint8
    listed_starts: Array  # (queries + 1,) int64
    listed: Array  # (relevant + own,) int32, ascending: all that is relevant, and the query itself
    firsts: Array  # (queries,) int64: positives are documents[firsts[q]:starts[q + 1]]
    usable: Array  # (usable queries,) int32: queries that have a positive
    outside: int  # relevant documents that are not in the pool
    own: int  # queries judged relevant to themselves


def read_judgments(qrels: Qrels, queries: Sequence[str], documents: Sequence[str], lower: bool) -> Judgments:
    """The judgments of `queries`, in that order, on the pool `documents`.

    A positive needs a document that may be its negative: with `lower`, a relevant one of a lower level will do.
    """
    numbers = {document: number for number, document in enumerate(documents)}
    if len(numbers) != len(documents):
        raise InputError("the pool names a document twice: give every document id once")
    rows = [qrels[query] for query in queries]
    ends = np.cumsum([len(row) for row in rows], dtype=np.int64)
    n = int(ends[-1]) if len(ends) else 0
    places = np.fromiter(map(numbers.get, chain.from_iterable(rows), repeat(OUTSIDE)), np.int32, n)
    try:
        levels = np.fromiter(chain.from_iterable(row.values() for row in rows), np.int16, n)
    except OverflowError:
        levels = np.full(1, HIGHEST_LEVEL + 1, np.int16)
    if levels.max(initial=0) > HIGHEST_LEVEL:
        raise InputError(f"a relevance level is above {HIGHEST_LEVEL}: renumber the levels from 0 up")
    own = np.fromiter(map(numbers.get, queries, repeat(OUTSIDE)), np.int32, len(queries))
    starts, ordered, ordered_levels, listed_starts, listed, n_own = _grouped(ends, places, levels, own)
    firsts = _first_positives(len(documents), starts, ordered_levels, listed_starts, lower)
    return Judgments(
        n_documents=len(documents),
        starts=starts,
        documents=ordered,
        levels=ordered_levels,
        listed_starts=listed_starts,
        listed=listed,
        firsts=firsts,
        usable=np.flatnonzero(firsts < starts[1:]).astype(np.int32),
        outside=int(((places == OUTSIDE) & (levels > 0)).sum()),
        own=n_own,
    )


@kernel
def _grouped(ends: Array, places: Array, levels: Array, own: Array) -> Any:
    """The relevant documents of each query, sorted by level and, with its own document, by number."""
    n_queries = len(ends)
    starts, listed_starts = np.zeros(n_queries + 1, np.int64), np.zeros(n_queries + 1, np.int64)
    documents, listed = np.empty(len(places), np.int32), np.empty(len(places) + n_queries, np.int32)
    new_levels = np.empty(len(places), np.uint8)
    n = m = n_own = first = 0
    for query in range(n_queries):
        keys = np.empty(ends[query] - first + 1, np.int64)
        size = 0
        for i in range(first, ends[query]):
            if levels[i] > 0 and places[i] >= 0:
                if places[i] == own[query]:
                    n_own += 1
                else:
                    keys[size] = np.int64(levels[i]) << 32 | np.int64(places[i])
                    size += 1
        for key in np.sort(keys[:size]):
            documents[n], new_levels[n] = key & 0xFFFFFFFF, key >> 32
            n += 1
        if own[query] >= 0:
            keys[size] = own[query]
            size += 1
        for number in np.sort(keys[:size] & 0xFFFFFFFF):
            listed[m] = number
            m += 1
        first, starts[query + 1], listed_starts[query + 1] = ends[query], n, m
    return starts, documents[:n], new_levels[:n], listed_starts, listed[:m], n_own


@kernel
def _first_positives(
    n_documents: int, starts: Array, levels: Array, listed_starts: Array, lower: bool
) -> Any:
    """If all documents are listed, the lowest level has nothing below it, and none is not relevant."""
    firsts = np.empty(len(starts) - 1, np.int64)
    for query in range(len(firsts)):
        first, end = starts[query], starts[query + 1]
        if listed_starts[query + 1] - listed_starts[query] == n_documents:
            first = after(levels, first, end, levels[first]) if lower and first < end else end
        firsts[query] = first
    return firsts


@kernel
def after(levels: Array, first: int, end: int, level: int) -> Any:
    """The first position in an ascending range whose level is higher."""
    while first < end:
        middle = (first + end) // 2
        if levels[middle] <= level:
            first = middle + 1
        else:
            end = middle
    return first
