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

from kakehashi.compiled import inline_kernel, kernel
from kakehashi.store import Array

SATURATED, LINEAR, LOGARITHMIC, PRESENCE, SCALED = 0, 1, 2, 3, 4  # the forms of φ
MISSING = np.iinfo(np.int64).min
DENSE = 3  # from one document in so many, a term's column is read instead of its postings
TINY = np.float32(1e-30)  # a divisor for documents without the term where k1 is 0
KNOWN_TFS = 32  # frequencies whose share is computed once per term


class SegmentArrays(NamedTuple):
    """What the loops read of a segment (see `index.builder.postings_arrays`) under one weighting."""

    docs: Array  # postings; uint32, which spares the loops a test for negative indices
    codes: Array  # postings: row of the tables by pair
    pair_tfs: Array  # (pairs,) float32
    pair_values: Array  # (pairs,) float32: φ of an unweighted tf for SATURATED, else empty
    lengths: Array  # (docs,)
    doc_factors: Array  # (docs,) float32: k1·(1 - b + b·length/mean) for SATURATED, else empty
    doc_scales: Array  # (docs,) float32 for LINEAR and SCALED, else empty
    priors: Array  # (longest + 1,) float64: ln(mu / (length + mu)), or empty
    top_tfs: Array  # (columns, docs) tf of the most frequent terms
    fwd_starts: Array
    fwd_terms: Array
    fwd_tfs: Array


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


@inline_kernel
def share(form: int, scale: float, x: float, rate: float, factor: float, doc_scale: float) -> Any:
    """What a group adds to a document, in quanta: scale·φ(x), all float32.

    This is the one place where scores are defined; `_add_saturated` and `_add_by_tf` look φ up in tables made
    by the same operations. Kernels take arrays out of their tuples before a loop, never inside: each access
    counts references.
    """
    if form == SATURATED:
        return np.int32(np.rint(scale * (x / (x + factor))))
    if form == LINEAR:
        return np.int32(np.rint(scale * (x * doc_scale)))
    if form == LOGARITHMIC:
        return np.int32(np.rint(scale * np.log1p(x * rate)))
    if form == SCALED:
        return np.int32(np.rint(scale * doc_scale))
    return np.int32(np.rint(scale))


@inline_kernel
def at(values: Array, i: int) -> Any:
    """An element of a table that some forms do not have."""
    return values[i] if len(values) > 0 else np.float32(0.0)


@inline_kernel
def prior(unit_weight: float, priors: Array, length: int) -> Any:
    """A document's prior in quanta: never positive, 0 for weightings without one."""
    return np.int64(np.rint(unit_weight * priors[length])) if len(priors) > 0 else np.int64(0)


@kernel
def add_group(
    acc: Array, inner: Array, g: int, unit: float, data: SegmentArrays, batch: Batch, form: int
) -> None:
    """Add a group to the accumulators (docs,) int32. `inner` (docs,) float32 is zero before and after."""
    first, last = batch.group_starts[g], batch.group_starts[g + 1]
    scale, rate = np.float32(unit * batch.scales[g]), np.float32(batch.rates[g])
    if last - first > 1:
        _add_several(acc, inner, first, last, scale, rate, data, batch, form)
        return
    docs = data.docs[batch.post_starts[first] : batch.post_ends[first]]
    codes = data.codes[batch.post_starts[first] : batch.post_ends[first]]
    weight, pair_tfs = batch.weights[first], data.pair_tfs
    if form == SATURATED and batch.columns[first] >= 0 and len(docs) * DENSE > len(acc):
        _add_column(acc, data.top_tfs[batch.columns[first]], scale, weight, data.doc_factors)
    elif form == SATURATED and weight == 1.0:
        _add_saturated(acc, docs, codes, scale, data.pair_values)
    elif form in (LOGARITHMIC, PRESENCE):
        _add_by_tf(acc, docs, codes, pair_tfs, form, scale, weight, rate)
    else:
        factors, doc_scales = data.doc_factors, data.doc_scales
        for i in range(len(docs)):
            d = docs[i]
            x = weight * pair_tfs[codes[i]]
            acc[d] += share(form, scale, x, rate, at(factors, d), at(doc_scales, d))


@kernel
def _add_several(
    acc: Array,
    inner: Array,
    first: int,
    last: int,
    scale: float,
    rate: float,
    data: SegmentArrays,
    batch: Batch,
    form: int,
) -> None:
    """A group of several terms: frequencies are summed inside φ, so all its postings come before φ does."""
    docs, codes, pair_tfs = data.docs, data.codes, data.pair_tfs
    factors, doc_scales = data.doc_factors, data.doc_scales
    for e in range(first, last):
        weight = batch.weights[e]
        for p in range(batch.post_starts[e], batch.post_ends[e]):
            inner[docs[p]] += weight * pair_tfs[codes[p]]
    for e in range(first, last):
        for p in range(batch.post_starts[e], batch.post_ends[e]):
            d = docs[p]
            x = inner[d]
            if x != 0.0:
                acc[d] += share(form, scale, x, rate, at(factors, d), at(doc_scales, d))
                inner[d] = 0.0


@kernel
def _add_column(acc: Array, tfs: Array, scale: float, weight: float, factors: Array) -> None:
    """A term that is nearly everywhere: all documents in SIMD steps, which adds zero to those without it."""
    for d in range(len(acc)):
        x = weight * np.float32(tfs[d])
        acc[d] += np.int32(np.rint(scale * (x / max(x + factors[d], TINY))))


@kernel
def _add_saturated(acc: Array, docs: Array, codes: Array, scale: float, values: Array) -> None:
    """Four at a time: their loads overlap, which nearly halves the time (a list never names a document twice)."""
    whole = len(docs) - len(docs) % 4
    for i in range(0, whole, 4):
        a = np.int32(np.rint(scale * values[codes[i]]))
        b = np.int32(np.rint(scale * values[codes[i + 1]]))
        c = np.int32(np.rint(scale * values[codes[i + 2]]))
        d = np.int32(np.rint(scale * values[codes[i + 3]]))
        acc[docs[i]] += a
        acc[docs[i + 1]] += b
        acc[docs[i + 2]] += c
        acc[docs[i + 3]] += d
    for i in range(whole, len(docs)):
        acc[docs[i]] += np.int32(np.rint(scale * values[codes[i]]))


@kernel
def _add_by_tf(
    acc: Array,
    docs: Array,
    codes: Array,
    pair_tfs: Array,
    form: int,
    scale: float,
    weight: float,
    rate: float,
) -> None:
    """Logarithms are dear, and the same few frequencies come again and again."""
    nothing = np.float32(0.0)
    known = np.empty(KNOWN_TFS, np.int32)
    for tf in range(1, KNOWN_TFS):
        known[tf] = share(form, scale, weight * np.float32(tf), rate, nothing, nothing)
    for i in range(len(docs)):
        tf = pair_tfs[codes[i]]
        if tf < KNOWN_TFS:
            acc[docs[i]] += known[np.int64(tf)]
        else:
            acc[docs[i]] += share(form, scale, weight * tf, rate, nothing, nothing)


class Marks(NamedTuple):
    """A query laid out by term, for scoring from the forward index."""

    slots: Array  # (vocabulary,) int32: 1 + the first entry of a term, 0 for terms not asked for
    following: Array  # (entries,) int32: 1 + the next entry of the same term, or 0
    groups: Array  # (entries,) int32: the entry's group within the query
    sums: Array  # (groups,) float32, zero between documents
    touched: Array  # (groups,) int32 work space


@kernel
def mark(slots: Array, q: int, batch: Batch) -> Marks:
    """Mark a query's terms in slots, which must be zero; `unmark` clears them."""
    first, last = batch.query_starts[q], batch.query_starts[q + 1]
    first_entry, n_entries = batch.group_starts[first], batch.group_starts[last] - batch.group_starts[first]
    following, groups = np.empty(n_entries, np.int32), np.empty(n_entries, np.int32)
    for g in range(first, last):
        groups[batch.group_starts[g] - first_entry : batch.group_starts[g + 1] - first_entry] = g - first
    for e in range(n_entries - 1, -1, -1):  # backwards, so that chains run in query order
        term = batch.terms[first_entry + e]
        following[e] = slots[term]
        slots[term] = e + 1
    return Marks(
        slots, following, groups, np.zeros(last - first, np.float32), np.empty(last - first, np.int32)
    )


@kernel
def unmark(slots: Array, q: int, batch: Batch) -> None:
    for e in range(batch.group_starts[batch.query_starts[q]], batch.group_starts[batch.query_starts[q + 1]]):
        slots[batch.terms[e]] = 0


@kernel
def forward_shares(
    d: int, q: int, marks: Marks, data: SegmentArrays, batch: Batch, form: int, out: Array
) -> Any:
    """Set out[g] to group g's share of document d in quanta, for groups that match; returns the sum.

    A group's frequencies are added in ascending order of terms, as entries lie (see `plan_queries`).
    """
    slots, following, groups, sums, touched = marks
    fwd_terms, fwd_tfs = data.fwd_terms, data.fwd_tfs
    first_group, first_entry = batch.query_starts[q], batch.group_starts[batch.query_starts[q]]
    weights, scales, rates = batch.weights, batch.scales, batch.rates
    n = 0
    for p in range(data.fwd_starts[d], data.fwd_starts[d + 1]):
        e = slots[fwd_terms[p]]
        while e > 0:
            g = groups[e - 1]
            if sums[g] == 0.0:
                touched[n] = g
                n += 1
            sums[g] += weights[first_entry + e - 1] * np.float32(fwd_tfs[p])
            e = following[e - 1]
    factor, doc_scale = at(data.doc_factors, d), at(data.doc_scales, d)
    unit, total = batch.units[q], np.int64(0)
    for i in range(n):
        g = touched[i]
        scale, rate = np.float32(unit * scales[first_group + g]), np.float32(rates[first_group + g])
        out[g] = share(form, scale, sums[g], rate, factor, doc_scale)
        total += out[g]
        sums[g] = 0.0
    return total


@kernel
def score_documents(
    doc_list: Array, q: int, slots: Array, data: SegmentArrays, batch: Batch, form: int
) -> Array:
    """Scores of given documents in quanta, prior included; MISSING where nothing matches."""
    marks = mark(slots, q, batch)
    shares = np.zeros(len(marks.sums), np.int64)
    scores = np.empty(len(doc_list), np.int64)
    for i in range(len(doc_list)):
        matched = forward_shares(doc_list[i], q, marks, data, batch, form, shares)
        scores[i] = MISSING
        if matched != 0:
            scores[i] = matched + prior_of(doc_list[i], q, data, batch)
    unmark(slots, q, batch)
    return scores


@kernel
def prior_of(d: int, q: int, data: SegmentArrays, batch: Batch) -> Any:
    return prior(batch.units[q] * batch.prior_weights[q], data.priors, data.lengths[d])


@kernel
def shares_of_document(d: int, q: int, slots: Array, data: SegmentArrays, batch: Batch, form: int) -> Array:
    """(groups of q,) what each group gives one document, in quanta."""
    marks = mark(slots, q, batch)
    shares = np.zeros(len(marks.sums), np.int64)
    forward_shares(d, q, marks, data, batch, form, shares)
    unmark(slots, q, batch)
    return shares


@kernel
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
