"""Systems, fusions of them and linear rankers on the same queries; scores of all documents are kept on disk.

A system is run once per collection and split, whatever rows use it; its ranking, its list in a fusion and its
input to a linear model all come from those scores.
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

from kakehashi.evaluation.measures import parse
from kakehashi.experiments.contents import checksum_of, opened, state_of
from kakehashi.features.sets import AUTO, FeatureSet, features_of, made_for
from kakehashi.fuse.rules import Fusion
from kakehashi.fuse.tuned import Tuned
from kakehashi.fuse.tuning import tune
from kakehashi.learn.asked import Asked
from kakehashi.learn.linear import LinearSettings, Lists, Weights, learn_weights
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.inputs import Input, Scaling
from kakehashi.retrieve.linear import Evidence, LinearRanker, open_evidence
from kakehashi.systems.registry import spec_of
from kakehashi.systems.spec import read_settings
from kakehashi.training.evidence import EvidenceSettings, Material, citations, sample_lists
from kakehashi.training.measuring import measure_run
from kakehashi.training.weighing import folds_of
from kakehashi.types import Array, Floats, Ranking, Run, Text

MOST_QUERIES = 500
PUBLISHED = "published"  # features like those of the papers
CHUNK, FOLDS = 64, 5


class Answers:
    """Some queries of a split, and the scores of every system for them."""

    def __init__(self, folder: Path, work: Path, split: str, progress: Progress = SILENT):
        self.library, self._work, self._progress = opened(folder), work, progress
        self.index, self.split = self.library.index, self.library.split(split, MOST_QUERIES)

    @cached_property
    def _plain(self) -> LinearRanker:
        """Makes lists of scores."""
        return LinearRanker("scores", self.evidence([], "none"), Weights(np.zeros(0)))

    def scores(self, asked: Asked) -> Array:
        """(queries, documents) float32, NaN for what a system does not find; measured once, then read."""
        path = (
            self._work
            / "scores"
            / f"{self.library.folder.name}-{self.split.name}-{asked.system}-{self.key(asked)}.npy"
        )
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._measure(asked, path)
        found: Array = np.load(path, mmap_mode="r")
        return found

    def _measure(self, asked: Asked, path: Path) -> None:
        name = spec_of(asked.system).queries
        texts = {text.id: text for text in self.library.split(self.split.name, queries=name).queries}
        queries = [texts[query.id] for query in self.split.queries]
        system = self.library.system(asked.system, asked.settings)
        source = Input(asked.name, system, self.index)
        source.prepare(queries, self._progress)
        begun = path.with_suffix(".part")
        shape = (len(queries), len(self.index.numbering))
        rows = np.lib.format.open_memmap(begun, "w+", np.float32, shape)
        self._progress.start(f"{asked.name} on {self.split.name}", len(queries))
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
        """Changes with the collection, the index and the model used."""
        settings = read_settings(spec_of(asked.system), asked.settings)
        models = []
        if (model := getattr(settings, "model", "")) and spec_of(asked.system).trainer:
            folder = self.library.model_folder(model)
            models = [
                checksum_of(path) for path in sorted([*folder.glob("meta.json"), *folder.glob("*/meta.json")])
            ]
        told = [
            state_of(self.library.folder),
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
            asked.name, {query.id: self._listed(query, rows[i]) for i, query in enumerate(self.split.queries)}
        )

    def _listed(self, query: Text, row: Array) -> Any:
        found = np.where(np.isnan(row), -np.inf, row).astype(np.float64)
        ranking = self._plain.best(query, found, 1000, self.split.scope)
        n = int(np.searchsorted(-ranking.scores, np.inf))
        return type(ranking)(ranking.docs[:n], ranking.scores[:n])

    def features(self, name: str) -> FeatureSet:
        """By the dev queries, whatever is answered; `published` is the set made for a collection like the papers'."""
        if name == PUBLISHED:
            name = made_for(self.index.fields)
        dev = self.library.split("dev", MOST_QUERIES) if name == AUTO else None
        return features_of(name, self.library, dev)

    def evidence(self, inputs: Sequence[Asked], features: str, scaling: Scaling = "best") -> Evidence:
        kept, cited = [Kept(self, asked) for asked in inputs], citations(self.library.collection)
        return open_evidence(self.library, kept, scaling, self.features(features).kinds, cited)

    def ranker(
        self, inputs: Sequence[Asked], features: str, weights: Floats, scaling: Scaling = "best"
    ) -> LinearRanker:
        return LinearRanker("linear", self.evidence(inputs, features, scaling), Weights(weights))

    def measure(self, run: Run, measures: Sequence[str]) -> dict[str, dict[str, float]]:
        wanted = [parse(name) for name in measures]
        scores = measure_run(run, self.split, wanted)
        return {name: scores.of(measure) for name, measure in zip(measures, wanted, strict=True)}


class Kept(Input):
    """Scores that were measured before; there are no explanations."""

    def __init__(self, answers: Answers, asked: Asked):
        nobody: Any = None
        super().__init__(asked.name, nobody, answers.index)
        self._rows = answers.scores(asked)
        self._numbers = {query.id: i for i, query in enumerate(answers.split.queries)}

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        """Nothing is left to do."""

    def scores(self, query: Text) -> Floats:
        return np.asarray(self._rows[self._numbers[query.id]], np.float64)


def learned(
    dev: Answers,
    inputs: Sequence[Asked],
    features: str,
    settings: LinearSettings,
    without: Sequence[str] = (),
    scaling: Scaling = "best",
) -> Floats:
    """Weights from the dev queries; features that do not exist need not be left out."""
    return learn_weights(_lists(dev, inputs, features, settings, without, scaling), settings)


def learned_by_folds(
    dev: Answers,
    inputs: Sequence[Asked],
    features: str,
    settings: LinearSettings,
    without: Sequence[str] = (),
    scaling: Scaling = "best",
) -> Run:
    """The dev queries, each ranked with weights from the folds that it is not in."""
    lists = _lists(dev, inputs, features, settings, without, scaling)
    queries = dev.split.queries
    folds = folds_of(queries, FOLDS, settings.seed)
    rankings: dict[str, Ranking] = {}
    for fold in np.unique(folds).tolist():
        weights = learn_weights(lists.of(np.flatnonzero(folds != fold)), settings)
        own = [query for query, number in zip(queries, folds.tolist(), strict=True) if number == fold]
        rankings |= dev.ranker(inputs, features, weights, scaling).search(own, scope=dev.split.scope).rankings
    return Run("linear", {query.id: rankings[query.id] for query in queries})


def _lists(
    dev: Answers,
    inputs: Sequence[Asked],
    features: str,
    settings: LinearSettings,
    without: Sequence[str],
    scaling: Scaling,
) -> Lists:
    ranker = dev.ranker(inputs, features, np.zeros(0), scaling)
    material = Material(ranker, dev.split, dev.features(features), {})
    lists = sample_lists(material, EvidenceSettings(citations="plain", uncited=0.0), settings.seed)
    left_out = [name for name in without if name in ranker.evidence.groups]
    return lists.without(material.group(left_out))


def fused(dev: Answers, runs: Sequence[Run], measure: str, nest: bool = False) -> Tuned:
    """Borda of these lists for the dev queries, with the weights that are best there."""
    fusion = Fusion("borda")
    return tune(fusion, runs, dev.split.qrels, parse(measure), nest=nest, mate_level=dev.split.mate_level)
