"""Systems, fusions of them and linear rankers on the same queries; scores of all documents are kept on disk.

A system is asked once per collection and split, whatever rows it enters; its ranking, its list in a fusion and its
place in a linear model all come from those scores.
"""

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi.corpus.collection import Collection
from kakehashi.evaluate.measures import parse
from kakehashi.evaluate.scores import evaluate
from kakehashi.experiments.tables import checksum_of, state_of
from kakehashi.features.sets import set_of
from kakehashi.features.table import FeatureTable
from kakehashi.fuse.rules import Fusion
from kakehashi.fuse.tuned import Tuned
from kakehashi.fuse.tuning import tune
from kakehashi.index.index import Index
from kakehashi.index.numbering import Numbering
from kakehashi.index.prepare import index_folder
from kakehashi.learn.linear import LinearSettings, Weights, learn_weights
from kakehashi.learn.linear_model import Asked
from kakehashi.progress import SILENT, Progress
from kakehashi.registry import build, read_settings, spec_of
from kakehashi.retrieve.inputs import Input
from kakehashi.retrieve.linear import Evidence, LinearRanker, citations_of
from kakehashi.retrieve.models import model_folder
from kakehashi.store import Array
from kakehashi.training.dev import evenly_chosen, split_scope
from kakehashi.training.evidence import EvidenceSettings, Material, citations, sample_lists
from kakehashi.types import Floats, Run, Text

MOST_QUERIES = 500
CHUNK = 64


class Split:
    """Some queries of a split, and what every system says of them."""

    def __init__(self, folder: Path, work: Path, split: str, progress: Progress = SILENT):
        self.collection, self.split, self._work, self._progress = Collection(folder), split, work, progress
        self.index = Index(index_folder(self.collection))
        self.queries = evenly_chosen(self.collection.split_queries(split), MOST_QUERIES)
        qrels = self.collection.qrels(split)
        self.qrels = {query.id: qrels[query.id] for query in self.queries}
        self.mate_level = self.collection.info.mate_level

    @cached_property
    def _plain(self) -> LinearRanker:
        """Makes lists of scores."""
        nothing = Evidence(
            self.index, [], "raw", FeatureTable(self.index, (), np.zeros(len(Numbering(self.index))))
        )
        return LinearRanker("scores", nothing, Weights(np.zeros(0)), split_scope(self.collection, self.split))

    def scores(self, asked: Asked) -> Array:
        """(queries, documents) float32, NaN for what a system does not find; measured once, then read."""
        path = (
            self._work
            / "scores"
            / f"{self.collection.folder.name}-{self.split}-{asked.system}-{self.key(asked)}.npy"
        )
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._measure(asked, path)
        found: Array = np.load(path, mmap_mode="r")
        return found

    def _measure(self, asked: Asked, path: Path) -> None:
        spec, wanted = spec_of(asked.system), [query.id for query in self.queries]
        texts = {text.id: text for text in self.collection.split_queries(self.split, spec.queries)}
        queries = [texts[id] for id in wanted]
        source = Input(build(asked.system, self.index, asked.settings), self.index)
        source.prepare(queries)
        begun = path.with_suffix(".part")
        shape = (len(queries), len(Numbering(self.index)))
        rows = np.lib.format.open_memmap(begun, "w+", np.float32, shape)
        self._progress.start(f"{asked.name} on {self.split}", len(queries))
        try:
            with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
                for start in range(0, len(queries), CHUNK):
                    some = queries[start : start + CHUNK]
                    rows[start : start + len(some)] = list(pool.map(source.scores, some))
                    self._progress.advance(len(some))
        finally:
            self._progress.finish()
        rows.flush()
        begun.rename(path)

    def key(self, asked: Asked) -> str:
        """Changes with the collection, the index and the model that answers."""
        settings = read_settings(spec_of(asked.system), asked.settings)
        models = []
        if (model := getattr(settings, "model", "")) and spec_of(asked.system).trainer:
            folder = model_folder(self.index, model)
            models = [
                checksum_of(path) for path in sorted([*folder.glob("meta.json"), *folder.glob("*/meta.json")])
            ]
        told = [
            state_of(self.collection.folder),
            self.index.contents,
            msgspec.to_builtins(settings),
            models,
            MOST_QUERIES,
        ]
        return hashlib.blake2b(msgspec.json.encode(told, order="sorted"), digest_size=8).hexdigest()

    def run(self, asked: Asked) -> Run:
        """What the system's search would list."""
        rows = self.scores(asked)
        return Run(
            asked.name, {query.id: self._listed(query, rows[i]) for i, query in enumerate(self.queries)}
        )

    def _listed(self, query: Text, row: Array) -> Any:
        found = np.where(np.isnan(row), -np.inf, row).astype(np.float64)
        ranking = self._plain.best(query, found, 1000)
        n = int(np.searchsorted(-ranking.scores, np.inf))
        return type(ranking)(ranking.docs[:n], ranking.scores[:n])

    def evidence(self, inputs: Sequence[Asked], features: str) -> Evidence:
        kinds = set_of(features, self.index)[1]
        table = FeatureTable(self.index, kinds, citations_of(self.index, citations(self.collection)))
        return Evidence(self.index, [Kept(self, asked) for asked in inputs], "best", table)

    def ranker(self, inputs: Sequence[Asked], features: str, weights: Floats) -> LinearRanker:
        return LinearRanker(
            "linear",
            self.evidence(inputs, features),
            Weights(weights),
            split_scope(self.collection, self.split),
        )

    def measure(self, run: Run, measures: Sequence[str]) -> dict[str, dict[str, float]]:
        wanted = [parse(name) for name in measures]
        scores = evaluate(self.qrels, run, wanted, mate_level=self.mate_level)
        return {name: scores.of(measure) for name, measure in zip(measures, wanted, strict=True)}


class _Named:
    def __init__(self, name: str):
        self.name = name


class Kept(Input):
    """Scores that were measured before."""

    def __init__(self, split: Split, asked: Asked):
        self.system: Any = _Named(asked.name)
        self._rows, self._numbers = (
            split.scores(asked),
            {query.id: i for i, query in enumerate(split.queries)},
        )

    def prepare(self, queries: Sequence[Text]) -> None:
        """Nothing is left to do."""

    def scores(self, query: Text) -> Floats:
        return np.asarray(self._rows[self._numbers[query.id]], np.float64)


def learned(
    dev: Split, inputs: Sequence[Asked], features: str, settings: LinearSettings, without: Sequence[str] = ()
) -> Floats:
    """Weights from the dev queries; what the features do not have anyway need not be left out."""
    ranker = dev.ranker(inputs, features, np.zeros(0))
    material = Material(ranker, dev.queries, dev.qrels, features, {}, dev.mate_level)
    lists = sample_lists(material, EvidenceSettings(), settings.seed)
    left_out = [name for name in without if name in ranker.evidence.groups]
    return learn_weights(lists.without(material.group(left_out)), settings)


def fused(dev: Split, systems: Sequence[Asked], measure: str, nest: bool = False) -> Tuned:
    """Borda with weights that are best on dev."""
    runs = [dev.run(asked) for asked in systems]
    fusion = Fusion("borda")
    return tune(fusion, runs, dev.qrels, parse(measure), nest=nest, mate_level=dev.mate_level)
