"""The kinds of features a set is written in; each gives one or more numbers for every document of an index.

A kind is a value: fields and settings. `bind` works out what depends on the documents alone and returns a function
that fills the feature's rows for one query. A text without a field shares nothing through it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from kakehashi.features.classes import Graph
from kakehashi.features.columns import (
    Column,
    Spelling,
    as_written,
    keyword_column,
    number_column,
    number_of,
)
from kakehashi.features.geography import Names
from kakehashi.index.index import Index
from kakehashi.types import Array, Floats, Text

# a query, and zeros (numbers of the feature, documents) to fill; whether it has anything in common with a document
Fill = Callable[[Text, Array], bool]


@dataclass(frozen=True)
class Known:
    """What features are worked out from."""

    index: Index
    graph: Graph  # of the collection's classes
    citations: Floats  # (documents,) how often training judgments call each relevant

    @property
    def n_docs(self) -> int:
        return len(self.citations)

    @cached_property
    def lengths(self) -> Floats:
        """(documents,) in words"""
        parts = [np.asarray(segment.lengths, np.float64) for segment in self.index.segments]
        return np.concatenate([*parts, np.zeros(0)])


class Kind(Protocol):
    @property
    def group(self) -> str:
        """What is left out together in an ablation."""
        ...

    @property
    def names(self) -> Sequence[str]: ...
    def bind(self, known: Known) -> Fill: ...


@dataclass(frozen=True)
class Shares:
    """1 where query and document have a value in common."""

    field: str
    spelling: Spelling = as_written
    name: str = ""

    @property
    def group(self) -> str:
        return self.name or self.field

    @property
    def names(self) -> Sequence[str]:
        return (self.group,)

    def bind(self, known: Known) -> Fill:
        column = keyword_column(known.index, self.field, self.spelling)

        def fill(query: Text, out: Array) -> bool:
            codes = column.known(column.values_of(query))
            for code in codes:
                out[0, column.holders(code)] = 1.0
            return bool(codes)

        return fill


@dataclass(frozen=True)
class Same(Shares):
    """1 where query and document have the same values and at least one."""

    def bind(self, known: Known) -> Fill:
        column = keyword_column(known.index, self.field, self.spelling)

        def fill(query: Text, out: Array) -> bool:
            values = column.values_of(query)
            codes = column.known(values)
            if codes and len(codes) == len(values):
                out[0] = (column.common(codes) == len(codes)) & (column.sizes == len(codes))
            return bool(out[0].any())

        return fill


@dataclass(frozen=True)
class Common(Shares):
    """How many values are common, in buckets that begin at the cuts: exactly one of them is 1."""

    cuts: tuple[int, ...] = (0, 1, 2, 3)

    @property
    def names(self) -> Sequence[str]:
        return _bucket_names(self.group, self.cuts)

    def bind(self, known: Known) -> Fill:
        column = keyword_column(known.index, self.field, self.spelling)

        def fill(query: Text, out: Array) -> bool:
            codes = column.known(column.values_of(query))
            buckets = np.searchsorted(self.cuts, column.common(codes), "right")
            for number in range(len(self.cuts)):
                out[number] = buckets == number + 1
            return bool(codes)

        return fill


@dataclass(frozen=True)
class Cosine(Shares):
    """Cosine of the sets of values, rare values counting more: each weighs ln(N / df)."""

    def bind(self, known: Known) -> Fill:
        column = keyword_column(known.index, self.field, self.spelling)
        squares = column.rarity**2
        owners = np.repeat(np.arange(column.n_docs), column.sizes)
        lengths = np.sqrt(np.bincount(owners, squares[column.values], column.n_docs))

        def fill(query: Text, out: Array) -> bool:
            codes = column.known(column.values_of(query))
            for code in codes:
                out[0, column.holders(code)] += squares[code]
            length = float(np.sqrt(squares[codes].sum()))
            if length > 0.0:
                out[0] /= np.where(lengths > 0.0, lengths, 1.0) * length
            return bool(codes)

        return fill


@dataclass(frozen=True)
class Overlap(Shares):
    """½(|S ∩ T| / |S| + |S ∩ T| / |T|); the document's values T spread so many steps up the class graph, or down."""

    steps: tuple[int, ...] = (0,)

    @property
    def names(self) -> Sequence[str]:
        return [f"{self.group} {steps:+d}" if steps else f"{self.group} overlap" for steps in self.steps]

    def bind(self, known: Known) -> Fill:
        columns = [self._spread(known, steps) for steps in self.steps]

        def fill(query: Text, out: Array) -> bool:
            found = False
            for row, column in zip(out, columns, strict=True):
                values = column.values_of(query)
                common = column.common(column.known(values))
                if values:
                    row[:] = 0.5 * common / len(values) + 0.5 * common / np.maximum(column.sizes, 1)
                    found = found or bool(common.any())
            return found

        return fill

    def _spread(self, known: Known, steps: int) -> Column:
        def spread(value: str) -> set[str]:
            return known.graph.around(value, steps)

        return keyword_column(known.index, self.field, self.spelling, spread if steps else None)


@dataclass(frozen=True)
class Bucket:
    """1 where the numbers of both lie in the same bucket, as begun by the cuts."""

    field: str
    cuts: tuple[int, ...]
    name: str = ""

    @property
    def group(self) -> str:
        return self.name or self.field

    @property
    def names(self) -> Sequence[str]:
        return _bucket_names(self.group, self.cuts)

    def bind(self, known: Known) -> Fill:
        buckets = self._bucket(number_column(known.index, self.field))

        def fill(query: Text, out: Array) -> bool:
            own = int(self._bucket(np.array([number_of(query, self.field)]))[0])
            if own > 0:
                out[own - 1] = buckets == own
            return own > 0

        return fill

    def _bucket(self, numbers: Floats) -> Array:
        """Counted from 1; 0 for none."""
        return np.where(np.isnan(numbers), 0, np.searchsorted(self.cuts, numbers, "right"))


@dataclass(frozen=True)
class Near:
    """The smaller of two numbers in parts of the larger: 1 where they are equal."""

    field: str

    @property
    def group(self) -> str:
        return self.field

    @property
    def names(self) -> Sequence[str]:
        return (f"{self.field} ratio",)

    def bind(self, known: Known) -> Fill:
        numbers = number_column(known.index, self.field)

        def fill(query: Text, out: Array) -> bool:
            out[0] = _ratio(number_of(query, self.field), numbers)
            return bool(out[0].any())

        return fill


@dataclass(frozen=True)
class Lengths:
    """The length of the shorter text in parts of the longer, in words."""

    group: str = "length"

    @property
    def names(self) -> Sequence[str]:
        return ("length ratio",)

    def bind(self, known: Known) -> Fill:
        def fill(query: Text, out: Array) -> bool:
            out[0] = _ratio(float(len(known.index.source_analyzer.terms(query.content))), known.lengths)
            return False  # any two texts have lengths

        return fill


@dataclass(frozen=True)
class Citations:
    """ln(1 + how often training judgments call the document relevant); the same for every query."""

    group: str = "citations"

    @property
    def names(self) -> Sequence[str]:
        return ("citations received",)

    def bind(self, known: Known) -> Fill:
        values = np.log1p(known.citations)

        def fill(query: Text, out: Array) -> bool:
            out[0] = values
            return False

        return fill


@dataclass(frozen=True)
class Places(Shares):
    """1 where both have a place in common; where the query names none, those of its people, as documents name them."""

    people: str = ""  # the field of names through which places are found
    near: bool = False  # spellings that differ a little are one place
    people_spelling: Spelling = as_written
    shortest: int = 1  # places of fewer letters must be equal

    @property
    def group(self) -> str:
        return "places"

    @property
    def names(self) -> Sequence[str]:
        return (self.name or self.field,)

    def bind(self, known: Known) -> Fill:
        column = keyword_column(known.index, self.field, self.spelling)
        people = keyword_column(known.index, self.people, self.people_spelling) if self.people else None
        names = Names(column.codes, self.shortest)

        def fill(query: Text, out: Array) -> bool:
            values = column.values_of(query)
            codes = set(column.known(values))
            if not values and people is not None:
                for person in people.known(people.values_of(query)):
                    for doc in people.holders(person):
                        codes.update(column.values[column.starts[doc] : column.starts[doc + 1]].tolist())
                values = [known_names[code] for code in codes]
            if self.near:
                codes.update(code for value in values for code in names.near(value))
            out[0] = column.any_of(codes)
            return bool(codes)

        known_names = list(column.codes)
        return fill


def _bucket_names(group: str, cuts: Sequence[int]) -> list[str]:
    ends = [*cuts[1:], None]
    return [
        f"{group} {first}+"
        if end is None
        else f"{group} {first}"
        if end == first + 1
        else f"{group} {first}-{end - 1}"
        for first, end in zip(cuts, ends, strict=True)
    ]


def _ratio(number: float, others: Floats) -> Floats:
    largest = np.maximum(number, others)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(np.minimum(number, others) / largest, nan=0.0, posinf=0.0)
