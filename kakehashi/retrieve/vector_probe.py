"""One query put to a system of vectors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kakehashi.index.index import Index
from kakehashi.retrieve.probe import in_segments
from kakehashi.types import Floats, Longs

PRODUCT = 0.2  # what a product of two numbers costs, in postings


@dataclass(frozen=True)
class AskedSegment:
    """A segment's vectors and the query's, ready to be multiplied."""

    every: Callable[[], Floats]
    some: Callable[[Longs], Floats]


@dataclass
class VectorProbe:
    """See `probe.Probe`."""

    index: Index
    segments: Sequence[AskedSegment] | None  # None: the query holds no known word
    dimensions: int
    finds_all = True

    @property
    def cost(self) -> float:
        return PRODUCT * self.dimensions

    @cached_property
    def every(self) -> Floats:
        if self.segments is None:
            return np.full(len(self.index.numbering), np.nan)
        parts = [segment.every() for segment in self.segments]
        return self.index.without_dead(np.concatenate([*parts, np.zeros(0)]))

    def some(self, docs: Longs) -> Floats:
        if "every" in self.__dict__ or self.segments is None:
            return self.every[docs]
        segments = self.segments
        return in_segments(self.index, docs, lambda i, some: segments[i].some(some))
