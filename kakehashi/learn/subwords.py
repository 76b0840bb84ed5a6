"""Vectors of words from their n-grams of characters, fitted to words whose vectors are known (a bag of subwords).

    v(w) = (1 / |G(w)|) Σ_g z_g        z minimises Σ_w |v(w) - v_w|² + λ Σ_g |z_g|²

G(w) are the n-grams of <w>; one that no known word shares with another has no z and counts as zeros, so a word of
which little is known gets a short vector.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kakehashi.types import Array, Floats32

SHORTEST, LONGEST = 3, 5  # characters, with < and > for the ends of a word
PENALTY = 1e-3  # λ
ROUNDS = 50  # of conjugate gradients, at most
ENOUGH = 1e-4  # of the residual at the start


def grams_of(word: str) -> list[str]:
    marked = f"<{word}>"
    return [
        marked[i : i + n] for n in range(SHORTEST, LONGEST + 1) for i in range(max(len(marked) - n + 1, 0))
    ]


@dataclass(frozen=True)
class Subwords:
    """n-grams with their vectors z."""

    grams: Sequence[str]
    vectors: Floats32  # (grams, k)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {gram: row for row, gram in enumerate(self.grams)}

    def vector(self, word: str) -> Floats32 | None:
        """None for a word of which nothing is known."""
        grams = grams_of(word)
        rows = [self._rows[gram] for gram in grams if gram in self._rows]
        if not rows:
            return None
        return np.asarray(self.vectors[rows].astype(np.float64).sum(axis=0) / len(grams), np.float32)


def fit_subwords(words: Sequence[str], vectors: Floats32) -> Subwords:
    """z by conjugate gradients, all dimensions at once."""
    from scipy.sparse import csr_matrix

    found = [grams_of(word) for word in words]
    counts = Counter(gram for own in found for gram in {*own})
    kept = sorted(gram for gram, n in counts.items() if n > 1)
    row_of = {gram: row for row, gram in enumerate(kept)}
    columns = [[row_of[gram] for gram in own if gram in row_of] for own in found]
    starts = np.append(0, np.cumsum([len(own) for own in columns])).astype(np.int64)
    shares = np.repeat([1.0 / max(len(own), 1) for own in found], np.diff(starts))
    flat = np.array([column for own in columns for column in own], np.int64)
    a = csr_matrix((shares, flat, starts), shape=(len(words), len(kept)))
    return Subwords(kept, _solved(a, vectors.astype(np.float64)).astype(np.float32))


def _solved(a: Array, v: Array) -> Array:
    """z of (a'a + λ) z = a'v."""
    z = np.zeros((a.shape[1], v.shape[1]))
    residual = np.asarray(a.T @ v)
    direction, size = residual.copy(), (residual**2).sum(axis=0)
    first = float(size.max(initial=0.0))
    for _ in range(ROUNDS):
        if float(size.max(initial=0.0)) <= ENOUGH**2 * first:
            break
        moved = np.asarray(a.T @ (a @ direction)) + PENALTY * direction
        step = size / np.maximum((direction * moved).sum(axis=0), 1e-300)
        z += step * direction
        residual -= step * moved
        before, size = size, (residual**2).sum(axis=0)
        direction = residual + size / np.maximum(before, 1e-300) * direction
    return z
