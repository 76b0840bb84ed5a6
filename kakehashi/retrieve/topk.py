"""Top k per query over one segment, with pruning.

Groups are added term at a time, the rare ones first. The most frequent terms are also stored document by
document (`top_tfs`), so once their upper bounds cannot lift an unseen document into the top k, the few
candidates left are completed from there, and the long postings of the frequent words are never read.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from kakehashi.retrieve.kernels import Batch, SegmentArrays, add_group, prior, share, value_at_rank
from kakehashi.store import Array

MAX_DOC = (1 << 32) - 1
DONE = -(1 << 31)  # an accumulator of a document that is already in the list; stays below LOWEST whatever is added
LOWEST = -(1 << 30)
BLOCK = 64  # documents looked at together when candidates are sought
SAMPLE = 4096  # accumulators looked at to guess a threshold
COMPLETING = 50  # what completing one candidate costs, in postings
ROUNDED_UP = 1.0 + 1e-6  # bounds are float64, shares float32
LOOK_EVERY = 8192  # postings added before looking again whether to stop


class Scratch(NamedTuple):
    """Work space of one thread for one segment; clean (zero) between searches."""

    acc: Array  # (docs,) int32
    inner: Array  # (docs,) float32
    found: Array  # (docs,) int32
    scores: Array  # (docs,) int64
    work: Array  # (docs,) int64


def new_scratch(n_docs: int) -> Scratch:
    return Scratch(
        np.zeros(n_docs, np.int32),
        np.zeros(n_docs, np.float32),
        np.empty(n_docs, np.int32),
        np.empty(n_docs, np.int64),
        np.empty(n_docs, np.int64),
    )


@njit(cache=True, nogil=True)
def top_k(k: int, q: int, allowed: Array, data: SegmentArrays, batch: Batch, form: int, scratch: Scratch) -> int:
    """Fill scratch.found and scratch.scores with documents and scores in quanta, all of the k best among them.

    allowed (docs,) says which documents may be found; empty means all. Returns how many were listed.
    """
    unit = batch.units[q]
    order, n_fixed = _order(q, batch)
    rest = _rest(order, unit, batch)
    n, threshold, unseen = 0, np.int64(DONE), 0
    for j in range(len(order)):
        add_group(scratch.acc, scratch.inner, order[j], unit, data, batch, form)
        is_last = j + 1 == len(order)
        if not is_last:
            unseen += _postings(order[j], batch)
            if j + 1 < n_fixed or unseen < LOOK_EVERY:
                continue
            unseen = 0
            if not _is_time(k, q, rest[j + 1], _postings(order[j + 1], batch), allowed, data, batch, scratch):
                continue
        later = order[j + 1 :]
        n = _list_best(k, n, q, later, allowed, data, batch, form, scratch)
        if n >= k:
            scratch.work[:n] = scratch.scores[:n]
            threshold = max(threshold, value_at_rank(scratch.work, n, k))
        if is_last or rest[j + 1] < threshold:  # else a document without any of the added terms could still win
            least = threshold - rest[j + 1]
            n = _list_at_least(least, threshold, n, q, later, allowed, data, batch, form, scratch)
            break
    scratch.acc[:] = 0
    return n


@njit(cache=True, nogil=True)
def _is_time(
    k: int, q: int, rest: int, next_postings: int, allowed: Array, data: SegmentArrays, batch: Batch, scratch: Scratch
) -> bool:
    """Guess from a sample whether completing the candidates now is cheaper than adding the next group."""
    step, n = _sample(q, allowed, data, batch, scratch)
    rank = k // step + 2
    if rank >= n:
        return False
    partial = value_at_rank(scratch.work, n, rank)
    threshold = partial + rest // 3  # the k-th document will get its part of the rest, too
    if rest >= threshold:
        return False
    candidates = 0
    for i in range(n):
        candidates += step * (scratch.work[i] >= threshold - rest)
    return (candidates - k) * COMPLETING < next_postings


@njit(cache=True, nogil=True)
def _sample(q: int, allowed: Array, data: SegmentArrays, batch: Batch, scratch: Scratch) -> Any:
    """(step, n): scratch.work[:n] holds the partial sums of every step-th document that has any."""
    acc = scratch.acc
    step = max(1, len(acc) // SAMPLE)
    n = 0
    for d in range(0, len(acc), step):
        if acc[d] != 0 and acc[d] > LOWEST and (len(allowed) == 0 or allowed[d]):
            scratch.work[n] = acc[d] + prior(batch.units[q], batch.prior_weights[q], d, data)
            n += 1
    return step, n


@njit(cache=True, nogil=True)
def _rest(order: Array, unit: float, batch: Batch) -> Array:
    """(groups + 1,) rest[j]: the most quanta that groups order[j:] can add."""
    rest = np.zeros(len(order) + 1, np.int64)
    for j in range(len(order) - 1, -1, -1):
        bound = max(0.0, unit * batch.bounds[order[j]])
        rest[j] = rest[j + 1] + np.int64(np.ceil(bound * ROUNDED_UP)) + 1
    return rest


@njit(cache=True, nogil=True, inline="always")
def _postings(g: int, batch: Batch) -> int:
    n = 0
    for e in range(batch.group_starts[g], batch.group_starts[g + 1]):
        n += batch.post_ends[e] - batch.post_starts[e]
    return n


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _list_best(
    k: int, n: int, q: int, later: Array, allowed: Array, data: SegmentArrays, batch: Batch, form: int, scratch: Scratch
) -> int:
    """List at least k documents with the best partial sums (or all there are), completed."""
    step, n_sample = _sample(q, allowed, data, batch, scratch)
    rank = k // step + k // (8 * step) + 4  # a little deep: too few found means another round
    while True:
        least = np.int64(LOWEST + 1)
        if rank < n_sample:
            least = value_at_rank(scratch.work, n_sample, rank)
        n = _list_at_least(least, np.int64(DONE), n, q, later, allowed, data, batch, form, scratch)
        if n >= k or rank >= n_sample:
            return n
        rank += rank // 3 + 1


@njit(cache=True, nogil=True)
def _list_at_least(
    least: int,
    threshold: int,
    n: int,
    q: int,
    later: Array,
    allowed: Array,
    data: SegmentArrays,
    batch: Batch,
    form: int,
    scratch: Scratch,
) -> int:
    """Complete and list documents whose partial sum is at least `least`, if they then reach `threshold`."""
    acc = scratch.acc
    unit, weight = batch.units[q], batch.prior_weights[q]
    least = np.int32(max(least, LOWEST + 1))  # documents already listed stay below
    for start in range(0, len(acc), BLOCK):
        block = acc[start : start + BLOCK]
        if _most(block) < least:
            continue
        for i in range(len(block)):
            if block[i] < least or block[i] == 0:
                continue
            d = start + i
            before = prior(unit, weight, d, data)  # never positive: the sum alone was a safe first test
            if block[i] + before < least or not (len(allowed) == 0 or allowed[d]):
                continue
            score = before + block[i] + _complete(d, unit, later, data, batch, form)
            block[i] = DONE
            if score >= threshold:
                scratch.found[n] = d
                scratch.scores[n] = score
                n += 1
    return n


@njit(cache=True, nogil=True, inline="always")
def _complete(d: int, unit: float, later: Array, data: SegmentArrays, batch: Batch, form: int) -> int:
    """What the groups not added yet give a document, from the frequent terms' columns."""
    total = np.int64(0)
    for i in range(len(later)):
        g = later[i]
        x = np.float32(0.0)
        for e in range(batch.group_starts[g], batch.group_starts[g + 1]):
            if batch.columns[e] >= 0:
                x += batch.weights[e] * np.float32(data.top_tfs[d, batch.columns[e]])
        if x != 0.0:
            total += share(form, np.float32(unit * batch.scales[g]), x, np.float32(batch.rates[g]), d, data)
    return total


@njit(cache=True, nogil=True)
def _most(block: Array) -> Any:
    most = np.int32(DONE)
    for i in range(len(block)):  # no branches, no negative indices: the compiler makes it SIMD
        most = max(most, block[i])
    return most


@njit(cache=True, nogil=True)
def top_keys(
    k: int, q: int, allowed: Array, data: SegmentArrays, batch: Batch, form: int, scratch: Scratch, keys: Array
) -> int:
    """keys (k,): the k best, unordered, each one number that sorts by score, then by descending document number."""
    n = top_k(k, q, allowed, data, batch, form, scratch)
    for i in range(n):
        scratch.work[i] = scratch.scores[i] << 32 | (MAX_DOC - scratch.found[i])
    n_kept = min(n, k)
    if n > k:
        value_at_rank(scratch.work, n, k)  # moves the k largest to the front
    keys[:n_kept] = scratch.work[:n_kept]
    return n_kept


def search_one(k: int, q: int, allowed: Array, data: SegmentArrays, batch: Batch, form: int) -> tuple[Array, Array]:
    """One query with work space of its own."""
    keys = np.zeros(k, dtype=np.int64)
    n = top_keys(k, q, allowed, data, batch, form, new_scratch(len(data.lengths)), keys)
    return unpack(keys[:n])


def unpack(keys: Array) -> tuple[Array, Array]:
    """(documents best first, scores in quanta) of packed keys."""
    keys = np.sort(keys)[::-1]
    return MAX_DOC - (keys & MAX_DOC), keys >> 32
