"""Search only in the best clusters: fast, without a guarantee; compare with the exact search of `Sparse`.

A document outside the chosen clusters is never found, however well it would score.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kakehashi.learn.bilinear_model import Bilinear
from kakehashi.learn.clusters import Clusters, best_members
from kakehashi.query.reading import Reading
from kakehashi.retrieve.sparse import Sparse
from kakehashi.types import EVERYTHING, Ranking, Run, Scope, Text, in_order


@dataclass(frozen=True)
class Preselected:
    """A bilinear system that scores only the members of the clusters whose means score highest."""

    system: Sparse
    model: Bilinear
    reading: Reading
    clusters: Clusters
    best: int = 2

    @property
    def name(self) -> str:
        return f"{self.system.name}-clusters"

    def search(self, queries: Sequence[Text], k: int = 1000, scope: Scope = EVERYTHING) -> Run:
        return Run(self.name, {query.id: self._one(query, k, scope) for query in queries})

    def _one(self, query: Text, k: int, scope: Scope) -> Ranking:
        projected = self.model.project(self.reading.terms(query))
        if not projected.any():
            return Ranking([], np.zeros(0))
        members = best_members(projected, self.clusters, self.best)
        ids, scores = self.system.score_numbers(query, members, scope)
        found = ~np.isnan(scores)
        if found.sum() > k:  # only candidates for the k best are sorted
            floor = np.partition(scores[found], found.sum() - k)[found.sum() - k]
            found &= scores >= floor
        return in_order([ids[i] for i in np.flatnonzero(found).tolist()], scores[found], k)
