"""Scores of given documents, and each group's share of them, from the forward index."""

from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.retrieve.kernels import (
    LINEAR,
    PRESENCE,
    SCALED,
    Batch,
    SegmentArrays,
    at,
    prior,
    share,
    shortened,
)
from kakehashi.types import Array

MISSING = np.iinfo(np.int64).min  # instead of a score
TF_BITS = (1 << 32) - 1


class Marks(NamedTuple):
    """A query arranged by term, for scoring from the forward index."""

    slots: Array  # (vocabulary,) int32: 1 + the first entry of a term, 0 for terms not in the query
    following: Array  # (entries,) int32: 1 + the next entry of the same term, or 0
    groups: Array  # (entries,) int32: the entry's group within the query
    sums: Array  # (groups,) float32, zero between documents
    lost: Array  # (groups,) float32, likewise
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
        if (
            batch.weights[first_entry + e] != 0.0
        ):  # an entry without weight would make its group look untouched
            term = batch.terms[first_entry + e]
            following[e] = slots[term]
            slots[term] = e + 1
    sums, lost = np.zeros(last - first, np.float32), np.zeros(last - first, np.float32)
    return Marks(slots, following, groups, sums, lost, np.empty(last - first, np.int32))


@kernel
def unmark(slots: Array, q: int, batch: Batch) -> None:
    for e in range(batch.group_starts[batch.query_starts[q]], batch.group_starts[batch.query_starts[q + 1]]):
        slots[batch.terms[e]] = 0


@kernel
def ascending(q: int, batch: Batch) -> bool:
    """Whether the entries of every group ascend by term, so that documents contain them in the order of adding."""
    for g in range(batch.query_starts[q], batch.query_starts[q + 1]):
        for e in range(batch.group_starts[g] + 1, batch.group_starts[g + 1]):
            if batch.terms[e - 1] > batch.terms[e]:
                return False
    return True


@kernel
def forward_shares(
    d: int, q: int, marks: Marks, data: SegmentArrays, batch: Batch, form: int, out: Array
) -> Any:
    """Set out[g] to group g's share of document d in quanta, for groups that match; returns the sum.

    For queries that are `ascending`: a group's frequencies are added as the document holds them.
    """
    slots, following, groups, sums, lost, touched = marks
    shortens = len(batch.lost) > 0
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
            if shortens:
                lost[g] += batch.lost[first_entry + e - 1] * np.float32(fwd_tfs[p])
            e = following[e - 1]
    factor, doc_scale = at(data.doc_factors, d), at(data.doc_scales, d)
    unit, total = batch.units[q], np.int64(0)
    for i in range(n):
        g = touched[i]
        scale, rate = np.float32(unit * scales[first_group + g]), np.float32(rates[first_group + g])
        if shortens:
            stretch, shift = batch.stretches[first_group + g], batch.shifts[first_group + g]
            out[g] = shortened(form, scale, sums[g], lost[g], rate, stretch, shift, factor, doc_scale)
        else:
            out[g] = share(form, scale, sums[g], rate, factor, doc_scale)
        total += out[g]
        sums[g], lost[g] = 0.0, 0.0
    return total


@kernel
def ordered_shares(
    d: int, q: int, marks: Marks, data: SegmentArrays, batch: Batch, form: int, out: Array, met: Array
) -> Any:
    """As `forward_shares`, for any query: frequencies are added in the order in which a group's entries lie.

    met (entries,) int64 is work space: an entry and the document's frequency of it, in one number that sorts by
    the entry.
    """
    slots, following, groups, sums, lost, _ = marks
    shortens = len(batch.lost) > 0
    fwd_terms, fwd_tfs = data.fwd_terms, data.fwd_tfs
    first_group, first_entry = batch.query_starts[q], batch.group_starts[batch.query_starts[q]]
    n = 0
    for p in range(data.fwd_starts[d], data.fwd_starts[d + 1]):
        e = slots[fwd_terms[p]]
        while e > 0:
            met[n] = np.int64(e - 1) << 32 | np.int64(fwd_tfs[p])
            n += 1
            e = following[e - 1]
    met[:n].sort()
    for i in range(n):
        e = met[i] >> 32
        sums[groups[e]] += batch.weights[first_entry + e] * np.float32(met[i] & TF_BITS)
        if shortens:
            lost[groups[e]] += batch.lost[first_entry + e] * np.float32(met[i] & TF_BITS)
    factor, doc_scale = at(data.doc_factors, d), at(data.doc_scales, d)
    unit, total = batch.units[q], np.int64(0)
    for i in range(n):
        g = groups[met[i] >> 32]
        if sums[g] != 0.0:  # assigned to the first of its entries
            scale, rate = (
                np.float32(unit * batch.scales[first_group + g]),
                np.float32(batch.rates[first_group + g]),
            )
            if shortens:
                stretch, shift = batch.stretches[first_group + g], batch.shifts[first_group + g]
                out[g] = shortened(form, scale, sums[g], lost[g], rate, stretch, shift, factor, doc_scale)
            else:
                out[g] = share(form, scale, sums[g], rate, factor, doc_scale)
            total += out[g]
            sums[g], lost[g] = 0.0, 0.0
    return total


@kernel
def score_documents(
    doc_list: Array, q: int, slots: Array, data: SegmentArrays, batch: Batch, form: int
) -> Array:
    """Scores of given documents in quanta, prior included; MISSING where nothing matches."""
    if _is_flat(q, len(slots), batch, form):
        flat: Array = _score_flat(doc_list, q, len(slots), data, batch, form)
        return flat
    marks = mark(slots, q, batch)
    shares = np.zeros(len(marks.sums), np.int64)
    scores = np.empty(len(doc_list), np.int64)
    as_held, met = ascending(q, batch), np.empty(len(marks.groups), np.int64)
    for i in range(len(doc_list)):
        if as_held:
            matched = forward_shares(doc_list[i], q, marks, data, batch, form, shares)
        else:
            matched = ordered_shares(doc_list[i], q, marks, data, batch, form, shares, met)
        scores[i] = MISSING
        if matched != 0:
            scores[i] = matched + prior_of(doc_list[i], q, data, batch)
    unmark(slots, q, batch)
    return scores


@kernel
def _is_flat(q: int, n_terms: int, batch: Batch, form: int) -> bool:
    """Whether every group is a term of its own, as in learned queries, and φ is linear: no sums to be made first."""
    if form != PRESENCE and form != SCALED and form != LINEAR:
        return False
    first, last = batch.query_starts[q], batch.query_starts[q + 1]
    first_entry, n_entries = batch.group_starts[first], batch.group_starts[last] - batch.group_starts[first]
    if n_entries != last - first:
        return False
    asked = np.zeros(n_terms, np.bool_)
    for e in range(first_entry, first_entry + n_entries):
        if asked[batch.terms[e]]:
            return False
        asked[batch.terms[e]] = True
    return True


@kernel
def _score_flat(doc_list: Array, q: int, n_terms: int, data: SegmentArrays, batch: Batch, form: int) -> Array:
    """The same shares as `forward_shares` adds up, from a table of the query's scales by term."""
    first, last = batch.query_starts[q], batch.query_starts[q + 1]
    scales, weights = np.zeros(n_terms, np.float32), np.zeros(n_terms, np.float32)
    presence = np.zeros(n_terms, np.int32)  # what a term gives to any document that holds it
    for g in range(first, last):
        e = batch.group_starts[g]
        scales[batch.terms[e]] = np.float32(batch.units[q] * batch.scales[g])
        weights[batch.terms[e]] = batch.weights[e]
        presence[batch.terms[e]] = np.int32(np.rint(scales[batch.terms[e]]))
    fwd_starts, fwd_terms, fwd_tfs = data.fwd_starts, data.fwd_terms, data.fwd_tfs
    scores = np.empty(len(doc_list), np.int64)
    for i in range(len(doc_list)):
        d = doc_list[i]
        start, end = fwd_starts[d], fwd_starts[d + 1]
        total = np.int64(0)
        if form == PRESENCE:
            for p in range(start, end):
                total += presence[fwd_terms[p]]
        elif form == SCALED:
            doc_scale = np.float32(data.doc_scales[d])
            for p in range(start, end):
                total += np.int32(np.rint(scales[fwd_terms[p]] * doc_scale))
        else:
            doc_scale = np.float32(data.doc_scales[d])
            for p in range(start, end):
                term = fwd_terms[p]
                x = weights[term] * np.float32(fwd_tfs[p]) * doc_scale
                total += np.int32(np.rint(scales[term] * x))
        scores[i] = total + prior_of(d, q, data, batch) if total != 0 else MISSING
    return scores


@kernel
def as_scores(quanta: Array, unit: float, offset: float) -> Array:
    """float64, NaN where nothing matches"""
    scores = np.empty(len(quanta))
    for i in range(len(quanta)):
        scores[i] = quanta[i] / unit + offset if quanta[i] != MISSING else np.nan
    return scores


@kernel
def prior_of(d: int, q: int, data: SegmentArrays, batch: Batch) -> Any:
    return prior(batch.units[q] * batch.prior_weights[q], data.priors, data.lengths[d])


@kernel
def shares_of_document(d: int, q: int, slots: Array, data: SegmentArrays, batch: Batch, form: int) -> Array:
    """(groups of q,) the contribution of each group to one document, in quanta."""
    marks = mark(slots, q, batch)
    shares = np.zeros(len(marks.sums), np.int64)
    ordered_shares(d, q, marks, data, batch, form, shares, np.empty(len(marks.groups), np.int64))
    unmark(slots, q, batch)
    return shares
