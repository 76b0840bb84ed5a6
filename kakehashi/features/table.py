"""A feature set bound to an index: for a query, one number for every feature and document.

What is known of a document whatever the query, such as how often it was cited, may count only as far as the document
fits the query: then it lifts documents that are on the subject, and cannot push them out of the list.
"""

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
        self._bound = [
            (kind.bind(known), len(kind.names), getattr(kind, "is_prior", False)) for kind in kinds
        ]
        self.priors = np.array([is_prior for _, n, is_prior in self._bound for _ in range(n)], bool)
        self.names = [name for kind in kinds for name in kind.names]
        self.groups = [kind.group for kind in kinds for _ in kind.names]

    def __len__(self) -> int:
        return len(self.names)

    def fill(self, query: Text, out: Array, docs: Docs = EVERY, fit: Array | None = None) -> bool:
        """Fill zeros (features, documents); whether the query has anything in common with any document.

        For some documents the answer means nothing. `fit` (documents,) is what priors are multiplied by.
        """
        row, common = 0, False
        for bound, n, is_prior in self._bound:
            own = out[row : row + n]
            common |= bound.fill(query, docs, own)
            if is_prior and fit is not None:
                own *= fit
            row += n
        return common

    def add(self, query: Text, weights: Floats, out: Array, fit: Array | None = None) -> bool:
        """Add every document's weighted sum of features to (documents,); whether anything is in common."""
        row, common = 0, False
        for bound, n, is_prior in self._bound:
            if is_prior and fit is not None:
                own = np.zeros(len(out))
                common |= bound.add(query, weights[row : row + n], own)
                out += own * fit
            else:
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
