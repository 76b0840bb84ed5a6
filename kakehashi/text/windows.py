"""Cuts a text into windows of about equal width for encoders, which read only so much of a text at a time."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from kakehashi.text.passages import char_columns

_SENTENCE_END = re.compile(r"[.!?](?= )|[。！？]")
LEAST = 0.5  # of a window: a sentence that ends before would make it too short


def windows(text: str, columns: int, overlap: int = 0, most: int = 0) -> list[str]:
    """Windows of at most `columns`, in which wide characters take two; each repeats about `overlap` of the one before.

    A window ends with a sentence where one ends in its second half, otherwise with a word, otherwise anywhere.
    `most` 0: all of the text.
    """
    text = " ".join(text.split())
    widths = range(len(text) + 1) if text.isascii() else [0, *accumulate(map(char_columns, text))]
    found: list[str] = []
    start = 0
    while start < len(text) and (not most or len(found) < most):
        end = _end(text, start, widths, columns)
        found.append(text[start:end].rstrip())
        if end >= len(text):
            break
        start = max(_back(text, start, end, widths, overlap), start + 1)
        start += text[start] == " "
    return found


def _end(text: str, start: int, widths: Sequence[int], columns: int) -> int:
    end = max(bisect_right(widths, widths[start] + columns) - 1, start + 1)
    if end >= len(text):
        return len(text)
    least = bisect_right(widths, widths[start] + int(columns * LEAST))
    if ends := [match.end() for match in _SENTENCE_END.finditer(text, least, end)]:
        return ends[-1]
    gap = text.rfind(" ", least, end + 1)
    return gap if gap > start else end


def _back(text: str, start: int, end: int, widths: Sequence[int], overlap: int) -> int:
    """Where the next window starts: with a word, at least `overlap` before the end."""
    if not overlap:
        return end
    place = max(bisect_right(widths, widths[end] - overlap) - 1, start + 1)
    gap = text.rfind(" ", start + 1, place)
    return gap + 1 if gap > start else place
