"""Kinds of features that compare numbers: buckets, ratios, lengths, citations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.features.columns import Docs, number_column, number_of
from kakehashi.features.kind import Bound, Known, bucket_names
from kakehashi.types import Array, Floats, Text


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
        return bucket_names(self.group, self.cuts)

    def bind(self, known: Known) -> Bound:
        buckets = self._bucket(number_column(known.index, self.field))

        def own_bucket(query: Text) -> int:
            return int(self._bucket(np.array([number_of(query, self.field)]))[0])

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            own = own_bucket(query)
            if own > 0:
                out[own - 1] = buckets[docs] == own
            return own > 0

        def add(query: Text, weights: Floats, out: Array) -> bool:
            own = own_bucket(query)
            if own > 0:
                out += weights[own - 1] * (buckets == own)
            return own > 0

        return Bound(fill, add)

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

    def bind(self, known: Known) -> Bound:
        numbers = number_column(known.index, self.field)

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            out[0] = _ratio(number_of(query, self.field), numbers[docs])
            return bool(out[0].any())

        return Bound(fill)


@dataclass(frozen=True)
class Lengths:
    """The length of the shorter text in parts of the longer, in words."""

    group: str = "length"

    @property
    def names(self) -> Sequence[str]:
        return ("length ratio",)

    def bind(self, known: Known) -> Bound:
        def length_of(query: Text) -> float:
            return float(len(known.index.source_analyzer.terms(query.content)))

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            out[0] = _ratio(length_of(query), known.lengths[docs])
            return False  # any two texts have lengths

        def add(query: Text, weights: Floats, out: Array) -> bool:
            _add_ratio(length_of(query), known.lengths, weights[0], out)
            return False

        return Bound(fill, add)


@dataclass(frozen=True)
class Citations:
    """ln(1 + how often training judgments call the document relevant); the same for every query."""

    group: str = "citations"
    is_prior: ClassVar[bool] = True

    @property
    def names(self) -> Sequence[str]:
        return ("citations received",)

    def bind(self, known: Known) -> Bound:
        values = np.log1p(known.citations)

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            out[0] = values[docs]
            return False

        def add(query: Text, weights: Floats, out: Array) -> bool:
            out += weights[0] * values
            return False

        return Bound(fill, add)


def _ratio(number: float, others: Floats) -> Floats:
    largest = np.maximum(number, others)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(np.minimum(number, others) / largest, nan=0.0, posinf=0.0)


@kernel
def _add_ratio(number: float, others: Array, weight: float, out: Array) -> None:
    for d in range(len(others)):
        largest = max(number, others[d])
        if largest > 0.0:
            out[d] += weight * (min(number, others[d]) / largest)
