"""The Rerank kind of system: every document scored by weights of features and of other systems' scores."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kakehashi.errors import InputError
from kakehashi.features.kind import Kind
from kakehashi.features.table import FeatureTable
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN
from kakehashi.learn.linear import amount
from kakehashi.learn.linear_model import Worth
from kakehashi.progress import SILENT, Progress
from kakehashi.query.edits import Edit
from kakehashi.query.terms import check_source
from kakehashi.retrieve.inputs import Input, fit_of, scale
from kakehashi.retrieve.lists import DocIds, best_listed
from kakehashi.retrieve.question import Anchors, Measured, Question, Screen
from kakehashi.retrieve.recent import Recent
from kakehashi.retrieve.sparse import cores
from kakehashi.retrieve.system import takes_edits, used_edits
from kakehashi.types import (
    ANY,
    EVERYTHING,
    Array,
    Bools,
    Explanation,
    Floats,
    Longs,
    Ranking,
    Run,
    Scope,
    Share,
    Text,
    largest_first,
)

BLOCK = 64  # queries between two words to the progress bar
DEEPER, MARGIN = 3.0, 500  # candidates: this many times as many as are wanted, or this many more
METADATA = "metadata: "  # before the group of features, as the part of an explanation
LEAST = 0.01  # what must be left of words' shares that cancel out, for a sum to be told by words


class Evidence:
    """All that is known of a query and every document: scaled scores of systems, then features."""

    def __init__(
        self, index: Index, inputs: Sequence[Input], scaling: str, table: FeatureTable, related: bool = False
    ):
        """`related`: what is known of a document whatever the query counts as far as the inputs find it."""
        self.index, self.inputs, self.scaling, self._table = index, inputs, scaling, table
        self._related = related and bool(inputs) and scaling != "raw"  # raw scores have no common size
        self.priors = np.append(np.zeros(len(inputs), bool), table.priors)  # (inputs + features,)
        self._own = threading.local()
        self._amounts: Recent[float] = Recent()
        self.names = [*(each.name for each in inputs), *table.names]
        self.groups = [*(each.name for each in inputs), *table.groups]

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        for each in self.inputs:
            each.prepare(queries, progress)

    @cached_property
    def _anchors(self) -> Anchors:
        return Anchors(self.index.numbering)

    def ask(self, query: Text, screen: Screen, measured: Measured | None = None) -> Question:
        """For numbers of some documents; `measured` is what the same query was found to be scaled by before."""
        check_source(self.index, query)
        return Question(
            query, self.inputs, self.scaling, self._table, screen, self._anchors, measured, self._related
        )

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
            row[:] = scale(scores, self.scaling)[0]
        fit = fit_of(rows[: len(self.inputs)]) if self._related else None
        common = self._table.fill(query, rows[len(self.inputs) :], fit=fit)
        return rows if known or common else None

    def refitted(self, rows: Array, left_out: Longs) -> Array:
        """(inputs + features, documents) as if some inputs were not there, in what depends on all of them."""
        n = len(self.inputs)
        kept = [i for i in range(n) if i not in {*left_out.tolist()}]
        if not self._related or len(kept) == n:
            return rows
        fit = fit_of(rows[:n])
        own = fit_of(rows[kept]) if kept else np.ones_like(fit)
        found = rows.copy()
        found[self.priors] *= np.divide(own, fit, out=np.zeros_like(fit), where=fit > 0.0)
        return found

    def amount(self, query: Text) -> float:
        """How much a query says, by how many of its words are known to the first input that can tell."""
        return self._amounts.of(query, self._amount)

    def _amount(self, query: Text) -> float:
        told = (each.system.known_words(query) for each in self.inputs if hasattr(each.system, "known_words"))
        words = next(filter(None, told), None) or len(self.index.source_analyzer.terms(query.content))
        return amount(words)

    def constant(self, query: Text) -> Bools:
        """(features,) whether documents from all over the collection have the same of it."""
        docs = self._anchors.spread
        rows = np.zeros((len(self._table), len(docs)), np.float32)
        self._table.fill(query, rows, docs)
        same: Bools = (rows == rows[:, :1]).all(axis=1)
        return same

    def reasons(self, query: Text, doc_ids: Sequence[str], values: Sequence[Floats]) -> list[list[Share]]:
        """Per document, what the query's words gave it in each system; shares sum to the values of the inputs."""
        found: list[list[Share]] = [[] for _ in doc_ids]
        for i, each in enumerate(self.inputs):
            for n, explanation in enumerate(each.system.explain(query, doc_ids)):
                found[n] += _stretched(each.name, explanation, float(values[n][i]))
        return found


def _stretched(system: str, explanation: Explanation, value: float) -> list[Share]:
    """A system's own shares, made to sum to what it gave.

    What a system gives whatever words match, such as the length of a document in a language model, says nothing
    about why this document was found: where words match, they share the value among them.
    """
    shares = [one for one in explanation.shares if one.document] or explanation.shares
    amounts = [one.share for one in shares]
    given = sum(amounts)
    if abs(given) <= LEAST * sum(map(abs, amounts)):
        return [Share(system, "", value, system)]  # as trees may, without any word in common
    factor = value / given
    return [Share(one.query, one.document, factor * one.share, system) for one in shares]


def open_evidence(
    holdings: Holdings,
    inputs: Sequence[Input],
    scaling: str,
    kinds: Sequence[Kind],
    cited: Mapping[str, float],
    related: bool = False,
) -> Evidence:
    """`cited` says how often training judgments call a document relevant."""
    table = FeatureTable(holdings, kinds, citations_of(holdings.index, cited))
    return Evidence(holdings.index, inputs, scaling, table, related)


def citations_of(index: Index, cited: Mapping[str, float]) -> Floats:
    """(documents,) in the order of the index."""
    return np.array([cited.get(doc, 0.0) for doc in index.numbering.ids], np.float64)


@dataclass
class LinearRanker:
    """The best of all documents, not of another system's list only; finds candidates, then scores these.

    With `full` every document is scored, which is what the other way is measured by.
    """

    name: str
    evidence: Evidence
    worth: Worth
    full: bool = True
    index: Index = field(init=False)

    def __post_init__(self) -> None:
        self.index = self.evidence.index
        self._measured: Recent[Measured] = Recent()
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
        workers = min(threads or cores(), len(queries))

        def best(query: Text) -> Ranking:
            if self.full:
                return self.best(query, self.score_all(query), k, scope)
            return self._best_of_candidates(query, k, scope)

        try:
            with ThreadPoolExecutor(max(workers, 1)) as pool:
                for start in range(0, len(queries), BLOCK):
                    some = queries[start : start + BLOCK]
                    found = pool.map(best, some) if workers > 1 else map(best, some)
                    rankings |= {query.id: ranking for query, ranking in zip(some, found, strict=True)}
                    progress.advance(len(some))
        finally:
            progress.finish()
        return Run(self.name, rankings)

    def _best_of_candidates(self, query: Text, k: int, scope: Scope) -> Ranking:
        question, numbering = self._question(query), self.index.numbering
        if not question.measured.is_known:
            return Ranking([], np.zeros(0))
        allowed = numbering.allowed(scope.where, scope.expression)
        wanted = max(int(DEEPER * k), k + MARGIN)
        docs = np.flatnonzero(allowed)
        if len(docs) > 2 * wanted:
            docs = question.candidates(wanted, allowed, numbering)
        scores = self._worth(query).scores(question.columns(docs))
        return best_listed(self._ids, self.index.numbering, query.id, docs, scores, k, scope)

    def _worth(self, query: Text) -> Worth:
        """How much everything counts for a query that says as much as this one."""
        return self.worth.at(self.evidence.amount(query))

    def _screen(self, query: Text) -> Screen:
        worth = self._worth(query)
        return self._plain_screen if worth is self.worth else self._screen_by(worth)

    @cached_property
    def _plain_screen(self) -> Screen:
        return self._screen_by(self.worth)

    def _screen_by(self, worth: Worth) -> Screen:
        is_raw = self.evidence.scaling == "raw"
        return Screen(worth.as_sum(), len(self.evidence.inputs), is_raw, not worth.by_sum)

    def _question(self, query: Text) -> Question:
        known = self._measured.find(query)
        question = self.evidence.ask(query, self._screen(query), known)
        if known is None:
            self._measured.keep(query, question.measured)
        return question

    def _columns(self, query: Text, numbers: Longs) -> Array | None:
        """(inputs + features, these documents); None for a query that has nothing in common with any document."""
        if self.full:
            rows = self.evidence.rows(query)
            return None if rows is None else rows[:, numbers]
        question = self._question(query)
        return question.columns(numbers) if question.measured.is_known else None

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        """(documents,) of all live documents, whether in the scope or not; NaN where nothing is in common with any."""
        scores = np.full(len(self.index.numbering), np.nan)
        if self.full:
            rows = self.evidence.rows(query)
            return scores if rows is None else self.index.without_dead(self._worth(query).scores(rows))
        live = np.flatnonzero(self.index.numbering.live)
        columns = self._columns(query, live)
        if columns is not None:
            scores[live] = self._worth(query).scores(columns)
        return scores

    def best(self, query: Text, scores: Floats, k: int, scope: Scope = EVERYTHING) -> Ranking:
        """The k best by given scores of all documents; none where these are NaN."""
        if np.isnan(scores).all():
            return Ranking([], np.zeros(0))
        docs = np.flatnonzero(self.index.numbering.allowed(scope.where, scope.expression))
        return best_listed(self._ids, self.index.numbering, query.id, docs, scores[docs], k, scope)

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """NaN for a document that is unknown."""
        numbers = self.index.numbering.of(doc_ids)
        scores = np.full(len(numbers), np.nan)
        known = np.flatnonzero(numbers != UNKNOWN)
        columns = self._columns(query, numbers[known])
        if columns is not None:
            scores[known] = self._worth(query).scores(columns)
        return scores

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        """What every feature gave, and what the words of every system did."""
        for doc_id in doc_ids:
            self.index.known_place(doc_id)
        columns = self._columns(query, self.index.numbering.of(doc_ids))
        if columns is None:
            return [Explanation(0.0, []) for _ in doc_ids]
        worth = self._worth(query)
        scores = worth.scores(columns).tolist()
        # (these documents, inputs + features + 1) by input, then by feature, then what any document gets
        given = [worth.shares(column) for column in columns.T]
        n_inputs = len(self.evidence.inputs)
        reasons = self.evidence.reasons(query, doc_ids, [shares[:n_inputs] for shares in given])
        names, groups = [*self.evidence.names[n_inputs:], ANY], self.evidence.groups[n_inputs:]
        same = self.evidence.constant(query).tolist()
        parts = [ANY if one else METADATA + group for one, group in zip(same, groups, strict=True)]
        found = []
        for score, shares, own in zip(scores, reasons, given, strict=True):
            features = zip(names, own[n_inputs:].tolist(), [*parts, ANY], strict=True)
            shares += [Share(name, "", share, part) for name, share, part in features]
            found.append(Explanation(score, largest_first([one for one in shares if one.share])))
        return found
