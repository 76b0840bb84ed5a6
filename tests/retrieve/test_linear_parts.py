"""Explanations of a linear ranker say which part a share belongs to, and what any document gets."""

import numpy as np

from kakehashi.corpus.collection import Collection
from kakehashi.features.columns import EVERY, Docs
from kakehashi.index.holdings import Holdings
from kakehashi.learn.linear import Weights
from kakehashi.retrieve.linear import Evidence, LinearRanker
from kakehashi.types import ANY, Array, Text


class Table:
    """One feature that all documents have alike, two that differ, and one that no document has."""

    names = ("same language", "number", "rare number", "absent")
    groups = ("language", "number", "number", "absent")

    def __init__(self, n_docs: int):
        self.n_docs = n_docs
        self.priors = np.zeros(len(self.names), bool)

    def __len__(self) -> int:
        return len(self.names)

    def fill(self, query: Text, out: Array, docs: Docs = EVERY, fit: Array | None = None) -> bool:
        numbers = np.arange(self.n_docs)[docs]
        out[0], out[1], out[2] = 0.5, numbers, numbers % 2
        return True


def test_feature_that_all_documents_have_alike_is_any_documents(indexed_toy: Collection) -> None:
    index = Holdings(indexed_toy.folder).index
    table = Table(len(index.numbering))
    evidence = Evidence(index, [], "found", table)  # type: ignore[arg-type]
    ranker = LinearRanker("linear", evidence, Weights(np.array([2.0, 1.0, 10.0, 5.0])))
    doc = index.numbering.id(3)
    query = Text("q", index.source_analyzer.settings.lang, "x")
    [found] = ranker.explain(query, [doc])
    assert [(one.query, one.share, one.part) for one in found.shares] == [
        ("rare number", 10.0, "metadata: number"),
        ("number", 3.0, "metadata: number"),
        ("same language", 1.0, ANY),
    ]
    assert [(part.name, part.share) for part in found.parts] == [("metadata: number", 13.0)]
    assert sum(one.share for one in found.shares) == found.score == 14.0
