"""Top k per query over one segment, with pruning.

Groups are added term at a time, the rare ones first. The most frequent terms are also stored for every
document (`top_tfs`), so once their upper bounds cannot lift an unseen document into the top k, the few
candidates left are completed from there, and the long postings of the frequent words are never read.
"""

from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import inline_kernel, kernel
from kakehashi.retrieve.kernels import (
    Batch,
    SegmentArrays,
    add_group,
    at,
    prior,
    share,
    shortened,
    value_at_rank,
)
from kakehashi.retrieve.packing import MAX_DOC, unpack
from kakehashi.retrieve.scratch import Scratch, new_scratch
from kakehashi.types import Array

DONE = -(1 << 31)  # accumulator of a document that is already listed; stays below LOWEST whatever is added
LOWEST = -(1 << 30)
COMPLETING = 250  # the cost of completing one candidate, in postings
BUCKETS = 1024
ROUNDED_UP = 1.0 + 1e-6  # bounds are float64, shares float32


class Search(NamedTuple):
    """One query's search, for the helpers below."""

    k: int
    q: int
    allowed: Array  # (docs,) bool; empty: all
    data: SegmentArrays
    batch: Batch
    form: int


@kernel
def top_k(search: Search, scratch: Scratch) -> Any:
    """Fill scratch.found and scratch.scores with documents and scores in quanta, including all of the k best.

    Returns how many were listed.
    """
    batch = search.batch
    unit = batch.units[search.q]
    order, n_fixed = _order(search.q, batch)
    rest = _rest(order, unit, batch)
    total = 0
    for j in range(len(order)):
        total += _postings(order[j], batch)
    left, reached, n = total, 0, 0
    # if many results are requested, there are too many candidates for completion to be worthwhile
    look_every = total // 8 if _width(search, scratch) == 64 else total
    since = -look_every  # the first check comes after a quarter: earlier ones were never useful
    for j in range(len(order)):
        add_group(scratch.acc, scratch.inner, scratch.lost, order[j], unit, search.data, batch, search.form)
        left -= _postings(order[j], batch)
        since += _postings(order[j], batch)
        reached += rest[j] - rest[j + 1]  # no document can have more
        if j + 1 == len(order):
            n = _finish(n, _partial(search, scratch), 0, order[:0], search, scratch)
            break
        if j + 1 < n_fixed or since < look_every or rest[j + 1] > 2 * reached:
            continue
        since, reached = 0, _partial(search, scratch)
        least = (
            reached + rest[j + 1] // 3 - rest[j + 1]
        )  # a guess: the k-th best will also get its part of the rest
        if least > 0 and _count(least, scratch.acc) * COMPLETING < min(left, look_every):
            n = _finish(n, reached, rest[j + 1], order[j + 1 :], search, scratch)
            if n >= 0:
                break
            n = -n  # the guess was wrong: a document without any of the added terms could still win
    scratch.acc[:] = 0
    return n


@kernel
def _finish(n: int, partial: int, rest: int, later: Array, search: Search, scratch: Scratch) -> Any:
    """List and complete all candidates for the k best; minus the number listed if unseen documents may qualify."""
    if len(later) == 0:
        n = _list(partial, DONE, n, later, search, scratch)
        return n if n >= search.k else _list(LOWEST + 1, DONE, n, later, search, scratch)
    # some more than k: the k-th of few now may be far below the final k-th
    partial = _at_rank(search.k + search.k // 4 + 40, search, scratch)
    n = _list(partial, DONE, n, later, search, scratch)
    if n < search.k:
        return -n
    scratch.work[:n] = scratch.scores[:n]
    threshold = value_at_rank(scratch.work, n, search.k)
    if rest >= threshold:
        return -n
    return _list(threshold - rest, threshold, n, later, search, scratch)


@kernel
def _partial(search: Search, scratch: Scratch) -> Any:
    """At least k documents have this partial score (or all that have any)."""
    _fill_maxima(search, scratch)
    return _at_rank(search.k, search, scratch)


@kernel
def _at_rank(rank: int, search: Search, scratch: Scratch) -> Any:
    """A value that at least `rank` block maxima reach, and few more; LOWEST + 1 if there are fewer."""
    maxima = scratch.maxima[: _n_blocks(search, scratch)]
    low, high, n = np.int64(-DONE), np.int64(DONE), 0
    for b in range(len(maxima)):
        if maxima[b] > LOWEST:
            low, high, n = min(low, maxima[b]), max(high, maxima[b]), n + 1
    if n < rank:
        return np.int64(LOWEST + 1)
    step = (high - low) // (BUCKETS - 1) + 1
    counts = np.zeros(BUCKETS, np.int64)
    for b in range(len(maxima)):
        if maxima[b] > LOWEST:
            counts[(maxima[b] - low) // step] += 1
    bucket, above = BUCKETS, 0
    while above < rank:
        bucket -= 1
        above += counts[bucket]
    return low + bucket * step


@inline_kernel
def _width(search: Search, scratch: Scratch) -> Any:
    """Documents per block: few if many results are requested, because a block's maximum represents one result."""
    if search.k * 1024 < len(scratch.acc):
        return 64
    return 32 if search.k * 64 < len(scratch.acc) else 16


@inline_kernel
def _n_blocks(search: Search, scratch: Scratch) -> Any:
    return -(-len(scratch.acc) // _width(search, scratch))


@kernel
def _fill_maxima(search: Search, scratch: Scratch) -> None:
    """scratch.maxima: the best value of each block of documents."""
    acc, maxima, width, n = scratch.acc, scratch.maxima, _width(search, scratch), _n_blocks(search, scratch)
    if _is_plain(search):
        for b in range(n):
            maxima[b] = _most(acc[b * width : (b + 1) * width])
        return
    allowed, priors, lengths = search.allowed, search.data.priors, search.data.lengths
    unit_weight = search.batch.units[search.q] * search.batch.prior_weights[search.q]
    for b in range(n):
        maxima[b] = DONE
        for d in range(b * width, min((b + 1) * width, len(acc))):
            if acc[d] != 0 and acc[d] > LOWEST and (len(allowed) == 0 or allowed[d]):
                maxima[b] = max(maxima[b], acc[d] + prior(unit_weight, priors, lengths[d]))


@kernel
def _is_plain(search: Search) -> bool:
    """Whether accumulators are the scores so far, and none negative: what SIMD can compare."""
    batch = search.batch
    for g in range(batch.query_starts[search.q], batch.query_starts[search.q + 1]):
        if batch.scales[g] < 0.0:
            return False
    return len(search.allowed) == 0 and batch.prior_weights[search.q] == 0.0


@kernel
def _most(block: Array) -> Any:
    """The largest accumulator; DONE if none is positive, as zero means no match."""
    most = np.int32(0)
    for i in range(len(block)):  # no branches, no negative indices: the compiler makes it SIMD
        most = max(most, block[i])
    return most if most > 0 else np.int32(DONE)


@kernel
def _count(least: int, acc: Array) -> Any:
    """How many accumulators are at least this; also counts documents outside the scope, because it is a guess."""
    n, bound = np.int32(0), np.int32(least)
    for d in range(len(acc)):  # SIMD, as in `_most`
        n += np.int32(acc[d] >= bound)
    return n


@kernel
def _list(least: int, threshold: int, n: int, later: Array, search: Search, scratch: Scratch) -> Any:
    """Complete documents whose score so far is at least `least`; list those that then reach `threshold`.

    Expects scratch.maxima to be as `_fill_maxima` left them; they may be too high, never too low.
    """
    acc, maxima, found, scores = scratch.acc, scratch.maxima, scratch.found, scratch.scores
    allowed, priors, lengths = search.allowed, search.data.priors, search.data.lengths
    unit_weight = search.batch.units[search.q] * search.batch.prior_weights[search.q]
    width = _width(search, scratch)
    before = n
    for b in range(_n_blocks(search, scratch)):
        if maxima[b] < least:
            continue
        for d in range(b * width, min((b + 1) * width, len(acc))):
            matched = acc[d]  # a prior is never positive: the match alone is a safe first test
            if matched < least or matched == 0 or matched <= LOWEST or not (len(allowed) == 0 or allowed[d]):
                continue
            value = matched + prior(unit_weight, priors, lengths[d])
            if value >= least:
                acc[d] = DONE
                found[n], scores[n] = d, value
                n += 1
    if len(later) > 0:
        n = before + _complete(found[before:n], scores[before:n], threshold, later, search)
    return n


@kernel
def _complete(docs: Array, scores: Array, threshold: int, later: Array, search: Search) -> Any:
    """Add the contributions of the remaining groups from the frequent terms' columns; drop hopeless documents.

    Group by group, so that the reads of all documents overlap: most come from far memory. Returns how many
    documents are left; they have been moved to the front.
    """
    batch, data, form = search.batch, search.data, search.form
    columns, weights, top_tfs = batch.columns, batch.weights, data.top_tfs
    factors, doc_scales = data.doc_factors, data.doc_scales
    tfs, lost = np.empty(len(docs), np.float32), np.empty(len(docs), np.float32)
    shortens = len(batch.lost) > 0
    rest = _rest(later, batch.units[search.q], batch)
    n = len(docs)
    for j in range(len(later)):
        g = later[j]
        scale, rate = np.float32(batch.units[search.q] * batch.scales[g]), np.float32(batch.rates[g])
        tfs[:n], lost[:n] = 0.0, 0.0
        for e in range(batch.group_starts[g], batch.group_starts[g + 1]):
            column, weight = columns[e], weights[e]
            if column >= 0:
                column_tfs = top_tfs[column]
                for i in range(n):
                    tfs[i] += weight * np.float32(column_tfs[docs[i]])
                if shortens:
                    for i in range(n):
                        lost[i] += batch.lost[e] * np.float32(column_tfs[docs[i]])
        kept = 0
        for i in range(n):
            d, score = docs[i], scores[i]
            if tfs[i] != 0.0 and shortens:
                stretch, shift = batch.stretches[g], batch.shifts[g]
                score += shortened(
                    form, scale, tfs[i], lost[i], rate, stretch, shift, at(factors, d), at(doc_scales, d)
                )
            elif tfs[i] != 0.0:
                score += share(form, scale, tfs[i], rate, at(factors, d), at(doc_scales, d))
            docs[kept], scores[kept] = d, score
            kept += score + rest[j + 1] >= threshold
        n = kept
    return n


@kernel
def _order(q: int, batch: Batch) -> Any:
    """(groups in the order of adding, how many must be added): first all that cannot be completed later.

    Negative groups come first too, so that later ones can only raise a score.
    """
    first, last = batch.query_starts[q], batch.query_starts[q + 1]
    keys = np.empty(last - first)
    n_fixed = 0
    for g in range(first, last):
        fixed = batch.scales[g] < 0.0
        for e in range(batch.group_starts[g], batch.group_starts[g + 1]):
            if batch.columns[e] < 0 and batch.post_ends[e] > batch.post_starts[e]:
                fixed = True
        keys[g - first] = -np.inf if fixed else -batch.bounds[g]
        n_fixed += fixed
    return first + np.argsort(keys, kind="mergesort"), n_fixed


@kernel
def _rest(order: Array, unit: float, batch: Batch) -> Array:
    """(groups + 1,) rest[j]: the most quanta that groups order[j:] can add."""
    rest = np.zeros(len(order) + 1, np.int64)
    for j in range(len(order) - 1, -1, -1):
        bound = max(0.0, unit * batch.bounds[order[j]])
        rest[j] = rest[j + 1] + np.int64(np.ceil(bound * ROUNDED_UP)) + 1
    return rest


@inline_kernel
def _postings(g: int, batch: Batch) -> Any:
    n = 0
    for e in range(batch.group_starts[g], batch.group_starts[g + 1]):
        n += batch.post_ends[e] - batch.post_starts[e]
    return n


@kernel
def top_keys(search: Search, scratch: Scratch, keys: Array) -> Any:
    """keys (k,): the k best, unordered, each one number that sorts by score, then by descending document number."""
    n = top_k(search, scratch)
    for i in range(n):
        scratch.work[i] = scratch.scores[i] << 32 | (MAX_DOC - scratch.found[i])
    n_kept = min(n, search.k)
    if n > search.k:
        value_at_rank(scratch.work, n, search.k)  # moves the k largest to the front
    keys[:n_kept] = scratch.work[:n_kept]
    return n_kept


@kernel
def top_keys_of_many(
    first: int,
    last: int,
    k: int,
    allowed: Array,
    data: SegmentArrays,
    batch: Batch,
    form: int,
    scratch: Scratch,
    keys: Array,
    counts: Array,
) -> None:
    """`top_keys` of queries first..last, into keys (queries, k) and counts (queries,)."""
    for q in range(first, last):
        counts[q] = top_keys(Search(k, q, allowed, data, batch, form), scratch, keys[q])


def search_one(
    k: int, q: int, allowed: Array, data: SegmentArrays, batch: Batch, form: int
) -> tuple[Array, Array]:
    """One query with its own working memory: (documents best first, scores in quanta)."""
    keys, scratch = np.zeros(k, dtype=np.int64), new_scratch(len(data.lengths))
    n = top_keys(Search(k, q, allowed, data, batch, form), scratch, keys)
    return unpack(keys[:n])
