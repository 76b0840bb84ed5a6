"""What the CNN ranker reads of queries and documents: words in their order, or classes; numbers of its own rows."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from kakehashi.features.classes import CODE_PART
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.tokens import Tokens, ordered_terms, read_tokens
from kakehashi.query.terms import check_source
from kakehashi.types import Ints, Longs, Text

UNKNOWN = -1


class Reader(Protocol):
    """One part, with the rows of its vectors."""

    @property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:
        """What the rows stand for, of queries and of documents."""
        ...

    def query(self, text: Text) -> Ints: ...
    def documents(self, numbers: Longs) -> tuple[Longs, Ints]:
        """(starts, rows) of live documents, side by side."""
        ...


def only_known(starts: Longs, rows: Ints) -> tuple[Longs, Ints]:
    """Without what has no vector."""
    known = rows != UNKNOWN
    before = np.append(0, np.cumsum(known)).astype(np.int64)
    return before[starts], rows[known]


@dataclass
class WordReader:
    """Words of the source language and of the documents' language."""

    holdings: Holdings
    names: tuple[Sequence[str], Sequence[str]]

    @cached_property
    def _of_query(self) -> dict[str, int]:
        return {term: row for row, term in enumerate(self.names[0])}

    @cached_property
    def _tokens(self) -> tuple[Tokens, Ints]:
        """And the row of each of its terms."""
        tokens = read_tokens(self.holdings)
        known = {term: row for row, term in enumerate(self.names[1])}
        return tokens, np.array([known.get(term, UNKNOWN) for term in tokens.terms], np.int32)

    def query(self, text: Text) -> Ints:
        index = self.holdings.index
        check_source(index, text)
        found = (self._of_query.get(term) for term in ordered_terms(index.source_analyzer, text))
        return np.array([row for row in found if row is not None], np.int32)

    def documents(self, numbers: Longs) -> tuple[Longs, Ints]:
        tokens, rows = self._tokens
        starts, words = tokens.of(numbers)
        return only_known(starts, rows[words])


@dataclass
class ClassReader:
    """Classes of both sides, which are of one graph; a class that it lacks counts as the nearest one above it."""

    index: Index
    names: tuple[Sequence[str], Sequence[str]]
    fields: Sequence[str]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names[0])}

    def query(self, text: Text) -> Ints:
        return np.array(sorted(self._of(classes_of(text.meta, self.fields))), np.int32)

    def documents(self, numbers: Longs) -> tuple[Longs, Ints]:
        found = [np.zeros((0, 2), np.int64)]
        firsts = self.index.numbering.firsts
        order = np.argsort(numbers, kind="stable")
        for i, segment in enumerate(self.index.segments):
            some = order[
                np.searchsorted(numbers[order], firsts[i]) : np.searchsorted(numbers[order], firsts[i + 1])
            ]
            for field in self.fields:
                if self.index.fields.get(field) == "keyword":
                    rows = self._rows_of(i, field)
                    found.append(_of_segment(segment.artifact, field, rows, numbers[some] - firsts[i], some))
        pairs = np.unique(np.concatenate(found), axis=0)
        starts = np.searchsorted(pairs[:, 0], np.arange(len(numbers) + 1)).astype(np.int64)
        return starts, pairs[:, 1].astype(np.int32)

    def _rows_of(self, segment: int, field: str) -> Longs:
        """The row of each value that a segment has in a field."""
        if (segment, field) not in self._of_values:
            names = self.index.segments[segment].artifact.strings(f"meta.{field}")
            self._of_values[segment, field] = np.array([self._row(name) for name in names], np.int64)
        return self._of_values[segment, field]

    @cached_property
    def _of_values(self) -> dict[tuple[int, str], Longs]:
        return {}

    def _of(self, classes: Iterable[str]) -> set[int]:
        return {row for name in classes if (row := self._row(name)) != UNKNOWN}

    def _row(self, name: str) -> int:
        for one in (name, *classes_above(name)):
            if one in self._rows:
                return self._rows[one]
        return UNKNOWN


def _of_segment(artifact: Any, field: str, rows: Longs, documents: Longs, places: Longs) -> Longs:
    """(place, row) of the classes of some documents in a field."""
    starts, codes = artifact.array(f"meta.{field}.starts"), artifact.array(f"meta.{field}.codes")
    sizes = starts[documents + 1] - starts[documents]
    owners, ends = np.repeat(places, sizes), np.cumsum(sizes)
    entries = np.arange(len(owners)) + np.repeat(starts[documents] - (ends - sizes), sizes)
    found = rows[codes[entries]] if len(entries) else np.zeros(0, np.int64)
    pairs: Longs = np.column_stack([owners, found])[found != UNKNOWN]
    return pairs


_PATH = re.compile(r"::| > |/")
_CODE = re.compile(r"[A-Z]\d\d[A-Z](?: ?\d[\d/ ]*)?")  # as the IPC and those that refine it write theirs


def classes_of(meta: Mapping[str, Any], fields: Sequence[str]) -> list[str]:
    """The values of these fields."""
    found: list[str] = []
    for field in fields:
        value = meta.get(field)
        found += [
            str(one) for one in (value if isinstance(value, list | tuple) else [value]) if one is not None
        ]
    return found


def classes_above(name: str) -> list[str]:
    """By its spelling, nearest first: `A01B 33/08` is below `A01B 33` and `A01B`, `use::editing` below `use`."""
    if _CODE.fullmatch(name):
        ends = [part.end() for part in CODE_PART.finditer(name)]
    else:
        ends = [*(part.start() for part in _PATH.finditer(name)), len(name)]
    return [name[:end] for end in reversed(ends[:-1]) if end]
