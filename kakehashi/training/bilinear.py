"""Trains the system `bilinear` on a collection: sample, learn, stop when the dev measure no longer rises."""

from pathlib import Path
from typing import Any

import msgspec

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.pairs import PairSettings
from kakehashi.index.index import Index
from kakehashi.learn.bilinear import BilinearSettings, Tick, Trained, train_bilinear
from kakehashi.learn.bilinear_model import Bilinear, weights_of
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.bilinear import bilinear_system
from kakehashi.training.data import TrainingData, WordSettings, prepare
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.settings import combined, part

BilinearTraining = combined(
    "BilinearTraining",
    "How `bilinear` is trained.",
    PairSettings,
    WordSettings,
    BilinearSettings,
    DevSettings,
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

    trained = train_bilinear(
        data.blocks,
        data.queries,
        data.documents,
        len(data.query_words),
        len(data.document_words),
        part(settings, BilinearSettings),
        measure if dev.queries else None,
        threads,
        progress,
    )
    made_from = {
        "collection": collection.info.name,
        "index_generation": index.artifact.meta.generation,
        "pairs": data.pairs.n_pairs,
        "epoch": trained.epoch,
        "nonzero_weights": trained.n_nonzero,
        "dev": {"measure": dev.settings.measure, "queries": len(dev.queries), "by_epoch": trained.measures},
        "curve": [[tick.epoch, tick.pairs, tick.loss, tick.error] for tick in _thinned(trained)],
    }
    _model(data, trained, index).save(folder, msgspec.to_builtins(settings), made_from, settings.seed)
    return trained


def _model(data: TrainingData, trained: Trained, index: Index) -> Bilinear:
    return Bilinear(data.query_words, data.document_words, weights_of(trained), index.fingerprint)


def _thinned(trained: Trained, most: int = 200) -> list[Tick]:
    step = -(-len(trained.curve) // most) if trained.curve else 1
    return trained.curve[step - 1 :: step]
