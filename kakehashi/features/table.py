"""A feature set bound to an index: for a query, one number for every feature and document."""

from collections.abc import Sequence

import numpy as np

from kakehashi.corpus.collection import INFO
from kakehashi.features.classes import Graph
from kakehashi.features.columns import EVERY, Docs
from kakehashi.features.kind import Kind, Known
from kakehashi.index.holdings import Holdings
from kakehashi.types import Array, Floats, Text

CLASSES = "classes.tsv"


class FeatureTable:
    """Opened once, then used for any query; only caches of spellings change afterwards."""

    def __init__(self, holdings: Holdings, kinds: Sequence[Kind], citations: Floats):
        known = Known(holdings.index, class_graph(holdings), citations)
        self.n_docs = len(citations)
        self._bound = [(kind.bind(known), len(kind.names)) for kind in kinds]
        self.names = [name for kind in kinds for name in kind.names]
        self.groups = [kind.group for kind in kinds for _ in kind.names]

    def __len__(self) -> int:
        return len(self.names)

    def fill(self, query: Text, out: Array, docs: Docs = EVERY) -> bool:
        """Fill zeros (features, documents); whether the query has anything in common with any document.

        For some documents the answer means nothing.
        """
        row, common = 0, False
        for bound, n in self._bound:
            common |= bound.fill(query, docs, out[row : row + n])
            row += n
        return common

    def add(self, query: Text, weights: Floats, out: Array) -> bool:
        """Add every document's weighted sum of features to (documents,); whether anything is in common."""
        row, common = 0, False
        for bound, n in self._bound:
            common |= bound.add(query, weights[row : row + n], out)
            row += n
        return common

    def rows(self, query: Text) -> tuple[Array, bool]:
        """(features, documents) float32, and whether the query has anything in common with any document."""
        out = np.zeros((len(self), self.n_docs), np.float32)
        return out, self.fill(query, out)


def class_graph(holdings: Holdings) -> Graph:
    """The class graph of the collection, empty if it has none."""
    if not (holdings.folder / INFO).is_file():
        return Graph(())
    collection = holdings.collection
    return Graph(collection.classes() if collection.has(CLASSES) else ())
