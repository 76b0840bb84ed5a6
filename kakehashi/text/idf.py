"""Inverse document frequency, in the forms that stop lists and weightings use."""

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from kakehashi.types import Floats

Idf = Literal["lucene", "rsj_clamped", "log"]
IdfSetting = Annotated[
    Idf,
    Meta(
        description="Weight of rare words. A word in half of the documents or more counts little with `lucene` "
        "and nothing with `rsj_clamped`; with `log`, only a word in every document counts nothing."
    ),
]


def inverse_df(df: Floats, n_docs: int, name: Idf) -> Floats:
    """(terms,) idf; 0 where df is 0.

    lucene       ln(1 + (N - df + 0.5)/(df + 0.5)): never negative, however frequent the word
    rsj_clamped  ln((N - df + 0.5)/(df + 0.5)), nothing where negative: words in half of all documents vanish
    log          ln(N/df)
    """
    df = np.asarray(df, dtype=np.float64)
    odds = (np.maximum(n_docs - df, 0.0) + 0.5) / (df + 0.5)
    if name == "lucene":
        idf = np.log1p(odds)
    elif name == "rsj_clamped":
        idf = np.maximum(np.log(odds), 0.0)
    else:
        idf = np.log(np.maximum(n_docs, 1) / np.maximum(df, 1e-300))
    return np.where(df > 0, idf, 0.0)
