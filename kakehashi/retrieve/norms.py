"""Lengths of documents' weighted vectors, added up in an order that does not depend on the history of an index."""

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.index.segment import Segment
from kakehashi.index.statistics import Statistics
from kakehashi.types import Array, Floats, Floats32


def inverse_norms(segment: Segment, weights: Floats | Floats32, statistics: Statistics) -> Floats32:
    """(docs,) one over the length of each document's weighted vector; 0 for an empty one."""
    squares = squared_lengths(segment, weights, statistics)
    norms = np.zeros(len(squares), np.float32)
    norms[squares > 0.0] = 1.0 / np.sqrt(squares[squares > 0.0])
    return norms


def squared_lengths(segment: Segment, weights: Floats | Floats32, statistics: Statistics) -> Floats:
    """(docs,) Σ_t (tf·weight)², added in the order of a fresh index.

    Forward rows are in that order where terms are numbered so. Elsewhere postings are read term after term, which
    brings every document its terms in that order without any sorting.
    """
    if len(statistics.ranks) == 0:
        squares: Floats = _squares_by_document(*segment.forward, weights)
        return squares
    rows = np.argsort(statistics.rank_of(segment.terms))
    postings = segment.starts, segment.docs, segment.codes, segment.pairs[0]
    squares = _squares_by_term(rows, segment.n_docs, weights[segment.terms], *postings)
    return squares


@kernel
def _squares_by_document(starts: Array, terms: Array, tfs: Array, weights: Array) -> Array:
    """Frequencies as float32, because their type on disk depends on the segment and must not affect a product."""
    squares = np.zeros(len(starts) - 1)
    for d in range(len(squares)):
        total = 0.0
        for p in range(starts[d], starts[d + 1]):
            total += (np.float32(tfs[p]) * weights[terms[p]]) ** 2
        squares[d] = total
    return squares


@kernel
def _squares_by_term(
    rows: Array, n_docs: int, weights: Array, starts: Array, docs: Array, codes: Array, pair_tfs: Array
) -> Array:
    squares = np.zeros(n_docs)
    for row in rows:
        for p in range(starts[row], starts[row + 1]):
            squares[docs[p]] += (np.float32(pair_tfs[codes[p]]) * weights[row]) ** 2
    return squares
