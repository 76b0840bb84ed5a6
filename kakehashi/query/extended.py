"""The compiler of extended queries: a group per word of the query, of the word itself and the words related to it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from kakehashi.index.index import Index
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.lexicon.neighbours import Related
from kakehashi.query.psq import Group, Psq, grouped
from kakehashi.query.terms import Untranslated
from kakehashi.text.idf import inverse_df
from kakehashi.types import Floats, Ints, TermQuery, Text

Chances = Literal["cosine", "normalised", "equal"]
Weights = Literal["equal", "frequency", "tfidf"]
Counting = Literal["extended", "generalised"]
MOST_KNOWN = 100_000  # counted groups that are remembered


class QueryWords:
    """The words of a query that are searched for, and their weights."""

    def __init__(self, index: Index, most: int, weights: Weights):
        self._index, self._most, self._weights = index, most, weights
        self._untranslated = Untranslated(index)

    def counts(self, query: Text) -> Mapping[str, float]:
        """How often each word occurs, in order of first occurrence."""
        return Counter(self._untranslated.terms(query))

    def chosen(self, query: Text) -> dict[str, float]:
        """In order of first occurrence; the `most` with the highest tf·idf (0: all), unknown ones last."""
        counts = self.counts(query)
        numbers = self._index.vocabulary.numbers(counts)
        statistics = self._index.statistics
        df = np.where(numbers == UNKNOWN, 0, statistics.df[np.maximum(numbers, 0)]).astype(np.float64)
        weighed = np.fromiter(counts.values(), np.float64, len(counts))
        weighed = weighed * inverse_df(df, statistics.n_docs, "log")
        values = dict(zip(counts, weighed.tolist(), strict=True))
        best = {*sorted(counts, key=lambda term: (-values[term], term))[: self._most or None]}
        if self._weights == "tfidf":
            return {term: values[term] for term in counts if term in best and values[term] > 0.0}
        return {
            term: float(n if self._weights == "frequency" else 1)
            for term, n in counts.items()
            if term in best
        }


class TranslatedWords(QueryWords):
    """The translations of a query's words; each occurs as often as is probable."""

    def __init__(self, psq: Psq, index: Index, most: int, weights: Weights):
        super().__init__(index, most, weights)
        self._psq = psq

    def counts(self, query: Text) -> Mapping[str, float]:
        compiled = self._psq.compile(query)
        probable = compiled.term_weights * np.repeat(compiled.weights, np.diff(compiled.starts))
        found: dict[str, float] = {}
        for number, n in zip(compiled.terms.tolist(), probable.tolist(), strict=True):
            term = self._index.vocabulary[number]
            found[term] = found.get(term, 0.0) + n
        return found


class Extended:
    """Groups of related words, over one index.

    `counting` is what the statistics of a group cover: `extended` counts the words together, `generalised` only the
    query's own. With `unseen`, a word that no document contains is searched by its related words.
    """

    def __init__(
        self,
        index: Index,
        terms: tuple[str, ...],
        related: Related,
        words: QueryWords,
        chances: Chances = "cosine",
        counting: Counting = "extended",
        unseen: bool = False,
    ):
        self._index, self._related, self._words = index, related, words
        self._chances = chances_of(related, chances)
        self._counting, self._unseen = counting, unseen
        self._places: Mapping[str, int] = {term: place for place, term in enumerate(terms)}
        self._numbers = index.vocabulary.numbers(terms)  # (words of the model,)
        self._known: dict[bytes, float] = {}

    def compile(self, query: Text) -> TermQuery:
        groups = [(term, weight, self._group(term)) for term, weight in self._words.chosen(query).items()]
        return grouped([group for group in groups if len(group[2][0])])

    def _group(self, term: str) -> Group:
        own, place = self._index.vocabulary.number(term), self._places.get(term)
        if own == UNKNOWN and not self._unseen:
            return np.zeros(0, np.int32), np.zeros(0)
        itself = np.array([own] if own != UNKNOWN else [], np.int32)
        if place is None:
            return itself, np.ones(len(itself))
        entries = slice(self._related.starts[place], self._related.starts[place + 1])
        numbers, chances = self._numbers[self._related.words[entries]], self._chances[entries]
        known = (numbers != UNKNOWN) & (chances > 0.0)
        return np.append(itself, numbers[known]), np.append(np.ones(len(itself)), chances[known])

    def counted(self, query: TermQuery) -> TermQuery:
        if self._counting == "generalised":
            statistics = self._index.statistics
            own = self._index.vocabulary.numbers(query.labels)
            df, cf = (
                np.where(own == UNKNOWN, 0, each[np.maximum(own, 0)])
                for each in (statistics.df, statistics.cf)
            )
            return replace(query, df=df.astype(np.float64), cf=cf.astype(np.float64))
        groups = zip(query.starts[:-1].tolist(), query.starts[1:].tolist(), strict=True)
        df = np.array([self._df(query.terms[start:end]) for start, end in groups], np.float64)
        return replace(query, df=df, lost=np.maximum(1.0 - query.term_weights, 0.0))

    def _df(self, terms: Ints) -> float:
        if len(terms) == 1:
            return float(self._index.statistics.df[terms[0]])
        key = terms.tobytes()
        if key not in self._known:
            if len(self._known) > MOST_KNOWN:  # a server must not grow with every new word it is asked
                self._known.clear()
            self._known[key] = float(documents_with_any(self._index, terms))
        return self._known[key]


def documents_with_any(index: Index, terms: Ints) -> int:
    """In how many live documents at least one of the terms occurs."""
    n = 0
    for i, segment in enumerate(index.segments):
        held = np.zeros(segment.n_docs, dtype=bool)
        for row in segment.rows(terms).tolist():
            if row >= 0:
                held[segment.docs[segment.starts[row] : segment.starts[row + 1]]] = True
        dead = index.dead(i)
        n += int(np.count_nonzero(held if dead is None else held & ~dead))
    return n


def chances_of(related: Related, name: Chances) -> Floats:
    """(entries,) P_T(t | t') of each pair.

    cosine      their similarity
    normalised  their similarity, divided by the sum of the similarities of t' to itself and to its related words
    equal       1
    """
    similarities = np.asarray(related.similarities, dtype=np.float64)
    if name == "equal":
        return np.ones(len(similarities))
    if name == "cosine":
        return similarities
    sums = np.bincount(
        np.repeat(np.arange(len(related)), np.diff(related.starts)), similarities, minlength=len(related)
    )
    return np.asarray(similarities / (1.0 + sums[related.words]))
