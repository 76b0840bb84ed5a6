"""Learns weights for a few numbers about a query and a document; arrays in, weights out.

    margin    Σ over pairs of max(0, margin - w·(Φ(q, d⁺) - Φ(q, d⁻))), by steps pair after pair (T13)
    softmax   -ln of a relevant document's share of e^{w·Φ} among it and all that are not relevant, by
              Newton's method

Lists are samples of the full list of documents: random ones represent more than themselves. Trees are learned
from the same lists, but not here.

How much each number counts may depend on how much a query says. With z = ln((1 + words) / (1 + 50)), within the range
of the queries learned from,

    score = Σ_i (w_i + z·s_i)·Φ_i

so a query of five words and a whole document are weighed differently. w and s are learned together.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.learn.softmax import by_softmax
from kakehashi.types import Array, Bools, Floats, Longs

USUAL = 50  # words of a query for which weights are as given, without slopes


def amount(words: float) -> float:
    """How much a query of this many words says: 0 for one of the usual length."""
    return float(np.log((1.0 + words) / (1.0 + USUAL)))


class LinearSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How weights are learned; the penalty is in units of each feature's spread."""

    loss: Annotated[
        Literal["softmax", "margin", "lambdamart", "both"],
        Meta(
            description="What is learned: `softmax`, weights that minimise −ln of a relevant document's share among "
            "the documents that are not relevant; `lambdamart`, regression trees, by LightGBM; `both`, the weights of "
            "`softmax` and the trees of `lambdamart`, added; `margin`, weights by the margin ranking perceptron."
        ),
    ] = "both"
    l2: Annotated[
        float,
        Meta(
            description="`loss=softmax` and `both`: L2 penalty, in units of each feature's spread; 0 disables it."
        ),
    ] = 0.03
    rate: Annotated[
        float,
        Meta(
            description="`loss=margin`: step size, which falls with the square root of the number of pairs seen."
        ),
    ] = 0.05
    margin: Annotated[
        float, Meta(description="`loss=margin`: by how much a relevant document should outscore the others.")
    ] = 1.0
    epochs: Annotated[int, Meta(description="`loss=margin`: passes over all pairs.")] = 10
    seed: Annotated[int, Meta(description="Random seed for folds, sampled documents and pairs.")] = 1

    def __post_init__(self) -> None:
        if self.l2 < 0:
            raise InputError(f"l2 must not be negative, not {self.l2}")
        for name in ("rate", "margin", "epochs"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} must be positive, not {getattr(self, name)}")


@dataclass(frozen=True)
class Lists:
    """Some documents of each query's full list."""

    starts: Longs  # (queries + 1,)
    features: Array  # (documents, features) float32
    levels: Array  # (documents,) of relevance, 0 for none
    stands_for: Floats  # (documents,) how many documents of the full list it represents
    amounts: Floats | None = None  # (queries,) how much each query says; None: weights do not depend on it

    @cached_property
    def relevant(self) -> Bools:
        return self.levels > 0

    def check(self) -> None:
        if not self.relevant.any() or self.relevant.all():
            raise InputError(
                "there is nothing to learn from: no query has both relevant and other documents in its list"
            )

    def of(self, queries: Longs) -> "Lists":
        """The lists of some queries."""
        sizes = np.diff(self.starts)[queries]
        rows = [np.arange(self.starts[q], self.starts[q + 1]) for q in queries.tolist()]
        chosen = np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64)
        starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
        amounts = None if self.amounts is None else self.amounts[queries]
        return Lists(starts, self.features[chosen], self.levels[chosen], self.stands_for[chosen], amounts)

    def without(self, features: Longs) -> "Lists":
        """With some features always 0, so that no weight is learned for them."""
        kept = self.features.copy()
        kept[:, features] = 0.0
        return replace(self, features=kept)


@dataclass(frozen=True)
class Weights:
    """score = Σ weights · numbers."""

    values: Floats  # (features,) for a query of the usual length
    slopes: Floats | None = None  # (features,) what a query that says more adds to them
    extent: tuple[float, float] = (0.0, 0.0)  # of how much queries say, among those learned from
    unit = "weights"
    by_sum = True

    def at(self, said: float) -> "Weights":
        """Those of a query that says this much; beyond what was learned from, those of the nearest."""
        if self.slopes is None:
            return self
        low, high = self.extent
        return Weights(self.values + min(max(said, low), high) * self.slopes)

    def scores(self, rows: Array) -> Floats:
        scores: Floats = combine(self.values, rows)
        return scores

    def shares(self, column: Array) -> Floats:
        return np.append(self.values * column, 0.0)

    def each(self) -> Floats:
        return self.values

    def as_sum(self) -> Floats:
        return self.values

    def arrays(self) -> Mapping[str, Array]:
        own = {"weights": np.asarray(self.values, np.float64)}
        if self.slopes is not None:
            own |= {"slopes": np.asarray(self.slopes, np.float64), "extent": np.array(self.extent)}
        return own


@kernel
def combine(weights: Array, rows: Array) -> Array:
    """(documents,) Σ_i weights_i · rows_i, always added in this order, so that the result is reproducible."""
    scores = np.zeros(rows.shape[1])
    for i in range(len(weights)):
        for d in range(rows.shape[1]):
            scores[d] += weights[i] * rows[i, d]
    return scores


def learn(lists: Lists, settings: LinearSettings) -> Weights:
    """Weights, with slopes where the lists say how much each query says; 0 for what is the same in all documents.

    With `both`, only the weights: trees are learned elsewhere.
    """
    if settings.loss == "lambdamart":
        raise InputError("lambdamart learns trees, not weights: set loss=softmax or loss=margin")
    lists.check()
    if (
        settings.loss == "margin"
    ):  # on unscaled features: a rare feature is rarely learned from and has little weight
        return Weights(_perceptron(lists, lists.features, settings, np.random.default_rng(settings.seed)))
    if lists.amounts is None:
        return Weights(_by_softmax(lists, np.ones((len(lists.starts) - 1, 1)), settings.l2)[0])
    says = np.stack([np.ones(len(lists.amounts)), lists.amounts], 1)
    values, slopes = _by_softmax(lists, says, settings.l2)
    return Weights(values, slopes, (float(lists.amounts.min()), float(lists.amounts.max())))


def learn_weights(lists: Lists, settings: LinearSettings) -> Floats:
    """(features,) the same for queries of any length."""
    return learn(replace(lists, amounts=None), settings).values


def _by_softmax(lists: Lists, says: Floats, l2: float) -> Floats:
    """(parts, features) weights W; those of a query are says W: says (queries, parts) is 1, or 1 and its amount."""
    used = lists.features.any(axis=0)  # what is left out changes nothing, not even in the last digit
    kept = np.ascontiguousarray(lists.features[:, used])
    weights = np.zeros((says.shape[1], lists.features.shape[1]))
    weights[:, used] = by_softmax(lists.starts, kept, lists.relevant, np.log(lists.stands_for), says, l2)
    return weights


def _perceptron(lists: Lists, features: Array, settings: LinearSettings, rng: np.random.Generator) -> Floats:
    """The mean of the weights after every pair, which depends less on the last pairs than the last weights."""
    weights, mean = np.zeros(features.shape[1]), np.zeros(features.shape[1])
    seen = 0
    for _ in range(settings.epochs):
        order = rng.permutation(len(lists.starts) - 1)
        draws = rng.random(int(lists.relevant.sum()))
        seen = margin_epoch(
            order,
            draws,
            lists.starts,
            features,
            lists.relevant,
            np.cumsum(np.where(lists.relevant, 0.0, lists.stands_for)),
            settings.margin,
            settings.rate,
            seen,
            weights,
            mean,
        )
    return mean


@kernel
def margin_epoch(
    order: Array,
    draws: Array,
    starts: Array,
    features: Array,
    relevant: Array,
    masses: Array,
    margin: float,
    rate: float,
    seen: int,
    weights: Array,
    mean: Array,
) -> Any:
    """Each relevant document of each query against one that is not, drawn uniformly from the full list."""
    n = 0
    for q in order:
        first, end = starts[q], starts[q + 1]
        low = masses[first - 1] if first > 0 else 0.0
        mass = masses[end - 1] - low if end > first else 0.0
        for d in range(first, end):
            if not relevant[d]:
                continue
            draw = low + draws[n] * mass
            n += 1
            if mass <= 0.0:
                continue
            other = first + np.searchsorted(masses[first:end], draw, side="right")
            while other >= end or relevant[other]:  # rounding at the very end of the list
                other -= 1
            score = 0.0
            for f in range(len(weights)):
                score += weights[f] * (features[d, f] - features[other, f])
            if score < margin:
                step = rate / np.sqrt(1.0 + seen / 1000.0)
                for f in range(len(weights)):
                    weights[f] += step * (features[d, f] - features[other, f])
            seen += 1
            for f in range(len(weights)):
                mean[f] += (weights[f] - mean[f]) / seen
    return seen
