"""A bagged model: the averaged weights of all samples, with data about every feature, as an artifact folder."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi import store
from kakehashi.learn.bilinear_model import Bilinear, SparseRows, sparse_rows_of
from kakehashi.learn.boosting import Rounds
from kakehashi.learn.vectors import Words, read_words
from kakehashi.soundness import setting_count, setting_number, typed
from kakehashi.text.analyzer import NGRAM_SEPARATOR
from kakehashi.types import Array, Floats, Ints, Longs

KIND, VERSION = "boosted", 1


@dataclass(frozen=True)
class Feature:
    """Words of a query, words of a document, and the weight of the pair."""

    round: int  # the round in which it was first chosen, from 1; the earliest of all samples
    query: str
    document: str
    weight: float
    samples: int  # number of samples that chose it


@dataclass(frozen=True)
class BoostedModel:
    """f(q, d) = Σ weights of the features of both + β · number of words that both share."""

    pairs: Bilinear
    beta: float
    n_samples: int
    rounds: Ints  # (features,) see Feature; in the order of the weights
    samples: Ints  # (features,)

    def features(self) -> Iterator[Feature]:
        """In the order in which they were chosen."""
        rows = self.pairs.weights
        assert isinstance(rows, SparseRows)
        owners = np.repeat(np.arange(len(rows.starts) - 1), np.diff(rows.starts))
        queries, documents = self.pairs.query_words.terms, self.pairs.document_words.terms
        for n in np.lexsort((-np.abs(rows.weights), self.rounds)).tolist():
            yield Feature(
                int(self.rounds[n]),
                readable(queries[owners[n]]),
                readable(documents[rows.columns[n]]),
                float(rows.weights[n]),
                int(self.samples[n]),
            )

    def save(
        self, folder: Path, settings: Mapping[str, Any], made_from: Mapping[str, Any], seed: int
    ) -> None:
        pairs = self.pairs
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(pairs.weights.arrays())
            writer.put(pairs.query_words.arrays("query"))
            writer.put(pairs.document_words.arrays("document"))
            writer.put({"features.rounds": self.rounds, "features.samples": self.samples})
            own = {
                "query_words": pairs.query_words.settings(),
                "document_words": pairs.document_words.settings(),
                "analyzers": dict(pairs.analyzers),
                "weights": pairs.weights.settings(),
                "beta": self.beta,
                "n_samples": self.n_samples,
                "training": dict(settings),
            }
            writer.commit(own, made_from, seed)


def readable(ngram: str) -> str:
    return ngram.replace(NGRAM_SEPARATOR, " ")


def boosted_of(artifact: store.Artifact) -> BoostedModel:
    settings, array = artifact.meta.settings, artifact.array
    words = read_words(artifact, "query"), read_words(artifact, "document")
    rows = sparse_rows_of(artifact, len(words[0]), len(words[1]))
    n = len(rows.weights)
    return BoostedModel(
        Bilinear(*words, rows, settings["analyzers"]),
        setting_number(settings, "beta"),
        setting_count(settings, "n_samples", least=1),
        typed("features.rounds", array("features.rounds"), (np.int32,), n),
        typed("features.samples", array("features.samples"), (np.int32,), n),
    )


def average(
    samples: Sequence[Rounds], query_words: Words, document_words: Words, analyzers: Mapping[str, str]
) -> BoostedModel:
    """One model of all samples; it contains only the words of its features."""
    features, inverse = np.unique(
        np.concatenate([sample.features for sample in samples]), return_inverse=True
    )
    weights, rounds = np.zeros(len(features)), np.full(len(features), np.iinfo(np.int32).max, np.int32)
    counts = np.zeros(len(features), np.int32)
    first = 0
    for sample in samples:
        own = inverse[first : first + len(sample.features)]
        of_round = np.repeat(np.arange(len(sample)), np.diff(sample.starts))
        np.add.at(weights, own, sample.weights[of_round] / len(samples))
        np.minimum.at(rounds, own, (of_round + 1).astype(np.int32))
        counts[np.unique(own)] += 1
        first += len(own)
    n_columns = len(document_words)
    rows, columns = features // n_columns, features % n_columns
    query_words, rows = _only(query_words, rows)
    document_words, columns = _only(document_words, columns)
    pairs = Bilinear(
        query_words, document_words, _sparse(rows, columns, weights, query_words, document_words), analyzers
    )
    return BoostedModel(pairs, 0.0, len(samples), rounds, counts)


def _only(words: Words, used: Longs) -> tuple[Words, Longs]:
    """The words in use, and their new numbers, in the same order."""
    kept, numbers = np.unique(used, return_inverse=True)
    terms = tuple(words.terms[i] for i in kept.tolist())
    return Words(terms, words.idf[kept], words.values, words.unit), numbers.astype(np.int64)


def _sparse(
    rows: Longs, columns: Longs, weights: Floats, query_words: Words, document_words: Words
) -> SparseRows:
    """Features are sorted by query word, then document word, and so are the new numbers."""
    starts: Array = np.searchsorted(rows, np.arange(len(query_words) + 1)).astype(np.int64)
    return SparseRows(starts, columns.astype(np.int32), weights.astype(np.float32), len(document_words))
