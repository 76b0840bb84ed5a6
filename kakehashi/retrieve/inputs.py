"""The scores that systems give to all documents of an index, scaled so that they can be added up.

A document that a system cannot find has nothing in common with the query and counts 0, the least a score of
shared words can be. Logarithms of likelihoods are negative: `found` and `range` move them so that this holds for
them too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.probe import Probe, probe
from kakehashi.retrieve.system import IndexSystem, prepare
from kakehashi.types import Array, Floats, Longs, Text

Scaling = Literal["found", "best", "range", "raw"]


@dataclass
class Input:
    """One system under the name it was asked for by; it may number documents otherwise, in an index of its own."""

    name: str
    system: IndexSystem
    index: Index  # whose numbers are wanted

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        prepare(self.system, queries, progress)

    @cached_property
    def _order(self) -> Longs | None:
        return _order(self.system.index, self.index)

    def scores(self, query: Text) -> Floats:
        """(documents,) NaN where the system finds nothing in common."""
        return self.probe(query).every

    def probe(self, query: Text) -> "InputProbe":
        return InputProbe(probe(self.system, query), self._order)


@dataclass
class InputProbe:
    """A probe by the numbers that are wanted."""

    inner: Probe
    order: Longs | None

    @property
    def cost(self) -> float:
        return self.inner.cost

    @property
    def finds_all(self) -> bool:
        return self.inner.finds_all

    @cached_property
    def every(self) -> Floats:
        if self.order is None:
            return self.inner.every
        return np.where(self.order == UNKNOWN, np.nan, self.inner.every[self.order])

    def some(self, docs: Longs) -> Floats:
        return self.inner.some(docs if self.order is None else self.order[docs])


def _order(own: Index, index: Index) -> Longs | None:
    """Where the documents of `index` stand in `own`, the dead nowhere; None where both number alike."""
    if own is index:
        return None
    here, there = index.numbering, own.numbering
    order = np.where(here.live, there.of(here.ids), UNKNOWN)
    missing = np.flatnonzero((order == UNKNOWN) & here.live)
    if len(missing):
        lacks = here.id(int(missing[0]))
        raise InputError(f"an index in other words lacks document '{lacks}': train that system again")
    alike = len(here) == len(there) and np.array_equal(order[here.live], np.flatnonzero(here.live))
    return None if alike else order


def fit_of(rows: Array) -> Array:
    """(inputs, documents) -> (documents,) float32: the mean of the scaled scores, 0 where it is negative.

    Added row by row, so that it is the same for one document and for all.
    """
    fit = np.zeros(rows.shape[1], np.float32)
    for row in rows:
        fit += row
    found: Array = np.maximum(fit / np.float32(len(rows)), np.float32(0.0))
    return found


Extent = tuple[float, float]  # the lowest and the highest score


def extent_of(scores: Floats) -> Extent | None:
    """None where nothing was found."""
    lowest, highest = _extremes(scores)
    return (lowest, highest) if lowest <= highest else None


def factors_of(extent: Extent | None, how: str) -> tuple[float, float]:
    """(what is taken off a score, what it is then multiplied by), from the extent of the scores of all documents."""
    if extent is None or how == "raw":
        return 0.0, 1.0
    lowest, highest = extent
    off = lowest if how == "range" or (how == "found" and highest <= 0.0) else 0.0
    most = max(abs(lowest - off), abs(highest - off))
    return off, 1.0 / most if most > 0.0 else 1.0


def scaled(scores: Floats, off: float, factor: float) -> Array:
    """float32 with 0 for what was not found."""
    values = np.where(np.isnan(scores), 0.0, scores - off)
    return (values * factor).astype(np.float32)


def scale(scores: Floats, how: str) -> tuple[Array, float]:
    """(scores float32 with 0 for what was not found, what one point of the score became)."""
    off, factor = factors_of(extent_of(scores), how)
    return scaled(scores, off, factor), factor


@kernel
def _extremes(scores: Array) -> Any:
    lowest, highest = np.inf, -np.inf
    for score in scores:
        if score < lowest:
            lowest = score
        if score > highest:
            highest = score
    return lowest, highest
