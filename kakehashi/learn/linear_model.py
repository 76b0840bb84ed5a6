"""A linear model over scores of systems and features of metadata, as an artifact folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.store import strings_arrays
from kakehashi.types import Floats

KIND, VERSION = "linear", 1


class Asked(msgspec.Struct, frozen=True):
    """A system whose scores are an input."""

    system: str
    settings: Mapping[str, Any] = {}

    @property
    def name(self) -> str:
        """As in `psq`, or `boosted(model=boosted-1g)` where something is set."""
        given = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        return f"{self.system}({given})" if given else self.system


@dataclass(frozen=True)
class LinearModel:
    """score(q, d) = Σ weights of the inputs' scores and of the features."""

    inputs: Sequence[Asked]
    scaling: str  # of the inputs' scores, see retrieve/inputs.py
    features: str  # the set of features
    names: Sequence[str]  # of inputs, then of features
    weights: Floats  # (inputs + features,)
    citations: Mapping[str, float]  # document id -> how often training judgments call it relevant
    analyzers: Mapping[str, str]  # those of the index it was trained over

    def save(
        self, folder: Path, settings: Mapping[str, Any], made_from: Mapping[str, Any], seed: int
    ) -> None:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put({"weights": np.asarray(self.weights, np.float64)})
            writer.put(strings_arrays("names", self.names))
            writer.put(strings_arrays("cited", list(self.citations)))
            writer.put({"citations": np.array(list(self.citations.values()), np.float64)})
            own = {
                "inputs": [msgspec.to_builtins(asked) for asked in self.inputs],
                "scaling": self.scaling,
                "features": self.features,
                "analyzers": dict(self.analyzers),
                "training": dict(settings),
            }
            writer.commit(own, made_from, seed)


def linear_of(artifact: store.Artifact) -> LinearModel:
    settings = artifact.meta.settings
    cited = zip(artifact.strings("cited"), np.asarray(artifact.array("citations")).tolist(), strict=True)
    return LinearModel(
        [msgspec.convert(asked, Asked) for asked in settings["inputs"]],
        settings["scaling"],
        settings["features"],
        list(artifact.strings("names")),
        np.asarray(artifact.array("weights")),
        dict(cited),
        settings["analyzers"],
    )
