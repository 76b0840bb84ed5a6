"""Topic vectors with a learned matrix W as a system: train, keep as an artifact, open again.

LSI is linear, so LSI with W is the low-rank model U = P_q·W, V = P_d and needs nothing of its own to search.
LDA samples a mixture for each text; `Mixtures` is its projection.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import FileError
from kakehashi.index.index import Index
from kakehashi.learn.hinge import project_rows
from kakehashi.learn.lowrank import UNSHARED, LowRankSettings
from kakehashi.learn.topics import as_rows, fold_in, lda, lsi, train_topic_matrix, unit_length
from kakehashi.learn.vectors import Rows, Values, Words, read_words
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve import lowrank_system
from kakehashi.retrieve.dense import EVERYTHING, Dense
from kakehashi.retrieve.document_vectors import document_vectors
from kakehashi.retrieve.projection import Linear, Projection, digest
from kakehashi.retrieve.sides import check_analyzers, fingerprints, make_sides
from kakehashi.retrieve.sparse import Scope, Share
from kakehashi.text.idf import Idf
from kakehashi.types import Floats32, Ints, Text

LSI, LDA, VERSION = "topics-lsi", "topics-lda", 1
NAMED = 3  # words that stand for a topic in an explanation


class TopicSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Topic vectors of both sides and the training of W."""

    model: Literal["lsi", "lda"] = "lsi"
    topics: int = 100
    tied: bool = False  # one topic model for both sides, which are of one language; W starts as the identity
    words: int = 30_000  # the most frequent of each side; 0: all
    max_share: float = 0.5
    idf: Idf = "log"
    alpha: float = 0.1  # LDA: prior of topics in a text
    beta: float = 0.01  # LDA: prior of words in a topic
    rounds: int = 100  # LDA: rounds of Gibbs sampling
    rate: float = 0.05
    l2: float = 0.0
    epochs: int = 1  # 0: W stays as it starts, the plain topic model
    seed: int = 1

    @property
    def values(self) -> Values:
        return "tfidf"

    @property
    def unit(self) -> bool:
        return self.model == "lsi"

    @property
    def training(self) -> LowRankSettings:
        return LowRankSettings(rate=self.rate, l2=self.l2, epochs=max(self.epochs, 1), seed=self.seed)


@dataclass(frozen=True)
class Mixtures:
    """f(q, d) = θ_qᵀ W θ_d with topic mixtures θ of texts, made equally long on the documents' side."""

    query_words: Words
    document_words: Words
    query_topics: Floats32  # (query words, topics) p(word | topic)
    document_topics: Floats32
    w: Floats32  # (query topics, document topics)
    alpha: float
    cosine: bool = True

    @property
    def shared(self) -> Ints:
        return UNSHARED

    @cached_property
    def key(self) -> str:
        return digest(self.document_words, self.document_topics, np.array([self.alpha]))

    def of_queries(self, rows: Rows) -> Floats32:
        vectors: Floats32 = project_rows(as_rows(fold_in(rows, self.query_topics, self.alpha)), self.w)
        return vectors

    def of_documents(self, rows: Rows) -> Floats32:
        return fold_in(rows, self.document_topics, self.alpha)

    def shares(self, query: Rows, document: Rows) -> list[Share]:
        """By topic of the document; a sampled mixture has no share for a single word."""
        left = self.of_queries(query)[0].astype(np.float64)
        right = self.of_documents(document)[0].astype(np.float64)
        parts = left * right / max(float(np.linalg.norm(left) * np.linalg.norm(right)), 1e-300)
        return [Share(self._name(topic), "", float(part)) for topic, part in enumerate(parts)]

    def _name(self, topic: int) -> str:
        most = np.argsort(-self.document_topics[:, topic], kind="stable")[:NAMED]
        return f"(topic {topic}: {', '.join(self.document_words.terms[word] for word in most)})"


def train(
    index: Index,
    queries: Sequence[Text],
    document_ids: Sequence[str],
    blocks: Callable[[], Iterable[PairBlock]],
    settings: TopicSettings,
    progress: Progress = SILENT,
) -> Linear | Mixtures:
    """Blocks number the queries and the documents as given here; topics are found on these, and no others."""
    sides = make_sides(
        index, queries, document_ids, settings, one_vocabulary=settings.tied, counts=settings.model == "lda"
    )
    rng = np.random.default_rng(settings.seed)
    document_topics = _topics(sides.documents, len(sides.document_words), settings, rng, progress)
    query_topics = document_topics
    if not settings.tied:
        query_topics = _topics(sides.queries, len(sides.query_words), settings, rng, progress)
    left = unit_length(_vectors(sides.queries, query_topics, settings))
    right = unit_length(_vectors(sides.documents, document_topics, settings))
    given = blocks if settings.epochs else list
    w = train_topic_matrix(given, left, right, settings.training, rng, settings.tied, progress=progress)
    words = sides.query_words, sides.document_words
    if settings.model == "lda":
        return Mixtures(*words, query_topics, document_topics, w, settings.alpha)
    return Linear(*words, project_rows(as_rows(query_topics), w), document_topics, UNSHARED, cosine=True)


def _topics(
    rows: Rows, n_words: int, settings: TopicSettings, rng: np.random.Generator, progress: Progress
) -> Floats32:
    if settings.model == "lsi":
        return lsi(rows, n_words, settings.topics, rng)
    return lda(rows, n_words, settings.topics, rng, settings.alpha, settings.beta, settings.rounds, progress)


def _vectors(rows: Rows, topics: Floats32, settings: TopicSettings) -> Floats32:
    if settings.model == "lda":
        return fold_in(rows, topics, settings.alpha)
    vectors: Floats32 = project_rows(rows, topics)
    return vectors


def save(folder: Path, model: Linear | Mixtures, index: Index, settings: TopicSettings) -> None:
    if isinstance(model, Linear):
        lowrank_system.save(folder, model, index, settings, settings.seed, LSI)
        return
    arrays = {**model.query_words.arrays("query"), **model.document_words.arrays("document"), "w": model.w}
    arrays |= {"query.topics": model.query_topics, "document.topics": model.document_topics}
    with store.Writer(folder, LDA, VERSION) as writer:
        writer.put(arrays)
        writer.commit(
            {
                "query_words": model.query_words.settings(),
                "document_words": model.document_words.settings(),
                "alpha": model.alpha,
                "analyzers": fingerprints(index),
                "training": msgspec.to_builtins(settings),
            },
            seed=settings.seed,
        )


def read(folder: Path, index: Index, model: Literal["lsi", "lda"]) -> Projection:
    """The model kept in a folder, if it was trained with the analyzers of this index."""
    if model == "lsi":
        return lowrank_system.read(folder, index, LSI)
    artifact = store.read(folder, LDA, VERSION)
    artifact.map_all()
    check_analyzers(artifact, index)
    words = read_words(artifact, "query"), read_words(artifact, "document")
    topics = artifact.array("query.topics"), artifact.array("document.topics")
    w = artifact.array("w")
    sizes = [topics[0].shape[1], topics[1].shape[1]]
    if [*map(len, words)] != [*map(len, topics)] or [*w.shape] != sizes:
        raise FileError(folder, None, "holds arrays that do not fit its words: train it again")
    return Mixtures(*words, *topics, w, artifact.meta.settings["alpha"])


def open_system(
    name: str,
    folder: Path,
    index: Index,
    model: Literal["lsi", "lda"],
    scope: Scope = EVERYTHING,
    progress: Progress = SILENT,
) -> Dense:
    projection = read(folder, index, model)
    vectors = document_vectors(index, projection, folder / lowrank_system.VECTORS, progress)
    return Dense(name, projection, index, scope, vectors, progress=progress)
