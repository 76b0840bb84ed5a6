"""The result of a training: what the command reports and what the model's artifact records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kakehashi.index.holdings import Holdings
from kakehashi.learn.steps import Tick
from kakehashi.training.data import TrainingData
from kakehashi.training.dev import DevSet
from kakehashi.types import Run

MOST_TICKS = 200  # kept with the model


class Trained(Protocol):
    """What every learner from pairs returns, besides its weights."""

    @property
    def epoch(self) -> int: ...
    @property
    def curve(self) -> list[Tick]: ...
    @property
    def measures(self) -> list[float]: ...


@dataclass(frozen=True)
class Outcome:
    """The chosen model is that after `epoch`; the dev measure is by epoch."""

    epoch: int
    curve: list[Tick]
    measures: list[float]
    n_weights: int  # that are not zero
    made_from: dict[str, Any]
    told: Sequence[str] = ()  # further information, one line each
    counted: str = "weights"  # what n_weights counts
    held_out: Run | None = (
        None  # its answers to queries it learned from, each by a model that did not see the query
    )


def outcome_of(
    trained: Trained, n_weights: int, holdings: Holdings, data: TrainingData, dev: DevSet
) -> Outcome:
    made_from = {
        **holdings.origin,
        "pairs": data.pairs.n_pairs,
        "epoch": trained.epoch,
        "nonzero_weights": n_weights,
        "dev": {"measure": dev.settings.measure, "queries": len(dev), "by_epoch": trained.measures},
        "curve": [[tick.epoch, tick.pairs, tick.loss, tick.error] for tick in _thinned(trained.curve)],
    }
    return Outcome(trained.epoch, trained.curve, trained.measures, n_weights, made_from)


def _thinned(curve: list[Tick]) -> list[Tick]:
    step = -(-len(curve) // MOST_TICKS) if curve else 1
    return curve[step - 1 :: step]
