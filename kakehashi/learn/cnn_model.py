"""A trained CNN ranker that scores with NumPy alone; equal texts get equal scores, whatever is scored beside them.

Matrix products are made of numbers rounded to 20 bits, which add up exactly in any order, so a score depends neither
on blocks nor on threads (see `retrieve/document_vectors.py`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import xxhash

from kakehashi.compiled import kernel
from kakehashi.learn.cnn_settings import SIDES, Match
from kakehashi.learn.subwords import Subwords
from kakehashi.types import Array, Floats, Floats32, Ints, Longs

BITS = 20  # two such numbers multiplied, and 2^13 of those added, fit into the 53 bits of a float64
BLOCK = 512  # pairs of a query and a document whose hidden values are in memory together


class Rounded(NamedTuple):
    """Rows (or columns) as whole numbers times a power of two each."""

    numbers: Floats
    scales: Floats


def rounded(values: Array, axis: int) -> Rounded:
    """`axis` is the one that a product sums over."""
    wide = np.asarray(values, np.float64)
    largest = np.abs(wide).max(axis=axis, keepdims=True, initial=0.0)
    scales = np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 1.0))[1] - BITS)
    return Rounded(np.rint(wide / scales), np.squeeze(scales, axis))


def product(rows: Rounded, columns: Rounded) -> Floats:
    """Exact, so the same however it is cut up."""
    return np.asarray((rows.numbers @ columns.numbers) * rows.scales[:, None] * columns.scales)


@dataclass(frozen=True)
class Filters:
    """The filters of one part for one side, over the vectors of its words."""

    vectors: Floats32  # (words, k)
    w: Floats32  # (window · k, filters)
    b: Floats32  # (filters,)
    longest: int

    @property
    def window(self) -> int:
        return int(self.w.shape[0] // max(self.vectors.shape[1], 1))

    @cached_property
    def _by_place(self) -> Rounded:
        k, m, h = self.vectors.shape[1], len(self.b), self.window
        return rounded(self.w.reshape(h, k, m).transpose(1, 0, 2).reshape(k, h * m), 0)

    def projected(self, words: Ints, more: Floats32 | None = None) -> tuple[Floats, Ints]:
        """(distinct words, window, filters) and each word's row in it; `more` are vectors of rows beyond its own."""
        used, places = np.unique(words, return_inverse=True)
        own = used < len(self.vectors)
        x = np.zeros((len(used), self.vectors.shape[1]), np.float32)
        x[own] = self.vectors[used[own]]
        if more is not None:
            x[~own] = more[used[~own] - len(self.vectors)]
        found = product(rounded(x, 1), self._by_place)
        return found.reshape(len(used), self.window, len(self.b)), places.astype(np.int32).ravel()

    def encode(self, starts: Longs, words: Ints, more: Floats32 | None = None) -> Floats32:
        """(texts, filters) c of every text; zeros for one without words."""
        table, places = self.projected(words, more)
        return np.asarray(_pooled(starts, places, table, self.b, self.longest))

    def windows(self, starts: Longs, words: Ints, more: Floats32 | None = None) -> tuple[Longs, Floats]:
        """(texts + 1,) where the windows of every text begin, and (windows, filters) p of all texts."""
        table, places = self.projected(words, more)
        sizes = np.minimum(np.diff(starts), self.longest)
        counts = np.where(sizes > 0, np.maximum(sizes - self.window + 1, 1), 0)
        found = [
            _windows(places[first : first + size], table, self.b, n)
            for first, size, n in zip(starts[:-1].tolist(), sizes.tolist(), counts.tolist(), strict=True)
        ]
        begins = np.append(0, np.cumsum(counts)).astype(np.int64)
        return begins, np.concatenate([np.zeros((0, len(self.b))), *found])


@dataclass(frozen=True)
class CnnModel:
    """All parts of a trained ranker."""

    parts: dict[str, tuple[Filters, Filters]]  # by name, of queries and of documents
    layers: tuple[Floats32, ...]  # U, further hidden layers, O; of late interaction, the weight of each part
    match: Match = "mean"
    subwords: tuple[Subwords, Subwords] | None = (
        None  # for words without vectors, of queries and of documents
    )

    @cached_property
    def key(self) -> str:
        """A checksum of what determines the encodings of documents."""
        state = xxhash.xxh3_128()
        for name, (_, documents) in self.parts.items():
            state.update(f"{name} {documents.longest}".encode())
            for array in (documents.vectors, documents.w, documents.b):
                state.update(np.ascontiguousarray(array).tobytes())
        state.update(np.ascontiguousarray(self.layers[0]).tobytes())
        if self.subwords:
            state.update("\n".join(self.subwords[1].grams).encode("utf-8", "surrogatepass"))
            state.update(np.ascontiguousarray(self.subwords[1].vectors).tobytes())
        return state.hexdigest()

    @property
    def m(self) -> int:
        """Filters of a side."""
        return sum(len(queries.b) for queries, _ in self.parts.values())

    @cached_property
    def _halves(self) -> tuple[Rounded, Rounded]:
        return rounded(self.layers[0][: self.m], 0), rounded(self.layers[0][self.m :], 0)

    @cached_property
    def _hidden(self) -> list[Rounded]:
        return [rounded(layer, 0) for layer in self.layers[1:-1]]

    def half(self, side: str, c: Array) -> Floats32:
        """(texts, hidden) U_q c_q or U_d c_d: U is linear, so each text's part of the first layer is made once."""
        return np.asarray(product(rounded(c, 1), self._halves[SIDES.index(side)]), np.float32)

    def scores(self, query: Floats32, docs: Floats32) -> Floats:
        """(documents,) S of halves: one query's, or one for each document."""
        found = np.empty(len(docs))
        last = np.ascontiguousarray(self.layers[-1][:, 0], np.float64)
        query = np.broadcast_to(query, docs.shape)
        for first in range(0, len(docs), BLOCK):
            some = slice(first, first + BLOCK)
            if not self._hidden:
                found[some] = _added(query[some], docs[some], last)
                continue
            h = np.maximum(query[some].astype(np.float64) + docs[some], 0.0)
            for layer in self._hidden:
                h = np.maximum(product(rounded(h, 1), layer), 0.0)
            found[some] = _dotted(h, last)
        return np.tanh(found)


@kernel
def _pooled(starts: Array, places: Array, table: Array, b: Array, longest: int) -> Any:
    n_texts, h, m = len(starts) - 1, table.shape[1], len(b)
    found = np.zeros((n_texts, m), np.float32)
    total, one = np.zeros(m), np.zeros(m)
    for t in range(n_texts):
        first = starts[t]
        n = min(starts[t + 1] - first, longest)
        if n == 0:
            continue
        total[:] = 0.0
        count = max(n - h + 1, 1)
        for i in range(count):
            _window(places, first + i, first + n, table, b, one)
            for j in range(m):
                total[j] += one[j]
        for j in range(m):
            found[t, j] = total[j] / count
    return found


@kernel
def _windows(places: Array, table: Array, b: Array, n: int) -> Any:
    found = np.zeros((n, len(b)))
    for i in range(n):
        _window(places, i, len(places), table, b, found[i])
    return found


@kernel
def _window(places: Array, first: int, end: int, table: Array, b: Array, one: Array) -> None:
    """p of the window that begins at `first`; words after `end` are zeros."""
    for j in range(len(b)):
        one[j] = b[j]
    for place in range(min(table.shape[1], end - first)):
        row = table[places[first + place], place]
        for j in range(len(b)):
            one[j] += row[j]
    for j in range(len(b)):
        one[j] = np.tanh(one[j])


@kernel
def _added(query: Array, docs: Array, last: Array) -> Any:
    found = np.zeros(len(docs))
    for d in range(len(docs)):
        total = 0.0
        for j in range(len(last)):
            total += max(np.float64(query[d, j]) + np.float64(docs[d, j]), 0.0) * last[j]
        found[d] = total
    return found


@kernel
def _dotted(hidden: Array, last: Array) -> Any:
    found = np.zeros(len(hidden))
    for d in range(len(hidden)):
        total = 0.0
        for j in range(len(last)):
            total += hidden[d, j] * last[j]
        found[d] = total
    return found
