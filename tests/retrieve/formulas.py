"""The weightings once more, from their formulas alone: dictionaries, loops, float64, no project code.

A query is a list of groups (weight, [(term, weight of the term), ...]); documents are lists of words.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Query = Sequence[tuple[float, Sequence[tuple[str, float]]]]
STOP = 1e-10  # a weight below this is that of a stop word


@dataclass(frozen=True)
class Counts:
    """What is counted over a set of documents."""

    n: int
    tokens: int
    df: Counter[str]
    cf: Counter[str]

    def of(self, group: Sequence[tuple[str, float]]) -> tuple[float, float]:
        """df and cf of a group: sums weighted by its terms' weights."""
        return (
            math.fsum(weight * self.df[term] for term, weight in group),
            math.fsum(weight * self.cf[term] for term, weight in group),
        )


def counts_of(documents: Mapping[str, Sequence[str]]) -> Counts:
    df, cf = Counter[str](), Counter[str]()
    for words in documents.values():
        df.update(set(words))
        cf.update(words)
    return Counts(len(documents), sum(map(len, documents.values())), df, cf)


def idf(name: str, n: int, df: float) -> float:
    if df <= 0:
        return 0.0
    odds = (n - df + 0.5) / (df + 0.5)
    if name == "lucene":
        return math.log(1 + odds)
    if name == "rsj_clamped":
        return max(0.0, math.log(odds))
    return math.log(n / df)


def frequency(group: Sequence[tuple[str, float]], words: Counter[str]) -> float:
    return sum(weight * words[term] for term, weight in group if term in words)


Score = Callable[[Sequence[str]], float | None]  # None: the document does not match


def bm25(
    query: Query, counts: Counts, *, k1: float, b: float, k3: float, idf_name: str, saturation: str
) -> Score:
    mean = counts.tokens / counts.n
    weighted = []
    for qtf, group in query:
        query_part = qtf if math.isinf(k3) else (k3 + 1) * qtf / (k3 + qtf)
        weighted.append((query_part * idf(idf_name, counts.n, counts.of(group)[0]), group))

    def score(words: Sequence[str]) -> float | None:
        held, parts = Counter(words), []
        length_norm = k1 * (1 - b + b * len(words) / mean)
        for weight, group in weighted:
            tf = frequency(group, held)
            if tf > 0 and weight >= STOP:
                tf_part = {
                    "standard": (k1 + 1) * tf / (length_norm + tf),
                    "classic": tf / (length_norm + tf),
                    "double": (k1 + 1) * tf / (length_norm + 2 * tf),
                }[saturation]
                parts.append(weight * tf_part)
        return math.fsum(parts) if parts else None

    return score


def likelihood(query: Query, counts: Counts, chance: Callable[[float, int, float], float]) -> Score:
    """Σ qtf·ln of the chance of a word: (its frequency, the document's length, its share of the collection)."""
    # a word the collection does not hold says nothing about any document
    known = [(qtf, group, counts.of(group)[1]) for qtf, group in query if counts.of(group)[1] > 0]

    def score(words: Sequence[str]) -> float | None:
        held, parts, matched = Counter(words), [], False
        for qtf, group, cf in known:
            tf = frequency(group, held)
            matched |= tf > 0
            parts.append(qtf * math.log(chance(tf, len(words), cf / counts.tokens)))
        return math.fsum(parts) if matched else None

    return score


def dirichlet(query: Query, counts: Counts, *, mu: float) -> Score:
    return likelihood(query, counts, lambda tf, length, share: (tf + mu * share) / (length + mu))


def mixed(query: Query, counts: Counts, *, alpha: float) -> Score:
    """A document's language model mixed with the collection's."""
    return likelihood(
        query, counts, lambda tf, length, share: alpha * share + (1 - alpha) * tf / max(length, 1)
    )


def cosine(query: Query, counts: Counts, *, idf_name: str) -> Score:
    """Single-term groups only: the cosine of two tf·idf vectors."""
    weights = {term: idf(idf_name, counts.n, df) for term, df in counts.df.items()}
    weights = {term: weight for term, weight in weights.items() if weight >= STOP}
    asked = Counter[str]()
    for qtf, [(term, _)] in query:
        asked[term] += qtf
    vector = {term: qtf * weights[term] for term, qtf in asked.items() if term in weights}
    norm = math.sqrt(math.fsum(value**2 for value in vector.values()))

    def score(words: Sequence[str]) -> float | None:
        document = {term: tf * weights[term] for term, tf in Counter(words).items() if term in weights}
        shared = [value * document[term] for term, value in vector.items() if term in document]
        if not shared:
            return None
        return math.fsum(shared) / norm / math.sqrt(math.fsum(value**2 for value in document.values()))

    return score


def presence(query: Query, counts: Counts) -> Score:
    def score(words: Sequence[str]) -> float | None:
        held = Counter(words)
        parts = [weight for weight, group in query if frequency(group, held) > 0 and abs(weight) >= STOP]
        return math.fsum(parts) if parts else None

    return score


def scored(score: Score, documents: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """The score of every document that matches."""
    found = ((id, score(words)) for id, words in documents.items())
    return {id: value for id, value in found if value is not None}
