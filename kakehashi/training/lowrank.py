"""Trains the system `lowrank` on a collection: sample, learn, stop when the dev measure no longer rises."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.pairs import PairSettings
from kakehashi.index.index import Index
from kakehashi.learn.lowrank import UNSHARED, LowRank, LowRankSettings, train_lowrank
from kakehashi.learn.vectors import Values, shared_words
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.dense import Dense
from kakehashi.retrieve.lowrank import save_lowrank
from kakehashi.retrieve.models import fingerprints
from kakehashi.retrieve.projection import Linear
from kakehashi.training.data import TrainingData, WordSettings, prepare
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.outcome import Outcome, outcome_of
from kakehashi.training.settings import combined, part


class LowRankWords(WordSettings, frozen=True, forbid_unknown_fields=True):
    """Dense vectors cost the same however many words there are, so all are known."""

    query_words: int = 0
    document_words: int = 0
    query_share: float = 0.5
    document_share: float = 0.5
    query_vectors: Values = "tfidf"
    document_vectors: Values = "tfidf"


class LowRankUseSettings(LowRankSettings, frozen=True, forbid_unknown_fields=True):
    """Defaults for two languages, and how vectors are compared."""

    rate: float = 0.05
    epochs: int = 10
    rank: int = 200
    noise: float = 1.0
    identity: bool = True
    cosine: Annotated[
        bool,
        Meta(
            description="Normalise vectors to equal length before comparing them in a search; training does not."
        ),
    ] = True


LowRankTraining = combined(
    "LowRankTraining",
    "How `lowrank` is trained.",
    PairSettings,
    LowRankWords,
    LowRankUseSettings,
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
    """Train a model and save it to `folder`; the pairs it learned from stay beside it.

    `threads` is for measuring on dev alone: steps follow one after the other.
    """
    own = part(settings, LowRankSettings)
    words, pairs = part(settings, WordSettings), part(settings, PairSettings)
    data = prepare(collection, index, words, pairs, folder, progress, one_vocabulary=own.tied)
    dev = DevSet(collection, part(settings, DevSettings))

    def measure(trained: LowRank) -> float:
        model = _model(data, trained, settings.cosine)
        return dev.measure(Dense("lowrank", model, index, dev.scope, threads=threads))

    trained = train_lowrank(
        data.blocks,
        data.queries,
        data.documents,
        len(data.query_words),
        len(data.document_words),
        own,
        np.random.default_rng(settings.seed),
        shared_words(data.query_words, data.document_words) if own.identity else UNSHARED,
        measure if dev.queries else None,
        progress,
    )
    n_weights = np.count_nonzero(trained.u) + (0 if own.tied else np.count_nonzero(trained.v))
    outcome = outcome_of(trained, int(n_weights), collection, index, data, dev)
    kept = {"training": msgspec.to_builtins(settings), "analyzers": fingerprints(index)}
    save_lowrank(folder, _model(data, trained, settings.cosine), kept, outcome.made_from, settings.seed)
    return outcome


def _model(data: TrainingData, trained: LowRank, cosine: bool) -> Linear:
    return Linear(data.query_words, data.document_words, trained.u, trained.v, trained.shared, cosine)
