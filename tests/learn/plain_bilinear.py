"""The learner as the formulas say it, one dense matrix and one pair after the other: slow, and plainly right."""

import numpy as np

from kakehashi.corpus.pairs import PairBlock
from kakehashi.learn.vectors import Rows
from kakehashi.types import Floats


def dense(rows: Rows, n_words: int) -> Floats:
    matrix = np.zeros((len(rows.starts) - 1, n_words))
    for r in range(len(matrix)):
        entries = slice(rows.starts[r], rows.starts[r + 1])
        matrix[r, rows.columns[entries]] = rows.values[entries]
    return matrix


def steps(block: PairBlock) -> list[tuple[int, int, int, float]]:
    return [
        (int(block.queries[g]), int(block.positives[p]), int(block.negatives[p]), float(block.margins[p]))
        for g in range(len(block.queries))
        for p in range(block.starts[g], block.starts[g + 1])
    ]


def plain_sgd(
    block: PairBlock,
    q: Floats,
    d: Floats,
    epochs: int,
    rate: float,
    power: float,
    l1: float = 0.0,
    l2: float = 0.0,
) -> Floats:
    """W after so many epochs; penalties are taken off every weight after every step."""
    w = np.zeros((q.shape[1], d.shape[1]))
    t = 0
    for _ in range(epochs):
        for query, up, down, margin in steps(block):
            eta = rate * (1.0 / (1.0 + t)) ** power
            x = d[up] - d[down]
            change = np.outer(q[query], x) if q[query] @ w @ x < margin else 0.0
            w = w + eta * change
            w *= np.exp(-l2 * eta)
            w = np.sign(w) * np.maximum(np.abs(w) - l1 * eta, 0.0)
            t += 1
    return w


def random_problem(
    rng: np.random.Generator,
    group_size: int,
    n_queries: int = 12,
    n_documents: int = 30,
    n_query_words: int = 15,
    n_document_words: int = 20,
    groups: int = 40,
) -> tuple[PairBlock, Rows, Rows]:
    starts = np.arange(groups + 1, dtype=np.int64) * group_size
    n = int(starts[-1])
    block = PairBlock(
        rng.integers(n_queries, size=groups).astype(np.int32),
        starts,
        rng.integers(n_documents, size=n).astype(np.int32),
        rng.integers(n_documents, size=n).astype(np.int32),
        rng.integers(1, 4, size=n).astype(np.float32),
    )
    return (
        block,
        random_rows(rng, n_queries, n_query_words, 4),
        random_rows(rng, n_documents, n_document_words, 6),
    )


def random_rows(rng: np.random.Generator, n_rows: int, n_words: int, size: int) -> Rows:
    columns = np.stack([np.sort(rng.choice(n_words, size, replace=False)) for _ in range(n_rows)])
    values = rng.uniform(0.2, 1.0, columns.size).astype(np.float32)
    return Rows(np.arange(n_rows + 1, dtype=np.int64) * size, columns.ravel().astype(np.int32), values)
