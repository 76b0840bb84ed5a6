"""Scores every document for every query of a block: for queries of hundreds or thousands of weighted terms.

A block of queries becomes a dense matrix (terms x queries); each document adds up the rows of its terms,
which is SIMD work over contiguous memory. These float32 sums only nominate candidates, with a margin for
their rounding error; `forward.score_documents` has the last word, so results equal those of `topk`.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.retrieve import kernels, topk
from kakehashi.retrieve.forward import MISSING, score_documents
from kakehashi.retrieve.kernels import (
    DILUTED,
    LINEAR,
    LOGARITHMIC,
    SATURATED,
    SCALED,
    STORED,
    Batch,
    SegmentArrays,
    at,
)
from kakehashi.retrieve.packing import MAX_DOC, unpack
from kakehashi.types import Array, Floats

Work = Callable[[range], None]
BLOCK = 128  # queries scored in parallel
POSTING, CELL = 0.5, 0.15  # approximate nanoseconds: a posting term at a time; a (term, query) cell here
TOO_CLOSE = -1  # instead of a count: the query must be answered term at a time
SPARE = 4  # candidates kept per requested result before the list is reduced


def pays(batch: Batch, data: SegmentArrays, form: int) -> bool:
    """Whether scoring everything is cheaper than term at a time, and possible: single-term groups only."""
    n_queries = len(batch.query_starts) - 1
    if len(batch.lost) > 0 or form in (
        DILUTED,
        STORED,
    ):  # from structured queries, whose groups are not single terms
        return False
    if n_queries < BLOCK // 4 or len(batch.terms) != len(batch.group_starts) - 1:
        return False
    if form in (SATURATED, LOGARITHMIC) and not (batch.weights == 1.0).all():
        return False  # φ of a weighted frequency is not a weight times φ
    postings = float((batch.post_ends - batch.post_starts).sum())
    return postings * POSTING > len(data.fwd_terms) * CELL * max(n_queries, BLOCK)


def search(
    k: int, allowed: Array, data: SegmentArrays, batch: Batch, form: int, workers: int, slots: Array
) -> list[tuple[Array, Array]]:
    """Per query: (documents best first, scores in quanta). slots (vocabulary,) is zero before and after."""
    results = []
    for first in range(0, len(batch.query_starts) - 1, BLOCK):
        last = min(first + BLOCK, len(batch.query_starts) - 1)
        results += _search_block(k, first, last, allowed, data, batch, form, workers, slots)
    return results


class QueryBlock(NamedTuple):
    """A block of queries as a dense matrix over their terms."""

    slots: Array  # (vocabulary,) 1 + row of a term
    matrix: Array  # (rows, queries) float32
    rates: Array  # (rows,) float32
    prior_weights: Array  # (queries,) float32
    margins: Array  # (queries,) float32
    signed: Array  # (queries,) bool: has negative weights


def _block(first: int, last: int, data: SegmentArrays, batch: Batch, form: int, slots: Array) -> QueryBlock:
    entries = slice(batch.query_starts[first], batch.query_starts[last])
    asked = np.zeros(len(slots), dtype=bool)
    asked[batch.terms[entries]] = True
    terms = np.flatnonzero(asked)
    slots[terms] = np.arange(1, len(terms) + 1, dtype=np.int32)
    rates = np.zeros(len(terms), np.float32)
    owner = np.repeat(np.arange(last - first), np.diff(batch.query_starts[first : last + 1]))
    weights = batch.scales[entries] * (batch.weights[entries] if form == LINEAR else 1.0)
    rows = slots[batch.terms[entries]] - 1
    cells = rows.astype(np.int64) * (last - first) + owner
    sums = np.bincount(cells, weights, minlength=len(terms) * (last - first))
    matrix = sums.astype(np.float32).reshape(len(terms), last - first)
    rates[rows] = batch.rates[entries]
    prior_weights = batch.prior_weights[first:last].astype(np.float32)
    largest = np.zeros(last - first)
    own = np.diff(batch.query_starts[first : last + 1]) > 0
    if own.any():
        starts = batch.query_starts[first:last][own] - batch.query_starts[first]
        largest[own] = np.maximum.reduceat(np.abs(batch.bounds[entries]), starts)
    margins = _margins(largest, prior_weights, form, data)
    signed = np.bincount(owner[weights < 0], minlength=last - first) > 0
    return QueryBlock(slots, matrix, rates, prior_weights, margins, signed)


def _search_block(
    k: int,
    first: int,
    last: int,
    allowed: Array,
    data: SegmentArrays,
    batch: Batch,
    form: int,
    workers: int,
    slots: Array,
) -> list[tuple[Array, Array]]:
    block = _block(first, last, data, batch, form, slots)
    pieces = np.linspace(0, len(data.lengths), workers + 1).astype(np.int64)
    idle: SimpleQueue[Array] = SimpleQueue()

    def finish(q: int) -> tuple[Array, Array]:
        if any(counts[q] == TOO_CLOSE for _, _, counts in nominated):
            return topk.search_one(k, q + first, allowed, data, batch, form)
        docs = np.concatenate([found[q, : counts[q]] for found, _, counts in nominated])
        values = np.concatenate([values[q, : counts[q]] for _, values, counts in nominated])
        count = np.array([len(docs)])
        _cut_back(k, docs, values, count, np.empty_like(values), block.margins[q], block.signed[q])
        docs = docs[: count[0]]
        own_slots = idle.get()  # threads must not share marks
        try:
            return _exact(k, q + first, docs, own_slots, data, batch, form)
        finally:
            idle.put(own_slots)

    with ThreadPoolExecutor(workers) as pool:
        limits = [(pieces[i], pieces[i + 1]) for i in range(workers)]
        nominated = list(pool.map(lambda part: _nominate(k, part, allowed, data, form, block), limits))
        slots[:] = 0
        for _ in range(workers):
            idle.put(np.zeros_like(slots))
        return list(pool.map(finish, range(last - first)))


def _exact(
    k: int, q: int, docs: Array, slots: Array, data: SegmentArrays, batch: Batch, form: int
) -> tuple[Array, Array]:
    scores = score_documents(docs, q, slots, data, batch, form)
    found = scores != MISSING
    keys = (scores[found] << 32) | (MAX_DOC - docs[found].astype(np.int64))
    if len(keys) > k:
        keys = np.partition(keys, len(keys) - k)[len(keys) - k :]
    return unpack(keys)


def _margins(largest: Floats, prior_weights: Array, form: int, data: SegmentArrays) -> Array:
    """(queries,) the largest error of a float32 sum: additions x sum of what is added x 2^-23.

    largest (queries,): the most one term can add. Where documents are vectors of unit length (LINEAR, SCALED),
    n terms add no more than √n times that.
    """
    n = float(np.diff(data.fwd_starts).max(initial=1))
    sums = largest * (np.sqrt(n) if form in (LINEAR, SCALED) else n)
    priors = np.abs(prior_weights) * np.abs(data.priors).max(initial=0.0)
    margins: Array = (((n + 4) * sums + 4 * priors) * 2.0**-23).astype(np.float32)
    return margins


@kernel
def _nominate(k: int, limits: Any, allowed: Array, data: SegmentArrays, form: int, block: QueryBlock) -> Any:
    """Candidates (queries, room), their values and counts among documents limits[0]..limits[1].

    Where weights may be negative, a sum near zero may be no match at all: such a document is kept, but does not
    count as one of the k that set the floor.
    """
    n_queries = block.matrix.shape[1]
    room = SPARE * k + 64
    docs, values = np.empty((n_queries, room), np.int32), np.empty((n_queries, room), np.float32)
    counts, floors = np.zeros(n_queries, np.int64), np.full(n_queries, -np.inf, np.float32)
    sums, work = np.empty(n_queries, np.float32), np.empty(room, np.float32)
    prior_weights, margins, signed = block.prior_weights, block.margins, block.signed
    priors, lengths = data.priors, data.lengths
    for d in range(limits[0], limits[1]):
        if len(allowed) > 0 and not allowed[d]:
            continue
        if not _score_all(d, data, form, block.slots, block.matrix, block.rates, sums):
            continue
        prior = np.float32(priors[lengths[d]]) if len(priors) > 0 else np.float32(0.0)
        for q in range(n_queries):
            value = sums[q] + prior_weights[q] * prior
            if value >= floors[q] and (sums[q] != 0.0 or signed[q]):
                n = counts[q]
                docs[q, n], values[q, n] = d, value
                counts[q] = n + 1
                if n + 1 == room:
                    floors[q] = _cut_back(
                        k, docs[q], values[q], counts[q : q + 1], work, margins[q], signed[q]
                    )
                    if counts[q] > room - k:  # too many too close together to distinguish here
                        counts[q], floors[q] = TOO_CLOSE, np.inf
    return docs, values, counts


@kernel
def _score_all(
    d: int, data: SegmentArrays, form: int, slots: Array, matrix: Array, rates: Array, sums: Array
) -> bool:
    """sums (queries,) of one document; False if it contains no term of any query."""
    fwd_terms, fwd_tfs = data.fwd_terms, data.fwd_tfs
    factor, doc_scale = at(data.doc_factors, d), at(data.doc_scales, d)
    sums[:] = 0.0
    matched = False
    for p in range(data.fwd_starts[d], data.fwd_starts[d + 1]):
        row = slots[fwd_terms[p]]
        if row == 0:
            continue
        matched = True
        x = np.float32(1.0)
        if form == SATURATED:
            x = np.float32(fwd_tfs[p]) / (np.float32(fwd_tfs[p]) + factor)
        elif form == LINEAR:
            x = np.float32(fwd_tfs[p]) * doc_scale
        elif form == SCALED:
            x = doc_scale
        elif form == LOGARITHMIC:
            x = np.float32(np.log1p(np.float32(fwd_tfs[p]) * rates[row - 1]))
        _add_row(sums, x, matrix[row - 1])
    return matched


@kernel
def _add_row(sums: Array, x: float, weights: Array) -> None:
    for q in range(len(sums)):
        sums[q] += x * weights[q]


@kernel
def _cut_back(
    k: int, docs: Array, values: Array, count: Array, work: Array, margin: float, signed: bool
) -> Any:
    """Keep what may still be among the k best; returns the threshold for new candidates."""
    n, sure = count[0], 0
    for i in range(n):
        if not signed or abs(values[i]) > margin:
            work[sure] = values[i]
            sure += 1
    if sure < k:
        return np.float32(-np.inf)
    floor = kernels.value_at_rank(work, sure, k) - 2 * margin
    kept = 0
    for i in range(n):
        if values[i] >= floor:
            docs[kept], values[kept] = docs[i], values[i]
            kept += 1
    count[0] = kept
    return floor
