"""The Rerank kind of system: every document scored by weights of features and of other systems' scores."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from kakehashi.errors import InputError
from kakehashi.features.sets import set_of
from kakehashi.features.table import FeatureTable
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.learn.linear_model import Worth
from kakehashi.progress import SILENT, Progress
from kakehashi.query.edits import Edit
from kakehashi.query.terms import check_source
from kakehashi.retrieve.inputs import Input, scale
from kakehashi.retrieve.lists import DocIds, merged, without
from kakehashi.retrieve.sparse import cores
from kakehashi.retrieve.system import takes_edits, used_edits
from kakehashi.types import EVERYTHING, Array, Explanation, Floats, Ranking, Run, Scope, Share, Text

BLOCK = 64  # queries between two words to the progress bar
LEAST = 0.01  # what must be left of words' shares that cancel out, for a sum to be told by words


class Evidence:
    """All that is known of a query and every document: scaled scores of systems, then features."""

    def __init__(self, index: Index, inputs: Sequence[Input], scaling: str, table: FeatureTable):
        self.index, self.inputs, self._scaling, self._table = index, inputs, scaling, table
        self._own = threading.local()
        self.names = [*(each.name for each in inputs), *table.names]
        self.groups = [*(each.name for each in inputs), *table.groups]

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        for each in self.inputs:
            each.prepare(queries, progress)

    def rows(self, query: Text) -> Array | None:
        """(inputs + features, documents) float32; None for a query that has nothing in common with any document.

        The array is used again for the next query that the same thread asks for: fresh memory costs more than
        all that is worked out in it.
        """
        check_source(self.index, query)
        if not hasattr(self._own, "rows"):
            self._own.rows = np.empty((len(self.names), self._table.n_docs), np.float32)
        rows: Array = self._own.rows
        rows.fill(0.0)
        known = False
        for row, each in zip(rows, self.inputs, strict=False):
            scores = each.scores(query)
            known = known or not np.isnan(scores).all()
            row[:] = scale(scores, self._scaling)[0]
        common = self._table.fill(query, rows[len(self.inputs) :])
        return rows if known or common else None

    def reasons(self, query: Text, doc_ids: Sequence[str], values: Sequence[Floats]) -> list[list[Share]]:
        """Per document, what the query's words gave it in each system; shares sum to the values of the inputs."""
        found: list[list[Share]] = [[] for _ in doc_ids]
        for i, each in enumerate(self.inputs):
            for n, explanation in enumerate(each.system.explain(query, doc_ids)):
                found[n] += _stretched(each.name, explanation, float(values[n][i]))
        return found


def _stretched(system: str, explanation: Explanation, value: float) -> list[Share]:
    """A system's own shares, made to sum to what it gave."""
    given = sum(one.share for one in explanation.shares)
    if abs(given) <= LEAST * sum(abs(one.share) for one in explanation.shares):
        return [Share(system, "", value)]  # as trees may, without any word in common
    factor = value / given
    return [
        Share(one.query, f"{one.document} ({system})".lstrip(), factor * one.share)
        for one in explanation.shares
    ]


def open_evidence(
    holdings: Holdings, inputs: Sequence[Input], scaling: str, features: str, cited: Mapping[str, float]
) -> Evidence:
    """`features` names a set of features, `cited` says how often training judgments call a document relevant."""
    kinds = set_of(features, holdings.index)[1]
    table = FeatureTable(holdings, kinds, citations_of(holdings.index, cited))
    return Evidence(holdings.index, inputs, scaling, table)


def citations_of(index: Index, cited: Mapping[str, float]) -> Floats:
    """(documents,) in the order of the index."""
    return np.array([cited.get(doc, 0.0) for doc in index.numbering.ids], np.float64)


@dataclass
class LinearRanker:
    """Scores the full list of documents, not the best of another system only."""

    name: str
    evidence: Evidence
    worth: Worth
    index: Index = field(init=False)

    def __post_init__(self) -> None:
        self.index = self.evidence.index
        self._ids = [DocIds(segment) for segment in self.index.segments]

    @property
    def takes_edits(self) -> bool:
        return any(takes_edits(each.system) for each in self.evidence.inputs)

    def used_edits(self, query: Text) -> set[Edit]:
        return used_edits((each.system for each in self.evidence.inputs), query)

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        self.evidence.prepare(queries, progress)

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best of all documents for each query."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        self.prepare(queries, progress)
        rankings: dict[str, Ranking] = {}
        progress.start(f"searching with {self.name}", len(queries))
        workers = min(threads or cores(), max(len(queries), 1))

        def best(query: Text) -> Ranking:
            return self.best(query, self.score_all(query), k, scope)

        try:
            with ThreadPoolExecutor(workers) as pool:
                for start in range(0, len(queries), BLOCK):
                    some = queries[start : start + BLOCK]
                    found = pool.map(best, some)
                    rankings |= {query.id: ranking for query, ranking in zip(some, found, strict=True)}
                    progress.advance(len(some))
        finally:
            progress.finish()
        return Run(self.name, rankings)

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        """(documents,) of all that live, be they in the scope or not; NaN where nothing is in common with any."""
        rows = self.evidence.rows(query)
        if rows is None:
            return np.full(len(self.index.numbering), np.nan)
        return self.index.without_dead(self.worth.scores(rows))

    def best(self, query: Text, scores: Floats, k: int, scope: Scope = EVERYTHING) -> Ranking:
        """The k best by given scores of all documents; none where these are NaN."""
        if np.isnan(scores).all():
            return Ranking([], np.zeros(0))
        numbering = self.index.numbering
        allowed = numbering.allowed(scope.where, scope.expression)
        wanted, lists = k + scope.not_itself, []
        for ids, (first, end) in zip(self._ids, pairwise(numbering.firsts.tolist()), strict=True):
            docs = np.flatnonzero(allowed[first:end])
            values = scores[first + docs]
            if len(docs) > wanted:
                kept = values >= np.partition(values, -wanted)[-wanted]
                docs, values = docs[kept], values[kept]
            order = np.argsort(-values, kind="stable")[:wanted]
            lists.append((ids.of(docs[order]), values[order]))
        names, values = merged(lists)
        if scope.not_itself:
            names, values = without(query.id, names, values)
        return Ranking(names[:k], values[:k])

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """NaN for a document that is unknown."""
        numbers = self.index.numbering.of(doc_ids)
        scores = np.append(self.score_all(query), np.nan)  # for UNKNOWN, which is the last
        return scores[numbers]

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        """What every feature gave, and what the words of every system did."""
        for doc_id in doc_ids:
            self.index.known_place(doc_id)
        rows = self.evidence.rows(query)
        if rows is None:
            return [Explanation(0.0, []) for _ in doc_ids]
        columns = rows[:, self.index.numbering.of(doc_ids)]  # a copy: (inputs + features, these documents)
        scores = self.worth.scores(columns).tolist()
        # (these documents, inputs + features + 1) by input, then by feature, then what any document gets
        given = [self.worth.shares(column) for column in columns.T]
        n_inputs = len(self.evidence.inputs)
        reasons = self.evidence.reasons(query, doc_ids, [shares[:n_inputs] for shares in given])
        names = [*self.evidence.names[n_inputs:], "(any document)"]
        found = []
        for score, shares, own in zip(scores, reasons, given, strict=True):
            features = zip(names, own[n_inputs:].tolist(), strict=True)
            shares += [Share(name, "", share) for name, share in features]
            shares = sorted((one for one in shares if one.share), key=lambda one: -abs(one.share))
            found.append(Explanation(score, shares))
        return found
