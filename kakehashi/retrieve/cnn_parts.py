"""What the CNN ranker reads of queries and documents: words in their order, or classes; numbers of its own rows."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from kakehashi.features.classes import CODE_PART
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.tokens import Tokens, ordered_terms, read_tokens
from kakehashi.learn.subwords import Subwords
from kakehashi.query.terms import check_source
from kakehashi.types import Floats32, Ints, Longs, Text

UNKNOWN = -1


class Read(NamedTuple):
    """What is read of some texts, as rows of vectors."""

    starts: Longs  # (texts + 1,)
    rows: Ints  # of text i: rows[starts[i]:starts[i + 1]]
    names: Sequence[str] = ()  # of rows beyond the reader's own, which are those of this reading alone
    vectors: Floats32 | None = None  # (names, k)

    def name(self, known: Sequence[str], row: int) -> str:
        return known[row] if row < len(known) else self.names[row - len(known)]


class Reader(Protocol):
    """One part, with the rows of its vectors."""

    @property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:
        """What the rows stand for, of queries and of documents."""
        ...

    def query(self, text: Text) -> Read: ...
    def documents(self, numbers: Longs) -> Read:
        """Live documents, side by side."""
        ...


def of_one(rows: Iterable[int]) -> Read:
    found = np.array(list(rows), np.int32)
    return Read(np.array([0, len(found)]), found)


def only_known(starts: Longs, rows: Ints) -> Read:
    """Without what has no vector."""
    known = rows != UNKNOWN
    before = np.append(0, np.cumsum(known)).astype(np.int64)
    return Read(before[starts], rows[known])


def side_by_side(reads: Sequence[Read], n_known: int) -> Read:
    """One reading of all their texts; a name that several have beyond the known ones gets one row."""
    places: dict[str, int] = {}
    starts, rows, vectors = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)], []
    n = 0
    for read in reads:
        own = np.arange(n_known + len(read.names), dtype=np.int32)
        for i, name in enumerate(read.names):
            if name not in places and read.vectors is not None:
                places[name] = len(places)
                vectors.append(read.vectors[i])
            own[n_known + i] = n_known + places[name]
        starts.append(read.starts[1:] + n)
        rows.append(own[read.rows])
        n += len(read.rows)
    more = np.array(vectors, np.float32) if vectors else None
    return Read(np.concatenate(starts), np.concatenate(rows), list(places), more)


@dataclass
class WordReader:
    """Words of the source language and of the documents' language."""

    holdings: Holdings
    names: tuple[Sequence[str], Sequence[str]]
    subwords: tuple[Subwords, Subwords] | None = None  # for words that have no vectors

    @cached_property
    def _of_query(self) -> dict[str, int]:
        return {term: row for row, term in enumerate(self.names[0])}

    @cached_property
    def _tokens(self) -> tuple[Tokens, Ints]:
        """And the row of each of its terms."""
        tokens = read_tokens(self.holdings)
        known = {term: row for row, term in enumerate(self.names[1])}
        return tokens, np.array([known.get(term, UNKNOWN) for term in tokens.terms], np.int32)

    def query(self, text: Text) -> Read:
        index = self.holdings.index
        check_source(index, text)
        terms = ordered_terms(index.source_analyzer, text)
        rows = np.array([self._of_query.get(term, UNKNOWN) for term in terms], np.int32)
        return self._read(0, np.array([0, len(terms)]), rows, terms.__getitem__)

    def documents(self, numbers: Longs) -> Read:
        tokens, rows = self._tokens
        starts, words = tokens.of(numbers)
        return self._read(1, starts, rows[words], lambda place: tokens.terms[words[place]])

    def _read(self, side: int, starts: Longs, rows: Ints, term: Callable[[int], str]) -> Read:
        """With vectors for words that have none of their own, where subwords say something about them."""
        if not self.subwords:
            return only_known(starts, rows)
        names: dict[str, int] = {}
        vectors: list[Floats32] = []
        rows, nothing = rows.copy(), set[str]()
        for place in np.flatnonzero(rows == UNKNOWN).tolist():
            name = term(place)
            if name not in names and name not in nothing:
                vector = self.subwords[side].vector(name)
                if vector is None:
                    nothing.add(name)
                    continue
                names[name] = len(self.names[side]) + len(names)
                vectors.append(vector)
            rows[place] = names.get(name, UNKNOWN)
        known = only_known(starts, rows)
        return known._replace(names=list(names), vectors=np.array(vectors)) if names else known


@dataclass
class ClassReader:
    """Classes of both sides, which are of one graph; a class that it lacks counts as the nearest one above it."""

    index: Index
    names: tuple[Sequence[str], Sequence[str]]
    fields: Sequence[str]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names[0])}

    def query(self, text: Text) -> Read:
        return of_one(sorted(self._of(classes_of(text.meta, self.fields))))

    def documents(self, numbers: Longs) -> Read:
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
        return Read(starts, pairs[:, 1].astype(np.int32))

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
_CODE = re.compile(r"[A-Z]\d\d[A-Z](?: ?\d[\d/ ]*)?")  # as the IPC writes its own
# as offices refine it: ECLA A01B33/08B2, FI A01B33/08,101@A
_REFINED = re.compile(r"([A-Z]\d\d[A-Z] ?\d+/\d+)((?:,\d+|@?[A-Z])(?:,\d+|@?[A-Z]|\d+)*)")
_STEP = re.compile(r",\d+|@?[A-Z]|\d+")


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
    refined = _REFINED.fullmatch(name)
    if refined:
        code, steps = refined.groups()
        longer = [code + steps[: part.start()] for part in _STEP.finditer(steps)]
        return [*reversed(longer), *classes_above(code)]
    if _CODE.fullmatch(name):
        ends = [part.end() for part in CODE_PART.finditer(name)]
    else:
        ends = [*(part.start() for part in _PATH.finditer(name)), len(name)]
    return [name[:end] for end in reversed(ends[:-1]) if end]
