"""The systems `knowledge` and `dense`: every document scored by weights of features and of other systems' scores."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.features.sets import set_of
from kakehashi.features.table import FeatureTable
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN, Numbering
from kakehashi.learn.linear_model import KIND, VERSION, Asked, LinearModel, Worth, linear_of
from kakehashi.progress import SILENT, Progress
from kakehashi.query.terms import check_source
from kakehashi.retrieve.inputs import Input, scale
from kakehashi.retrieve.lists import DocIds, merged, without
from kakehashi.retrieve.models import check_analyzers, model_folder, read_model
from kakehashi.retrieve.sparse import Explanation, Scope, Share
from kakehashi.retrieve.system import IndexSystem
from kakehashi.store import Array
from kakehashi.types import Bools, Floats, Ranking, Run, Text

BLOCK = 64  # queries between two words to the progress bar
LEAST = 0.01  # what must be left of words' shares that cancel out, for a sum to be told by words
EVERYTHING = Scope()
Builder = Callable[[str, Index, Mapping[str, object]], IndexSystem]


class KnowledgeUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which trained model answers."""

    model: str = "knowledge"


class DenseUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which trained model answers."""

    model: str = "dense"


class Evidence:
    """All that is known of a query and every document: scaled scores of systems, then features."""

    def __init__(self, index: Index, inputs: Sequence[Input], scaling: str, table: FeatureTable):
        self.index, self._inputs, self._scaling, self._table = index, inputs, scaling, table
        self._own = threading.local()
        self.names = [*(each.system.name for each in inputs), *table.names]
        self.n_features = len(table)
        self.groups = [*(each.system.name for each in inputs), *table.groups]

    def prepare(self, queries: Sequence[Text]) -> None:
        for each in self._inputs:
            each.prepare(queries)

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
        for row, each in zip(rows, self._inputs, strict=False):
            scores = each.scores(query)
            known = known or not np.isnan(scores).all()
            row[:] = scale(scores, self._scaling)[0]
        common = self._table.fill(query, rows[len(self._inputs) :])
        return rows if known or common else None

    def reasons(self, query: Text, doc: str, values: Floats) -> list[Share]:
        """What the query's words gave a document in each system; the shares sum to the values of the inputs."""
        found = []
        for each, value in zip(self._inputs, values.tolist(), strict=True):
            explanation = each.system.explain(query, doc)
            given = sum(one.share for one in explanation.shares)
            if abs(given) <= LEAST * sum(abs(one.share) for one in explanation.shares):
                found.append(Share(each.system.name, "", value))  # as trees may, without any word in common
                continue
            factor = value / given
            for one in explanation.shares:
                found.append(
                    Share(one.query, f"{one.document} ({each.system.name})".lstrip(), factor * one.share)
                )
        return found


def open_evidence(
    index: Index,
    inputs: Sequence[Asked],
    scaling: str,
    features: str,
    cited: Mapping[str, float],
    build: Builder,
) -> Evidence:
    systems = []
    for asked in inputs:
        system = build(asked.system, index, asked.settings)
        system.name = asked.name
        systems.append(Input(system, index))
    table = FeatureTable(index, set_of(features, index)[1], citations_of(index, cited))
    return Evidence(index, systems, scaling, table)


def citations_of(index: Index, cited: Mapping[str, float]) -> Floats:
    """(documents,) in the order of the index."""
    return np.array([cited.get(doc, 0.0) for doc in Numbering(index).ids], np.float64)


@dataclass
class LinearRanker:
    """Scores the full list of documents, not the best of another system only."""

    name: str
    evidence: Evidence
    worth: Worth
    scope: Scope = EVERYTHING
    threads: int = 0  # 0: one per core
    progress: Progress = SILENT
    index: Index = field(init=False)

    def __post_init__(self) -> None:
        self.index = self.evidence.index
        self._ids = [DocIds(segment) for segment in self.index.segments]
        self._numbering = Numbering(self.index)
        # (documents,) which may be found
        self.allowed: Bools = self._numbering.allowed(self.scope.where, self.scope.expression)

    def search(self, queries: Sequence[Text], k: int = 1000) -> Run:
        """The k best of all documents for each query."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        self.evidence.prepare(queries)
        rankings: dict[str, Ranking] = {}
        self.progress.start(f"searching with {self.name}", len(queries))
        workers = min(self.threads or len(os.sched_getaffinity(0)), max(len(queries), 1))
        try:
            with ThreadPoolExecutor(workers) as pool:
                for start in range(0, len(queries), BLOCK):
                    some = queries[start : start + BLOCK]
                    found = pool.map(lambda query: self.best(query, self.score_all(query), k), some)
                    rankings |= {query.id: ranking for query, ranking in zip(some, found, strict=True)}
                    self.progress.advance(len(some))
        finally:
            self.progress.finish()
        return Run(self.name, rankings)

    def score_all(self, query: Text) -> Floats:
        """(documents,) of all that live, be they in the scope or not; NaN where nothing is in common with any."""
        rows = self.evidence.rows(query)
        if rows is None:
            return np.full(len(self._numbering), np.nan)
        return self.index.without_dead(self.worth.scores(rows))

    def best(self, query: Text, scores: Floats, k: int) -> Ranking:
        """The k best by given scores of all documents; none where these are NaN."""
        if np.isnan(scores).all():
            return Ranking([], np.zeros(0))
        not_itself = self.scope.not_itself
        wanted, lists = k + not_itself, []
        for ids, (first, end) in zip(self._ids, pairwise(self._numbering.firsts.tolist()), strict=True):
            docs = np.flatnonzero(self.allowed[first:end])
            values = scores[first + docs]
            if len(docs) > wanted:
                kept = values >= np.partition(values, -wanted)[-wanted]
                docs, values = docs[kept], values[kept]
            order = np.argsort(-values, kind="stable")[:wanted]
            lists.append((ids.of(docs[order]), values[order]))
        names, values = merged(lists)
        if not_itself:
            names, values = without(query.id, names, values)
        return Ranking(names[:k], values[:k])

    def score(self, query: Text, doc_ids: Sequence[str]) -> Floats:
        """NaN for a document that is unknown."""
        numbers = self._numbering.of(doc_ids)
        scores = np.append(self.score_all(query), np.nan)  # for UNKNOWN, which is the last
        return scores[numbers]

    def explain(self, query: Text, doc_id: str) -> Explanation:
        """What every feature gave, and what the words of every system did."""
        [number] = self._numbering.of([doc_id]).tolist()
        if number == UNKNOWN:
            raise InputError(f"there is no document '{doc_id}' in the index")
        known = self.evidence.rows(query)
        if known is None:
            return Explanation(0.0, [])
        given = self.worth.shares(known[:, number])  # by input, then by feature, then of any document
        n_inputs = len(self.evidence.names) - self.evidence.n_features
        shares = self.evidence.reasons(query, doc_id, given[:n_inputs])
        names = [*self.evidence.names[n_inputs:], "(any document)"]
        shares += [
            Share(name, "", share) for name, share in zip(names, given[n_inputs:].tolist(), strict=True)
        ]
        shares = sorted((one for one in shares if one.share), key=lambda one: -abs(one.share))
        return Explanation(float(self.worth.scores(known[:, number : number + 1])[0]), shares)


def open_linear(
    name: str, index: Index, settings: KnowledgeUse | DenseUse, scope: Scope, build: Builder
) -> LinearRanker:
    trainer = "knowledge" if isinstance(settings, KnowledgeUse) else "dense"
    model = read_model(trainer, index, settings.model, _read)
    evidence = open_evidence(index, model.inputs, model.scaling, model.features, model.citations, build)
    if evidence.names != list(model.names):
        raise FileError(
            model_folder(index, settings.model),
            None,
            f"was trained on other features than '{model.features}' now has: kakehashi train {trainer} again",
        )
    return LinearRanker(name, evidence, model.worth, scope)


def _read(folder: Path, index: Index) -> LinearModel:
    artifact = store.read(folder, KIND, VERSION)
    check_analyzers(artifact, index)
    return linear_of(artifact)
