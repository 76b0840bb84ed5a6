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
from kakehashi.retrieve.cnn_parts import Reader
from kakehashi.training.cnn_vectors import Named
from kakehashi.training.data import pool_of, training_judgments
from kakehashi.training.hard import HardSettings, hard_negatives
from kakehashi.training.job import Job
from kakehashi.training.measuring import measure_run
from kakehashi.types import Array, Longs, Ranking, Run, in_order

if TYPE_CHECKING:  # PyTorch is imported by a training only
    from kakehashi.learn.cnn import Network, Part

LONGEST_CLASSES = 64  # classes of a text that are read


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
        from kakehashi.learn.cnn import encoded, scored

        queries = encoded(network, "query", self.first_dev + np.arange(len(self.dev)))
        sizes = [len(self.lists[query.id]) for query in self.dev.queries]
        rows = np.concatenate([np.zeros(0, np.int64), *(self.lists[query.id] for query in self.dev.queries)])
        used, places = np.unique(rows, return_inverse=True)
        docs = encoded(network, "document", used)
        scores = scored(network, queries, docs, np.repeat(np.arange(len(sizes)), sizes), places)
        ends, rankings = np.cumsum([0, *sizes]).tolist(), dict[str, Ranking]()
        for i, query in enumerate(self.dev.queries):
            some = slice(ends[i], ends[i + 1])
            names = [self.ids[row] for row in rows[some].tolist()]
            rankings[query.id] = in_order(names, scores[some].astype(np.float64))
        return measure_run(Run("cnn", rankings), self.dev, [self.measure]).mean(self.measure)


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
    lists, numbers = {}, [pool_rows]
    if len(dev):
        run = job.inputs[0].system.search(dev.queries, candidates, dev.scope, threads=job.threads)
        for query in dev.queries:
            found = numbering.of(run.rankings[query.id].docs)
            lists[query.id] = found[found != UNKNOWN]
        numbers.append(np.setdiff1d(np.concatenate([np.zeros(0, np.int64), *lists.values()]), pool_rows))
    documents = np.concatenate(numbers)
    row_of = np.full(len(numbering), UNKNOWN, np.int64)
    row_of[documents] = np.arange(len(documents))
    parts = []
    for name, own in named.items():
        asked = lists_of([readers[name].query(text) for text in [*train.queries, *dev.queries]])
        queries = Texts(asked.starts, asked.values.astype(np.int32))
        texts = queries, Texts(*readers[name].documents(documents))
        is_text = name == "text"
        longest = (settings.query_length, settings.document_length) if is_text else (LONGEST_CLASSES,) * 2
        window, filters = (settings.window, settings.filters) if is_text else (1, settings.class_filters)
        parts.append(Part(name, window, filters, own.vectors, texts, longest))
    judged = _judged(job, settings, [query.id for query in train.queries], judgments, pool)
    ids = [numbering.id(number) for number in documents.tolist()]
    return Material(
        parts, judged, dev, len(train), {query: row_of[found] for query, found in lists.items()}, ids, measure
    )


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
