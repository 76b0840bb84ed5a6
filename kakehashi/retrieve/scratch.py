"""Working memory of a search."""

from typing import NamedTuple

import numpy as np

from kakehashi.types import Array


class Scratch(NamedTuple):
    """Working memory of one thread for one segment; accumulators are zero between searches."""

    acc: Array  # (docs,) int32
    inner: Array  # (docs,) float32
    lost: Array  # (docs,) float32
    maxima: Array  # (docs / 16,) int64: the best value of every 16 neighbours
    found: Array  # (docs,) int32
    scores: Array  # (docs,) int64
    work: Array  # (docs,) int64


def new_scratch(n_docs: int) -> Scratch:
    return Scratch(
        np.zeros(n_docs, np.int32),
        np.zeros(n_docs, np.float32),
        np.zeros(n_docs, np.float32),
        np.empty(n_docs // 16 + 1, np.int64),
        np.empty(n_docs, np.int32),
        np.empty(n_docs, np.int64),
        np.empty(n_docs, np.int64),
    )
