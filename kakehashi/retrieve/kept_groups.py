"""Groups of terms that were summed once: their documents, and what φ makes of them, kept for the next query.

A word with its translations takes two passes over all their postings, and for some weightings a logarithm at each
document. The queries of a collection hold the same words again and again, so the sums are kept in memory and read in
one pass the next time. Shares are the same to the bit.

Memory is limited. What is kept stays, because words that are asked for first are the frequent ones, which cost most.
"""

from threading import Lock
from typing import Any

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.retrieve.kernels import DILUTED, LOGARITHMIC, SATURATED, Batch, SegmentArrays, at, phi
from kakehashi.retrieve.planning import Queries
from kakehashi.retrieve.scratch import Scratch
from kakehashi.types import Array

LARGE = 256  # postings from which a group is worth keeping
MOST_POSTINGS = 1 << 24  # of groups that are kept as lists, over all segments: 128 MiB
MOST_CELLS = 1 << 23  # of groups in so many documents that they are kept as columns: 32 MiB
MANY = 1 << 7  # the most columns, and the most kept postings for each of the segment's own
DENSE = 3  # a group in at least one of this many documents becomes a column
Place = tuple[int, int, int]  # as in `Batch.kept`
NOWHERE: Place = (0, 0, -1)


def can_keep(form: int, queries: Queries) -> bool:
    """Whether sums take longer than reading: several terms in a group, or a logarithm at every posting."""
    if queries.plan.shortening is not None or form not in (SATURATED, LOGARITHMIC, DILUTED):
        return False
    return form == DILUTED or len(queries.terms) > len(queries.group_starts) - 1


class KeptGroups:
    """Those of one segment under one weighting; one object serves any number of threads.

    Memory is only added to, so a search reads it without waiting for another that adds.
    """

    def __init__(self, arrays: SegmentArrays, form: int, share: float):
        """`share` is the segment's part of all documents. Memory that nobody has written to takes no room."""
        n_docs = len(arrays.lengths)
        n_columns = min(int(MOST_CELLS * share) // max(n_docs, 1), MANY)
        n_postings = min(int(MOST_POSTINGS * share), MANY * len(arrays.docs))
        self.arrays = arrays._replace(
            kept_docs=np.empty(n_postings, np.uint32),
            kept_values=np.empty(n_postings, np.float32),
            kept_columns=np.zeros((n_columns, n_docs), np.float32),
        )
        self._form = form
        self._n_postings = self._n_columns = 0
        self._places: dict[bytes, Place] = {}
        self._adding = Lock()

    def bound(self, queries: Queries, batch: Batch, scratch: Scratch) -> Batch:
        """The same queries with what is kept of them; what is not kept yet is added."""
        starts = queries.group_starts
        postings = np.append(0, np.cumsum(batch.post_ends - batch.post_starts))
        large = np.flatnonzero(postings[starts[1:]] - postings[starts[:-1]] >= LARGE)
        kept = np.tile(np.array(NOWHERE, np.int64), (len(starts) - 1, 1))
        for g in large.tolist():
            entries = slice(starts[g], starts[g + 1])
            terms, weights = queries.terms[entries], queries.weights[entries]
            key = terms.tobytes() + weights.tobytes() + batch.rates[g].tobytes()
            size = int(postings[starts[g + 1]] - postings[starts[g]])
            kept[g] = self._places.get(key) or self._add(key, g, size, batch, scratch)
        return batch._replace(kept=kept)

    def _add(self, key: bytes, g: int, size: int, batch: Batch, scratch: Scratch) -> Place:
        if not self._has_room(
            size
        ):  # nor is its key kept: whoever edits queries can make any number of groups
            return NOWHERE
        with self._adding:
            place = self._places.get(key) or self._summed(
                g, batch, scratch
            )  # another thread may have been quicker
            if place != NOWHERE:
                self._places[key] = place
            return place

    def _has_room(self, size: int) -> bool:
        """For a group of so many postings, which has at most as many documents."""
        kept = self.arrays
        fits = self._n_postings + size <= len(kept.kept_docs)
        return fits or (size * DENSE > len(kept.lengths) and self._n_columns < len(kept.kept_columns))

    def _summed(self, g: int, batch: Batch, scratch: Scratch) -> Place:
        n = int(_sum_group(g, self.arrays, batch, scratch.inner, scratch.found))
        docs, kept = scratch.found[:n], self.arrays
        if n * DENSE > len(scratch.inner) and self._n_columns < len(kept.kept_columns):
            place = (0, 0, self._n_columns)
            values = kept.kept_columns[self._n_columns]
            self._n_columns += 1
        elif self._n_postings + n <= len(kept.kept_docs):
            first, last = self._n_postings, self._n_postings + n
            place = (first, last, -1)
            kept.kept_docs[first:last], values = docs, kept.kept_values[first:last]
            self._n_postings = last
        else:
            place, values = NOWHERE, np.empty(n, np.float32)
        _fill(values, place[2] >= 0, docs, g, kept, batch, self._form, scratch.inner)
        return place


@kernel
def _sum_group(g: int, data: SegmentArrays, batch: Batch, inner: Array, found: Array) -> Any:
    """Sum a group's frequencies into `inner` (docs,), in the order in which `add_group` does; returns how many."""
    docs, codes, pair_tfs = data.docs, data.codes, data.pair_tfs
    n = 0
    for e in range(batch.group_starts[g], batch.group_starts[g + 1]):
        weight = batch.weights[e]
        if weight != 0.0:
            for p in range(batch.post_starts[e], batch.post_ends[e]):
                d = docs[p]
                if inner[d] == 0.0:
                    found[n] = d
                    n += 1
                inner[d] += weight * pair_tfs[codes[p]]
    return n


@kernel
def _fill(
    values: Array,
    is_column: bool,
    found: Array,
    g: int,
    data: SegmentArrays,
    batch: Batch,
    form: int,
    inner: Array,
) -> None:
    """φ of the documents found, by document or in their order; `inner` becomes zero again."""
    rate, factors, doc_scales = np.float32(batch.rates[g]), data.doc_factors, data.doc_scales
    for i in range(len(found)):
        d = found[i]
        value = phi(form, inner[d], rate, at(factors, d), at(doc_scales, d))
        values[d if is_column else i] = value
        inner[d] = 0.0
