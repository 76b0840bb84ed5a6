"""What the words of a query gave a document: shares by group of the query, or by word where groups have many."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.index.vocabulary import Vocabulary
from kakehashi.types import Array, Floats, Share, Sources, TermQuery

MET = 3  # document words named in a share


def carrying(table: Floats, totals: Floats, names: Sequence[str]) -> list[str]:
    """The document's words that contribute most to each query word's total; table (query words, document words)"""
    return [", ".join([names[n] for n in row if n >= 0]) for row in _largest(table, totals).tolist()]


@kernel
def _largest(table: Array, totals: Array) -> Array:
    """(rows, MET) the places of a row's largest parts of the sign of its total, largest first; -1 for no such part."""
    places, largest = np.full((len(table), MET), -1, np.int64), np.zeros(MET)
    for row in range(len(table)):
        sign = 1.0 if totals[row] >= 0.0 else -1.0
        largest[:] = 0.0
        for n in range(table.shape[1]):
            part = sign * table[row, n]
            at = MET
            while at > 0 and part > largest[at - 1]:
                at -= 1
            for i in range(MET - 1, at, -1):
                largest[i], places[row, i] = largest[i - 1], places[row, i - 1]
            if at < MET:
                largest[at], places[row, at] = part, n
    return places


@dataclass(frozen=True)
class ByGroup:
    """Groups are words of the query, so each gives one share, with those of its terms that the document has."""

    compiled: TermQuery
    terms: dict[int, dict[int, str]]  # of the groups that match any of the documents explained: term -> name

    def shares(self, groups: Array, given: Floats, held: set[int]) -> list[Share]:
        """`given` (groups,) is each group's part of the score; `held` the terms of the document."""
        return [
            Share(
                self.compiled.labels[g],
                ", ".join([name for term, name in self.terms[g].items() if term in held]),
                value,
            )
            for g, value in zip(groups.tolist(), given.tolist(), strict=True)
        ]


@dataclass(frozen=True)
class ByWord:
    """Groups are single terms, thousands of them, each from many words of the query: shares are the words'."""

    names: dict[int, str]  # the term of each group that matches any of the documents explained
    places: dict[int, int]  # where such a group stands among them
    sources: Sources

    def shares(self, groups: Array, given: Floats, held: set[int]) -> list[Share]:
        matching = groups.tolist()
        parts = self.sources.parts[[self.places[g] for g in matching]]  # (groups, words)
        table = (parts * (given / parts.sum(axis=1))[:, None]).T
        count = np.flatnonzero(table.any(axis=1))
        table = table[count]
        totals = table.sum(axis=1)
        met = carrying(table, totals, [self.names[g] for g in matching])
        words = [self.sources.words[n] for n in count.tolist()]
        return [Share(*each) for each in zip(words, met, totals.tolist(), strict=True)]


def by_group(compiled: TermQuery, groups: Sequence[int], vocabulary: Vocabulary) -> ByGroup:
    terms = {g: compiled.terms[compiled.starts[g] : compiled.starts[g + 1]].tolist() for g in groups}
    names = {term: vocabulary[term] for term in {t for own in terms.values() for t in own}}
    return ByGroup(compiled, {g: {term: names[term] for term in own} for g, own in terms.items()})


def by_word(compiled: TermQuery, groups: Sequence[int], vocabulary: Vocabulary, sources: Sources) -> ByWord:
    names = {g: vocabulary[compiled.terms[g]] for g in groups}
    return ByWord(names, {g: n for n, g in enumerate(groups)}, sources)
