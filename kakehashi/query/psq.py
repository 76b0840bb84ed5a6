"""The compiler of probabilistic structured queries: a group per source word, of its translations.

    tf(f, d) = Σ_e G[f, e]·tf(e, d)      df(f) = Σ_e G[f, e]·df(e)

A word that is not in the table is used untranslated, because it may well be a name.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from kakehashi.index.index import Index
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.lexicon.translations import Translations
from kakehashi.query.terms import check_source
from kakehashi.text.chain import KeptChunks
from kakehashi.types import Bools, Floats, Ints, Longs, TermQuery, Text

Group = tuple[Ints, Floats]  # term numbers of the index, and their weights


class Psq:
    """Groups of translations, over one index.

    Groups are numbered: first the rows of the table, then every term of the index as itself.
    """

    def __init__(self, index: Index, table: Translations):
        self._index, self.table = index, table
        self._numbers = index.vocabulary.numbers(table.targets)
        entries = np.append(0, np.cumsum(self._counting(slice(None))))
        self._has_group = np.diff(entries[table.starts]) > 0  # (rows of the table,)
        self._of_chunk: KeptChunks[tuple[int, str]] = KeptChunks()

    def __len__(self) -> int:
        return len(self.table) + len(self._index.vocabulary)

    def compile(self, query: Text) -> TermQuery:
        check_source(self._index, query)
        counts, labels = self._counted(self._index.source_analyzer.segment(query.content))
        numbers = np.fromiter(counts, np.int64, len(counts))
        starts, terms, chances = self._groups(numbers)
        weights = np.fromiter(counts.values(), np.float64, len(counts))
        return TermQuery(weights, starts, terms, chances, tuple(labels))

    def _groups(self, numbers: Longs) -> tuple[Longs, Ints, Floats]:
        """(starts, terms, chances) of groups as `group` has them, laid side by side."""
        table, n_rows = self._table, len(self.table)
        passing = numbers >= n_rows
        rows = np.where(passing, 0, numbers) if n_rows else np.zeros(len(numbers), np.int64)
        firsts = table.starts[rows]
        sizes = np.where(passing, 1, table.starts[np.minimum(rows + 1, n_rows)] - firsts)
        starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
        places = np.repeat(np.where(passing, 0, firsts - starts[:-1]), sizes) + np.arange(starts[-1])
        passed = np.repeat(passing, sizes)
        terms, chances = np.empty(starts[-1], np.int32), np.ones(starts[-1])
        terms[~passed], chances[~passed] = table.terms[places[~passed]], table.term_weights[places[~passed]]
        terms[passed] = numbers[passing] - n_rows
        return starts, terms, chances

    @cached_property
    def _table(self) -> TermQuery:
        return self.of_table()

    def compile_sentences(self, query: Text) -> tuple[TermQuery, Longs]:
        """(the groups of every sentence side by side, the sentence of each group); a line break ends a sentence."""
        check_source(self._index, query)
        sentences = self._index.source_analyzer.sentence_chunks(query.content)
        counted = [found for chunks in sentences if (found := self._counted(chunks))[0]]
        counts = [each for each, _ in counted]
        numbers = np.array([number for each in counts for number in each], np.int64)
        starts, terms, chances = self._groups(numbers)
        weights = np.array([times for each in counts for times in each.values()], np.float64)
        labels = tuple(label for _, own in counted for label in own)
        of = np.repeat(np.arange(len(counts)), [len(each) for each in counts]).astype(np.int64)
        return TermQuery(weights, starts, terms, chances, labels), of

    def counts(self, query: Text) -> dict[int, float]:
        """How often each group occurs in the query, in order of first occurrence; words without a group are
        left out."""
        check_source(self._index, query)
        return self._counted(self._index.source_analyzer.segment(query.content))[0]

    def _counted(self, chunks: Iterable[str]) -> tuple[dict[int, float], list[str]]:
        """(how often each group occurs, in order of first occurrence; their labels)"""
        found: dict[int, float] = {}
        labels = []
        for chunk in chunks:
            groups = self._of_chunk.get(chunk)
            if groups is None:
                groups = self._of_chunk.keep(chunk, self._named_groups(chunk))
            for number, label in groups:
                if number in found:
                    found[number] += 1.0
                else:
                    found[number] = 1.0
                    labels.append(label)
        return found, labels

    def _named_groups(self, chunk: str) -> tuple[tuple[int, str], ...]:
        source, target = self._index.source_analyzer, self._index.analyzer
        found: list[tuple[int, str]] = []
        for term in source.chunk_terms(chunk):
            row = self.table.numbers.get(term)
            if row is None:
                same = self._index.vocabulary.numbers(target.chunk_terms(chunk))
                passed = (same[same != UNKNOWN] + len(self.table)).tolist()
                found += [(number, self.label(number)) for number in passed]
            elif self._has_group[row]:
                found.append((row, term))
        return tuple(found)

    def label(self, number: int) -> str:
        if number < len(self.table):
            return self.table.sources[number]
        return self._index.vocabulary[number - len(self.table)]

    def of_table(self) -> TermQuery:
        """The groups of the whole table; empty for a word whose translations occur in no document."""
        known = self._counting(slice(None))
        starts = np.append(0, np.cumsum(known))[self.table.starts].astype(np.int64)
        terms, chances = self._numbers[self.table.columns[known]], self.table.chances[known]
        return TermQuery(np.ones(len(self.table)), starts, terms, chances.astype(np.float64), ())

    def group(self, number: int) -> Group:
        if number >= len(self.table):
            return np.array([number - len(self.table)], np.int32), np.ones(1)
        entries = slice(self.table.starts[number], self.table.starts[number + 1])
        known = self._counting(entries)
        terms, chances = self._numbers[self.table.columns[entries]], self.table.chances[entries]
        return terms[known], chances[known].astype(np.float64)

    def _counting(self, entries: slice) -> Bools:
        """Which entries of the table count: those that occur in some document, with a non-zero weight."""
        known: Bools = self._numbers[self.table.columns[entries]] != UNKNOWN
        return known & (self.table.chances[entries] > 0.0)


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
