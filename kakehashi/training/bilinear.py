"""Trains the system `bilinear` on a collection: sample, learn, stop when the dev measure no longer rises."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.pairs import PairSettings
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.learn.bilinear import BilinearSettings, OnEpoch, Tick, Trained, train_bilinear
from kakehashi.learn.bilinear_model import Bilinear, weights_of
from kakehashi.learn.diagonal import shared_words, train_diagonal
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.bilinear import bilinear_system
from kakehashi.training.data import TrainingData, WordSettings, prepare
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.settings import combined, part


class PathSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search for the best l1, in log space."""

    l1_steps: int = 0  # 0: no search, l1 as given
    l1_low: float = 1e-8
    l1_high: float = 1e-4


class PathStep(msgspec.Struct, frozen=True):
    """What one penalty gave."""

    l1: float
    measure: float
    nonzero_weights: int
    epoch: int


BilinearTraining = combined(
    "BilinearTraining",
    "How `bilinear` is trained.",
    PairSettings,
    WordSettings,
    BilinearSettings,
    DevSettings,
    PathSettings,
)


def train(
    collection: Collection,
    index: Index,
    folder: Path,
    settings: Any,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Trained:
    """Train a model and save it to `folder`; the pairs it learned from stay beside it."""
    data = prepare(
        collection,
        index,
        part(settings, WordSettings),
        part(settings, PairSettings),
        folder,
        progress,
    )
    dev = DevSet(collection, index, part(settings, DevSettings))

    def measure(trained: Trained) -> float:
        return dev.measure(bilinear_system("bilinear", data.reading, _model(data, trained, index), dev.scope))

    own = part(settings, BilinearSettings)
    judge = measure if dev.queries else None
    if settings.l1_steps:
        trained, path = follow_path(data, own, part(settings, PathSettings), judge, threads, progress)
    else:
        trained, path = learn(data, own, judge, threads, progress), []
    made_from = {
        "collection": collection.info.name,
        "index_generation": index.artifact.meta.generation,
        "pairs": data.pairs.n_pairs,
        "epoch": trained.epoch,
        "nonzero_weights": trained.n_nonzero,
        "dev": {"measure": dev.settings.measure, "queries": len(dev.queries), "by_epoch": trained.measures},
        "l1_path": [msgspec.to_builtins(step) for step in path],
        "curve": [[tick.epoch, tick.pairs, tick.loss, tick.error] for tick in _thinned(trained)],
    }
    _model(data, trained, index).save(folder, msgspec.to_builtins(settings), made_from, settings.seed)
    return trained


def learn(
    data: TrainingData,
    settings: BilinearSettings,
    judge: OnEpoch | None,
    threads: int,
    progress: Progress,
    start: Trained | None = None,
) -> Trained:
    sizes = len(data.query_words), len(data.document_words)
    if settings.shape == "diagonal":
        same = shared_words(data.query_words, data.document_words)
        return train_diagonal(
            data.blocks, data.queries, data.documents, same, sizes[1], settings, judge, progress
        )
    return train_bilinear(
        data.blocks, data.queries, data.documents, *sizes, settings, judge, threads, progress, start
    )


def follow_path(
    data: TrainingData,
    settings: BilinearSettings,
    path: PathSettings,
    judge: OnEpoch | None,
    threads: int,
    progress: Progress,
) -> tuple[Trained, list[PathStep]]:
    """Penalties from strong to weak, each from where the one before ended; the best on dev is kept."""
    if judge is None:
        raise InputError("a path of penalties is judged on dev: the collection needs qrels/dev.tsv")
    best: Trained | None = None
    start: Trained | None = None
    steps: list[PathStep] = []
    for l1 in np.geomspace(path.l1_high, path.l1_low, path.l1_steps).tolist():
        start = learn(data, msgspec.structs.replace(settings, l1=l1), judge, threads, progress, start)
        steps.append(PathStep(l1, max(start.measures), start.n_nonzero, start.epoch))
        if best is None or max(start.measures) > max(best.measures):
            best = start
    assert best is not None
    return best, steps


def _model(data: TrainingData, trained: Trained, index: Index) -> Bilinear:
    return Bilinear(
        data.query_words,
        data.document_words,
        weights_of(trained, len(data.document_words)),
        index.fingerprint,
    )


def _thinned(trained: Trained, most: int = 200) -> list[Tick]:
    step = -(-len(trained.curve) // most) if trained.curve else 1
    return trained.curve[step - 1 :: step]
