"""One query put to a sparse system; scores come from the postings or from the documents, whichever is cheaper."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from kakehashi.index.index import Index
from kakehashi.retrieve.forward import as_scores
from kakehashi.retrieve.kept_groups import can_keep
from kakehashi.retrieve.kernels import DILUTED, LOGARITHMIC
from kakehashi.retrieve.planning import Queries
from kakehashi.retrieve.probe import in_segments
from kakehashi.types import Array, Floats, Longs

LOGARITHM = 8  # what a logarithm costs, in postings
KEPT = 0.5  # what a posting costs of a group that was summed before
STARTING = 30  # what a term of the query costs before its first posting is read, in postings
READING = 3  # what a term of a document costs that is read, in postings


class ScoredSegment(Protocol):
    def score(self, queries: Queries, docs: Array) -> Array: ...
    def score_all(self, queries: Queries, by_documents: bool) -> Array: ...


@dataclass
class SparseProbe:
    """See `probe.Probe`."""

    planned: Queries
    form: int
    index: Index
    segments: Sequence[ScoredSegment]
    finds_all = False

    @cached_property
    def _is_kept(self) -> bool:
        return can_keep(self.form, self.planned)

    @cached_property
    def cost(self) -> float:
        """Postings are counted over live documents, so updates do not change it."""
        each = LOGARITHM if self.form in (DILUTED, LOGARITHMIC) else 1.0
        each = KEPT if self._is_kept else each
        postings = float(self.index.statistics.df[self.planned.terms].sum())
        return (each * postings + STARTING * len(self.planned.terms)) / max(self.index.n_docs, 1)

    @cached_property
    def every(self) -> Floats:
        reads_more = self.cost > READING * self.index.statistics.terms_per_document
        by_documents = reads_more and not self._is_kept
        parts = [segment.score_all(self.planned, by_documents) for segment in self.segments]
        return self.index.without_dead(self._scores(np.concatenate([*parts, np.zeros(0, np.int64)])))

    def some(self, docs: Longs) -> Floats:
        reading = READING * self.index.statistics.terms_per_document * len(docs)
        if "every" in self.__dict__ or self.cost * self.index.n_docs < reading:
            return self.every[docs]
        return in_segments(
            self.index, docs, lambda i, some: self._scores(self.segments[i].score(self.planned, some))
        )

    def _scores(self, quanta: Array) -> Floats:
        scores: Floats = as_scores(quanta, self.planned.units[0], self.planned.plan.offsets[0])
        return scores
