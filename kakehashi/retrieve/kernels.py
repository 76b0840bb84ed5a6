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
from kakehashi.types import Array

SATURATED, LINEAR, LOGARITHMIC, PRESENCE, SCALED, DILUTED, STORED = range(7)  # the forms of φ
DENSE = 3  # a term in at least one of this many documents is read by column instead of by postings
TINY = np.float32(1e-30)  # a divisor for documents without the term if k1 is 0
WHOLE = np.float32(0.999999)  # the most of its length that a document can lose
KNOWN_TFS = 32  # frequencies whose share is computed once per term


class SegmentArrays(NamedTuple):
    """What the loops read of a segment (see `index.builder.postings_arrays`) under one weighting."""

    docs: Array  # postings; uint32, which saves the loops a test for negative indices
    codes: Array  # postings: row of the tables by pair
    pair_tfs: Array  # (pairs,) float32
    pair_values: Array  # float32 φ: (pairs,) of a plain tf, SATURATED; (postings,) STORED; else empty
    lengths: Array  # (docs,)
    doc_factors: Array  # (docs,) float32: k1·(1 - b + b·length/mean) for SATURATED, else empty
    doc_scales: Array  # (docs,) float32 for LINEAR, SCALED and DILUTED, else empty
    priors: Array  # (longest + 1,) float64: ln(mu / (length + mu)), or empty
    top_tfs: Array  # (columns, docs) tf of the most frequent terms; φ for STORED
    fwd_starts: Array
    fwd_terms: Array
    fwd_tfs: Array
    kept_docs: Array  # (postings,) uint32 of groups that were summed before, see `kept_groups`
    kept_values: Array  # (postings,) float32 φ
    kept_columns: Array  # (columns, docs) float32 φ


NONE_KEPT = {
    "kept_docs": np.zeros(0, np.uint32),
    "kept_values": np.zeros(0, np.float32),
    "kept_columns": np.zeros((0, 0), np.float32),
}


class Batch(NamedTuple):
    """Planned queries against one segment: query -> groups -> entries."""

    query_starts: Array  # (queries + 1,) groups of a query
    units: Array  # (queries,) quanta per 1.0
    prior_weights: Array  # (queries,)
    group_starts: Array  # (groups + 1,) entries of a group
    scales: Array  # (groups,)
    rates: Array  # (groups,) LOGARITHMIC: φ(x) = ln(1 + rate·x); DILUTED: x by the document's length
    bounds: Array  # (groups,) upper bound of scale·φ in this segment
    terms: Array  # (entries,)
    weights: Array  # (entries,) float32 G[g,t]
    post_starts: Array  # (entries,) postings in this segment
    post_ends: Array
    columns: Array  # (entries,) column in top_tfs, or -1
    lost: Array  # (entries,) float32: how much shorter a document counts, see `shortened`; empty if never
    stretches: Array  # (groups,) float32, or empty
    shifts: Array  # (groups,) float32, or empty
    kept: Array  # (groups, 3) int64: first and last kept posting, and kept column or -1; empty if nothing is kept


@inline_kernel
def share(form: int, scale: float, x: float, rate: float, factor: float, doc_scale: float) -> Any:
    """The contribution of a group to a document, in quanta: scale·φ(x), all float32."""
    return np.int32(np.rint(scale * phi(form, x, rate, factor, doc_scale)))


@inline_kernel
def phi(form: int, x: float, rate: float, factor: float, doc_scale: float) -> Any:
    """The value of a group with the frequency x in a document.

    This is the one place where scores are defined; `_add_saturated` and `_add_by_tf` look φ up in tables made
    by the same operations. Kernels take arrays out of their tuples before a loop, never inside: each access
    counts references.
    """
    if form == SATURATED:
        return x / (x + factor)
    if form == LINEAR:
        return x * doc_scale
    if form == LOGARITHMIC:
        return np.log1p(x * rate)
    if form == DILUTED:
        return np.log1p(x * doc_scale * rate)
    if form == SCALED:
        return doc_scale
    if form == STORED:
        return x
    return np.float32(1.0)


@inline_kernel
def shortened(
    form: int,
    scale: float,
    x: float,
    lost: float,
    rate: float,
    stretch: float,
    shift: float,
    factor: float,
    doc_scale: float,
) -> Any:
    """As `share`, where the group counts the document as shorter: SATURATED and LOGARITHMIC alone.

    The same number as `share` if nothing is lost.
    """
    if form == SATURATED:
        own: Any = max(stretch * factor + shift - lost, np.float32(0.0))
        return np.int32(np.rint(scale * (x / (x + own))))
    part: Any = min(lost * doc_scale, WHOLE)
    return np.int32(np.rint(scale * (np.log1p(x * rate) - np.log1p(-part))))


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
    acc: Array, inner: Array, lost: Array, g: int, unit: float, data: SegmentArrays, batch: Batch, form: int
) -> None:
    """Add a group to the accumulators (docs,) int32. `inner` and `lost` (docs,) float32 are zero before and after."""
    first, last = batch.group_starts[g], batch.group_starts[g + 1]
    scale, rate = np.float32(unit * batch.scales[g]), np.float32(batch.rates[g])
    if len(batch.kept) > 0 and _add_kept(acc, scale, g, data, batch):
        return
    if len(batch.lost) > 0 and (last - first > 1 or batch.lost[first] != 0.0):
        _add_shortened(acc, inner, lost, g, scale, rate, data, batch, form)
        return
    if last - first > 1:
        _add_several(acc, inner, first, last, scale, rate, data, batch, form)
        return
    if form == STORED:
        _add_stored(acc, scale, first, data, batch)
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
def _add_kept(acc: Array, scale: float, g: int, data: SegmentArrays, batch: Batch) -> Any:
    """Whether the group is kept; then it is added."""
    start, end, column = batch.kept[g, 0], batch.kept[g, 1], batch.kept[g, 2]
    if column >= 0:
        _add_value_column(acc, data.kept_columns[column], scale)
    elif end > start:
        _add_values(acc, data.kept_docs[start:end], data.kept_values[start:end], scale)
    return column >= 0 or end > start


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
    """A group of several terms: frequencies are summed inside φ, so all its postings come before φ."""
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
def _add_shortened(
    acc: Array,
    inner: Array,
    lost: Array,
    g: int,
    scale: float,
    rate: float,
    data: SegmentArrays,
    batch: Batch,
    form: int,
) -> None:
    """As `_add_several`; what documents lose is summed beside their frequencies."""
    docs, codes, pair_tfs = data.docs, data.codes, data.pair_tfs
    factors, doc_scales = data.doc_factors, data.doc_scales
    stretch, shift = batch.stretches[g], batch.shifts[g]
    for e in range(batch.group_starts[g], batch.group_starts[g + 1]):
        weight, less = batch.weights[e], batch.lost[e]
        for p in range(batch.post_starts[e], batch.post_ends[e]):
            inner[docs[p]] += weight * pair_tfs[codes[p]]
            lost[docs[p]] += less * pair_tfs[codes[p]]
    for e in range(batch.group_starts[g], batch.group_starts[g + 1]):
        for p in range(batch.post_starts[e], batch.post_ends[e]):
            d = docs[p]
            x, y = inner[d], lost[d]
            if x != 0.0:
                acc[d] += shortened(
                    form, scale, x, y, rate, stretch, shift, at(factors, d), at(doc_scales, d)
                )
                inner[d], lost[d] = 0.0, 0.0


@kernel
def _add_column(acc: Array, tfs: Array, scale: float, weight: float, factors: Array) -> None:
    """A term in nearly all documents: process all documents with SIMD, which adds zero to those without it."""
    for d in range(len(acc)):
        x = weight * np.float32(tfs[d])
        acc[d] += np.int32(np.rint(scale * (x / max(x + factors[d], TINY))))


@kernel
def _add_saturated(acc: Array, docs: Array, codes: Array, scale: float, values: Array) -> None:
    """Four at a time: their loads overlap, which nearly halves the time (a list never contains a document twice)."""
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
def _add_stored(acc: Array, scale: float, entry: int, data: SegmentArrays, batch: Batch) -> None:
    """φ is precomputed: for every document if a term is in nearly all, otherwise per posting."""
    start, end = batch.post_starts[entry], batch.post_ends[entry]
    if batch.columns[entry] >= 0:
        _add_value_column(acc, data.top_tfs[batch.columns[entry]], scale)
    else:
        _add_values(acc, data.docs[start:end], data.pair_values[start:end], scale)


@kernel
def _add_value_column(acc: Array, values: Array, scale: float) -> None:
    """Add the shares of a group whose φ is known for every document."""
    for d in range(len(acc)):
        acc[d] += np.int32(np.rint(scale * values[d]))


@kernel
def _add_values(acc: Array, docs: Array, values: Array, scale: float) -> None:
    """Add the shares of a group whose φ is known for its documents: four at a time, as in `_add_saturated`."""
    whole = len(docs) - len(docs) % 4
    for i in range(0, whole, 4):
        a = np.int32(np.rint(scale * values[i]))
        b = np.int32(np.rint(scale * values[i + 1]))
        c = np.int32(np.rint(scale * values[i + 2]))
        d = np.int32(np.rint(scale * values[i + 3]))
        acc[docs[i]] += a
        acc[docs[i + 1]] += b
        acc[docs[i + 2]] += c
        acc[docs[i + 3]] += d
    for i in range(whole, len(docs)):
        acc[docs[i]] += np.int32(np.rint(scale * values[i]))


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
    """Logarithms are expensive, and the same few frequencies repeat."""
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
