"""The reverse table of hashed weights: which word pairs occurred in training, lost their place, or own a weight.

Two words occur together where a training pair gives a reason to change their weight. Their pull is
Σ margin·q_i·(d⁺_j - d⁻_j), which a first step from W = 0 would add. Of the pairs that share a place, the one that
pulled hardest in the direction of the weight owns it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.corpus.pairs import PairBlock
from kakehashi.learn.epochs import Blocks, Trained
from kakehashi.learn.layout import Layout, row_key
from kakehashi.learn.vectors import Rows
from kakehashi.learn.weight_access import place_of
from kakehashi.progress import SILENT, Progress
from kakehashi.soundness import finite, starts, typed, within
from kakehashi.types import Array, Floats32, Ints, Longs

ROOM = 1 << 26  # pulls kept at a time: 256 MB
MANY = 255  # more pairs at one place are not counted
HARDLY = np.float32(1e-30)  # the remainder where pulls cancel out: the words still occurred together


class Collisions(NamedTuple):
    """How crowded the places are."""

    possible: int  # query words times document words
    met: int  # pairs of words that occurred in training
    lost: int  # of these, those that share each of their places with another
    places: int
    used: int  # places with at least one pair that occurred

    @property
    def overload(self) -> float:
        """Possible pairs per place."""
        return self.possible / self.places


class Reverse(NamedTuple):
    """The strongest weights with the word pairs at their places; entries by place, hardest pull first."""

    starts: Longs  # (places kept + 1,)
    queries: Ints  # (entries,) query word
    documents: Ints  # (entries,) document word
    shares: (
        Floats32  # (entries,) of all pulls in the weight's direction at this place; 0: pulled the other way
    )


def checked_reverse(reverse: Reverse, n_queries: int, n_documents: int) -> Reverse:
    """A table whose entries are words of the model."""
    n = len(reverse.queries)
    starts("reverse.starts", reverse.starts, len(reverse.starts) - 1, n)
    within("reverse.queries", typed("reverse.queries", reverse.queries, (np.int32,), n), n_queries)
    within("reverse.documents", typed("reverse.documents", reverse.documents, (np.int32,), n), n_documents)
    finite("reverse.shares", typed("reverse.shares", reverse.shares, (np.float32,), n))
    return reverse


def read_backwards(
    blocks: Blocks,
    queries: Rows,
    documents: Rows,
    trained: Trained,
    keep: int,
    progress: Progress = SILENT,
) -> tuple[Collisions, Reverse]:
    """Read the pairs again, some query words at a time, and keep the `keep` strongest places."""
    layout, weights = trained.layout, trained.weights
    n_words = len(layout.offsets)
    strong = _strongest(weights, keep)
    users = np.zeros(len(weights), np.uint8)
    met = lost = 0
    found: list[tuple[Array, ...]] = []
    parts = _parts(n_words, layout.n_columns)
    progress.start("building the reverse table of hashed weights", 2 * n_words)
    try:
        for first, last in parts:
            pulls = _pulled(blocks, queries, documents, first, last, layout.n_columns)
            met += _count_users(pulls, first, layout, users)
            progress.advance(last - first)
        for first, last in parts:
            if len(parts) > 1:
                pulls = _pulled(blocks, queries, documents, first, last, layout.n_columns)
            lost_here, *entries = _look_up(pulls, first, layout, weights, users, strong)
            lost += lost_here
            found.append(tuple(entries))
            progress.advance(last - first)
    finally:
        progress.finish()
    counts = Collisions(n_words * layout.n_columns, met, lost, len(weights), int(np.count_nonzero(users)))
    return counts, _sorted(found, len(strong))


def owned(reverse: Reverse) -> Iterator[tuple[int, int, float]]:
    """(query word, document word, share) of the owner of every kept place."""
    for first, last in zip(reverse.starts[:-1].tolist(), reverse.starts[1:].tolist(), strict=True):
        if last > first and reverse.shares[first] > 0.0:
            yield int(reverse.queries[first]), int(reverse.documents[first]), float(reverse.shares[first])


def _strongest(weights: Array, keep: int) -> Longs:
    """Places of the largest weights by size, ascending by place."""
    used = np.flatnonzero(weights)
    if len(used) > keep:
        used = used[np.argpartition(-np.abs(weights[used]), keep)[:keep]] if keep else used[:0]
    return np.sort(used).astype(np.int64)


def _parts(n_words: int, n_columns: int) -> list[tuple[int, int]]:
    step = max(1, ROOM // max(1, n_columns))
    return [(first, min(first + step, n_words)) for first in range(0, n_words, step)]


def _pulled(blocks: Blocks, queries: Rows, documents: Rows, first: int, last: int, n_columns: int) -> Array:
    """(query words first to last, document words) pulls."""
    pulls = np.zeros((last - first, n_columns), np.float32)
    for block in blocks():
        _add_pulls(block, queries, documents, first, last, pulls)
    return pulls


def _sorted(found: list[tuple[Array, ...]], n_places: int) -> Reverse:
    """By place, then from the hardest pull in the weight's direction to the hardest against it."""
    slots, words, columns, pushes = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((columns, words, -pushes, slots))
    slots, pushes = slots[order], pushes[order]
    starts = np.searchsorted(slots, np.arange(n_places + 1)).astype(np.int64)
    forward = np.maximum(pushes, 0.0)
    totals = np.bincount(slots, forward, minlength=n_places)[slots] if len(slots) else forward
    shares = np.divide(forward, totals, out=np.zeros_like(forward), where=totals > 0.0)
    return Reverse(starts, words[order], columns[order], shares.astype(np.float32))


@kernel
def _add_pulls(block: PairBlock, queries: Rows, documents: Rows, first: int, last: int, pulls: Array) -> None:
    n_columns = pulls.shape[1]
    net, marked = np.zeros(n_columns, np.float32), np.zeros(n_columns, np.bool_)
    touched = np.empty(n_columns, np.int32)
    for g in range(len(block.queries)):
        q = block.queries[g]
        words = queries.columns[queries.starts[q] : queries.starts[q + 1]]
        values = queries.values[queries.starts[q] : queries.starts[q + 1]]
        low, high = np.searchsorted(words, first), np.searchsorted(words, last)
        if low == high:
            continue
        n = 0
        for p in range(block.starts[g], block.starts[g + 1]):
            margin = np.float32(block.margins[p])
            n = _add_document(block.positives[p], margin, documents, net, marked, touched, n)
            n = _add_document(block.negatives[p], -margin, documents, net, marked, touched, n)
        for e in range(low, high):
            row = pulls[words[e] - first]
            for s in range(n):
                j = touched[s]
                if net[j] != 0.0:
                    row[j] += values[e] * net[j]
                    if row[j] == 0.0:
                        row[j] = HARDLY
        for s in range(n):
            net[touched[s]] = 0.0
            marked[touched[s]] = False


@kernel
def _add_document(
    d: int, factor: float, documents: Rows, net: Array, marked: Array, touched: Array, n: int
) -> Any:
    for e in range(documents.starts[d], documents.starts[d + 1]):
        j = documents.columns[e]
        if not marked[j]:
            marked[j] = True
            touched[n] = j
            n += 1
        net[j] += factor * documents.values[e]
    return n


@kernel
def _count_users(pulls: Array, first: int, layout: Layout, users: Array) -> Any:
    """Count every pair that occurred at its places; returns how many there are."""
    met = 0
    for row in range(pulls.shape[0]):
        i = first + row
        for j in range(pulls.shape[1]):
            if pulls[row, j] == 0.0:
                continue
            met += 1
            for copy in range(layout.copies):
                key = row_key(i, copy)
                place, _ = place_of(key, layout.offsets[i], layout.bits[i], j, layout.signed, layout.folded)
                if users[place] < MANY:
                    users[place] += 1
    return met


@kernel
def _look_up(pulls: Array, first: int, layout: Layout, weights: Array, users: Array, strong: Array) -> Any:
    """(pairs without a place of their own, then per entry at a strong place: its slot, the words, the push)."""
    slots, words, columns, pushes = [np.int64(0)], [np.int32(0)], [np.int32(0)], [np.float32(0.0)]
    lost = 0
    weakest = np.float32(np.inf)
    for place in strong:
        weakest = min(weakest, abs(weights[place]))
    for row in range(pulls.shape[0]):
        i = first + row
        for j in range(pulls.shape[1]):
            pull = pulls[row, j]
            if pull == 0.0:
                continue
            alone = False
            for copy in range(layout.copies):
                key = row_key(i, copy)
                place, direction = place_of(
                    key, layout.offsets[i], layout.bits[i], j, layout.signed, layout.folded
                )
                alone |= users[place] == 1
                if abs(weights[place]) < weakest:
                    continue
                slot = np.searchsorted(strong, np.int64(place))
                if slot < len(strong) and strong[slot] == np.int64(place):
                    slots.append(slot)
                    words.append(np.int32(i))
                    columns.append(np.int32(j))
                    pushes.append(np.float32(pull * direction * np.sign(weights[place])))
            lost += not alone
    return (
        lost,
        np.array(slots[1:], np.int64),
        np.array(words[1:], np.int32),
        np.array(columns[1:], np.int32),
        np.array(pushes[1:], np.float32),
    )
