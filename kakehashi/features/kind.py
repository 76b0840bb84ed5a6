"""What a kind of feature is: a value that can be bound to the documents of an index."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from kakehashi.features.classes import Graph
from kakehashi.features.columns import EVERY, Docs
from kakehashi.index.index import Index
from kakehashi.learn.linear import combine
from kakehashi.types import Array, Floats, Text


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


# a query, documents, and zeros (numbers of the feature, these documents) to fill
Fill = Callable[[Text, Docs, Array], bool]
# a query, weights (numbers of the feature,), and sums (all documents,) to which weighted numbers are added
Add = Callable[[Text, Floats, Array], bool]


@dataclass(frozen=True)
class Bound:
    """A kind over the documents of one index.

    Both functions return whether the query has anything in common with any document; where only some documents
    are filled, this says nothing.
    """

    fill: Fill
    adding: Add | None = None  # a quicker way to the weighted sum over all documents, the same up to rounding

    def __call__(self, query: Text, out: Array) -> bool:
        """For all documents."""
        return self.fill(query, EVERY, out)

    def add(self, query: Text, weights: Floats, out: Array) -> bool:
        if self.adding is not None:
            return self.adding(query, weights, out)
        rows = np.zeros((len(weights), len(out)), np.float32)
        common = self(query, rows)
        out += combine(weights, rows)
        return common


class Kind(Protocol):
    """A kind that says nothing about a query, only about a document, has an attribute `is_prior` that is true."""

    @property
    def group(self) -> str:
        """What is left out together in an ablation."""
        ...

    @property
    def names(self) -> Sequence[str]: ...
    def bind(self, known: Known) -> Bound: ...


def bucket_names(group: str, cuts: Sequence[int]) -> list[str]:
    ends = [*cuts[1:], None]
    return [
        f"{group} {first}+"
        if end is None
        else f"{group} {first}"
        if end == first + 1
        else f"{group} {first}-{end - 1}"
        for first, end in zip(cuts, ends, strict=True)
    ]
