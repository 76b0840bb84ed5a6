"""Stop words induced from document frequencies: terms whose tf-idf weight vanishes; reads no text."""

import sys
from collections.abc import Mapping
from typing import Literal

import numpy as np

from kakehashi.types import Floats

IdfName = Literal["rsj_clamped", "log"]
THRESHOLD = 1e-10
TINY = sys.float_info.min  # smallest positive double (normal, so that products with it stay positive)


def idf(df: Floats, n_docs: int, name: IdfName) -> Floats:
    """(terms,) inverse document frequencies.

    rsj_clamped   ln((N - df + 0.5) / (df + 0.5)), negative values replaced by the smallest positive double
    log           ln(N / df)
    """
    df = np.asarray(df, dtype=np.float64)
    if name == "log":
        return np.asarray(np.log(n_docs / df))
    weights = np.log((n_docs - df + 0.5) / (df + 0.5))
    return np.where(weights < 0, TINY, weights)


def induced_stop_words(df: Mapping[str, int], n_docs: int, name: IdfName = "rsj_clamped") -> list[str]:
    """Terms with idf below 1e-10, sorted.

    Under rsj_clamped these are the terms in more than half of the documents, and, the idf being exactly 0
    there, those in exactly half; under log only those in every document.
    """
    words = sorted(word for word, n in df.items() if n > 0)
    weights = idf(np.array([df[word] for word in words], dtype=np.float64), n_docs, name)
    return [word for word, weight in zip(words, weights.tolist(), strict=True) if weight < THRESHOLD]
