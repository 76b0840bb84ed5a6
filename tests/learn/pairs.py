"""Vectors and training pairs made up for tests, with the scores that rule them."""

from collections.abc import Callable, Iterator

import numpy as np

from kakehashi.corpus.pairs import PairBlock
from kakehashi.learn.vectors import Rows
from kakehashi.types import Array


def random_rows(rng: np.random.Generator, n: int, n_words: int, per_text: int = 6) -> Rows:
    """Texts of a few distinct words with positive values, each vector of length one."""
    columns = np.concatenate([np.sort(rng.choice(n_words, per_text, replace=False)) for _ in range(n)])
    values = rng.uniform(0.2, 1.0, (n, per_text))
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    starts = np.arange(n + 1, dtype=np.int64) * per_text
    return Rows(starts, columns.astype(np.int32), values.ravel().astype(np.float32))


def dense(rows: Rows, n_words: int) -> Array:
    """(texts, words) float64."""
    out = np.zeros((len(rows.starts) - 1, n_words))
    owner = np.repeat(np.arange(len(out)), np.diff(rows.starts))
    out[owner, rows.columns] = rows.values
    return out


def pair_block(queries: list[int], pairs: list[list[tuple[int, int, float]]]) -> PairBlock:
    """A block of groups written out."""
    flat = [pair for group in pairs for pair in group]
    return PairBlock(
        np.array(queries, np.int32),
        np.cumsum([0, *map(len, pairs)], dtype=np.int64),
        np.array([pair[0] for pair in flat], np.int32),
        np.array([pair[1] for pair in flat], np.int32),
        np.array([pair[2] for pair in flat], np.float32),
    )


def ordered_pairs(
    scores: Array, n: int, seed: int, per_group: int = 4, gap: float = 0.0
) -> Callable[[], Iterator[PairBlock]]:
    """Random pairs whose positive has the higher of the given scores (queries, documents), by `gap` at least."""

    def blocks() -> Iterator[PairBlock]:
        rng = np.random.default_rng(seed)
        for _ in range(0, n, 4000):
            queries, pairs = [], []
            for _ in range(4000 // per_group):
                q = int(rng.integers(len(scores)))
                group: list[tuple[int, int, float]] = []
                while len(group) < per_group:
                    a, b = rng.integers(scores.shape[1], size=2).tolist()
                    if abs(scores[q, a] - scores[q, b]) > gap:
                        group.append((a, b, 1.0) if scores[q, a] > scores[q, b] else (b, a, 1.0))
                queries.append(q)
                pairs.append(group)
            yield pair_block(queries, pairs)

    return blocks
