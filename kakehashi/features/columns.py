"""Metadata as columns: the values of each document, and the documents of each value; made from an index."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.metadata import NO_DATE, as_day
from kakehashi.types import Array, Bools, Floats, Ints, Longs, Text

Spelling = Callable[[str], Sequence[str]]  # a value as written -> the values it counts as
Spread = Callable[[str], Iterable[str]]  # a value -> the values a document that has it gets
Docs = slice | Longs  # numbers of documents, or `EVERY`
EVERY = slice(None)


@dataclass(frozen=True)
class Column:
    """A field whose values are sets of strings; documents are numbered across all segments."""

    field: str
    spelling: Spelling
    codes: Mapping[str, int]  # value -> number; independent of the segments, because sums follow it
    starts: Longs  # (documents + 1,)
    values: Ints  # (...,) numbers of a document's values, ascending
    doc_starts: Longs  # (values + 1,)
    docs: Ints  # (...,) documents of a value, ascending
    n_live: int  # dead documents have positions, but no values

    @property
    def n_docs(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Ints:
        """(documents,) how many values each has."""
        return np.diff(self.starts).astype(np.int32)

    @cached_property
    def rarity(self) -> Floats:
        """(values,) ln(N / df), of live documents"""
        df = np.maximum(np.diff(self.doc_starts), 1)
        return np.log(max(self.n_live, 1) / df)

    def holders(self, value: int) -> Ints:
        return self.docs[self.doc_starts[value] : self.doc_starts[value + 1]]

    def values_of(self, text: Text) -> list[str]:
        """The values of a text in this field, each once, whether or not a document has them."""
        return list(
            dict.fromkeys(value for raw in as_list(text.meta.get(self.field)) for value in self.spelling(raw))
        )

    def known(self, values: Iterable[str]) -> list[int]:
        return [self.codes[value] for value in values if value in self.codes]

    def common(self, codes: Iterable[int], docs: Docs = EVERY) -> Array:
        """(documents,) int32: how many of these values each has; each value is named once."""
        return self.shared(codes, (), docs)[0]

    def summed(self, codes: Sequence[int], worth: Floats, docs: Docs = EVERY) -> Array:
        """(documents,) float32: the sum of worth[code] over those of the values that a document has."""
        return self.shared(codes, (worth,), docs)[1][0]

    def shared(
        self, codes: Iterable[int], worths: Sequence[Floats], docs: Docs = EVERY
    ) -> tuple[Array, list[Array]]:
        """What `common` says, and what `summed` says of each worth.

        Sums are added in the order of the codes, rounded each time, so that they are the same for one document and
        for all.
        """
        numbers = np.array(list(codes), np.int64)
        if isinstance(docs, slice):
            where = self.doc_starts, self.docs, self.n_docs
            return _common(numbers, *where), [_summed(numbers, worth, *where) for worth in worths]
        places = np.zeros(max(len(self.codes), 1), np.int32)
        places[numbers] = np.arange(1, len(numbers) + 1)
        weights = np.array([worth[numbers] for worth in worths]).reshape(len(worths), len(numbers))
        sums, counts = _of_some(docs, self.starts, self.values, places, weights)
        return counts, list(sums)


def as_list(value: Any) -> list[str]:
    """A metadata value as the index stores it: none, one or many strings."""
    if value is None:
        return []
    many = value if isinstance(value, list | tuple) else [value]
    return [item if isinstance(item, str) else str(item) for item in many]


def as_written(value: str) -> Sequence[str]:
    return (value,)


def keyword_column(
    index: Index, field: str, spelling: Spelling = as_written, spread: Spread | None = None
) -> Column:
    """The column of a keyword field; with `spread`, documents also have the values that theirs extend to."""
    check_field(index, field, "keyword")
    live = index.numbering.live
    owners, raws, written = _held(index, field, live)
    codes: dict[str, int] = {}
    counts_as = [
        [codes.setdefault(value, len(codes)) for value in _spelled(raw, spelling, spread)] for raw in written
    ]
    sizes = np.array([len(row) for row in counts_as], np.int64)
    flat = np.array([code for row in counts_as for code in row], np.int64)
    starts, repeats = np.append(0, np.cumsum(sizes)), sizes[raws]
    within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    found = flat[np.repeat(starts[raws], repeats) + within]
    rows = np.unique(np.repeat(owners, repeats) * max(len(codes), 1) + found)
    docs, values = rows // max(len(codes), 1), rows % max(len(codes), 1)
    order = np.lexsort((docs, values))
    return Column(
        field,
        spelling,
        codes,
        np.searchsorted(docs, np.arange(len(live) + 1)).astype(np.int64),
        values.astype(np.int32),
        np.searchsorted(values[order], np.arange(len(codes) + 1)).astype(np.int64),
        docs[order].astype(np.int32),
        int(live.sum()),
    )


def number_column(index: Index, field: str) -> Floats:
    """(documents,) NaN if there is none, and for dead documents."""
    check_field(index, field, "number")
    parts = [np.asarray(segment.artifact.array(f"meta.{field}")) for segment in index.segments]
    return index.without_dead(np.concatenate([*parts, np.zeros(0)]))


def number_of(text: Text, field: str) -> float:
    value = text.meta.get(field)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else float("nan")


def date_column(index: Index, field: str) -> Floats:
    """(documents,) in days; NaN if there is none, and for dead documents."""
    check_field(index, field, "date")
    parts = [np.asarray(segment.artifact.array(f"meta.{field}")) for segment in index.segments]
    days = np.concatenate([*parts, np.zeros(0, np.int32)])
    return index.without_dead(np.where(days == NO_DATE, np.nan, days.astype(np.float64)))


def day_of(text: Text, field: str) -> float:
    """In days; NaN if there is none."""
    day = as_day(field, text.meta.get(field))
    return float("nan") if day == NO_DATE else float(day)


def check_field(index: Index, field: str, kind: str) -> None:
    if index.fields.get(field) != kind:
        known = ", ".join(f"{name} ({is_a})" for name, is_a in sorted(index.fields.items())) or "none"
        raise InputError(
            f"features need a field '{field}' of kind {kind}, but the index has {known}: "
            f"declare it under [fields] in collection.toml and run kakehashi index, or choose other features"
        )


def _held(index: Index, field: str, live: Bools) -> tuple[Longs, Longs, list[str]]:
    """Every value of every live document: (documents, positions in the third, all values as written, sorted)."""
    owners, codes, names = [], [], []
    first = 0
    for segment in index.segments:
        starts = segment.artifact.array(f"meta.{field}.starts")
        owner = first + np.repeat(np.arange(segment.n_docs), np.diff(starts))
        owners.append(owner[live[owner]])
        codes.append(np.asarray(segment.artifact.array(f"meta.{field}.codes"))[live[owner]])
        names.append(list(segment.artifact.strings(f"meta.{field}")))
        first += segment.n_docs
    held = [{own[code] for code in np.unique(some).tolist()} for own, some in zip(names, codes, strict=True)]
    written = sorted(set().union(*held))
    places = {name: place for place, name in enumerate(written)}
    tables = [np.array([places.get(name, -1) for name in own], np.int64) for own in names]
    raws = [table[some] for table, some in zip(tables, codes, strict=True)]
    return _joined(owners), _joined(raws), written


def _spelled(raw: str, spelling: Spelling, spread: Spread | None) -> list[str]:
    values = list(dict.fromkeys(spelling(raw)))
    return values if spread is None else sorted({more for value in values for more in spread(value)})


def _joined(parts: Sequence[Array]) -> Longs:
    return np.concatenate([*parts, np.zeros(0, np.int64)]).astype(np.int64)


@kernel
def _common(codes: Array, doc_starts: Array, docs: Array, n_docs: int) -> Array:
    counts = np.zeros(n_docs, np.int32)
    for code in codes:
        for i in range(doc_starts[code], doc_starts[code + 1]):
            counts[docs[i]] += 1
    return counts


@kernel
def _summed(codes: Array, worth: Array, doc_starts: Array, docs: Array, n_docs: int) -> Array:
    sums = np.zeros(n_docs, np.float32)
    for code in codes:
        for i in range(doc_starts[code], doc_starts[code + 1]):
            sums[docs[i]] = np.float32(sums[docs[i]] + worth[code])
    return sums


@kernel
def _of_some(some: Array, starts: Array, values: Array, places: Array, weights: Array) -> Any:
    """As `_summed` and `_common`; places (values,) says where a value stands among those asked for, from 1.

    weights (sums, values asked for)
    """
    n_sums, n_asked = weights.shape
    sums, counts = np.zeros((n_sums, len(some)), np.float32), np.zeros(len(some), np.int32)
    has = np.zeros(n_asked, np.bool_)
    for i in range(len(some)):
        for p in range(starts[some[i]], starts[some[i] + 1]):
            place = places[values[p]]
            if place > 0:
                has[place - 1] = True
                counts[i] += 1
        if counts[i] > 0:
            for j in range(n_asked):
                if has[j]:
                    for s in range(n_sums):
                        sums[s, i] = np.float32(sums[s, i] + weights[s, j])
                    has[j] = False
    return sums, counts
