"""Rerank a first system's candidates by a scorer alone; other documents are not found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN
from kakehashi.progress import SILENT, Progress
from kakehashi.query.edits import Edit
from kakehashi.query.terms import check_source
from kakehashi.retrieve.inputs import Input
from kakehashi.retrieve.system import takes_edits, used_edits
from kakehashi.types import (
    EVERYTHING,
    Explanation,
    Floats,
    Longs,
    Ranking,
    Run,
    Scope,
    Share,
    Text,
    in_order,
)

BLOCK = 256  # queries whose candidates are in memory together


class NumberScorer(Protocol):
    """Scores documents by their numbers across all segments, whatever else is scored beside them."""

    def scores(self, query: Text, documents: Longs) -> Floats: ...

    def shares(self, query: Text, document: int, score: float) -> list[Share]:
        """Reasons that sum to the score."""
        ...


@dataclass
class Reranked:
    """The `depth` best of a first system in the order of a scorer; one object serves any number of threads."""

    name: str
    index: Index
    first: Input
    scorer: NumberScorer
    depth: int = 1000

    @property
    def takes_edits(self) -> bool:
        return takes_edits(self.first.system)

    def used_edits(self, query: Text) -> set[Edit]:
        return used_edits([self.first.system], query)

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        self.first.prepare(queries, progress)

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best of the candidates."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        rankings: dict[str, Ranking] = {}
        for start in range(0, len(queries), BLOCK):
            some = queries[start : start + BLOCK]
            for query in some:
                check_source(self.index, query)
            lists = self.first.system.search(
                some, self.depth, scope, threads=threads, progress=progress
            ).rankings
            for query in some:
                whole = self._scored(query, lists[query.id].docs)
                rankings[query.id] = Ranking(whole.docs[:k], whole.scores[:k])
        return Run(self.name, rankings)

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """NaN for a document that is not among the candidates."""
        known = self._by_id(query, scope)
        return np.array([known.get(doc, np.nan) for doc in doc_ids], np.float64)

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        ranking = self._ranking(query, scope)
        scores = np.full(len(self.index.numbering), np.nan)
        scores[self.index.numbering.of(ranking.docs)] = ranking.scores
        return scores

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        for doc_id in doc_ids:
            self.index.known_place(doc_id)
        known, numbers = self._by_id(query, scope), self.index.numbering.of(doc_ids).tolist()
        return [
            Explanation(known[doc_id], self.scorer.shares(query, number, known[doc_id]))
            if doc_id in known
            else Explanation(0.0, [])
            for doc_id, number in zip(doc_ids, numbers, strict=True)
        ]

    def _by_id(self, query: Text, scope: Scope) -> dict[str, float]:
        ranking = self._ranking(query, scope)
        return dict(zip(ranking.docs, ranking.scores.tolist(), strict=True))

    def _ranking(self, query: Text, scope: Scope) -> Ranking:
        return self.search([query], self.depth, scope).rankings[query.id]

    def _scored(self, query: Text, docs: Sequence[str]) -> Ranking:
        numbers = self.index.numbering.of(docs)
        kept = numbers != UNKNOWN  # a first system over an index of its own may know others
        names = [doc for doc, is_kept in zip(docs, kept.tolist(), strict=True) if is_kept]
        return in_order(names, self.scorer.scores(query, numbers[kept]))
