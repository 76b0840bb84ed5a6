"""The system `topics`: topic vectors of each language, compared by a learned matrix W.

LSI is linear, so LSI with W is the low-rank model U = P_q·W, V = P_d and is searched like it.
LDA samples a mixture for each text; `Mixtures` is its projection.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi import store
from kakehashi.corpus.pairs import PairSettings
from kakehashi.errors import FileError, InputError
from kakehashi.learn.hinge import project_rows
from kakehashi.learn.lowrank import UNSHARED, LowRank
from kakehashi.learn.steps import StepSettings
from kakehashi.learn.topics import as_rows, fold_in, lda, lsi, train_topic_matrix, unit_length
from kakehashi.learn.vectors import Rows, read_words, take
from kakehashi.progress import Progress
from kakehashi.retrieve.mixtures import Mixtures
from kakehashi.retrieve.projection import LowRankProjection
from kakehashi.retrieve.vector_search import VectorSearch
from kakehashi.settings import ModelName
from kakehashi.soundness import finite, setting_number, typed
from kakehashi.store import Artifact
from kakehashi.systems.lowrank import (
    LowRankWords,
    open_vectors,
    projection_arrays,
    projection_of,
    projection_settings,
)
from kakehashi.systems.models import check_analyzers, has_model, read_model
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.training.data import TrainingData, WordSettings, prepare
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.job import Job
from kakehashi.training.outcome import Outcome, outcome_of
from kakehashi.training.settings import combined, part
from kakehashi.types import Floats32

MODEL, KIND, VERSION = "topics", "topics", 1
Model = LowRankProjection | Mixtures


class TopicsUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trained model to use."""

    model: ModelName = "topics"


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
            "one language. The matrix W then starts as the identity, and `epochs=0` keeps it."
        ),
    ] = False
    alpha: Annotated[float, Meta(description="`topic_model=lda`: prior of topics in a text.")] = 0.1
    beta: Annotated[float, Meta(description="`topic_model=lda`: prior of words in a topic.")] = 0.01
    rounds: Annotated[int, Meta(description="`topic_model=lda`: rounds of Gibbs sampling.")] = 100


TopicTraining = combined(
    "TopicTraining",
    "Training settings of `topics`; with epochs=0, W stays the identity.",
    PairSettings,
    TopicWords,
    TopicSettings,
    StepSettings,
    DevSettings,
)


def train(job: Job) -> Outcome:
    """Find topics, then learn W from pairs like the other systems; the pairs are kept next to the model.

    Threads are used only for measuring on dev: training steps are sequential.
    """
    holdings, settings, progress = job.holdings, job.settings, job.progress
    own = part(settings, TopicSettings)
    if settings.epochs == 0 and not own.tied:
        raise InputError("topics of two sides are unrelated without training: set epochs=1 or more")
    steps = part(settings, StepSettings) if settings.epochs else None
    words, pairs = _words(settings, own), part(settings, PairSettings)
    data = prepare(holdings, words, pairs, job.folder, progress, one_vocabulary=own.tied)
    own, told = _fitting(data, own)
    dev = DevSet(holdings, part(settings, DevSettings))
    query_topics, document_topics = _both_topics(data, own, settings.seed, progress)
    model_of = _finished(data, query_topics, document_topics, own)

    def measure(trained: LowRank) -> float:
        return dev.measure(VectorSearch(MODEL, model_of(trained.u), holdings.index), job.threads)

    trained = train_topic_matrix(
        data.blocks,
        unit_length(_vectors(data.queries, query_topics, own)),
        unit_length(_vectors(data.documents, document_topics, own)),
        steps,
        own.tied,
        measure if len(dev) else None,
        progress,
    )
    outcome = replace(outcome_of(trained, int(np.count_nonzero(trained.u)), holdings, data, dev), told=told)
    kept = {"training": msgspec.to_builtins(settings), "analyzers": holdings.fingerprints}
    save_topics(job.folder, model_of(trained.u), kept, outcome.made_from, settings.seed)
    return outcome


def _words(settings: Any, own: TopicSettings) -> WordSettings:
    words = part(settings, WordSettings)
    if own.topic_model == "lsi":
        return words
    return msgspec.structs.replace(words, query_vectors="tf", document_vectors="tf", unit=False)


def _fitting(data: TrainingData, own: TopicSettings) -> tuple[TopicSettings, list[str]]:
    """LSI has fewer topics than there are texts or words on either side; a small collection gets as many as fit."""
    sizes = [len(data.places), len(data.document_words)]
    if not own.tied:
        sizes += [len(data.queries.starts) - 1, len(data.query_words)]
    most = min(sizes) - 1
    if own.topic_model != "lsi" or own.topics <= most or most < 1:
        return own, []
    told = f"{most} topics instead of {own.topics}: the training part has no more texts or words"
    return msgspec.structs.replace(own, topics=most), [told]


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
        return LowRankProjection(
            *words, project_rows(as_rows(query_topics), w), document_topics, UNSHARED, cosine=True
        )

    return model_of


def save_topics(
    folder: Path,
    model: Model,
    settings: Mapping[str, Any],
    made_from: Mapping[str, Any],
    seed: int,
) -> None:
    """`settings` are those of the training, with the fingerprints of the analyzers."""
    with store.Writer(folder, KIND, VERSION) as writer:
        if isinstance(model, LowRankProjection):
            own = projection_settings(model)
            writer.put(projection_arrays(model))
        else:
            own = {
                "query_words": model.query_words.settings(),
                "document_words": model.document_words.settings(),
                "alpha": model.alpha,
            }
            writer.put({**model.query_words.arrays("query"), **model.document_words.arrays("document")})
            writer.put({"query.topics": model.query_topics, "document.topics": model.document_topics})
            writer.put({"w": model.w})
        writer.commit({**own, **settings}, made_from, seed)


def _mixtures_of(artifact: Artifact) -> Mixtures:
    words = read_words(artifact, "query"), read_words(artifact, "document")
    topics = artifact.array("query.topics"), artifact.array("document.topics")
    w = artifact.array("w")
    sizes = [topics[0].shape[1], topics[1].shape[1]]
    if [*map(len, words)] != [*map(len, topics)] or [*w.shape] != sizes:
        raise FileError(artifact.folder, None, "contains arrays that do not fit its words: train it again")
    for name, array in (("query.topics", topics[0]), ("document.topics", topics[1]), ("w", w)):
        finite(name, typed(name, array, (np.float32,), None, None))
    return Mixtures(*words, *topics, w, setting_number(artifact.meta.settings, "alpha"))


def open_topics(opening: Opening) -> VectorSearch:
    def read(folder: Path) -> Model:
        artifact = check_analyzers(store.read(folder, KIND, VERSION), opening.holdings)
        artifact.map_all()
        return _mixtures_of(artifact) if "w" in artifact else projection_of(artifact)

    return open_vectors(opening, read_model(MODEL, opening.holdings, opening.settings.model, read))


TRAINER = Trainer(
    MODEL,
    "Find topics in both languages and learn from the training judgments which correspond.",
    TopicTraining,
    train,
    turn=5,
    needs=("train judgments",),
)
SPECS = (
    SystemSpec(
        MODEL,
        "Vectors",
        "LSI or LDA topics of each language, linked by a matrix trained on citations",
        TopicsUse,
        open_topics,
        trainer=TRAINER,
        is_trained=has_model(MODEL),
        quick=True,
    ),
)
