"""Groups documents of an index that share a value of a keyword field."""

from collections.abc import Iterable

import numpy as np

from kakehashi.index.index import Index
from kakehashi.index.numbering import Numbering
from kakehashi.types import Ints, Longs


class Families:
    """Documents that share a value are one family, also through a third; one without a value is its own family."""

    def __init__(self, index: Index, field: str, numbering: Numbering):
        self._names: dict[str, int] = {}
        docs, values = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for segment, first in zip(index.segments, numbering.firsts.tolist(), strict=False):
            names = segment.artifact.strings(f"meta.{field}")
            # an empty value does not count
            here = [self._names.setdefault(name, len(self._names)) if name else -1 for name in names]
            starts = segment.artifact.array(f"meta.{field}.starts")
            owners = first + np.repeat(np.arange(segment.n_docs), np.diff(starts))
            held = np.array(here, dtype=np.int64)[segment.artifact.array(f"meta.{field}.codes")]
            kept = numbering.live[owners] & (held >= 0)
            docs.append(owners[kept])
            values.append(held[kept])
        self._n_docs = len(numbering)
        labels = _connected(self._n_docs, len(self._names), np.concatenate(docs), np.concatenate(values))
        self.of_documents: Ints = labels[: self._n_docs]  # (documents,) dead documents are on their own
        self._of_names: Ints = labels[self._n_docs :]

    def of_names(self, names: Iterable[str]) -> Ints:
        """The families that have one of these values."""
        known = [self._names[name] for name in names if name in self._names]
        return np.unique(self._of_names[known])

    def members(self, family: int) -> Longs:
        return np.flatnonzero(self.of_documents == family)


def _connected(n_docs: int, n_names: int, docs: Longs, names: Longs) -> Ints:
    """(documents + names,) a number per family."""
    n = n_docs + n_names
    from scipy.sparse import coo_array  # slow to import, and only prior-art search needs it
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(docs), dtype=bool), (docs, n_docs + names)), shape=(n, n))
    labels: Ints = connected_components(graph, directed=False)[1]
    return labels
