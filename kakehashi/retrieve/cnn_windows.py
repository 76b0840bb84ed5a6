"""Scores candidates by late interaction: every window of the query finds its best match in a document.

Windows of documents are made when they are asked for, from the words that are kept beside the index; nothing is kept.
Reasons are exact up to the last step: what a window found is shared by its words, in proportion to the whole score.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kakehashi.index.holdings import Holdings
from kakehashi.learn.cnn_maxsim import Matched, Windows, matched, mean_of, unit_windows
from kakehashi.learn.cnn_model import CnnModel
from kakehashi.retrieve.cnn_parts import Read, Reader
from kakehashi.text.analyzer import NGRAM_SEPARATOR
from kakehashi.types import Floats, Longs, Share, Text, largest_first

BLOCK = 64  # documents whose windows are in memory together
SHOWN = 8  # words and classes of the query that reasons name


@dataclass
class WindowScorer:
    """One model over one index."""

    name: str
    holdings: Holdings
    model: CnnModel
    readers: Mapping[str, Reader]  # by the names of the model's parts

    @property
    def _weights(self) -> Floats:
        """(parts,)"""
        return np.abs(self.model.layers[0][:, 0].astype(np.float64))

    def scores(self, query: Text, documents: Longs) -> Floats:
        asked = self._windows(0, self._of_query(query))
        found = np.zeros(len(documents))
        for first in range(0, len(documents), BLOCK):
            some = slice(first, first + BLOCK)
            answered = self._windows(1, self._of_documents(documents[some]))
            for weight, one, other in zip(self._weights, asked, answered, strict=True):
                found[some] += weight * mean_of(matched(one, other))
        return np.tanh(found)

    def shares(self, query: Text, document: int, score: float) -> list[Share]:
        """By word or class of the query: what the windows that hold it found, and where."""
        reads = self._of_query(query), self._of_documents(np.array([document]))
        sides = [self._windows(side, each) for side, each in enumerate(reads)]
        found: list[_Found] = []
        for i, (name, weight) in enumerate(zip(self.model.parts, self._weights, strict=True)):
            matches = matched(sides[0][i], sides[1][i])
            values = weight * matches.values[:, 0] / max(len(matches.values), 1)
            said = _Said(name, reads[0][i], reads[1][i], self.readers[name], self._lengths(name))
            found += said.found(matches, values)
        total = sum(one.value for one in found)
        best = sorted(found, key=lambda one: -one.value)[:SHOWN]
        shares = [
            Share(one.word, one.label, score * one.value / total, one.part) for one in best if total > 0
        ]
        rest = score - sum(share.share for share in shares)
        return largest_first([one for one in [*shares, Share(self.name, "", rest)] if one.share])

    def _lengths(self, name: str) -> tuple[int, int]:
        """Words of a window, and of a query that are read."""
        filters = self.model.parts[name][0]
        return filters.window, filters.longest

    def _of_query(self, query: Text) -> list[Read]:
        return [self.readers[name].query(query) for name in self.model.parts]

    def _of_documents(self, documents: Longs) -> list[Read]:
        return [self.readers[name].documents(documents) for name in self.model.parts]

    def _windows(self, side: int, reads: list[Read]) -> list[Windows]:
        return [
            unit_windows(filters[side], read.starts, read.rows, read.vectors)
            for filters, read in zip(self.model.parts.values(), reads, strict=True)
        ]


@dataclass(frozen=True)
class _Found:
    """What a word of the query adds before the last step, and the window of the document it goes with most."""

    word: str
    label: str
    part: str
    value: float


@dataclass(frozen=True)
class _Said:
    """One part of a query and a document, in words."""

    part: str
    asked: Read
    answered: Read
    reader: Reader
    lengths: tuple[int, int]

    def found(self, matches: Matched, values: Floats) -> list[_Found]:
        """Each window is shared evenly by its words."""
        window, longest = self.lengths
        words = [self.asked.name(self.reader.names[0], row) for row in self.asked.rows[:longest].tolist()]
        shares: dict[str, list[Any]] = {}  # word -> [its sum, its largest share, where that was found]
        for i, value in enumerate(values.tolist()):
            inside = words[i : i + window]
            for word in inside if value > 0 else ():
                own = shares.setdefault(word, [0.0, 0.0, 0])
                own[0] += value / len(inside)
                if value > own[1]:
                    own[1:] = value, int(matches.places[i, 0])
        return [
            _Found(word, self._label(place), f"by {self.part}", total)
            for word, (total, _, place) in shares.items()
        ]

    def _label(self, place: int) -> str:
        """The words of a document's window; classes are not words and stand in brackets."""
        rows = self.answered.rows[place : place + self.lengths[0]].tolist()
        names = [self.answered.name(self.reader.names[1], row) for row in rows]
        return NGRAM_SEPARATOR.join(names) if self.part == "text" else f"({', '.join(names)})"
