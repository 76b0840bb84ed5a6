"""A short query out of a long document: its terms of highest tf-idf (the CLEF-IP recipe takes 100)."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence


def key_terms(tokens: Sequence[str], df: Mapping[str, int], n_docs: int, k: int = 100) -> list[str]:
    """The k distinct tokens of highest tf * ln(N / df), best first, ties by string; df is at least 1."""
    weights = {
        token: tf * math.log(n_docs / max(df.get(token, 0), 1)) for token, tf in Counter(tokens).items()
    }
    return sorted(weights, key=lambda token: (-weights[token], token))[:k]
