"""The compiler of a learned q'Wd: a query becomes its projection, one group per word of the documents."""

from functools import cached_property

import numpy as np

from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.learn.bilinear_model import Bilinear
from kakehashi.query.reading import Reading
from kakehashi.types import Ints, Longs, Sources, TermQuery, Text


class Projected:
    """v = q'W once per query; documents then add up v over their words."""

    def __init__(self, model: Bilinear, reading: Reading):
        self._model, self._reading = model, reading
        self._numbers = model.document_words.in_index(reading.index)

    def compile(self, query: Text) -> TermQuery:
        projected = self._model.project(self._reading.terms(query))
        known = np.flatnonzero((self._numbers != UNKNOWN) & (projected != 0.0))
        return TermQuery(
            weights=projected[known].astype(np.float64),
            starts=np.arange(len(known) + 1, dtype=np.int64),
            terms=self._numbers[known],
            term_weights=np.ones(len(known)),
            labels=(),  # thousands of groups, each with all the query's words: see `sources`
        )

    @cached_property
    def _columns(self) -> Longs:
        """(terms of the index,) each term's place among the model's words, or UNKNOWN."""
        columns = np.full(len(self._reading.index.vocabulary), UNKNOWN, np.int64)
        known = np.flatnonzero(self._numbers != UNKNOWN)
        columns[self._numbers[known]] = known
        return columns

    def sources(self, query: Text, terms: Ints) -> Sources:
        """What each word of the query gives to the weights of these terms of the index."""
        columns = self._columns[terms]
        known = np.flatnonzero(columns != UNKNOWN)
        vector, words = self._model.vector(self._reading.terms(query)), self._model.query_words.terms
        parts = np.zeros((len(terms), len(vector.columns)))
        parts[known] = self._model.weights.parts(vector.columns, vector.values, columns[known]).T
        return Sources([words[word] for word in vector.columns.tolist()], parts)
