"""The Vectors kind of system: both sides are projected, and the k best found by comparing with every document.

Scores are exact (see `document_vectors`), so no approximate index stands between a model and its ranking.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.learn.vectors import Rows
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve import vector_kernels
from kakehashi.retrieve.document_vectors import (
    DocumentVectors,
    document_vectors,
    part_of,
    vectors_of,
)
from kakehashi.retrieve.lists import DocIds, merged, without
from kakehashi.retrieve.projection import Projection, query_rows
from kakehashi.retrieve.recent import Recent
from kakehashi.retrieve.sparse import cores, run_parts
from kakehashi.retrieve.vector_probe import AskedSegment, VectorProbe
from kakehashi.types import (
    EVERYTHING,
    Array,
    Bools,
    Explanation,
    Floats,
    Ints,
    Longs,
    Ranking,
    Run,
    Scope,
    Share,
    Text,
)

BLOCK = 128  # queries answered together
DOCUMENTS = 1 << 13  # documents scored at a time: 8 MB of scores


class _Queries(NamedTuple):
    numbers: Array  # (queries, dimensions) float64
    scales: Array  # (queries,)
    rows: Rows

    @property
    def known(self) -> Bools:
        found: Bools = self.scales > 0
        return found


@dataclass
class VectorSearch:
    """Answers queries from document vectors; one object serves any number of threads."""

    name: str
    projection: Projection
    index: Index
    documents: DocumentVectors | None = None  # computed from the index unless given

    def __post_init__(self) -> None:
        made = self.documents or document_vectors(self.index, self.projection)
        self._asked: Recent[_Queries] = Recent()
        ends = np.cumsum([0, *(segment.n_docs for segment in self.index.segments)]).tolist()
        self._segments = [
            _SegmentVectors(self, i, made, ends[i], ends[i + 1]) for i in range(len(self.index.segments))
        ]

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best documents of each query; a text without a known word finds nothing and is not found."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        rankings: dict[str, Ranking] = {}
        progress.start(f"searching with {self.name}", len(queries))
        try:
            for start in range(0, len(queries), BLOCK):
                some = queries[start : start + BLOCK]
                found = self._rank_block(some, k, scope, threads)
                rankings |= zip((query.id for query in some), found, strict=True)
                progress.advance(len(some))
        finally:
            progress.finish()
        return Run(self.name, rankings)

    def _rank_block(self, queries: Sequence[Text], k: int, scope: Scope, threads: int) -> Iterator[Ranking]:
        projected = self._project(queries)
        wanted = k + scope.not_itself
        parts = [segment.search(projected, wanted, scope, threads) for segment in self._segments]
        for q, query in enumerate(queries):
            lists = [
                (segment.ids.of(part[q][0]), part[q][1])
                for segment, part in zip(self._segments, parts, strict=True)
            ]
            ids, scores = merged(lists)
            if scope.not_itself:
                ids, scores = without(query.id, ids, scores)
            yield Ranking(ids[:k], scores[:k])

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """Scores of given documents; NaN for one that is unknown, or if either text has no known word."""
        projected = self._asked.of(query, self._projected)
        scores = np.full(len(doc_ids), np.nan)
        if not projected.known[0]:
            return scores
        places = [self.index.place(doc_id) for doc_id in doc_ids]
        for i, segment in enumerate(self._segments):
            here = [n for n, place in enumerate(places) if place and place[0] == i]
            docs = np.array([place[1] for place in places if place and place[0] == i], dtype=np.int64)
            scores[here] = segment.score(projected, docs)
        return scores

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        """Scores of all documents, numbered across all segments; NaN if either text has no known word."""
        projected = self._asked.of(query, self._projected)
        numbers = [np.arange(segment.n_docs) for segment in self.index.segments]
        if not projected.known[0]:
            return np.full(sum(map(len, numbers)), np.nan)
        parts = [
            segment.score(projected, docs) for segment, docs in zip(self._segments, numbers, strict=True)
        ]
        return self.index.without_dead(np.concatenate([*parts, np.zeros(0)]))

    def probe(self, query: Text) -> VectorProbe:
        projected = self._asked.of(query, self._projected)
        segments = [segment.asking(projected) for segment in self._segments]
        return VectorProbe(self.index, segments if projected.known[0] else None, projected.numbers.shape[1])

    @cached_property
    def _to_word(self) -> Ints:
        return self.projection.document_words.from_index(self.index)

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        """The contribution of each part of the query to each document; shares are fitted to sum to the rounded one."""
        places = [self.index.known_place(doc_id) for doc_id in doc_ids]
        left = query_rows(self.index, self.projection.query_words, [query])
        scores = self.score(query, doc_ids).tolist()
        return [self._explained(left, place, score) for place, score in zip(places, scores, strict=True)]

    def _explained(self, left: Rows, place: tuple[int, int], score: float) -> Explanation:
        if np.isnan(score):
            return Explanation(0.0, [])
        terms = self.index.segments[place[0]].document_terms(place[1])
        right = self.projection.document_words.document_row(*terms, self._to_word)
        shares = self.projection.shares(left, right)
        values = np.array([share.share for share in shares])
        rounding = score - float(values.sum())
        values += rounding * np.abs(values) / max(float(np.abs(values).sum()), 1e-300)
        fitted = [
            Share(old.query, old.document, value) for old, value in zip(shares, values.tolist(), strict=True)
        ]
        return Explanation(score, sorted(fitted, key=lambda share: -abs(share.share)))

    def _projected(self, query: Text) -> _Queries:
        return self._project([query])

    def _project(self, queries: Sequence[Text]) -> _Queries:
        rows = query_rows(self.index, self.projection.query_words, queries)
        vectors = vectors_of(self.projection.of_queries(rows), rows, self.projection.cosine)
        return _Queries(vectors.numbers.astype(np.float64), vectors.scales, rows)


class _SegmentVectors:
    """The vectors of one segment and which of them may be found."""

    def __init__(self, system: VectorSearch, number: int, documents: DocumentVectors, first: int, last: int):
        self._system, self._segment = system, system.index.segments[number]
        self._numbers, self._scales = (array[first:last] for array in documents.vectors)
        self._rows = part_of(documents.rows, first, last) if documents.rows is not None else None
        self._number, self._known = number, np.asarray(self._scales) > 0
        self.ids = DocIds(self._segment)

    def search(self, queries: _Queries, k: int, scope: Scope, threads: int) -> list[tuple[Array, Array]]:
        """Per query: (documents best first, scores)."""
        if len(queries.scales) == 1:
            return [self._search_one(queries, k, scope)]
        may_be_found = self._may_be_found(scope)
        n_queries, k = len(queries.scales), min(k, max(self._segment.n_docs, 1))
        best, known = _no_best_yet(n_queries, k), queries.known
        for first in range(0, self._segment.n_docs, DOCUMENTS):
            chosen = np.s_[first : min(first + DOCUMENTS, self._segment.n_docs)]
            given = self._scores(queries, chosen), may_be_found[chosen], first

            def work(part: range, given: tuple[Array, Bools, int] = given) -> None:
                _collect(part.start, part.stop, known, *given, k, best)

            run_parts(work, n_queries, threads or cores())
        return [_best_of(q, k, best) for q in range(n_queries)]

    def _search_one(self, query: _Queries, k: int, scope: Scope) -> tuple[Array, Array]:
        k = min(k, max(self._segment.n_docs, 1))
        best, may_be_found = _no_best_yet(1, k), self._may_be_found(scope)
        if query.known[0]:
            _collect(0, 1, query.known, self.every_score(query)[None], may_be_found, 0, k, best)
        return _best_of(0, k, best)

    def asking(self, query: _Queries) -> AskedSegment:
        return AskedSegment(lambda: self.every_score(query), lambda docs: self.some_scores(query, docs))

    def every_score(self, query: _Queries) -> Array:
        """(documents,) for one query; NaN where a document holds no known word."""
        scores = self._products(query, np.arange(self._segment.n_docs))
        if self._by_word is not None:
            vector_kernels.add_shared(scores, *self._asked(query), self._by_word)
        scores[~self._known] = np.nan
        return scores

    def some_scores(self, query: _Queries, docs: Longs) -> Array:
        scores = self._products(query, docs)
        if self._rows is not None and len(self._system.projection.shared):
            n_words = len(self._system.projection.document_words)
            vector_kernels.add_shared_of_some(scores, docs, *self._asked(query), self._rows, n_words)
        scores[~self._known[docs]] = np.nan
        return scores

    def _products(self, query: _Queries, docs: Longs) -> Array:
        scores: Array = vector_kernels.dots(self._numbers, query.numbers[0], docs)
        vector_kernels.scale(scores, docs, float(query.scales[0]), self._scales)
        return scores

    def _asked(self, query: _Queries) -> tuple[Array, Array]:
        """(document words, ascending; their values in the query)"""
        words = self._system.projection.shared[query.rows.columns]
        found = np.flatnonzero(words >= 0)
        found = found[np.argsort(words[found], kind="stable")]
        return words[found], query.rows.values[found].astype(np.float64)

    @cached_property
    def _by_word(self) -> vector_kernels.ByWord | None:
        if self._rows is None or not len(self._system.projection.shared):
            return None
        found: vector_kernels.ByWord = vector_kernels.turned(
            self._rows, len(self._system.projection.document_words)
        )
        return found

    def score(self, queries: _Queries, docs: Array) -> Array:
        scores: Array = self._scores(queries, docs)[0]
        scores[np.asarray(self._scales)[docs] == 0] = np.nan
        return scores

    def _may_be_found(self, scope: Scope) -> Bools:
        allowed = self._system.index.allowed(self._number, scope.where, scope.expression)
        return self._known if allowed is None else self._known & allowed

    def _scores(self, queries: _Queries, which: Any) -> Array:
        """(queries, documents) of the documents chosen by a slice or by numbers."""
        numbers = self._numbers[which].astype(np.float64)
        scores: Array = queries.numbers @ numbers.T  # integers: exact
        scores *= queries.scales[:, None] * self._scales[which]
        scores += 0.0  # the sign of a zero depends on the order of additions
        shared = self._system.projection.shared
        if len(shared) and self._rows is not None:
            n_words = len(self._system.projection.document_words)
            from scipy.sparse import csr_array  # slow to import, and most searches do not need it

            rows = csr_array(self._rows[::-1], shape=(self._segment.n_docs, n_words))[which]
            asked = _over_document_words(queries.rows, shared, n_words)
            scores += (rows.astype(np.float64) @ asked.T).toarray().T
        return scores


class _Best(NamedTuple):
    """The best documents so far of each query of a block, with room for more than k."""

    docs: Array  # (queries, room)
    scores: Array  # (queries, room)
    counts: Array  # (queries,)
    floors: Array  # (queries,) what a document must exceed


def _no_best_yet(n_queries: int, k: int) -> _Best:
    room = (n_queries, 2 * k + 1024)
    counts, floors = np.zeros(n_queries, np.int64), np.full(n_queries, -np.inf)
    return _Best(np.empty(room, np.int32), np.empty(room), counts, floors)


def _best_of(q: int, k: int, best: _Best) -> tuple[Array, Array]:
    n = _cut_back(k, int(best.counts[q]), best.docs[q], best.scores[q])
    return best.docs[q, :n].copy(), best.scores[q, :n].copy()


def _over_document_words(rows: Rows, shared: Array, n_words: int) -> Any:
    columns = shared[rows.columns]
    found = columns >= 0
    starts = np.append(0, np.cumsum(found))[rows.starts]
    values = rows.values[found].astype(np.float64)
    from scipy.sparse import csr_array

    return csr_array((values, columns[found], starts), shape=(len(rows.starts) - 1, n_words))


@kernel
def _collect(
    first_query: int,
    last_query: int,
    known: Array,
    scores: Array,
    may: Array,
    first: int,
    k: int,
    best: _Best,
) -> None:
    """Add documents first, first + 1, ... with scores (queries, documents) to the best so far.

    Documents come in the order in which ties are broken, so one that only equals the k-th best is not better.
    """
    for q in range(first_query, last_query):
        if not known[q]:
            continue
        docs, values, given = best.docs[q], best.scores[q], scores[q]
        n, floor = best.counts[q], best.floors[q]
        for i in range(len(given)):
            if may[i] and given[i] > floor:
                docs[n], values[n] = first + i, given[i]
                n += 1
                if n == len(docs):
                    n = _cut_back(k, n, docs, values)
                    floor = values[k - 1]
        best.counts[q], best.floors[q] = n, floor


@kernel
def _cut_back(k: int, n: int, docs: Array, values: Array) -> int:
    """Keep the k best of n, best first; among equals the ones that came first. Returns how many are left."""
    order = np.argsort(-values[:n], kind="mergesort")[:k]
    kept_docs, kept_values = docs[order], values[order]
    docs[: len(order)], values[: len(order)] = kept_docs, kept_values
    return len(order)
