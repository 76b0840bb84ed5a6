"""Loops over the vectors of passages."""

from typing import Any

import numpy as np

from kakehashi.compiled import kernel, whole_number_kernel
from kakehashi.types import Array


@whole_number_kernel
def product(numbers: Array, query: Array) -> float:
    """Of whole numbers; query float64."""
    total = 0.0
    for i in range(len(query)):
        total += query[i] * np.float64(numbers[i])
    return total


@kernel
def best_passages(
    docs: Array, starts: Array, numbers: Array, scales: Array, query: Array, query_scale: float
) -> Any:
    """(docs,) the highest product with a passage, and which passage: NaN and -1 where no passage says anything.

    query (dimensions,) whole numbers; of equal passages the first.
    """
    scores, best = np.full(len(docs), np.nan), np.full(len(docs), -1, np.int64)
    for n in range(len(docs)):
        for p in range(starts[docs[n]], starts[docs[n] + 1]):
            if scales[p] > 0.0:
                score = product(numbers[p], query) * (query_scale * scales[p])
                score += 0.0  # the sign of a zero depends on the order of additions
                if best[n] < 0 or score > scores[n]:
                    scores[n], best[n] = score, p
    return scores, best
