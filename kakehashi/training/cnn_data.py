"""What a CNN ranker learns from: parts of queries and documents as numbers, judgments by row, candidates on dev."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from kakehashi.corpus.splits import TRAIN, Split
from kakehashi.evaluation.measures import Measure
from kakehashi.index.numbering import UNKNOWN
from kakehashi.learn.cnn_draws import Judged, Lists, lists_of
from kakehashi.learn.cnn_settings import CnnSettings
from kakehashi.retrieve.cnn_parts import Read, Reader, side_by_side
from kakehashi.training.candidate_pools import random_pools
from kakehashi.training.cnn_vectors import Named
from kakehashi.training.data import pool_of, training_judgments
from kakehashi.training.hard import HardSettings, hard_negatives
from kakehashi.training.job import Job
from kakehashi.training.measuring import measure_run
from kakehashi.types import Array, Floats32, Longs, Ranking, Run, Text, in_order

if TYPE_CHECKING:  # PyTorch is imported by a training only
    from kakehashi.learn.cnn import Network, Part

LONGEST_CLASSES = 64  # classes of a text that are read
BLOCK = 16  # dev queries whose windows are compared at a time


@dataclass(frozen=True)
class Material:
    """Rows of queries: those of train, then those of dev. Rows of documents: the pool, then further ones of dev."""

    parts: "list[Part]"
    judged: Judged
    dev: Split
    first_dev: int
    lists: Mapping[str, Longs]  # of dev queries: rows of the candidates
    ids: Sequence[str]  # (documents,) of rows
    measure: Measure

    def digest(self) -> str:
        """A checksum of all that a training reads."""
        state = xxhash.xxh3_128()
        for part in self.parts:
            state.update(f"{part.name} {part.window} {part.filters} {part.longest}".encode())
            arrays = [*part.vectors, *(array for texts in part.texts for array in texts)]
            for array in arrays:
                state.update(np.ascontiguousarray(array).tobytes())
        for array in (*self.judged.relevant, self.judged.levels, *self.judged.hard, *self.lists.values()):
            state.update(np.ascontiguousarray(array).tobytes())
        return state.hexdigest()

    def measured(self, network: "Network") -> float:
        """The dev measure of candidates in the order of the network."""
        rankings: dict[str, Ranking] = {}
        together = BLOCK if network.shape.match == "maxsim" else max(len(self.dev), 1)
        for first in range(0, len(self.dev), together):
            rankings |= self._ordered(network, first, self.dev.queries[first : first + together])
        return measure_run(Run("cnn", rankings), self.dev, [self.measure]).mean(self.measure)

    def _ordered(self, network: "Network", first: int, queries: Sequence[Text]) -> dict[str, Ranking]:
        """The candidates of some dev queries, of which each document is encoded once."""
        from kakehashi.learn.cnn import encoded, scored

        asked = encoded(network, "query", self.first_dev + first + np.arange(len(queries)))
        sizes = [len(self.lists[query.id]) for query in queries]
        rows = np.concatenate([np.zeros(0, np.int64), *(self.lists[query.id] for query in queries)])
        used, places = np.unique(rows, return_inverse=True)
        docs = encoded(network, "document", used)
        scores = scored(network, asked, docs, np.repeat(np.arange(len(sizes)), sizes), places)
        ends, rankings = np.cumsum([0, *sizes]).tolist(), dict[str, Ranking]()
        for i, query in enumerate(queries):
            some = slice(ends[i], ends[i + 1])
            names = [self.ids[row] for row in rows[some].tolist()]
            rankings[query.id] = in_order(names, scores[some].astype(np.float64))
        return rankings


def material(
    job: Job, settings: CnnSettings, named: Mapping[str, Named], readers: Mapping[str, Reader], dev: Split,
    candidates: int, measure: Measure,
) -> Material:  # fmt: skip
    """Everything a training needs as arrays; `named` and `readers` are by the names of the parts."""
    from kakehashi.learn.cnn import Part, Texts

    holdings, numbering = job.holdings, job.holdings.index.numbering
    judgments = training_judgments(holdings.collection)
    train = holdings.split(TRAIN)
    pool, pool_rows = pool_of(holdings, TRAIN)
    lists, numbers = _dev_lists(job, dev, candidates), [pool_rows]
    if len(dev):
        numbers.append(np.setdiff1d(np.concatenate([np.zeros(0, np.int64), *lists.values()]), pool_rows))
    documents = np.concatenate(numbers)
    row_of = np.full(len(numbering), UNKNOWN, np.int64)
    row_of[documents] = np.arange(len(documents))
    parts = []
    for name, own in named.items():
        reads = [readers[name].query(text) for text in [*train.queries, *dev.queries]]
        both = side_by_side(reads, len(own.names[0])), readers[name].documents(documents)
        texts = Texts(both[0].starts, both[0].rows), Texts(both[1].starts, both[1].rows)
        vectors = _with_more(own.vectors[0], both[0]), _with_more(own.vectors[1], both[1])
        is_text = name == "text"
        longest = (settings.query_length, settings.document_length) if is_text else (LONGEST_CLASSES,) * 2
        window, filters = (settings.window, settings.filters) if is_text else (1, settings.class_filters)
        parts.append(Part(name, window, filters, vectors, texts, longest))
    judged = _judged(job, settings, [query.id for query in train.queries], judgments, pool)
    ids = [numbering.id(number) for number in documents.tolist()]
    return Material(
        parts, judged, dev, len(train), {query: row_of[found] for query, found in lists.items()}, ids, measure
    )


def _with_more(vectors: Floats32, read: Read) -> Floats32:
    return vectors if read.vectors is None else np.concatenate([vectors, read.vectors])


def _dev_lists(job: Job, dev: Split, candidates: int) -> dict[str, Longs]:
    """By dev query, the documents that an epoch is measured on."""
    index = job.holdings.index
    if job.settings.measured_on == "drawn":
        return dict(random_pools(index, dev, candidates, job.settings.seed))
    if not len(dev):
        return {}
    run = job.inputs[0].system.search(dev.queries, candidates, dev.scope, threads=job.threads)
    lists = {query.id: index.numbering.of(run.rankings[query.id].docs) for query in dev.queries}
    return {query: found[found != UNKNOWN] for query, found in lists.items()}


def _judged(
    job: Job, settings: CnnSettings, queries: Sequence[str], judgments: Mapping[str, Mapping[str, int]],
    pool: Sequence[str],
) -> Judged:  # fmt: skip
    rows = {doc: row for row, doc in enumerate(pool)}
    relevant: list[Array] = []
    levels: list[int] = []
    for query in queries:
        own = [(rows[doc], level) for doc, level in judgments[query].items() if level > 0 and doc in rows]
        own = [(row, level) for row, level in own if pool[row] != query]
        relevant.append(np.array([row for row, _ in own], np.int64))
        levels += [level for _, level in own]
    found = hard_negatives(job, HardSettings(settings.hard, settings.hard_best, ""), pool)
    hard = lists_of([found.documents[query] if found else np.zeros(0, np.int64) for query in queries])
    return Judged(lists_of(relevant), np.array(levels, np.int64), hard, max(len(pool), 1))


def no_lists(n: int) -> Lists:
    """For queries without any."""
    return Lists(np.zeros(n + 1, np.int64), np.zeros(0, np.int64))
