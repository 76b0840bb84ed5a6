"""LambdaMART: LightGBM trees learned from the same lists as weights; needs the extra `trees`.

The model is LightGBM's own text; reading it runs no code. One thread and no sampling: the same lists and settings
give the same trees.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.errors import InputError
from kakehashi.learn.linear import Lists
from kakehashi.types import Array, Bools, Floats

MOST_DOCUMENTS = 10_000  # of a query, a limit of LightGBM
HIGHEST_LEVEL = 30  # of relevance, likewise: level n gains 2^n - 1
POINTS = 2000  # at which trees are compared with a sum
FIXED = {
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
        if not 0.0 < self.shrinkage <= 1.0:
            raise InputError(f"shrinkage must lie between 0 and 1, not {self.shrinkage}")


@dataclass(frozen=True)
class Trees:
    """score = Σ over trees of the leaf that a document falls into."""

    text: str  # as LightGBM writes it
    n_features: int
    unit = "gains"
    is_sum = False

    def at(self, said: float) -> "Trees":
        """The same for queries of any length."""
        return self

    def scores(self, rows: Array) -> Floats:
        scores: Floats = self._booster.predict(rows.T, num_threads=1)
        return np.asarray(scores, np.float64)

    def shares(self, column: Array) -> Floats:
        """Shapley values: the mean contribution of each feature over all orders in which they may become known."""
        shares: Floats = self._booster.predict(column[None], pred_contrib=True, num_threads=1)[0]
        return shares

    def each(self) -> Floats:
        """Shares of the total gain of all splits."""
        gains = np.asarray(self._booster.feature_importance("gain"), np.float64)
        return gains / max(float(gains.sum()), 1e-300)

    def as_sum(self) -> Floats:
        return self._nearest_sum

    @cached_property
    def _nearest_sum(self) -> Floats:
        """Least squares on numbers between 0 and 1, where scaled scores and most features lie."""
        points = np.random.default_rng(0).uniform(size=(POINTS, self.n_features))
        values = self.scores(points.T.astype(np.float32))
        weights: Floats = np.linalg.lstsq(points - 0.5, values - values.mean(), rcond=None)[0]
        return weights

    def arrays(self) -> Mapping[str, Array]:
        return {"trees": np.frombuffer(self.text.encode(), np.uint8)}

    def open(self) -> None:
        """Report errors now, not at the first query."""
        if self._booster.num_feature() != self.n_features:
            raise InputError(
                f"the trees use {self._booster.num_feature()} features, not {self.n_features}: train them again"
            )

    @cached_property
    def _booster(self) -> Any:
        lightgbm = _lightgbm()
        try:
            return lightgbm.Booster(model_str=self.text)
        except lightgbm.basic.LightGBMError as error:
            raise InputError(f"the trees cannot be read ({error}): train them again") from None


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
        params={**FIXED, **grown},
    )
    booster = lightgbm.train({**FIXED, **grown}, data, num_boost_round=settings.trees)
    return Trees(booster.model_to_string(), lists.features.shape[1])


def _lightgbm() -> Any:
    try:
        import lightgbm
    except ImportError:
        raise InputError("lambdamart needs LightGBM: pip install 'kakehashi[trees]'") from None
    except OSError as error:  # its wheel does not include OpenMP
        raise InputError(f"LightGBM cannot be loaded ({error}): install what is missing") from None
    return lightgbm
