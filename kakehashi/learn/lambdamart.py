"""Trees grown by LightGBM's LambdaMART: each swap of two documents counts by what it changes of NDCG."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.errors import InputError
from kakehashi.learn.linear import Lists
from kakehashi.learn.trees import MOST_LEAVES, Trees
from kakehashi.types import Bools, Longs

MOST_DOCUMENTS = 10_000  # of a query, a limit of LightGBM
HIGHEST_LEVEL = 30  # of relevance, likewise: level n gains 2^n - 1
FIXED: dict[str, Any] = {
    "objective": "lambdarank",
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}


class TreeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the trees of lambdamart are grown."""

    trees: Annotated[int, Meta(description="`loss=lambdamart` and `both`: number of trees.")] = 200
    leaves: Annotated[int, Meta(description="`loss=lambdamart` and `both`: leaves per tree.")] = 8
    smallest: Annotated[
        int, Meta(description="`loss=lambdamart` and `both`: minimum number of documents in a leaf.")
    ] = 50
    shrinkage: Annotated[
        float,
        Meta(
            description="`loss=lambdamart` and `both`: fraction of each new tree that is added; above 0, at most 1."
        ),
    ] = 0.05
    depth: Annotated[
        int,
        Meta(
            description="`loss=lambdamart` and `both`: ranks from the top within which swapping two documents counts."
        ),
    ] = 30

    def __post_init__(self) -> None:
        for name, least in (("trees", 1), ("leaves", 2), ("smallest", 1), ("depth", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if self.leaves > MOST_LEAVES:
            raise InputError(f"leaves must be at most {MOST_LEAVES}, not {self.leaves}")
        if not 0.0 < self.shrinkage <= 1.0:
            raise InputError(f"shrinkage must lie between 0 and 1, not {self.shrinkage}")


def learn_trees(lists: Lists, settings: TreeSettings, seed: int, rising: Bools | None = None) -> Trees:
    """Grades are the relevance levels. More of a feature that is `rising` never lowers a score.

    A document that represents many has its gradient and curvature multiplied by their number, as if they were all in
    its leaf; ranks are those in the sampled list.
    """
    lists.check()
    sizes = np.diff(lists.starts)
    highest = int(lists.levels.max(initial=0))
    if highest > HIGHEST_LEVEL:
        raise InputError(
            f"lambdamart supports levels up to {HIGHEST_LEVEL}, but the judgments have {highest}"
        )
    if sizes.max(initial=0) > MOST_DOCUMENTS:
        raise InputError(
            f"lambdamart supports at most {MOST_DOCUMENTS} documents per query, not {sizes.max()}: "
            "set best or random lower"
        )
    lightgbm = _lightgbm()
    grown = {
        **FIXED,
        "learning_rate": settings.shrinkage,
        "num_leaves": settings.leaves,
        "min_data_in_leaf": settings.smallest,
        "lambdarank_truncation_level": settings.depth,
        "seed": seed,
    }
    if rising is not None and rising.any():
        grown["monotone_constraints"] = rising.astype(int).tolist()
    data = lightgbm.Dataset(
        lists.features,
        label=lists.levels.astype(np.int32),
        weight=lists.stands_for,
        group=sizes[sizes > 0],
        params=grown,
    )
    booster = lightgbm.train(grown, data, num_boost_round=settings.trees)
    return as_trees(booster.dump_model(), lists.features.shape[1])


def as_trees(dump: Mapping[str, Any], n_features: int) -> Trees:
    """What LightGBM says of its trees, as arrays."""
    parts = [_Tree(tree["tree_structure"]) for tree in dump["tree_info"]]
    gains = np.zeros(n_features)
    for part in parts:
        for feature, gain in zip(part.features, part.gains, strict=True):
            gains[feature] += gain
    return Trees(
        _starts([len(part.features) for part in parts]),
        np.array([one for part in parts for one in part.features], np.int32),
        np.array([one for part in parts for one in part.thresholds], np.float32),
        np.array([one for part in parts for one in part.spans], np.int32).reshape(-1, 3),
        _starts([len(part.values) for part in parts]),
        np.array([one for part in parts for one in part.values], np.float64),
        np.array([one for part in parts for one in part.means], np.float64).reshape(-1, 3),
        gains / max(float(gains.sum()), 1e-300),
    )


def _starts(sizes: list[int]) -> Longs:
    return np.cumsum([0, *sizes]).astype(np.int64)


class _Tree:
    """One tree: its leaves from left to right, its nodes from the root down."""

    def __init__(self, root: Mapping[str, Any]):
        self.features: list[int] = []
        self.thresholds: list[np.float32] = []
        self.spans: list[tuple[int, int, int]] = []
        self.means: list[tuple[float, float, float]] = []
        self.gains: list[float] = []
        self.values: list[float] = []
        self._read(root)

    def _read(self, node: Mapping[str, Any]) -> tuple[float, float]:
        """The sum of the values of all documents learned from that come here, and their number."""
        if "leaf_value" in node:
            self.values.append(float(node["leaf_value"]))
            number = float(node.get("leaf_count", 1))
            return number * self.values[-1], number
        place, first = len(self.features), len(self.values)
        self.features.append(int(node["split_feature"]))
        self.thresholds.append(_rounded_down(float(node["threshold"])))
        self.gains.append(max(float(node["split_gain"]), 0.0))
        self.spans.append((0, 0, 0))
        self.means.append((0.0, 0.0, 0.0))
        left, n_left = self._read(node["left_child"])
        middle = len(self.values)
        right, n_right = self._read(node["right_child"])
        self.spans[place] = (first, middle, len(self.values))
        self.means[place] = ((left + right) / (n_left + n_right), left / n_left, right / n_right)
        return left + right, n_left + n_right


def _rounded_down(threshold: float) -> np.float32:
    """The largest float32 that is not above it: numbers of that kind compare with both alike."""
    near = np.float32(threshold)
    return near if float(near) <= threshold else np.nextafter(near, np.float32(-np.inf))


def _lightgbm() -> Any:
    try:
        import lightgbm
    except (ImportError, OSError) as error:  # its wheel does not include OpenMP
        raise InputError(
            f"LightGBM cannot be loaded ({error}): install what is missing (Debian: libgomp1), or set loss=softmax"
        ) from None
    return lightgbm
