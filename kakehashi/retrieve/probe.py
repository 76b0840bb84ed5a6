"""One query put to one system, compiled once: scores of all documents, or of any that are named.

Documents are numbered as in the system's own index. Scores are those of `score_all`, to the bit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from kakehashi.index.index import Index
from kakehashi.retrieve.system import IndexSystem
from kakehashi.types import Floats, Longs, Text


class Probe(Protocol):
    @property
    def cost(self) -> float:
        """Of `every`, in postings read per document of the index; the same after any history of updates."""
        ...

    @property
    def finds_all(self) -> bool:
        """Whether it scores every document with a known word, and not only those that share one."""
        ...

    @property
    def every(self) -> Floats:
        """(documents,) NaN where nothing is in common, and for the dead."""
        ...

    def some(self, docs: Longs) -> Floats:
        """Of these documents, which live."""
        ...


@dataclass
class Whole:
    """Of a system that scores all documents or none."""

    system: IndexSystem
    query: Text
    cost, finds_all = 0.0, False  # which documents are named makes no difference

    @cached_property
    def every(self) -> Floats:
        return self.system.score_all(self.query)

    def some(self, docs: Longs) -> Floats:
        return self.every[docs]


def probe(system: IndexSystem, query: Text) -> Probe:
    """A system that can score some documents for less than all says so by a method of this name."""
    own = getattr(system, "probe", None)
    return Whole(system, query) if own is None else own(query)


def in_segments(index: Index, docs: Longs, scores: Callable[[int, Longs], Floats]) -> Floats:
    """What `scores` says of documents, asked segment by segment: (its number, numbers within it)."""
    firsts = index.numbering.firsts
    if len(index.segments) == 1:
        return scores(0, docs)
    found = np.full(len(docs), np.nan)
    for i in range(len(index.segments)):
        here = np.flatnonzero((docs >= firsts[i]) & (docs < firsts[i + 1]))
        found[here] = scores(i, docs[here] - firsts[i])
    return found
