"""Trains the system `bilinear` on a collection: sample, learn, stop when the dev measure no longer rises."""

from pathlib import Path
from typing import Any

import msgspec

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.pairs import PairSettings
from kakehashi.index.index import Index
from kakehashi.learn.bilinear import BilinearSettings, Trained, train_bilinear
from kakehashi.learn.bilinear_model import Bilinear, weights_of
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.bilinear import bilinear_system
from kakehashi.retrieve.models import fingerprints
from kakehashi.training.data import TrainingData, WordSettings, prepare
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.outcome import Outcome, outcome_of
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
) -> Outcome:
    """Train a model and save it to `folder`; the pairs it learned from stay beside it."""
    data = prepare(
        collection,
        index,
        part(settings, WordSettings),
        part(settings, PairSettings),
        folder / "pairs",
        progress,
    )
    dev = DevSet(collection, index, part(settings, DevSettings))

    def measure(trained: Trained) -> float:
        return dev.measure(bilinear_system("bilinear", index, _model(data, trained, index), dev.scope))

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
    outcome = outcome_of(trained, trained.n_nonzero, collection, index, data, dev)
    model = _model(data, trained, index)
    model.save(folder, msgspec.to_builtins(settings), outcome.made_from, settings.seed)
    return outcome


def _model(data: TrainingData, trained: Trained, index: Index) -> Bilinear:
    return Bilinear(data.query_words, data.document_words, weights_of(trained), fingerprints(index))
