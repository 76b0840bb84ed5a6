"""The inner loops of sparse search; arrays in, arrays out, no Python objects.

Everything sparse scores by one formula (see `weighting.Plan`):

    score(q, d) = Σ_g scale_g · φ( Σ_t G[g,t] · tf[t,d] ) + prior(d)

Each term of this sum (a share) is computed in float32 and rounded to a whole number of quanta, a power of
two chosen per query near 1e-9 of the largest possible score. Whole numbers add up alike in any order, so
scores do not depend on pruning, on segments, on threads or on how work was cut up, and shares sum to the
score. A document whose matches add up to exactly zero counts as not matched.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from kakehashi.store import Array

SATURATED, LINEAR, LOGARITHMIC, PRESENCE = 0, 1, 2, 3  # the forms of φ
MISSING = np.iinfo(np.int64).min
CHUNK = 256


class SegmentArrays(NamedTuple):
    """What the loops read of a segment (see `index.builder.postings_arrays`) under one weighting."""

    docs: Array  # postings; uint32, which spares the loops a test for negative indices
    tfs: Array
    lengths: Array  # (docs,)
    factors: Array  # (docs,) float32: k1·(1 - b + b·length/mean) for SATURATED, a scale for LINEAR, else empty
    top_tfs: Array  # (docs, columns) tf of the most frequent terms, document by document
    fwd_starts: Array
    fwd_terms: Array
    fwd_tfs: Array
    priors: Array  # (longest length + 1,) float64: -ln((length + mu) / mu), or empty


class Batch(NamedTuple):
    """Planned queries against one segment: query -> groups -> entries."""

    query_starts: Array  # (queries + 1,) groups of a query
    units: Array  # (queries,) quanta per 1.0
    prior_weights: Array  # (queries,)
    group_starts: Array  # (groups + 1,) entries of a group
    scales: Array  # (groups,)
    rates: Array  # (groups,) LOGARITHMIC: φ(x) = ln(1 + rate·x)
    bounds: Array  # (groups,) the most scale·φ can be in this segment
    terms: Array  # (entries,)
    weights: Array  # (entries,) float32 G[g,t]
    post_starts: Array  # (entries,) postings in this segment
    post_ends: Array
    columns: Array  # (entries,) column in top_tfs, or -1


@njit(cache=True, nogil=True, inline="always")
def share(form: int, scale: float, x: float, rate: float, d: int, data: SegmentArrays) -> int:
    """What a group adds to a document, in quanta: scale·φ(x); all but `d` are float32.

    This is the one place where scores are computed; `add_group` repeats the first form in a shape that
    the compiler can vectorise.
    """
    if form == SATURATED:
        return np.int32(np.rint(scale * (x / (x + data.factors[d]))))
    if form == LINEAR:
        return np.int32(np.rint(scale * (x * data.factors[d])))
    if form == LOGARITHMIC:
        return np.int32(np.rint(scale * np.log1p(x * rate)))
    return np.int32(np.rint(scale))


@njit(cache=True, nogil=True, inline="always")
def prior(unit: float, weight: float, d: int, data: SegmentArrays) -> int:
    """The document's prior in quanta: never positive, 0 for weightings without one."""
    if weight == 0.0:
        return np.int64(0)
    return np.int64(np.rint(unit * weight * data.priors[data.lengths[d]]))


@njit(cache=True, nogil=True)
def add_group(acc: Array, inner: Array, g: int, unit: float, data: SegmentArrays, batch: Batch, form: int) -> None:
    """Add a group to the accumulators (docs,) int32. `inner` (docs,) float32 is zero before and after."""
    first, last = batch.group_starts[g], batch.group_starts[g + 1]
    scale, rate = np.float32(unit * batch.scales[g]), np.float32(batch.rates[g])
    if last - first == 1:
        start, end = batch.post_starts[first], batch.post_ends[first]
        if form == SATURATED:
            _add_saturated(acc, data.docs[start:end], data.tfs[start:end], batch.weights[first], scale, data.factors)
        else:
            weight = batch.weights[first]
            for p in range(start, end):
                d = data.docs[p]
                acc[d] += share(form, scale, weight * np.float32(data.tfs[p]), rate, d, data)
        return
    # frequencies are summed inside φ, so all postings of the group come before it
    for e in range(first, last):
        for p in range(batch.post_starts[e], batch.post_ends[e]):
            inner[data.docs[p]] += batch.weights[e] * np.float32(data.tfs[p])
    for e in range(first, last):
        for p in range(batch.post_starts[e], batch.post_ends[e]):
            d = data.docs[p]
            if inner[d] != 0.0:
                acc[d] += share(form, scale, inner[d], rate, d, data)
                inner[d] = 0.0


@njit(cache=True, nogil=True)
def _add_saturated(acc: Array, docs: Array, tfs: Array, weight: float, scale: float, factors: Array) -> None:
    """`share` over a whole list: shares first, which vectorises, then the scattered additions, which cannot."""
    shares = np.empty(CHUNK, np.int32)
    for start in range(0, len(docs), CHUNK):
        some_docs, some_tfs = docs[start : start + CHUNK], tfs[start : start + CHUNK]
        for i in range(len(some_docs)):
            x = weight * np.float32(some_tfs[i])
            shares[i] = np.int32(np.rint(scale * (x / (x + factors[some_docs[i]]))))
        for i in range(len(some_docs)):
            acc[some_docs[i]] += shares[i]


@njit(cache=True, nogil=True)
def mark_terms(slots: Array, entries: Array, q: int, batch: Batch) -> int:
    """Prepare forward scoring: chains every entry of query q from its term; returns the number of entries.

    slots (vocabulary,) int32 holds 1 + the first entry of a term, entries (n,) the next one; both 0 = none.
    """
    first = batch.group_starts[batch.query_starts[q]]
    last = batch.group_starts[batch.query_starts[q + 1]]
    for e in range(last - 1, first - 1, -1):  # backwards, so that chains run in query order
        entries[e - first] = slots[batch.terms[e]]
        slots[batch.terms[e]] = e - first + 1
    return last - first


@njit(cache=True, nogil=True)
def clear_terms(slots: Array, q: int, batch: Batch) -> None:
    for e in range(batch.group_starts[batch.query_starts[q]], batch.group_starts[batch.query_starts[q + 1]]):
        slots[batch.terms[e]] = 0


@njit(cache=True, nogil=True)
def forward_shares(
    d: int, q: int, slots: Array, entries: Array, tf_of: Array, data: SegmentArrays, batch: Batch, form: int, out: Array
) -> int:
    """out (groups of q,): every group's share of document d in quanta; returns their sum.

    tf_of (entries of q,) is work space, zero before and after: it lets a group's frequencies be summed in query
    order, as `add_group` does.
    """
    first_group, first_entry = batch.query_starts[q], batch.group_starts[batch.query_starts[q]]
    for p in range(data.fwd_starts[d], data.fwd_starts[d + 1]):
        e = slots[data.fwd_terms[p]]
        while e > 0:
            tf_of[e - 1] = data.fwd_tfs[p]
            e = entries[e - 1]
    total = np.int64(0)
    for g in range(batch.query_starts[q + 1] - first_group):
        x = np.float32(0.0)
        for e in range(batch.group_starts[first_group + g], batch.group_starts[first_group + g + 1]):
            if tf_of[e - first_entry] != 0:
                x += batch.weights[e] * np.float32(tf_of[e - first_entry])
                tf_of[e - first_entry] = 0
        out[g] = 0
        if x != 0.0:
            scale = np.float32(batch.units[q] * batch.scales[first_group + g])
            out[g] = share(form, scale, x, np.float32(batch.rates[first_group + g]), d, data)
        total += out[g]
    return total


@njit(cache=True, nogil=True)
def score_documents(doc_list: Array, q: int, slots: Array, data: SegmentArrays, batch: Batch, form: int) -> Array:
    """Scores of given documents in quanta, prior included; MISSING where nothing matches."""
    n_groups = batch.query_starts[q + 1] - batch.query_starts[q]
    n_entries = batch.group_starts[batch.query_starts[q + 1]] - batch.group_starts[batch.query_starts[q]]
    entries, tf_of = np.zeros(n_entries, np.int32), np.zeros(n_entries, np.int32)
    shares = np.zeros(n_groups, np.int64)
    mark_terms(slots, entries, q, batch)
    scores = np.empty(len(doc_list), np.int64)
    for i in range(len(doc_list)):
        d = doc_list[i]
        matched = forward_shares(d, q, slots, entries, tf_of, data, batch, form, shares)
        scores[i] = MISSING
        if matched != 0:
            scores[i] = matched + prior(batch.units[q], batch.prior_weights[q], d, data)
    clear_terms(slots, q, batch)
    return scores


@njit(cache=True, nogil=True)
def shares_of_document(d: int, q: int, slots: Array, data: SegmentArrays, batch: Batch, form: int) -> Array:
    """(groups of q,) what each group gives one document, in quanta."""
    n_entries = batch.group_starts[batch.query_starts[q + 1]] - batch.group_starts[batch.query_starts[q]]
    entries, tf_of = np.zeros(n_entries, np.int32), np.zeros(n_entries, np.int32)
    shares = np.zeros(batch.query_starts[q + 1] - batch.query_starts[q], np.int64)
    mark_terms(slots, entries, q, batch)
    forward_shares(d, q, slots, entries, tf_of, data, batch, form, shares)
    clear_terms(slots, q, batch)
    return shares


@njit(cache=True, nogil=True)
def value_at_rank(work: Array, n: int, rank: int) -> Any:
    """The rank-th largest (1 = largest) of work[:n], which is reordered (quickselect)."""
    low, high, target = 0, n - 1, rank - 1
    while low < high:
        pivot = work[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while work[i] > pivot:
                i += 1
            while work[j] < pivot:
                j -= 1
            if i <= j:
                work[i], work[j] = work[j], work[i]
                i += 1
                j -= 1
        if target <= j:
            high = j
        elif target >= i:
            low = i
        else:
            break
    return work[target]
