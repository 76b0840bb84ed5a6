"""Splits Japanese text into words with MeCab and its IPA dictionary; uses surface forms only."""

import re
import threading
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from kakehashi.text.normalize import clean

MAX_PIECE = (
    4_000  # MeCab's lattice grows with the line, so a longer line is split after a full stop or a space
)
_CUTS = "。！？!? 、"
_ASCII_PAIR = re.compile(r"[!-~]{2}")
_local = threading.local()  # a tagger keeps its lattice, so each thread has its own


def lines(text: str) -> Iterator[list[str]]:
    """The chunks of each line of the text: words, punctuation marks, and runs of ASCII kept whole."""
    for line in clean(text).splitlines():
        chunks: list[str] = []
        for piece in _pieces(line):
            words = _tagger().parse(piece).split()
            chunks += _glue_ascii(piece, words) if _ASCII_PAIR.search(piece) else words
        if chunks:
            yield chunks


def segment(text: str) -> list[str]:
    return [chunk for chunks in lines(text) for chunk in chunks]


def joined(chunks: Iterable[str]) -> str:
    """Chunks of one line as text: a run of ASCII is one chunk, so two adjacent runs were separated by a space."""
    text = ""
    for chunk in chunks:
        gap = " " if text and (text[-1] + chunk[0]).isascii() else ""
        text += gap + chunk
    return text


def _tagger() -> Any:
    if not hasattr(_local, "tagger"):
        import fugashi
        import ipadic

        _local.tagger = fugashi.GenericTagger(f"{ipadic.MECAB_ARGS} -Owakati")
    return _local.tagger


def _pieces(line: str) -> Iterator[str]:
    start = 0
    while len(line) - start > MAX_PIECE:
        last = max(line.rfind(sign, start, start + MAX_PIECE) for sign in _CUTS)
        end = last + 1 if last >= start else start + MAX_PIECE
        yield line[start:end]
        start = end
    yield line[start:]


def _glue_ascii(piece: str, words: list[str]) -> list[str]:
    """Rejoin what MeCab split inside ASCII ("3.5mm", "foo-bar"); the chunk chain splits it later."""
    glued: list[str] = []
    for stretch in _stretches(piece, words):
        for is_ascii, run in groupby(stretch, key=str.isascii):
            if is_ascii:
                glued.append("".join(run))
            else:
                glued.extend(run)
    return glued


def _stretches(piece: str, words: list[str]) -> Iterator[list[str]]:
    """The words between two spaces of the piece."""
    if sum(map(len, words)) == len(piece):
        yield words
        return
    start, end = 0, 0
    for i, word in enumerate(words):
        place = piece.find(word, end)
        if place != end:
            yield words[start:i]
            start = i
        end = place + len(word)
    yield words[start:]
