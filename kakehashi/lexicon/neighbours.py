"""Which words are near each other: all pairs of vectors whose cosine reaches a threshold, exactly.

A matrix product nominates pairs block by block; their cosines are then computed once more, pair by pair, so that no
result depends on blocks or threads.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Array, Bools, Floats32, Ints, Longs

BLOCK = 2048  # rows of a product; with 100,000 words a product takes 800 MB at most
MARGIN = 1e-4  # by which a product of float32 numbers may err


@dataclass(frozen=True)
class Related:
    """For each word, the words related to it, most similar first; equals in the order of their numbers."""

    starts: Longs  # (words + 1,)
    words: Ints  # (entries,)
    similarities: Floats32  # (entries,)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def n_entries(self) -> int:
        return len(self.words)

    def row(self, word: int, least: float = 0.0) -> tuple[Ints, Floats32]:
        """(words, similarities) of at least this similarity."""
        entries = slice(self.starts[word], self.starts[word + 1])
        words, similarities = self.words[entries], self.similarities[entries]
        n = int(np.count_nonzero(similarities >= np.float32(least)))
        return words[:n], similarities[:n]

    def kept(self, chosen: Bools) -> "Related":
        """The chosen entries alone."""
        before = np.append(0, np.cumsum(chosen)).astype(np.int64)
        return Related(before[self.starts], self.words[chosen], self.similarities[chosen])

    def above(self, least: float) -> "Related":
        return self.kept(np.asarray(self.similarities >= np.float32(least)))

    def similarity_in(self, other: "Related") -> Floats32:
        """(entries,) how similar the same two words are in another space; -1 where they are not related there."""
        found: Floats32 = _looked_up(
            self.starts, self.words, other.starts, other.words, other.similarities, len(self)
        )
        return found

    def within(self, other: "Related", least: float) -> "Related":
        """The entries that are related in the other space, too, with the similarities they have here."""
        return self.kept(np.asarray(self.similarity_in(other) >= np.float32(least)))


def neighbours(
    vectors: Floats32,
    least: float,
    rows: Sequence[int] | Longs | None = None,
    block: int = BLOCK,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Related:
    """All pairs of words whose cosine is at least `least`; with `rows`, those of these words alone.

    A word without a vector (all zeros) is related to none, and none is related to itself.
    """
    if not 0.0 < least <= 1.0:
        raise InputError(f"related words need a least similarity above 0 and up to 1, not {least}")
    units = unit_vectors(vectors)
    if rows is not None:
        asked = np.asarray(rows, dtype=np.int64)
        parts = [(asked[i : i + block], 0) for i in range(0, len(asked), block)]
    else:  # cosines are symmetric: what lies to the left of a block is known from the blocks before
        parts = [(np.arange(i, min(i + block, len(units))), i) for i in range(0, len(units), block)]
    found = []
    progress.start("finding related words", len(parts))
    try:
        with threadpool_limits(threads or None, user_api="blas"):
            for numbers, first in parts:
                product = units[numbers] @ units[first:].T
                found.append(_nominated(product, numbers, first, np.float32(least - MARGIN), rows is None))
                progress.advance()
    finally:
        progress.finish()
    sources = np.concatenate([*(one[0] for one in found), np.zeros(0, np.int32)])
    targets = np.concatenate([*(one[1] for one in found), np.zeros(0, np.int32)])
    cosines = _cosines(units, sources, targets)
    near = cosines >= np.float32(least)
    return arranged(sources[near], targets[near], cosines[near], len(units), both=rows is None)


def nearest(
    sources: Floats32,
    targets: Floats32,
    least: float,
    most: int,
    block: int = BLOCK,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Related:
    """For each source, the targets whose cosine is at least `least`, and no more than `most` of them: the nearest."""
    if not 0.0 < least <= 1.0 or most < 1:
        raise InputError(
            f"near words need least above 0 and up to 1, and most from 1 on, not {least} and {most}"
        )
    own, others = unit_vectors(sources), unit_vectors(targets)
    most, found = min(most, len(others)), []
    progress.start("finding near words", -(-len(own) // block))
    try:
        with threadpool_limits(threads or None, user_api="blas"):
            for first in range(0, len(own), block):
                product = own[first : first + block] @ others.T
                last = np.partition(product, -most, axis=1)[:, -most] if most else np.zeros(len(product))
                rows, columns = np.nonzero(product >= np.maximum(last, np.float32(least))[:, None] - MARGIN)
                found.append((rows.astype(np.int32) + first, columns.astype(np.int32)))
                progress.advance()
    finally:
        progress.finish()
    rows, columns = (np.concatenate([*(one[i] for one in found), np.zeros(0, np.int32)]) for i in (0, 1))
    cosines = _cosines(np.concatenate([own, others]), rows, columns + np.int32(len(own)))
    near = cosines >= np.float32(least)
    nominated = arranged(rows[near], columns[near], cosines[near], len(own), both=False)
    of = np.repeat(np.arange(len(own)), np.diff(nominated.starts))
    return nominated.kept(np.arange(nominated.n_entries) - nominated.starts[of] < most)


def arranged(sources: Ints, targets: Ints, similarities: Floats32, n_words: int, both: bool) -> Related:
    """Pairs as rows; `both` adds each pair in the other direction."""
    if both:
        sources, targets = np.concatenate([sources, targets]), np.concatenate([targets, sources])
        similarities = np.concatenate([similarities, similarities])
    order = np.lexsort((targets, -similarities, sources))
    starts = np.append(0, np.cumsum(np.bincount(sources, minlength=n_words))).astype(np.int64)
    return Related(starts, targets[order].astype(np.int32), similarities[order].astype(np.float32))


def unit_vectors(vectors: Floats32) -> Floats32:
    """Of length 1; one of zeros stays as it is."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0)[:, None], dtype=np.float32)


@kernel
def _nominated(product: Array, numbers: Array, first: int, least: float, above: bool) -> Any:
    """(sources, targets) of the pairs that reach `least`; with `above`, only targets with a higher number."""
    n = 0
    for i in range(product.shape[0]):
        n += _count_row(product[i], least)
    sources, targets = np.empty(n, np.int32), np.empty(n, np.int32)
    n = 0
    for i in range(product.shape[0]):
        row, source = product[i], numbers[i]
        for j in range(len(row)):
            if row[j] >= least:
                target = first + j
                if target > source or (not above and target != source):
                    sources[n], targets[n] = source, target
                    n += 1
    return sources[:n], targets[:n]


@kernel
def _count_row(row: Array, least: float) -> Any:
    n = np.int32(0)
    for j in range(len(row)):
        n += np.int32(row[j] >= least)
    return n


@kernel
def _cosines(units: Array, sources: Array, targets: Array) -> Array:
    cosines = np.empty(len(sources), np.float32)
    for p in range(len(sources)):
        a, b = units[sources[p]], units[targets[p]]
        total = 0.0
        for i in range(len(a)):
            total += np.float64(a[i]) * np.float64(b[i])
        cosines[p] = np.float32(min(total, 1.0))
    return cosines


@kernel
def _looked_up(
    starts: Array, words: Array, other_starts: Array, other_words: Array, others: Array, n_words: int
) -> Array:
    found = np.full(len(words), np.float32(-1.0))
    known = np.full(n_words, np.float32(-1.0))
    for row in range(n_words):
        if starts[row] == starts[row + 1]:
            continue
        for p in range(other_starts[row], other_starts[row + 1]):
            known[other_words[p]] = others[p]
        for p in range(starts[row], starts[row + 1]):
            found[p] = known[words[p]]
        for p in range(other_starts[row], other_starts[row + 1]):
            known[other_words[p]] = np.float32(-1.0)
    return found
