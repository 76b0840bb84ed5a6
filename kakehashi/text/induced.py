"""Stop words found by document frequency: terms whose tf-idf weight vanishes; reads no text."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from kakehashi.text.idf import inverse_df

IdfName = Literal["rsj_clamped", "log"]
THRESHOLD = 1e-10


def induced_stop_words(df: Mapping[str, int], n_docs: int, name: IdfName = "rsj_clamped") -> list[str]:
    """Terms with idf below 1e-10, sorted.

    Under rsj_clamped these are the terms in at least half of the documents (in exactly half, the idf is 0);
    under log only those in every document.
    """
    words = sorted(word for word, n in df.items() if n > 0)
    weights = inverse_df(np.array([df[word] for word in words], dtype=np.float64), n_docs, name)
    return [word for word, weight in zip(words, weights.tolist(), strict=True) if weight < THRESHOLD]
