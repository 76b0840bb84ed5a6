"""A hit as one integer that sorts by score, then by descending document number; see `topk.top_keys`."""

import numpy as np

from kakehashi.types import Array

MAX_DOC = (1 << 32) - 1


def unpack(keys: Array) -> tuple[Array, Array]:
    """(documents best first, scores in quanta) of packed keys."""
    best_first = np.sort(
        ~keys
    )  # the complement reverses the order, and turns MAX_DOC - document into the document
    return best_first & MAX_DOC, ~(best_first >> 32)


def unpack_rows(keys: Array, counts: Array) -> list[tuple[Array, Array]]:
    """`unpack` of many queries at once; keys (queries, k), of which the first counts[q] are filled."""
    best_first = ~keys
    if counts.min(initial=keys.shape[1]) < keys.shape[1]:
        best_first[np.arange(keys.shape[1]) >= counts[:, None]] = np.iinfo(np.int64).max
    best_first.sort(axis=1)
    docs, scores = best_first & MAX_DOC, ~(best_first >> 32)
    return [(docs[q, :n], scores[q, :n]) for q, n in enumerate(counts.tolist())]
