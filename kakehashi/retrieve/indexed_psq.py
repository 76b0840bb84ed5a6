"""Structured queries answered from documents indexed by query words: the same scores, faster."""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from kakehashi.index.index import Index
from kakehashi.progress import SILENT, Progress
from kakehashi.query.edits import Edit, edits_of
from kakehashi.query.psq import Psq
from kakehashi.retrieve.source_index import RowQueries, Stored, source_index, stored_arrays
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.sparse_probe import SparseProbe
from kakehashi.types import EVERYTHING, Explanation, Floats, Run, Scope, TermQuery, Text


class IndexedPsq:
    """Scores and explanations of single documents, and edited queries, come from the plain index: same results."""

    def __init__(self, plain: Sparse, psq: Psq, folder: Path | None):
        self._plain, self._psq, self._folder = plain, psq, folder
        self._stored: Sparse | None = None
        self._making = Lock()
        self.takes_edits = True

    @property
    def name(self) -> str:
        return self._plain.name

    @property
    def index(self) -> Index:
        return self._plain.index

    def compiled(self, query: Text) -> TermQuery:
        return self._plain.compiled(query)

    def used_edits(self, query: Text) -> set[Edit]:
        return self._plain.used_edits(query)

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The first search that finds no matching index builds it."""
        if any(edits_of(query) for query in queries):  # a row of the index is a group of the table
            return self._plain.search(queries, k, scope, threads=threads, progress=progress)
        return self.stored(progress).search(queries, k, scope, threads=threads, progress=progress)

    def stored(self, progress: Progress = SILENT) -> Sparse:
        """The system over the documents indexed by query words; built once, however many threads need it."""
        with self._making:
            if self._stored is None:
                statistics = self._plain.statistics or self.index.statistics
                found = source_index(self._psq, self.index, statistics, self._folder, progress)
                weighting = Stored(self._plain.weighting)
                self._stored = Sparse(
                    self.name, RowQueries(self._psq), weighting, found, arrays=stored_arrays
                )
        return self._stored

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        return self._plain.score(query, doc_ids)

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        return self._plain.score_all(query)

    def probe(self, query: Text) -> SparseProbe:
        return self._plain.probe(query)

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        return self._plain.explain(query, doc_ids)
