"""A model over scores of systems and metadata features, linear or with trees, as an artifact folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.learn.asked import Asked
from kakehashi.learn.blend import Blend
from kakehashi.learn.linear import Weights
from kakehashi.learn.trees import trees_of
from kakehashi.soundness import Unsound, finite, typed
from kakehashi.store import strings_arrays
from kakehashi.types import Array, Floats

KIND, VERSION = "linear", 2


class Worth(Protocol):
    """Combines the numbers known about a query and a document: weights, trees, or both."""

    @property
    def unit(self) -> str:
        """Of `each`: weights, or gains."""
        ...

    @property
    def by_sum(self) -> bool:
        """Whether the sum `as_sum` is near enough to the scores to find all candidates by it."""
        ...

    def at(self, said: float) -> "Worth":
        """For a query that says this much (`linear.amount`); everything below belongs to one such query."""
        ...

    def scores(self, rows: Array) -> Floats:
        """(features, documents) -> (documents,)"""
        ...

    def shares(self, column: Array) -> Floats:
        """(features,) of one document -> (features + 1,) contribution of each; the last is equal for any document."""
        ...

    def each(self) -> Floats:
        """(features,) 0 for one that is not used."""
        ...

    def as_sum(self) -> Floats:
        """(features,) the weights of the sum that comes nearest to it."""
        ...

    def arrays(self) -> Mapping[str, Array]:
        """What is saved."""
        ...


@dataclass(frozen=True)
class LinearModel:
    """Inputs, features and their weights."""

    inputs: Sequence[Asked]
    scaling: str  # of the inputs' scores, see retrieve/inputs.py
    features: str  # the set of features
    names: Sequence[str]  # of inputs, then of features
    worth: Worth  # of inputs, then of features
    citations: Mapping[str, float]  # document id -> number of training judgments in which it is relevant
    analyzers: Mapping[str, str]  # those of the index it was trained over
    related: bool  # whether citations count only as far as the inputs find the document
    fields: Sequence[Mapping[str, Any]] = ()  # how the set `auto` uses each field

    def save(
        self, folder: Path, settings: Mapping[str, Any], made_from: Mapping[str, Any], seed: int
    ) -> None:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(self.worth.arrays())
            writer.put(strings_arrays("names", self.names))
            writer.put(strings_arrays("cited", list(self.citations)))
            writer.put({"citations": np.array(list(self.citations.values()), np.float64)})
            own = {
                "inputs": [msgspec.to_builtins(asked) for asked in self.inputs],
                "scaling": self.scaling,
                "features": self.features,
                "related": self.related,
                "fields": list(self.fields),
                "analyzers": dict(self.analyzers),
                "training": dict(settings),
            }
            writer.commit(own, made_from, seed)


def linear_of(artifact: store.Artifact) -> LinearModel:
    settings = artifact.meta.settings
    received = finite("citations", typed("citations", artifact.array("citations"), (np.float64,), None))
    cited = zip(artifact.strings("cited"), received.tolist(), strict=True)
    return LinearModel(
        [msgspec.convert(asked, Asked) for asked in settings["inputs"]],
        settings["scaling"],
        settings["features"],
        list(artifact.strings("names")),
        _worth(artifact),
        dict(cited),
        settings["analyzers"],
        settings["related"],
        settings.get("fields", ()),
    )


def _weights(artifact: store.Artifact) -> Weights:
    n = len(artifact.strings("names"))
    values = finite("weights", typed("weights", artifact.array("weights"), (np.float64,), n))
    if "slopes" not in artifact:
        return Weights(values)
    low, high = finite("extent", typed("extent", artifact.array("extent"), (np.float64,), 2)).tolist()
    return Weights(
        values, finite("slopes", typed("slopes", artifact.array("slopes"), (np.float64,), n)), (low, high)
    )


def _worth(artifact: store.Artifact) -> Worth:
    if "leaves" not in artifact:
        return _weights(artifact)
    trees = trees_of(artifact, len(artifact.strings("names")))
    if "spreads" not in artifact:
        return trees
    by_weights, by_trees = finite(
        "spreads", typed("spreads", artifact.array("spreads"), (np.float64,), 2)
    ).tolist()
    if not (by_weights > 0.0 and by_trees > 0.0):
        raise Unsound("spreads has a number that is not positive")
    return Blend(_weights(artifact), trees, (by_weights, by_trees))
