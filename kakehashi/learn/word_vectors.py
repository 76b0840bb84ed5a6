"""LSI word vectors: words that occur in the same documents get similar vectors."""

from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.errors import InputError
from kakehashi.learn.topics import singular_vectors
from kakehashi.learn.vectors import Rows
from kakehashi.text.idf import inverse_df
from kakehashi.types import Floats, Floats32

Weighting = Literal["tfidf", "log-entropy"]


class LsiSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How word vectors are found in the matrix of documents and words."""

    lsi_dimensions: Annotated[
        int, Meta(description="Length of the LSI vectors; a small collection gets as many as it has.")
    ] = 300
    lsi_weighting: Annotated[
        Weighting,
        Meta(
            description="Weight of a word in a document: `tfidf` (tf · ln(N/df)) or `log-entropy` (ln(1 + tf) times "
            "how unevenly the word is spread over the documents)."
        ),
    ] = "log-entropy"

    def __post_init__(self) -> None:
        if self.lsi_dimensions < 1:
            raise InputError(f"LSI needs lsi_dimensions of at least 1, not {self.lsi_dimensions}")


def lsi_vectors(counts: Rows, n_words: int, settings: LsiSettings, rng: np.random.Generator) -> Floats32:
    """(words, dimensions) right singular vectors times singular values; `counts` holds a row per document."""
    most = min(len(counts.starts) - 1, n_words) - 1
    if most < 1:
        raise InputError("LSI needs at least two documents and two words")
    rows = Rows(counts.starts, counts.columns, weighted(counts, n_words, settings.lsi_weighting))
    directions, strengths = singular_vectors(rows, n_words, min(settings.lsi_dimensions, most), rng)
    return np.asarray(directions * strengths, dtype=np.float32)


def weighted(counts: Rows, n_words: int, weighting: Weighting) -> Floats:
    """(entries,) of the matrix.

    log-entropy: ln(1 + tf)·(1 + Σ_d p·ln p / ln N), with p the share of the word's occurrences that document d has.
    """
    n_docs = len(counts.starts) - 1
    tfs, words = counts.values.astype(np.float64), counts.columns
    if weighting == "tfidf":
        df = np.bincount(words, minlength=n_words).astype(np.float64)
        return np.asarray(tfs * inverse_df(df, n_docs, "log")[words])
    cf = np.bincount(words, tfs, minlength=n_words)
    shares = tfs / cf[words]
    entropy = np.bincount(words, shares * np.log(shares), minlength=n_words)
    spread = 1.0 + entropy / np.log(max(n_docs, 2))
    return np.asarray(np.log1p(tfs) * spread[words])
