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
from kakehashi.types import ANY, Share, Text

FAINT = 0.05  # of the largest: a pair of words that gave less is not shown
METADATA = "metadata"  # what inputs are called that are not systems


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


class Part(NamedTuple):
    """What one input gave: a system that is part of a combination, or metadata."""

    name: str
    share: float


def input_of(share: Share, system: str) -> str:
    """Which input a share comes from: in a system that combines none, the system itself."""
    if not share.part:
        return system
    return METADATA if share.part == ANY or share.part.startswith(f"{METADATA}: ") else share.part


@dataclass(frozen=True)
class Meeting:
    """One document and one query, seen through the explanation of the hit."""

    hit: Hit

    @cached_property
    def parts(self) -> list[Part]:
        """What each input gave, the largest first; they sum to the score."""
        system = self.hit.found_by.system.name
        sums: dict[str, float] = {}
        for share in self.hit.why:
            name = input_of(share, system)
            sums[name] = sums.get(name, 0.0) + share.share
        return [Part(name, sums[name]) for name in sorted(sums, key=lambda name: -abs(sums[name]))]

    @cached_property
    def features(self) -> list[Share]:
        """Shares of metadata, which have no word to mark."""
        return [share for share in self.hit.why if not share.document and share.part != ANY]

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
