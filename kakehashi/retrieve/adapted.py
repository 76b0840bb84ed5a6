"""Turns anything that can search or score into a system with filters; it gives no explanations of its own.

What comes from outside is checked here: lists are put in order, documents that the index does not know or that
the scope leaves out are dropped, and whatever goes wrong inside becomes one line.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

import numpy as np

from kakehashi.errors import InputError, KakehashiError, Notice
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.scored import ByScores
from kakehashi.retrieve.system import IndexSystem
from kakehashi.types import EVERYTHING, Bools, Explanation, Floats, Ranking, Run, Scope, Share, Text, in_order

DEEPER = 4  # factor for a longer list if too many documents had to be removed
NAMED = 3  # queries named in a notice
NOTHING = Ranking([], np.zeros(0))


class Searcher(Protocol):
    """Everything required of an external system; one that can only score is wrapped (`scored.py`)."""

    def search(self, queries: Sequence[Text], k: int = 1000) -> Run: ...


def adapted(name: str, system: Any, index: Index) -> IndexSystem:
    """A complete system unchanged; for one that can only search or score, add what it lacks."""
    if isinstance(system, IndexSystem):
        return system
    if callable(getattr(system, "search", None)):
        return Adapted(name, system, index)
    if callable(getattr(system, "score", None)):
        return Adapted(name, ByScores(name, system, index), index)
    kind = type(system).__name__
    raise InputError(
        f"{name} is not a system: {kind} has neither search(queries, k) nor score(query, doc_ids)"
    )


def one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


@dataclass
class Adapted:
    """A searcher's lists, restricted to index and scope; a document it does not list has no score."""

    name: str
    searcher: Searcher
    index: Index

    def __post_init__(self) -> None:
        self._numbering = self.index.numbering
        self._most = DEEPER * self.index.n_docs
        self._missed: set[str] = set()  # queries that were already named
        self._one_at_a_time = Lock()  # a searcher may not be thread-safe

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        """Report all queries without a list at once, if the searcher says which it has."""
        known = getattr(self.searcher, "queries", None)
        if known is not None:
            self._notice_missing(query.id for query in queries if query.id not in known)

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best allowed documents of each query; fewer only if the searcher lists no more."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        self.prepare(queries)
        allowed = self._numbering.allowed(scope.where, scope.expression)
        depth, waiting = k + scope.not_itself, list(queries)
        found: dict[str, Ranking] = {}
        n_unknown: dict[str, int] = {}
        while waiting:
            lists, too_short = self._ask(waiting, depth), []
            for query in waiting:
                kept, n_unknown[query.id] = self._kept(query, lists[query.id], allowed, scope.not_itself)
                found[query.id] = Ranking(kept.docs[:k], kept.scores[:k])
                if len(kept) < k and len(lists[query.id]) >= depth and depth < self._most:
                    too_short.append(query)
            depth, waiting = depth * DEEPER, too_short
        if n := sum(n_unknown.values()):
            self._notice(f"lists {_count(n, 'document', 'documents')} not in the index: skipped")
        return Run(self.name, {query.id: found[query.id] for query in queries})

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """By the searcher itself if it can score, otherwise from its whole list."""
        numbers = self._numbering.of(doc_ids)
        scores = np.full(len(doc_ids), np.nan)
        known = np.flatnonzero(numbers != UNKNOWN)
        own = getattr(self.searcher, "score", None)
        if own is None:
            scores[known] = self.score_all(query)[numbers[known]]
        elif len(known):
            try:
                with self._one_at_a_time:
                    found = np.asarray(own(query, [doc_ids[i] for i in known.tolist()]), np.float64)
            except (Exception, SystemExit) as error:
                raise self._failed("score", error) from error
            if found.shape != known.shape or np.isinf(found).any():
                raise KakehashiError(f"{self.name}: score must return a number for each document, or NaN")
            scores[known] = found
        return scores

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        scores = np.full(len(self._numbering), np.nan)
        ranking = self.search([query], max(self._most, 1)).rankings[query.id]
        scores[self._numbering.of(ranking.docs)] = ranking.scores
        return scores

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        """The searcher's explanations, or a row that says that there are none."""
        for doc_id in doc_ids:
            self.index.known_place(doc_id)
        own = getattr(self.searcher, "explain", None)
        if own is None:
            return [self._no_reasons(score) for score in self.score(query, doc_ids).tolist()]
        try:
            with self._one_at_a_time:
                explained = list(own(query, doc_ids))
        except (Exception, SystemExit) as error:
            raise self._failed("explain", error) from error
        if len(explained) != len(doc_ids) or not all(isinstance(one, Explanation) for one in explained):
            kinds = ", ".join(sorted({type(one).__name__ for one in explained})) or "nothing"
            raise KakehashiError(
                f"{self.name}: explain returns {kinds}, not an Explanation for each document"
            )
        return explained

    def _no_reasons(self, score: float) -> Explanation:
        if np.isnan(score):
            return Explanation(0.0, [])
        return Explanation(score, [Share(f"{self.name} gives no reasons", "", score)])

    def _ask(self, queries: Sequence[Text], depth: int) -> dict[str, Ranking]:
        try:
            with self._one_at_a_time:
                answered = self.searcher.search(queries, depth).rankings
            lists = {
                query.id: self._listed(query, found, depth)
                for query in queries
                if (found := answered.get(query.id)) is not None
            }
        except (Exception, SystemExit) as error:
            raise self._failed("search", error) from error
        self._notice_missing(query.id for query in queries if query.id not in lists)
        return {query.id: lists.get(query.id, NOTHING) for query in queries}

    def _listed(self, query: Text, found: Ranking, depth: int) -> Ranking:
        """The searcher's list, sorted, if it is a valid list of documents with scores."""
        docs, scores = list(found.docs), np.asarray(found.scores, np.float64)
        where = f"{self.name}: query '{query.id}'"
        if scores.shape != (len(docs),):
            raise KakehashiError(f"{where} has {len(docs)} documents and scores of shape {scores.shape}")
        if not np.isfinite(scores).all():
            raise KakehashiError(f"{where} has a score that is not a number")
        strange = next((doc for doc in docs if not isinstance(doc, str)), None)
        if strange is not None:
            raise KakehashiError(f"{where} lists {strange!r}, a {type(strange).__name__}: ids are strings")
        if len({*docs}) != len(docs):
            raise KakehashiError(f"{where} lists a document twice")
        return in_order(docs, scores, depth)

    def _kept(self, query: Text, ranking: Ranking, allowed: Bools, not_itself: bool) -> tuple[Ranking, int]:
        """(what may be listed, how many documents are unknown)"""
        numbers = self._numbering.of(ranking.docs)
        unknown = numbers == UNKNOWN
        kept = ~unknown
        kept[kept] = allowed[numbers[kept]]
        if not_itself:
            kept &= np.array([doc != query.id for doc in ranking.docs], dtype=bool)
        chosen = np.flatnonzero(kept)
        return Ranking([ranking.docs[i] for i in chosen.tolist()], ranking.scores[chosen]), int(unknown.sum())

    def _failed(self, what: str, error: BaseException) -> KakehashiError:
        if isinstance(error, KakehashiError):
            return error
        return KakehashiError(f"{self.name}: its {what} failed: {one_line(error)}")

    def _notice_missing(self, ids: Iterable[str]) -> None:
        missing = [query_id for query_id in ids if query_id not in self._missed]
        if missing:
            self._missed.update(missing)
            more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
            named = f"{', '.join(missing[:NAMED])}{more}"
            self._notice(f"has no list for {_count(len(missing), 'query', 'queries')}: {named}")

    def _notice(self, text: str) -> None:
        warnings.warn(f"{self.name} {text}", Notice, stacklevel=3)


def _count(n: int, one: str, more: str) -> str:
    return f"{n} {one if n == 1 else more}"
