"""Compilers that do not translate: each distinct term of the text is its own group."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.types import TermQuery, Text


class Untranslated:
    """A query in the documents' language is analysed like a document; one in another language is passed through.

    Passing through means: split into words by its own analyzer, then treated like words of the documents. Words
    that both languages share (names, numbers, abbreviations) match; others do not.
    """

    def __init__(self, index: Index):
        self._index = index

    def compile(self, query: Text) -> TermQuery:
        return one_group_each(self._index, self.terms(query))

    def terms(self, query: Text) -> list[str]:
        """In the documents' analysis, known or not."""
        target, source = self._index.analyzer, self._index.source_analyzer
        check_either(self._index, query)
        if language(query.lang) == target.settings.lang:
            return target.terms(query.content)
        return target.terms_of_chunks(source.segment(query.content))


def language(code: str) -> str:
    """The language of a code such as de-AT."""
    return code.lower().replace("_", "-").split("-")[0]


def one_group_each(index: Index, terms: Iterable[str]) -> TermQuery:
    """A group per distinct known term, in order of first occurrence, weighted by how often it occurs."""
    counts = Counter(terms)
    numbers = index.vocabulary.numbers(counts)
    known = numbers != UNKNOWN
    weights = np.fromiter(counts.values(), dtype=np.float64, count=len(counts))[known]
    return TermQuery(
        weights=weights,
        starts=np.arange(len(weights) + 1, dtype=np.int64),
        terms=numbers[known],
        term_weights=np.ones(len(weights)),
        labels=tuple(term for term, is_known in zip(counts, known, strict=True) if is_known),
    )


def source_terms(index: Index, query: Text) -> list[str]:
    """The terms of a query in the source language."""
    check_source(index, query)
    return index.source_analyzer.terms(query.content)


def check_source(index: Index, query: Text) -> None:
    """Reject a query in any language but the source language: a trained model does not know others."""
    known = index.source_analyzer.settings.lang
    if language(query.lang) != known:
        raise InputError(f"query '{query.id}' is in '{query.lang}': this model accepts {known}")


def check_either(index: Index, query: Text) -> None:
    """Reject a query in any language but the two of the index."""
    source, target = index.source_analyzer.settings.lang, index.analyzer.settings.lang
    if language(query.lang) not in (source, target):
        raise InputError(f"query '{query.id}' is in '{query.lang}': this index accepts {source} or {target}")
