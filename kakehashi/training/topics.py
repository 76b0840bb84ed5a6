"""Trains the system `topics` on a collection: find topics, then learn W from pairs as the other systems do."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.pairs import PairSettings
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.learn.hinge import project_rows
from kakehashi.learn.lowrank import UNSHARED, LowRank
from kakehashi.learn.steps import StepSettings
from kakehashi.learn.topics import as_rows, fold_in, lda, lsi, train_topic_matrix, unit_length
from kakehashi.learn.vectors import Rows, take
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.dense import Dense
from kakehashi.retrieve.models import fingerprints
from kakehashi.retrieve.projection import Linear
from kakehashi.retrieve.topics import Mixtures, save_topics
from kakehashi.training.data import TrainingData, WordSettings, prepare
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.lowrank import LowRankWords
from kakehashi.training.outcome import Outcome, outcome_of
from kakehashi.training.settings import combined, part
from kakehashi.types import Floats32

Model = Linear | Mixtures


class TopicWords(LowRankWords, frozen=True, forbid_unknown_fields=True):
    """LDA counts words, whatever the vectors are set to."""

    query_words: int = 30_000
    document_words: int = 30_000


class TopicSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Topic vectors of both sides."""

    topic_model: Annotated[
        Literal["lsi", "lda"],
        Meta(
            description="`lsi` (singular vectors of the tf·idf matrix) or `lda` (Gibbs sampling; it counts words, "
            "whatever the vectors are set to)."
        ),
    ] = "lsi"
    topics: Annotated[int, Meta(description="Number of topics per language.")] = 200
    tied: Annotated[
        bool,
        Meta(
            description="Use one topic model, found on the documents, for both sides; for queries and documents of "
            "one language. The matrix W then starts as the identity, and `epochs=0` leaves it so."
        ),
    ] = False
    alpha: Annotated[float, Meta(description="`topic_model=lda`: prior of topics in a text.")] = 0.1
    beta: Annotated[float, Meta(description="`topic_model=lda`: prior of words in a topic.")] = 0.01
    rounds: Annotated[int, Meta(description="`topic_model=lda`: rounds of Gibbs sampling.")] = 100


TopicTraining = combined(
    "TopicTraining",
    "How `topics` is trained; with epochs=0 W stays the identity.",
    PairSettings,
    TopicWords,
    TopicSettings,
    StepSettings,
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
    own = part(settings, TopicSettings)
    if settings.epochs == 0 and not own.tied:
        raise InputError("without training, topics of two sides have nothing in common: set epochs=1 or more")
    steps = part(settings, StepSettings) if settings.epochs else None
    words, pairs = _words(settings, own), part(settings, PairSettings)
    data = prepare(collection, index, words, pairs, folder, progress, one_vocabulary=own.tied)
    dev = DevSet(collection, part(settings, DevSettings))
    query_topics, document_topics = _both_topics(data, own, settings.seed, progress)
    model_of = _finished(data, query_topics, document_topics, own)

    def measure(trained: LowRank) -> float:
        return dev.measure(Dense("topics", model_of(trained.u), index, dev.scope, threads=threads))

    trained = train_topic_matrix(
        data.blocks,
        unit_length(_vectors(data.queries, query_topics, own)),
        unit_length(_vectors(data.documents, document_topics, own)),
        steps,
        own.tied,
        measure if dev.queries else None,
        progress,
    )
    outcome = outcome_of(trained, int(np.count_nonzero(trained.u)), collection, index, data, dev)
    kept = {"training": msgspec.to_builtins(settings), "analyzers": fingerprints(index)}
    save_topics(folder, model_of(trained.u), kept, outcome.made_from, settings.seed)
    return outcome


def _words(settings: Any, own: TopicSettings) -> WordSettings:
    words = part(settings, WordSettings)
    if own.topic_model == "lsi":
        return words
    return msgspec.structs.replace(words, query_vectors="tf", document_vectors="tf", unit=False)


def _both_topics(
    data: TrainingData, own: TopicSettings, seed: int, progress: Progress
) -> tuple[Floats32, Floats32]:
    """(query words, topics) and (document words, topics), found on the training part alone."""
    rng = np.random.default_rng(seed)
    documents = take(data.documents, data.places)
    of_documents = _topics(documents, len(data.document_words), own, rng, progress)
    if own.tied:
        return of_documents, of_documents
    return _topics(data.queries, len(data.query_words), own, rng, progress), of_documents


def _topics(
    rows: Rows, n_words: int, own: TopicSettings, rng: np.random.Generator, progress: Progress
) -> Floats32:
    if own.topic_model == "lsi":
        return lsi(rows, n_words, own.topics, rng)
    return lda(rows, n_words, own.topics, rng, own.alpha, own.beta, own.rounds, progress)


def _vectors(rows: Rows, topics: Floats32, own: TopicSettings) -> Floats32:
    if own.topic_model == "lda":
        return fold_in(rows, topics, own.alpha)
    vectors: Floats32 = project_rows(rows, topics)
    return vectors


def _finished(
    data: TrainingData, query_topics: Floats32, document_topics: Floats32, own: TopicSettings
) -> Callable[[Floats32], Model]:
    """W to a model."""
    words = data.query_words, data.document_words

    def model_of(w: Floats32) -> Model:
        if own.topic_model == "lda":
            return Mixtures(*words, query_topics, document_topics, w, own.alpha)
        return Linear(*words, project_rows(as_rows(query_topics), w), document_topics, UNSHARED, cosine=True)

    return model_of
