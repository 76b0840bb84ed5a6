"""Late interaction with NumPy alone: what every window of a query finds in a document; see `cnn_windows.py`.

As in `cnn_model.py`, products are exact and sums are made in a fixed order, so a score depends on nothing else.
"""

from typing import NamedTuple

import numpy as np

from kakehashi.learn.cnn_model import Filters, Rounded, product, rounded
from kakehashi.types import Floats, Floats32, Ints, Longs

START = 3.0  # the weight of each part before training


class Windows(NamedTuple):
    """Unit vectors of the windows of some texts, side by side."""

    starts: Longs  # (texts + 1,)
    units: Rounded  # (windows, filters)


class Matched(NamedTuple):
    """For each window of a query and each document: the highest similarity, and the window that has it."""

    values: Floats  # (windows of the query, documents) from 0
    places: Longs  # counted from the document's first window


def unit_windows(filters: Filters, starts: Longs, words: Ints, more: Floats32 | None = None) -> Windows:
    begins, p = filters.windows(starts, words, more)
    return Windows(begins, rounded(p / np.maximum(np.linalg.norm(p, axis=1, keepdims=True), 1e-12), 1))


def matched(query: Windows, docs: Windows) -> Matched:
    """A document without windows has nothing similar."""
    n_docs = len(docs.starts) - 1
    values = np.zeros((len(query.units.numbers), n_docs))
    places = np.zeros(values.shape, np.int64)
    similar = product(query.units, Rounded(docs.units.numbers.T, docs.units.scales))
    for d in range(n_docs):
        some = similar[:, docs.starts[d] : docs.starts[d + 1]]
        if some.shape[1]:
            places[:, d] = some.argmax(axis=1)
            values[:, d] = np.maximum(some.max(axis=1), 0.0)
    return Matched(values, places)


def mean_of(found: Matched) -> Floats:
    """(documents,) over the windows of the query, added one by one so that it is the same for one document."""
    total = np.zeros(found.values.shape[1])
    for row in found.values:
        total += row
    return total / max(len(found.values), 1)
