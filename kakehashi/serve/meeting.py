"""What met: the words of a query and of a document that brought them together, marked on both sides.

Everything that the service shows of explanations comes from here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kakehashi.hits import MARKED, Hit, terms_of
from kakehashi.index.index import Index
from kakehashi.query.terms import language
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.marking import find_marks
from kakehashi.types import ANY, PASSAGE, Part, Share, Text, largest_first

FAINT = 0.05  # of the largest: a pair of words that gave less is not shown


class Met(NamedTuple):
    """A word of the query and a term of the document that met, and what this gave."""

    word: str
    term: str
    share: float


class Span(NamedTuple):
    """A stretch of text; where it met something: with what, the most important first, and how much it weighs."""

    text: str
    met: tuple[str, ...] = ()  # words of the other side
    weight: float = 0.0  # from 0 to 1, relative to the heaviest of this document
    pairs: tuple[int, ...] = ()  # numbers of the pairs of words, the same on both sides


@dataclass(frozen=True)
class Meeting:
    """One document and one query, seen through the explanation of the hit."""

    hit: Hit

    @cached_property
    def parts(self) -> list[Part]:
        """What each part of a combination gave, the largest first; of any other system all comes from itself."""
        whole = Part(self.hit.found_by.system.name, self.hit.score, self.hit.why)
        return self.hit.explanation.parts or [whole]

    @cached_property
    def features(self) -> list[Share]:
        """Shares of what has no word to mark, such as metadata."""
        return [share for share in self.hit.why if share.part != ANY and not share.document]

    @cached_property
    def votes(self) -> list[Share]:
        """Earlier queries that cited the document, the most important first; as what stands in brackets."""
        return largest_first([share for share in self._in_brackets if not share.document.startswith(PASSAGE)])

    @cached_property
    def passages(self) -> list[Share]:
        """What pieces of the query gave, about, to a passage as a whole, the most important first."""
        return largest_first([share for share in self._in_brackets if share.document.startswith(PASSAGE)])

    @property
    def _in_brackets(self) -> list[Share]:
        return [share for share in self.hit.why if share.document and not terms_of(share)]

    @cached_property
    def pairs(self) -> list[Met]:
        """Words that met, over all inputs, the most important first; a share of several terms counts in part."""
        sums: dict[tuple[str, str], float] = {}
        for share in self.hit.why:
            terms = terms_of(share)
            for term in terms:
                key = share.query, term
                sums[key] = sums.get(key, 0.0) + share.share / len(terms)
        found = sorted(
            (Met(*key, value) for key, value in sums.items() if value > 0), key=lambda met: -met.share
        )
        least = FAINT * found[0].share if found else 0.0
        return [met for met in found[: 2 * MARKED] if met.share >= least]

    def document(self, text: str) -> list[Span]:
        """A text of the document with the words marked that met the query."""
        return _spans(text, self._by_term(), self._index.analyzer)

    def query(self, text: str) -> list[Span]:
        """A text of the query with the words marked that met the document."""
        analyzer = query_analyzer(self.hit.found_by.query, self._index)
        by_term: dict[str, list[tuple[int, str, float]]] = {}
        for number, met in enumerate(self.pairs):
            for term in {met.word, *analyzer.chunk_terms(met.word)}:
                by_term.setdefault(term, []).append((number, met.term, met.share))
        return _spans(text, by_term, analyzer)

    @property
    def _index(self) -> Index:
        return self.hit.found_by.system.index

    def _by_term(self) -> dict[str, list[tuple[int, str, float]]]:
        by_term: dict[str, list[tuple[int, str, float]]] = {}
        for number, met in enumerate(self.pairs):
            by_term.setdefault(met.term, []).append((number, met.word, met.share))
        return by_term


def query_analyzer(query: Text, index: Index) -> Analyzer:
    return index.analyzer if language(query.lang) == index.analyzer.settings.lang else index.source_analyzer


def _spans(text: str, by_term: Mapping[str, list[tuple[int, str, float]]], analyzer: Analyzer) -> list[Span]:
    most = max((sum(one[2] for one in met) for met in by_term.values()), default=1.0)
    spans, place = [], 0
    for mark in find_marks(text, frozenset(by_term), analyzer):
        met = sorted({one for term in mark.terms for one in by_term[term]}, key=lambda one: -one[2])
        weight = min(1.0, sum(one[2] for one in met) / most)
        if mark.start > place:
            spans.append(Span(text[place : mark.start]))
        words = tuple(dict.fromkeys(word for _, word, _ in met))
        spans.append(Span(text[mark.start : mark.end], words, round(weight, 4), _sorted(met)))
        place = mark.end
    return [*spans, Span(text[place:])] if place < len(text) else spans


def _sorted(met: Iterable[tuple[int, str, float]]) -> tuple[int, ...]:
    return tuple(sorted(number for number, _, _ in met))
