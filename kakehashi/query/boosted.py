"""The compiler of boosted features: the terms they match, and the words that both languages share."""

import numpy as np

from kakehashi.index.index import Index
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.learn.boosted_model import BoostedModel
from kakehashi.query.bilinear import Projected
from kakehashi.query.reading import Reading
from kakehashi.types import Ints, Sources, TermQuery, Text


class BoostedQuery:
    """A group per term of the index: the weights of the features that match it, and β if the query contains it."""

    def __init__(self, model: BoostedModel, index: Index, beta: float):
        self._projected, self._index, self._beta = Projected(model.pairs, Reading(index)), index, beta

    def compile(self, query: Text) -> TermQuery:
        learned = self._projected.compile(query)
        same = self._shared(query)
        terms = np.union1d(learned.terms, same).astype(np.int32)
        weights = np.zeros(len(terms))
        weights[np.searchsorted(terms, learned.terms)] = learned.weights
        weights[np.searchsorted(terms, same)] += self._beta
        kept = np.flatnonzero(weights)
        kept = kept[np.argsort(self._index.statistics.rank_of(terms[kept]))]
        starts = np.arange(len(kept) + 1, dtype=np.int64)
        return TermQuery(weights[kept], starts, terms[kept], np.ones(len(kept)), labels=())

    def sources(self, query: Text, terms: Ints) -> Sources:
        """What each word of the query gives to these terms: by learned pairs, and by standing for itself."""
        learned, same = self._projected.sources(query, terms), self._shared(query)
        itself = np.where(terms[:, None] == same[None, :], self._beta, 0.0)  # (terms, shared words)
        words = [self._index.vocabulary[term] for term in same.tolist()]
        return Sources([*learned.words, *words], np.hstack([learned.parts, itself]))

    def _shared(self, query: Text) -> Ints:
        """(terms,) single words of the query that are terms of the index, in the order of a fresh one."""
        if not self._beta:
            return np.zeros(0, np.int32)
        target, source = self._index.analyzer, self._index.source_analyzer
        words = set(target.terms_of_chunks(source.segment(query.content)))
        numbers = self._index.vocabulary.numbers(sorted(words))
        same = np.unique(numbers[numbers != UNKNOWN]).astype(np.int32)
        return same[np.argsort(self._index.statistics.rank_of(same))]
