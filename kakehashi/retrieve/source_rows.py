"""Sums the frequencies of groups of terms in every document: postings of groups from postings of terms."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.index.segment import Segment
from kakehashi.progress import Progress
from kakehashi.types import Array, Floats32, Ints, Longs, TermQuery

BLOCK = 256  # rows that a thread processes at a time


class Rows(NamedTuple):
    """Row r of a segment contains docs[starts[r]:starts[r + 1]], ascending, with their frequencies."""

    starts: Longs  # (rows + 1,)
    docs: Array  # (postings,) uint32
    tfs: Floats32  # (postings,)
    most: Floats32  # (rows,) the largest frequency
    shortest: Ints  # (rows,) the length of the shortest document


def summed(segment: Segment, groups: TermQuery, progress: Progress) -> Rows:
    """All rows of a segment: counted first, then filled in place."""
    n = len(groups)
    weights = groups.term_weights.astype(np.float32)
    terms = segment.rows(groups.terms)
    postings = (segment.starts, np.asarray(segment.docs), segment.codes, segment.pairs[0].astype(np.float32))
    sizes = np.zeros(n, np.int64)
    most, shortest = np.zeros(n, np.float32), np.full(n, np.iinfo(np.int32).max, np.int32)
    blocks = [(first, min(first + BLOCK, n)) for first in range(0, n, BLOCK)]

    def count(block: tuple[int, int]) -> None:
        _count_rows(block, groups.starts, terms, postings, segment.n_docs, sizes)
        progress.advance()

    progress.start("indexing documents by query words", 2 * len(blocks))
    try:
        with ThreadPoolExecutor(workers()) as pool:
            list(pool.map(count, blocks))
            starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
            docs, tfs = np.empty(starts[-1], np.uint32), np.empty(starts[-1], np.float32)
            rows = Rows(starts, docs, tfs, most, shortest)
            lengths = np.asarray(segment.lengths)

            def fill(block: tuple[int, int]) -> None:
                _fill_rows(block, groups.starts, terms, weights, postings, lengths, rows)
                progress.advance()

            list(pool.map(fill, blocks))
    finally:
        progress.finish()
    return rows


@kernel
def _count_rows(
    block: Any, group_starts: Array, terms: Array, postings: Any, n_docs: int, sizes: Array
) -> None:
    """sizes (rows,): documents with any term of the group."""
    starts, docs, _, _ = postings
    seen = np.full(n_docs, -1, np.int32)
    for g in range(block[0], block[1]):
        n = 0
        for e in range(group_starts[g], group_starts[g + 1]):
            if terms[e] >= 0:
                for p in range(starts[terms[e]], starts[terms[e] + 1]):
                    n += seen[docs[p]] != g
                    seen[docs[p]] = g
        sizes[g] = n


@kernel
def _fill_rows(
    block: Any, group_starts: Array, terms: Array, weights: Array, postings: Any, lengths: Array, rows: Rows
) -> None:
    starts, docs, codes, pair_tfs = postings
    inner = np.zeros(len(lengths), np.float32)
    for g in range(block[0], block[1]):
        first, n = rows.starts[g], 0
        found = rows.docs[first : rows.starts[g + 1]]
        for e in range(group_starts[g], group_starts[g + 1]):
            if terms[e] >= 0:
                for p in range(starts[terms[e]], starts[terms[e] + 1]):
                    d = docs[p]
                    if inner[d] == 0.0:
                        found[n] = d
                        n += 1
                    inner[d] += weights[e] * pair_tfs[codes[p]]
        found.sort()
        for i in range(n):
            d = found[i]
            rows.tfs[first + i] = inner[d]
            rows.most[g] = max(rows.most[g], inner[d])
            rows.shortest[g] = min(rows.shortest[g], lengths[d])
            inner[d] = 0.0


def workers() -> int:
    """One thread per core available to this process."""
    return len(os.sched_getaffinity(0))
