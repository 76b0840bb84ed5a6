"""The part of a text that a reader should see: about two lines around the place where most was found."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from kakehashi.text.marking import Mark, Piece, find_marks, merged, pieces_of

if TYPE_CHECKING:  # printing a table does not need it, nor what it imports
    from kakehashi.text.analyzer import Analyzer

COLUMNS = 180  # of a screen; wide characters take two
MOST_TEXT = 400_000  # characters that are looked through: a passage is wanted soon
LONGEST = 40  # characters of what may be a word
REPEATED = 0.05  # what a term is worth that stands in the passage already
_SENTENCE = re.compile(r"[.!?]\s+|[。！？]\s*|\n\s*")
_GAP = re.compile(r"\s+")
CUT = "…"


def passage(
    text: str, worth: Mapping[str, float], analyzer: "Analyzer", columns: int = COLUMNS
) -> list[Piece]:
    """About `columns` of the text around the densest place; its beginning where no term stands in it."""
    text = _GAP.sub(" ", text[:MOST_TEXT]).strip()
    marks = find_marks(text, frozenset(worth), analyzer)
    widths = _widths(text)
    first, last = _densest(marks, worth, widths, columns)
    start, end = _window(text, first, last, widths, columns)
    pieces = pieces_of(text, marks, start, end)
    before = [Piece(f"{CUT} ", False)] if start else []
    after = [Piece(f" {CUT}", False)] if end < len(text) else []
    return merged([*before, *pieces, *after])


def _widths(text: str) -> Sequence[int]:
    """Columns before each character, and of all."""
    return range(len(text) + 1) if text.isascii() else [0, *accumulate(map(char_columns, text))]


def char_columns(char: str) -> int:
    """How many columns of a screen a character takes."""
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _densest(
    marks: list[Mark], worth: Mapping[str, float], widths: Sequence[int], columns: int
) -> tuple[int, int]:
    """Where the marks begin and end that are worth most together and fit; each term counts in full once."""
    best, place = 0.0, (0, 0)
    ends = [widths[mark.end] for mark in marks]
    terms = [tuple(mark.terms) for mark in marks]
    for i, first in enumerate(marks):
        seen: set[str] = set()
        value, last = 0.0, widths[first.start] + columns
        for j in range(i, len(marks)):
            if ends[j] > last and j > i:
                break
            gained = 0.0
            for term in terms[j]:
                gained += worth[term] * (REPEATED if term in seen else 1.0)
            value += gained
            seen.update(terms[j])
            if value > best * (1 + 1e-9):
                best, place = value, (first.start, marks[j].end)
    return place


def _window(text: str, first: int, last: int, widths: Sequence[int], columns: int) -> tuple[int, int]:
    """What is shown: the marks, the beginning of their sentence if it fits, and whole words up to `columns`."""
    spare = max(0, columns - (widths[last] - widths[first]))
    least = bisect_left(widths, max(0, widths[first] - spare // 2))
    starts = [match.end() for match in _SENTENCE.finditer(text, least, first) if match.end() <= first]
    start = 0 if least == 0 else starts[0] if starts else _word_start(text, least, first)
    end = bisect_right(widths, widths[start] + columns) - 1
    if end >= len(text) - 1:
        return start, len(text)
    whole = _whole_end(text, last)
    return start, max(whole, _word_end(text, whole, end))


def _word_start(text: str, least: int, first: int) -> int:
    """The first beginning of a word from `least` on; scripts without gaps are cut anywhere."""
    gap = text.find(" ", max(0, least - 1), first)
    if gap >= 0:
        return gap + 1
    start = text.rfind(" ", 0, first) + 1  # the mark is part of a longer word, such as pole in 20-pole
    return start if first - start <= LONGEST and _narrow(text[start:first]) else least


def _whole_end(text: str, last: int) -> int:
    """The end of the word that a mark ends in, with the signs after it."""
    gap = text.find(" ", last)
    end = gap if gap >= 0 else len(text)
    return end if end - last <= LONGEST and _narrow(text[last:end]) else last


def _word_end(text: str, last: int, end: int) -> int:
    gap = text.rfind(" ", last, end + 1)
    return gap if gap >= 0 and _narrow(text[gap + 1 : end + 1]) else end


def _narrow(text: str) -> bool:
    """Whether text is of narrow characters, so that a cut may fall into a word."""
    return all(char_columns(char) == 1 for char in text)
