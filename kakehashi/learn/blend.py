"""Weights and trees together: what is true of all queries from the weights, what holds only here and there from trees.

    score = (score by weights) / s_w + (score by trees) / s_t

s is how far apart a part's scores of the documents that matter lie, in the mean over the queries learned from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kakehashi.learn.linear import Lists, Weights
from kakehashi.learn.trees import Trees
from kakehashi.types import Array, Floats

BEST = 200  # documents of a list whose scores matter, by the part's own scores


@dataclass(frozen=True)
class Blend:
    """Its parts, divided by their spreads."""

    weights: Weights
    trees: Trees
    spreads: tuple[float, float]
    unit = "weights"
    by_sum = True

    def at(self, said: float) -> "Blend":
        return replace(self, weights=self.weights.at(said))

    def scores(self, rows: Array) -> Floats:
        by_weights, by_trees = self.spreads
        return self.weights.scores(rows) / by_weights + self.trees.scores(rows) / by_trees

    def shares(self, column: Array) -> Floats:
        by_weights, by_trees = self.spreads
        return self.weights.shares(column) / by_weights + self.trees.shares(column) / by_trees

    def each(self) -> Floats:
        return self.weights.each() / self.spreads[0]

    def as_sum(self) -> Floats:
        by_weights, by_trees = self.spreads
        return self.weights.as_sum() / by_weights + self.trees.as_sum() / by_trees

    def arrays(self) -> Mapping[str, Array]:
        return {**self.weights.arrays(), **self.trees.arrays(), "spreads": np.array(self.spreads)}


def blended(weights: Weights, trees: Trees, lists: Lists) -> Blend:
    """Of both as they were learned from these lists."""
    return Blend(weights, trees, (_spread(weights, lists), _spread(trees, lists)))


def _spread(part: Weights | Trees, lists: Lists) -> float:
    """The mean standard deviation of the best scores of each query; 1 where all are the same."""
    found = []
    for query, (first, end) in enumerate(
        zip(lists.starts[:-1].tolist(), lists.starts[1:].tolist(), strict=True)
    ):
        if end > first:
            own = part if lists.amounts is None else part.at(float(lists.amounts[query]))
            scores = own.scores(np.ascontiguousarray(lists.features[first:end].T))
            found.append(float(np.sort(scores)[-BEST:].std()))
    return float(np.mean(found)) or 1.0
