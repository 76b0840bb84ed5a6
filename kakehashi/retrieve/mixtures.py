"""The projection of LDA: a text becomes a sampled mixture of topics, compared by a learned matrix W."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kakehashi.learn.hinge import project_rows
from kakehashi.learn.lowrank import UNSHARED
from kakehashi.learn.topics import as_rows, fold_in
from kakehashi.learn.vectors import Rows, Words
from kakehashi.retrieve.projection import digest
from kakehashi.types import Floats32, Ints, Share

NAMED = 3  # words that describe a topic in an explanation


@dataclass(frozen=True)
class Mixtures:
    """f(q, d) = θ_qᵀ W θ_d with topic mixtures θ of texts, normalised to equal length on the documents' side."""

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
