"""The compiler of probabilistic structured queries: a group per source word, of its translations.

    tf(f, d) = Σ_e p(e | f)·tf(e, d)      df(f) = Σ_e p(e | f)·df(e)

A word the table does not know passes through: it is as often a name as an error.
"""

from collections.abc import Sequence

import numpy as np

from kakehashi.index.index import Index
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.lexicon.translations import Translations
from kakehashi.query.terms import check_source
from kakehashi.types import Floats, Ints, TermQuery, Text

Group = tuple[Ints, Floats]  # term numbers of the index, and how much each counts


class Psq:
    """Groups of translations, over one index."""

    def __init__(self, index: Index, table: Translations):
        self._index, self._table = index, table
        self._numbers = index.vocabulary.numbers(table.targets)

    def compile(self, query: Text) -> TermQuery:
        check_source(self._index, query)
        times: dict[str, float] = {}
        groups: dict[str, Group] = {}
        for label, group in self._words(query):
            times[label], groups[label] = times.get(label, 0.0) + 1.0, group
        return grouped([(label, times[label], group) for label, group in groups.items()])

    def _words(self, query: Text) -> list[tuple[str, Group]]:
        """Every word of the query with its group, in order; words that mean nothing here are left out."""
        source, target = self._index.source_analyzer, self._index.analyzer
        found = []
        for chunk in source.segment(query.content):
            for term in source.chunk_terms(chunk):
                if group := self._translated(term):
                    found.append((term, group))
                    continue
                for same in target.chunk_terms(chunk) if term not in self._table.numbers else ():
                    number = self._index.vocabulary.number(same)
                    if number != UNKNOWN:
                        found.append((same, (np.array([number], np.int32), np.ones(1))))
        return found

    def _translated(self, term: str) -> Group | None:
        number = self._table.numbers.get(term)
        if number is None:
            return None
        entries = slice(self._table.starts[number], self._table.starts[number + 1])
        terms = self._numbers[self._table.columns[entries]]
        known = terms != UNKNOWN
        if not known.any():
            return None
        return terms[known], self._table.chances[entries][known].astype(np.float64)


def grouped(groups: Sequence[tuple[str, float, Group]]) -> TermQuery:
    """A query of groups, each with its label and its weight."""
    sizes = [len(terms) for _, _, (terms, _) in groups]
    terms = [terms for _, _, (terms, _) in groups]
    chances = [chances for _, _, (_, chances) in groups]
    return TermQuery(
        weights=np.array([weight for _, weight, _ in groups], dtype=np.float64),
        starts=np.append(0, np.cumsum(sizes)).astype(np.int64),
        terms=np.concatenate([*terms, np.zeros(0, np.int32)]).astype(np.int32),
        term_weights=np.concatenate([*chances, np.zeros(0)]),
        labels=tuple(label for label, _, _ in groups),
    )
