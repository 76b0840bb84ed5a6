"""What learners from pairs share: how large their steps are, when they end, how they report; no learning here.

Rates: `schedule` is rate·decay^epoch·(t0/(t0 + t))^power with t the pairs so far, `fixed` is rate, `adaptive`
divides rate by the root of a weight's summed squared gradients.
"""

from dataclasses import dataclass
from typing import Literal

import msgspec

from kakehashi.errors import InputError


class StepSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sizes of steps, and how many."""

    rates: Literal["adaptive", "schedule", "fixed"] = "adaptive"
    rate: float = 0.2
    power: float = 0.5
    decay: float = 1.0
    t0: float = 1.0
    l2: float = 0.0
    epochs: int = 5
    patience: int = 1  # epochs without a better dev measure before it stops

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
