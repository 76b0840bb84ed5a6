"""What learners from pairs share: step sizes, stopping and reporting; no learning here.

Rates: `schedule` is rate·decay^epoch·(t0/(t0 + t))^power with t the pairs so far, `fixed` is rate, `adaptive`
divides rate by the root of a weight's summed squared gradients.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kakehashi.errors import InputError


class StepSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sizes of steps, and how many."""

    rates: Annotated[
        Literal["adaptive", "schedule", "fixed"],
        Meta(
            description="How the step size develops: `fixed` keeps `rate`, `schedule` uses rate·decay^epoch·(t0/(t0 "
            "+ t))^power after t pairs, with epochs counted from 0, `adaptive` divides `rate` by the "
            "root of each weight's summed squared gradients."
        ),
    ] = "adaptive"
    rate: Annotated[float, Meta(description="Step size, above 0; see `rates`.")] = 0.2
    power: Annotated[
        float, Meta(description="`rates=schedule`: exponent of the decay over pairs; 0 disables it.")
    ] = 0.5
    decay: Annotated[
        float, Meta(description="`rates=schedule`: factor for each further epoch; 1 disables it.")
    ] = 1.0
    t0: Annotated[
        float,
        Meta(description="`rates=schedule`: pairs after which t0/(t0 + t) has fallen to one half; above 0."),
    ] = 1.0
    l2: Annotated[float, Meta(description="L2 penalty, which pulls weights towards zero; 0 disables it.")] = (
        0.0
    )
    epochs: Annotated[int, Meta(description="Maximum number of passes over the training pairs.")] = 5
    patience: Annotated[
        int,
        Meta(
            description="Stop after this many passes without a better dev measure. The best model is kept. Without "
            "dev queries all passes run."
        ),
    ] = 1

    def __post_init__(self) -> None:
        for name in ("rate", "t0", "decay"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} must be positive, not {getattr(self, name)}")
        for name in ("epochs", "patience"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}")
        if min(self.l2, self.power) < 0:
            raise InputError("l2 and power must not be negative")


@dataclass(frozen=True)
class Tick:
    """Progressive validation of some pairs: mean loss and share of wrong orders, before each pair's own update."""

    epoch: int
    pairs: int  # seen so far, all epochs
    loss: float
    error: float
