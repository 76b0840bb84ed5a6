"""The kinds of features that look at values in common; each gives one or more numbers for every document.

A kind is a value: fields and settings. `bind` works out what depends on the documents alone and returns what fills
the feature's rows for one query. A text without a field shares nothing through it. Kinds that compare numbers are
in `quantities`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.features.columns import Column, Docs, Spelling, as_written, keyword_column
from kakehashi.features.geography import Names
from kakehashi.features.kind import Bound, Known, bucket_names
from kakehashi.types import Array, Floats, Text


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

    def bind(self, known: Known) -> Bound:
        column = keyword_column(known.index, self.field, self.spelling)

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            codes = column.known(column.values_of(query))
            out[0] = column.common(codes, docs) > 0
            return bool(codes)

        def add(query: Text, weights: Floats, out: Array) -> bool:
            codes = column.known(column.values_of(query))
            _add_by_count(out, column.common(codes), np.append(0.0, np.full(len(codes), weights[0])))
            return bool(codes)

        return Bound(fill, add)


@dataclass(frozen=True)
class Same(Shares):
    """1 where query and document have the same values and at least one."""

    def bind(self, known: Known) -> Bound:
        column = keyword_column(known.index, self.field, self.spelling)

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            values = column.values_of(query)
            codes = column.known(values)
            if codes and len(codes) == len(values):
                out[0] = (column.common(codes, docs) == len(codes)) & (column.sizes[docs] == len(codes))
            return bool(out[0].any())

        def add(query: Text, weights: Floats, out: Array) -> bool:
            codes = column.known(column.values_of(query))
            holders = column.holders(codes[0]).astype(np.int64) if codes else np.zeros(0, np.int64)
            row = np.zeros((1, len(holders)), np.float32)  # nobody else can have the same values
            common = fill(query, holders, row)
            out[holders] += weights[0] * row[0]
            return common

        return Bound(fill, add)


@dataclass(frozen=True)
class Common(Shares):
    """How many values are common, in buckets that begin at the cuts: exactly one of them is 1."""

    cuts: tuple[int, ...] = (0, 1, 2, 3)

    @property
    def names(self) -> Sequence[str]:
        return bucket_names(self.group, self.cuts)

    def bind(self, known: Known) -> Bound:
        column = keyword_column(known.index, self.field, self.spelling)

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            codes = column.known(column.values_of(query))
            buckets = np.searchsorted(self.cuts, column.common(codes, docs), "right")
            for number in range(len(self.cuts)):
                out[number] = buckets == number + 1
            return bool(codes)

        def add(query: Text, weights: Floats, out: Array) -> bool:
            codes = column.known(column.values_of(query))
            buckets = np.searchsorted(self.cuts, np.arange(len(codes) + 1), "right")
            _add_by_count(out, column.common(codes), np.append(0.0, weights)[buckets])
            return bool(codes)

        return Bound(fill, add)


@dataclass(frozen=True)
class Cosine(Shares):
    """Cosine of the sets of values, rare values counting more: each weighs ln(N / df)."""

    def bind(self, known: Known) -> Bound:
        column = keyword_column(known.index, self.field, self.spelling)
        squares = column.rarity**2
        owners = np.repeat(np.arange(column.n_docs), column.sizes)
        lengths = np.sqrt(np.bincount(owners, squares[column.values], column.n_docs))

        lengths = np.where(lengths > 0.0, lengths, 1.0)

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            codes = column.known(column.values_of(query))
            out[0] = column.summed(codes, squares, docs)
            length = float(np.sqrt(squares[codes].sum()))
            if length > 0.0:
                out[0] /= lengths[docs] * length
            return bool(codes)

        def add(query: Text, weights: Floats, out: Array) -> bool:
            codes = column.known(column.values_of(query))
            length = float(np.sqrt(squares[codes].sum()))
            _add_divided(out, column.summed(codes, squares), lengths, weights[0] / (length or 1.0))
            return bool(codes)

        return Bound(fill, add)


@dataclass(frozen=True)
class Overlap(Shares):
    """½(|S ∩ T| / |S| + |S ∩ T| / |T|); the document's values T spread this many steps up or down the class graph."""

    steps: tuple[int, ...] = (0,)

    @property
    def names(self) -> Sequence[str]:
        return [f"{self.group} {steps:+d}" if steps else f"{self.group} overlap" for steps in self.steps]

    def bind(self, known: Known) -> Bound:
        columns = [self._spread(known, steps) for steps in self.steps]

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            found = False
            for row, column in zip(out, columns, strict=True):
                values = column.values_of(query)
                common = column.common(column.known(values), docs)
                if values:
                    row[:] = 0.5 * common / len(values) + 0.5 * common / np.maximum(column.sizes[docs], 1)
                    found = found or bool(common.any())
            return found

        def add(query: Text, weights: Floats, out: Array) -> bool:
            found = False
            for weight, column in zip(weights, columns, strict=True):
                values = column.values_of(query)
                codes = column.known(values)
                if codes:
                    _add_overlap(out, column.common(codes), column.sizes, len(values), weight)
                    found = True
            return found

        return Bound(fill, add)

    def _spread(self, known: Known, steps: int) -> Column:
        def spread(value: str) -> set[str]:
            return known.graph.around(value, steps)

        return keyword_column(known.index, self.field, self.spelling, spread if steps else None)


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

    def bind(self, known: Known) -> Bound:
        column = keyword_column(known.index, self.field, self.spelling)
        people = keyword_column(known.index, self.people, self.people_spelling) if self.people else None
        names = Names(column.codes, self.shortest)

        def asked(query: Text) -> set[int]:
            values = column.values_of(query)
            codes = set(column.known(values))
            if not values and people is not None:
                for person in people.known(people.values_of(query)):
                    for doc in people.holders(person):
                        codes.update(column.values[column.starts[doc] : column.starts[doc + 1]].tolist())
                values = [known_names[code] for code in codes]
            if self.near:
                codes.update(code for value in values for code in names.near(value))
            return codes

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            codes = asked(query)
            out[0] = column.common(codes, docs) > 0
            return bool(codes)

        def add(query: Text, weights: Floats, out: Array) -> bool:
            codes = asked(query)
            _add_by_count(out, column.common(codes), np.append(0.0, np.full(len(codes), weights[0])))
            return bool(codes)

        known_names = list(column.codes)
        return Bound(fill, add)


@kernel
def _add_by_count(out: Array, counts: Array, worth: Array) -> None:
    """worth (values asked for + 1,) by how many of them a document has"""
    for d in range(len(out)):
        out[d] += worth[counts[d]]


@kernel
def _add_divided(out: Array, sums: Array, lengths: Array, weight: float) -> None:
    for d in range(len(out)):
        out[d] += weight * sums[d] / lengths[d]


@kernel
def _add_overlap(out: Array, counts: Array, sizes: Array, n_asked: int, weight: float) -> None:
    for d in range(len(out)):
        if counts[d] > 0:
            out[d] += weight * 0.5 * (counts[d] / n_asked + counts[d] / sizes[d])
