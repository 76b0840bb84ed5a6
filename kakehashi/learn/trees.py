"""Regression trees over a few numbers about a query and a document, as plain arrays.

A tree's leaves are numbered from left to right. A node compares one number with a threshold; what is greater goes
right. It is known by the leaves below it: first to middle on its left, middle to end on its right. No array holds
pointers, so whoever made a file, no number in it leads outside another array.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.soundness import finite, starts, typed, within
from kakehashi.store import Artifact
from kakehashi.types import Array, Floats, Longs

MOST_LEAVES = 32  # of a tree: a set of leaves is one 32-bit number
FEW_LEAVES = 8  # up to which every set of leaves is looked up
POINTS = 2000  # at which trees are compared with a sum
ALL = np.uint32(0xFFFFFFFF)
BLOCK = 256  # documents whose sets of leaves stay in the fastest cache


@dataclass(frozen=True)
class Trees:
    """score = Σ over trees of the leaf that a document falls into."""

    node_starts: Longs  # (trees + 1,) the nodes of each tree
    features: Array  # (nodes,) int32, which number is compared
    thresholds: Array  # (nodes,) float32
    spans: Array  # (nodes, 3) int32: first, middle and end of the leaves below, in their tree
    leaf_starts: Longs  # (trees + 1,) the leaves of each tree
    values: Floats  # (leaves,)
    means: (
        Floats  # (nodes, 3) mean value of the documents learned from: at the node, on its left, on its right
    )
    gains: Floats  # (features,) share of each in what all splits gained
    unit = "gains"
    by_sum = False

    def at(self, said: float) -> "Trees":
        """The same for queries of any length."""
        return self

    def scores(self, rows: Array) -> Floats:
        scores: Floats = tree_scores(
            np.ascontiguousarray(rows, np.float32), self.features, self.thresholds, self._left_out,
            self.node_starts, self.leaf_starts, self.values, self._by_set,
        )  # fmt: skip
        return scores

    def shares(self, column: Array) -> Floats:
        """By how much each comparison on the way to a leaf changes the mean; last, the means of whole trees."""
        shares: Floats = tree_shares(
            np.ascontiguousarray(column, np.float32), len(self.gains), self.features, self.thresholds,
            self.spans, self.node_starts, self.leaf_starts, self.values, self.means,
        )  # fmt: skip
        return shares

    def each(self) -> Floats:
        """Shares of the total gain of all splits."""
        return self.gains

    def as_sum(self) -> Floats:
        return self._nearest_sum

    @cached_property
    def _nearest_sum(self) -> Floats:
        """Least squares on numbers between 0 and 1, where scaled scores and most features lie."""
        points = np.random.default_rng(0).uniform(size=(POINTS, len(self.gains)))
        values = self.scores(points.T)
        weights: Floats = np.linalg.lstsq(points - 0.5, values - values.mean(), rcond=None)[0]
        return weights

    @cached_property
    def _left_out(self) -> Array:
        """(nodes,) the leaves that a document which goes right cannot fall into."""
        first, middle = self.spans[:, 0].astype(np.int64), self.spans[:, 1].astype(np.int64)
        return ((1 << middle) - (1 << first)).astype(np.uint32)

    @cached_property
    def _by_set(self) -> Floats:
        """(trees, sets of leaves) the value of the leftmost leaf of each set; no sets where trees are large."""
        most = int(np.diff(self.leaf_starts).max(initial=0))
        if most > FEW_LEAVES:
            return np.zeros((len(self.leaf_starts) - 1, 0))
        leftmost = np.array([lowest_bit(each) for each in range(1 << most)])
        found = np.zeros((len(self.leaf_starts) - 1, 1 << most))
        for tree, (first, end) in enumerate(zip(self.leaf_starts[:-1], self.leaf_starts[1:], strict=True)):
            found[tree] = self.values[np.minimum(first + leftmost, end - 1)]
        return found

    def arrays(self) -> Mapping[str, Array]:
        return {
            "node_starts": self.node_starts,
            "features": self.features,
            "thresholds": self.thresholds,
            "spans": self.spans,
            "leaf_starts": self.leaf_starts,
            "leaves": self.values,
            "means": self.means,
            "gains": self.gains,
        }


def trees_of(artifact: Artifact, n_features: int) -> Trees:
    """As saved; what does not hold together is refused."""
    features = typed("features", artifact.array("features"), (np.int32,), None)
    n, leaves = len(features), typed("leaves", artifact.array("leaves"), (np.float64,), None)
    n_trees = len(artifact.array("node_starts")) - 1
    leaf_starts = starts("leaf_starts", artifact.array("leaf_starts"), n_trees, len(leaves))
    within("leaves per tree", np.diff(leaf_starts), MOST_LEAVES + 1, 1)
    return Trees(
        starts("node_starts", artifact.array("node_starts"), n_trees, n),
        within("features", features, n_features),
        finite("thresholds", typed("thresholds", artifact.array("thresholds"), (np.float32,), n)),
        within("spans", typed("spans", artifact.array("spans"), (np.int32,), n, 3), MOST_LEAVES + 1),
        leaf_starts,
        finite("leaves", leaves),
        finite("means", typed("means", artifact.array("means"), (np.float64,), n, 3)),
        finite("gains", typed("gains", artifact.array("gains"), (np.float64,), n_features)),
    )


def _lowest_bits() -> Array:
    """Where the lowest bit of a 32-bit number is, by what it gives multiplied by a de Bruijn sequence."""
    places = np.zeros(32, np.int64)
    for place in range(32):
        places[(((1 << place) * 0x077CB531) & 0xFFFFFFFF) >> 27] = place
    return places


PLACES = _lowest_bits()


@kernel
def lowest_bit(leaves: int) -> int:
    low = leaves & -leaves
    return PLACES[((low * 0x077CB531) & 0xFFFFFFFF) >> 27]  # type: ignore[no-any-return]


@kernel
def tree_scores(
    rows: Array,
    features: Array,
    thresholds: Array,
    left_out: Array,
    node_starts: Array,
    leaf_starts: Array,
    values: Array,
    by_set: Array,
) -> Array:
    """(documents,) each from the trees in their order.

    Instead of following one document from node to node, every node takes leaves away from a block of documents, which
    needs no branches: the leftmost leaf that remains is the one a document falls into.
    """
    n_docs = rows.shape[1]
    scores = np.zeros(n_docs)
    remaining = np.empty(BLOCK, np.uint32)
    for start in range(0, n_docs, BLOCK):
        size = min(BLOCK, n_docs - start)
        sums = scores[start : start + size]  # of a slice, indices are known to be inside, so loops are SIMD
        for tree in range(len(leaf_starts) - 1):
            first = leaf_starts[tree]
            remaining[:size] = np.uint32((1 << (leaf_starts[tree + 1] - first)) - 1)
            for node in range(node_starts[tree], node_starts[tree + 1]):
                row = rows[features[node], start : start + size]
                threshold, kept = thresholds[node], ~left_out[node]
                for d in range(size):
                    remaining[d] &= kept if row[d] > threshold else ALL
            if by_set.shape[1]:
                for d in range(size):
                    sums[d] += by_set[tree, remaining[d]]
            else:
                for d in range(size):
                    sums[d] += values[first + lowest_bit(np.int64(remaining[d]))]
    return scores


@kernel
def tree_shares(
    column: Array,
    n_features: int,
    features: Array,
    thresholds: Array,
    spans: Array,
    node_starts: Array,
    leaf_starts: Array,
    values: Array,
    means: Array,
) -> Array:
    """(features + 1,) which sum to the score."""
    shares = np.zeros(n_features + 1)
    for tree in range(len(leaf_starts) - 1):
        size = leaf_starts[tree + 1] - leaf_starts[tree]
        remaining = (1 << size) - 1
        nodes = range(node_starts[tree], node_starts[tree + 1])
        for node in nodes:
            if column[features[node]] > thresholds[node]:
                remaining &= ~((1 << spans[node, 1]) - (1 << spans[node, 0]))
        leaf = lowest_bit(remaining)
        reached = values[leaf_starts[tree] + leaf]
        for node in nodes:
            if spans[node, 0] <= leaf < spans[node, 2]:
                below = means[node, 2] if leaf >= spans[node, 1] else means[node, 1]
                shares[features[node]] += below - means[node, 0]
                reached -= below - means[node, 0]
        shares[n_features] += reached
    return shares
