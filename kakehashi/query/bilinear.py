"""The compiler of a learned q'Wd: a query becomes its projection, one group per word of the documents."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.learn.bilinear_model import Bilinear
from kakehashi.query.reading import Reading
from kakehashi.types import Longs, TermQuery, Text


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

    def sources(self, query: Text, terms: Sequence[int]) -> list[list[tuple[str, float]]]:
        """Per term of the index: (query word, its part) of what the query gives it; the parts sum to it."""
        columns = self._columns[np.asarray(terms, np.int64)]
        known = np.flatnonzero(columns != UNKNOWN)
        vector, words = self._model.vector(self._reading.terms(query)), self._model.query_words.terms
        parts: list[list[tuple[str, float]]] = [[] for _ in terms]
        for place, word in enumerate(vector.columns.tolist()):
            one = slice(place, place + 1)
            row = self._model.weights.at(vector.columns[one], vector.values[one], columns[known])
            given = np.flatnonzero(row)
            for n, part in zip(known[given].tolist(), row[given].tolist(), strict=True):
                parts[n].append((words[word], part))
        return parts
