"""Where terms stand in a text as it was written: the words whose analysis gives them, in characters of that text."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.text import japanese
from kakehashi.text.normalize import clean
from kakehashi.text.tokenize import UNSPACED

if TYPE_CHECKING:  # printing a table does not need it, nor what it imports
    from kakehashi.text.analyzer import Analyzer

_GAPLESS = re.compile(r"\S+")
_WORD = re.compile(r"\w+")
_PAIRS = re.compile(f"[{UNSPACED}]{{2,}}")
_VOICED = "\uff9e\uff9f"  # half-width sound marks: letters by category, but they join the letter before them


class Mark(NamedTuple):
    """A word that gives wanted terms."""

    start: int
    end: int
    terms: frozenset[str]


class Piece(NamedTuple):
    """A stretch of text; `match` where it is a word that was looked for."""

    text: str
    match: bool


def find_marks(text: str, wanted: frozenset[str], analyzer: "Analyzer") -> list[Mark]:
    """The words of the text whose analysis gives a wanted term, in order; none overlaps another."""
    if not wanted:
        return []
    marks: list[Mark] = []
    known: dict[str, list[Mark]] = {}  # most chunks stand in a text more than once
    for start, chunk in _chunks(text, analyzer):
        found = known.get(chunk)
        if found is None:
            gives = not wanted.isdisjoint(analyzer.chunk_terms(chunk))
            found = known[chunk] = _words(chunk, wanted, analyzer) if gives else []
        for mark in found:
            marks.append(Mark(start + mark.start, start + mark.end, mark.terms))
    return marks


def pieces_of(text: str, marks: list[Mark], start: int = 0, end: int | None = None) -> list[Piece]:
    """The text from `start` to `end`, cut where marks begin and end."""
    last = len(text) if end is None else end
    pieces, place = [], start
    for mark in marks:
        if start <= mark.start and mark.end <= last:
            pieces += [Piece(text[place : mark.start], False), Piece(text[mark.start : mark.end], True)]
            place = mark.end
    return [piece for piece in [*pieces, Piece(text[place:last], False)] if piece.text]


def marked(text: str, wanted: frozenset[str], analyzer: "Analyzer") -> list[Piece]:
    """The whole text, cut where wanted words begin and end."""
    return pieces_of(text, find_marks(text, wanted, analyzer))


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Neighbours that do not differ, as one."""
    found: list[Piece] = []
    for piece in pieces:
        if found and found[-1].match == piece.match:
            piece = Piece(found.pop().text + piece.text, piece.match)
        found.append(piece)
    return found


def plain(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def _chunks(text: str, analyzer: "Analyzer") -> Iterator[tuple[int, str]]:
    """(where it starts, chunk) as the analyzer cuts the text, in characters of the text as it was written."""
    if analyzer.settings.tokenizer == "japanese":
        yield from _japanese_chunks(text)
    else:
        yield from ((match.start(), match[0]) for match in _GAPLESS.finditer(text))


def _japanese_chunks(text: str) -> Iterator[tuple[int, str]]:
    """MeCab reads cleaned text, in which characters may have moved; `places` leads back."""
    cleaned, places = _cleaned(text)
    place = 0
    for chunk in japanese.segment(text):
        found = cleaned.find(chunk, place)
        if found >= 0:
            place = found + len(chunk)
            yield places[found], text[places[found] : places[place]]


def _cleaned(text: str) -> tuple[str, list[int]]:
    """The cleaned text and, for each of its characters and its end, the place in the text it comes from."""
    cleaned: list[str] = []
    places: list[int] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and (unicodedata.combining(text[end]) or text[end] in _VOICED):
            end += 1
        made = clean(text[start:end])
        cleaned.append(made)
        places += [start] * len(made)
        start = end
    return "".join(cleaned), [*places, len(text)]


def _words(chunk: str, wanted: frozenset[str], analyzer: "Analyzer") -> list[Mark]:
    """The words of a chunk that give wanted terms; all of it but the signs around it where words alone do not."""
    terms = wanted & {*analyzer.chunk_terms(chunk)}
    words = list(_WORD.finditer(chunk))
    found = [mark for match in words for mark in _parts(match.start(), match[0], wanted, analyzer)]
    if terms == frozenset().union(*(mark.terms for mark in found)):
        return found
    start, end = (words[0].start(), words[-1].end()) if words else (0, len(chunk))
    return [Mark(start, end, terms)]


def _parts(start: int, word: str, wanted: frozenset[str], analyzer: "Analyzer") -> list[Mark]:
    terms = wanted & {*analyzer.chunk_terms(word)}
    if not terms:
        return []
    if analyzer.settings.tokenizer != "default" or not _PAIRS.search(word):
        return [Mark(start, start + len(word), terms)]
    return _joined([  # pairs of characters are the terms of scripts without spaces
        Mark(start + i, start + i + 2, given)
        for i in range(len(word) - 1)
        if (given := wanted & {*analyzer.chunk_terms(word[i : i + 2])})
    ]) or [Mark(start, start + len(word), terms)]  # fmt: skip


def _joined(marks: list[Mark]) -> list[Mark]:
    """Marks that overlap or touch, as one."""
    joined: list[Mark] = []
    for mark in marks:
        if joined and mark.start <= joined[-1].end:
            before = joined.pop()
            mark = Mark(before.start, mark.end, before.terms | mark.terms)
        joined.append(mark)
    return joined
