"""Kinds of features that compare numbers: buckets, ratios, nearness, dates, lengths, citations."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.features.columns import Docs, date_column, day_of, number_column, number_of
from kakehashi.features.kind import Bound, Known, bucket_names
from kakehashi.types import Array, Floats, Text

YEAR = 365.25  # days


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
    """The smaller of two numbers in parts of the larger: 1 where they are equal, 0 where one is negative."""

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

        def add(query: Text, weights: Floats, out: Array) -> bool:
            return bool(_add_ratio(number_of(query, self.field), numbers, weights[0], out))

        return Bound(fill, add)


@dataclass(frozen=True)
class Within:
    """How near two numbers are: 1 / (1 + |a - b| / spread)."""

    field: str
    spread: float
    name: str = ""

    @property
    def group(self) -> str:
        return self.field

    @property
    def names(self) -> Sequence[str]:
        return (self.name or f"{self.field} nearness",)

    def bind(self, known: Known) -> Bound:
        numbers = number_column(known.index, self.field)

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            out[0] = _nearness(number_of(query, self.field), numbers[docs], self.spread)
            return bool(out[0].any())

        def add(query: Text, weights: Floats, out: Array) -> bool:
            return bool(_add_nearness(number_of(query, self.field), numbers, self.spread, weights[0], out))

        return Bound(fill, add)


@dataclass(frozen=True)
class Dates:
    """How near two dates are, 1 / (1 + years between them), and 1 where the document's is the earlier one."""

    field: str

    @property
    def group(self) -> str:
        return self.field

    @property
    def names(self) -> Sequence[str]:
        return (f"{self.field} nearness", f"{self.field} earlier")

    def bind(self, known: Known) -> Bound:
        days = date_column(known.index, self.field)

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            own = day_of(query, self.field)
            out[0] = _nearness(own, days[docs], YEAR)
            out[1] = days[docs] < own
            return bool(out[0].any())

        def add(query: Text, weights: Floats, out: Array) -> bool:
            own = day_of(query, self.field)
            _add_earlier(own, days, weights[1], out)
            return bool(_add_nearness(own, days, YEAR, weights[0], out))

        return Bound(fill, add)


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
    is_prior: bool = True  # of the document alone: may count only as far as the document fits the query

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
    smaller, larger = np.minimum(number, others), np.maximum(number, others)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(np.where(smaller >= 0.0, smaller / larger, 0.0), nan=0.0)


def _nearness(number: float, others: Floats, spread: float) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(1.0 / (1.0 + np.abs(others - number) / spread), nan=0.0)


@kernel
def _add_ratio(number: float, others: Array, weight: float, out: Array) -> bool:
    common = False
    for d in range(len(others)):
        smaller, larger = min(number, others[d]), max(number, others[d])
        if smaller >= 0.0 and larger > 0.0 and not np.isnan(smaller / larger):
            out[d] += weight * (smaller / larger)
            common = common or smaller > 0.0
    return common


@kernel
def _add_nearness(number: float, others: Array, spread: float, weight: float, out: Array) -> bool:
    n_common = 0
    for d in range(len(others)):
        nearness = spread / (spread + abs(others[d] - number))
        known = not np.isnan(nearness)  # as where either has no number
        out[d] += weight * nearness if known else 0.0
        n_common += known
    return n_common > 0


@kernel
def _add_earlier(day: float, days: Array, weight: float, out: Array) -> None:
    for d in range(len(days)):
        out[d] += weight if days[d] < day else 0.0
