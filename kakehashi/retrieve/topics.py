"""The system `topics`: topic vectors compared by a learned matrix W, kept as an artifact and opened over an index.

LSI is linear, so LSI with W is the low-rank model U = P_q·W, V = P_d and needs nothing of its own to search.
LDA samples a mixture for each text; `Mixtures` is its projection.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.errors import FileError
from kakehashi.index.index import Index
from kakehashi.learn.hinge import project_rows
from kakehashi.learn.lowrank import UNSHARED
from kakehashi.learn.topics import as_rows, fold_in
from kakehashi.learn.vectors import Rows, Words, read_words
from kakehashi.retrieve.dense import Dense
from kakehashi.retrieve.lowrank import linear_arrays, linear_of, linear_settings, open_dense
from kakehashi.retrieve.models import check_analyzers, read_model
from kakehashi.retrieve.projection import Linear, digest
from kakehashi.retrieve.sparse import Scope, Share
from kakehashi.settings import ModelName
from kakehashi.store import Artifact
from kakehashi.types import Floats32, Ints

KIND, VERSION = "topics", 1
NAMED = 3  # words that stand for a topic in an explanation


class TopicsUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which trained model answers."""

    model: ModelName = "topics"


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


def open_topics(name: str, index: Index, settings: TopicsUse, scope: Scope) -> Dense:
    model = read_model("topics", index, settings.model, _read)
    return open_dense(name, index, model, settings.model, scope)


def save_topics(
    folder: Path,
    model: Linear | Mixtures,
    settings: Mapping[str, Any],
    made_from: Mapping[str, Any],
    seed: int,
) -> None:
    """`settings` are the training's and the fingerprints of the analyzers."""
    with store.Writer(folder, KIND, VERSION) as writer:
        if isinstance(model, Linear):
            own = linear_settings(model)
            writer.put(linear_arrays(model))
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


def _read(folder: Path, index: Index) -> Linear | Mixtures:
    artifact = store.read(folder, KIND, VERSION)
    check_analyzers(artifact, index)
    artifact.map_all()
    return _mixtures_of(artifact) if "w" in artifact else linear_of(artifact)


def _mixtures_of(artifact: Artifact) -> Mixtures:
    words = read_words(artifact, "query"), read_words(artifact, "document")
    topics = artifact.array("query.topics"), artifact.array("document.topics")
    w = artifact.array("w")
    sizes = [topics[0].shape[1], topics[1].shape[1]]
    if [*map(len, words)] != [*map(len, topics)] or [*w.shape] != sizes:
        raise FileError(artifact.folder, None, "holds arrays that do not fit its words: train it again")
    return Mixtures(*words, *topics, w, artifact.meta.settings["alpha"])
