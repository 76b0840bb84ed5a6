"""Systems whose probes score any documents: searched by scoring all that the scope allows."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN
from kakehashi.progress import SILENT, Progress, track
from kakehashi.retrieve.lists import DocIds, best_listed
from kakehashi.retrieve.probe import Probe
from kakehashi.retrieve.sparse import cores
from kakehashi.types import EVERYTHING, Floats, Ranking, Run, Scope, Text


class Probed:
    """One object serves any number of threads."""

    block = 64  # queries between two words to the progress bar, prepared together

    def __init__(self, name: str, index: Index):
        self.name, self.index = name, index
        self._ids = [DocIds(segment) for segment in index.segments]

    def probe(self, query: Text) -> Probe:
        raise NotImplementedError

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        """Whatever is done faster for many queries than for one."""

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best documents of each query; fewer if fewer have anything in common with it."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        allowed = np.flatnonzero(self.index.numbering.allowed(scope.where, scope.expression))

        def best(query: Text) -> Ranking:
            scores = self.probe(query).some(allowed)
            found = ~np.isnan(scores)
            docs, scores = allowed[found], scores[found]
            return best_listed(self._ids, self.index.numbering, query.id, docs, scores, k, scope)

        starts = range(0, len(queries), self.block)
        with ThreadPoolExecutor(max(1, min(threads or cores(), len(queries)))) as pool:
            rankings: dict[str, Ranking] = {}
            for start in track(starts, f"searching with {self.name}", len(starts), progress):
                some = queries[start : start + self.block]
                self.prepare(some)
                rankings |= zip((query.id for query in some), pool.map(best, some), strict=True)
        return Run(self.name, rankings)

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """NaN for a document that is unknown, or has nothing in common with the query."""
        numbers = self.index.numbering.of(doc_ids)
        scores = np.full(len(numbers), np.nan)
        known = numbers != UNKNOWN
        scores[known] = self.probe(query).some(numbers[known])
        return scores

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        return self.probe(query).every
