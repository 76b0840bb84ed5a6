"""Tunes weights on a grid of shares: every point for two lists, exchange between pairs for more.

Works for any function of weights, independent of runs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from kakehashi.errors import InputError

Value = Callable[[Sequence[float]], float]
PAIR_STEP = 0.01
STEP = 0.05  # from three lists on
_Parts = tuple[int, ...]  # whole numbers of steps


@dataclass
class _Grid:
    """Values by point, each computed once."""

    value: Value
    steps: int
    known: dict[_Parts, float] = field(default_factory=dict)

    def __call__(self, parts: _Parts) -> float:
        if parts not in self.known:
            self.known[parts] = self.value(self.weights(parts))
        return self.known[parts]

    def weights(self, parts: _Parts) -> tuple[float, ...]:
        return tuple(part / self.steps for part in parts)

    def best(self, points: Iterator[_Parts]) -> _Parts:
        """The highest value; ties go to the most even weights, then to those that favour earlier lists."""
        return max(points, key=lambda parts: (self(parts), -sum(part * part for part in parts), parts))


@dataclass(frozen=True)
class Found:
    weights: tuple[float, ...]
    value: float
    points: int  # number of grid points tried
    curve: tuple[tuple[float, float], ...] = ()  # (share of the first list, value), for two lists


def best_weights(value: Value, n_lists: int, step: float | None = None) -> Found:
    """The shares with the highest value; never below that of a single list, because the corners are tried."""
    step = step or (PAIR_STEP if n_lists == 2 else STEP)
    steps = round(1 / step) if 1e-4 <= step <= 1 else 0
    if not steps or abs(steps * step - 1) > 1e-9:
        raise InputError(f"step {step:g}: 1 must be a multiple of it, such as 0.01 or 0.05")
    grid = _Grid(value, steps)
    if n_lists == 2:
        best = grid.best((part, steps - part) for part in range(steps, -1, -1))
        curve = tuple((part / steps, grid((part, steps - part))) for part in range(steps + 1))
        return Found(grid.weights(best), grid(best), len(grid.known), curve)
    alone = [tuple(steps * (i == j) for i in range(n_lists)) for j in range(n_lists)]
    for start in (_middle(n_lists, steps), grid.best(iter(alone))):
        _ascend(grid, start)
    best = grid.best(iter(grid.known))
    return Found(grid.weights(best), grid(best), len(grid.known))


def _middle(n_lists: int, steps: int) -> _Parts:
    return tuple((steps * (i + 1)) // n_lists - (steps * i) // n_lists for i in range(n_lists))


def _ascend(grid: _Grid, parts: _Parts) -> None:
    """Let pairs of lists redistribute their joint weight until no pair improves."""
    while True:
        before = grid(parts)
        for pair in combinations(range(len(parts)), 2):
            parts = grid.best(_exchanges(parts, *pair))
        if grid(parts) <= before:
            return


def _exchanges(parts: _Parts, i: int, j: int) -> Iterator[_Parts]:
    both = parts[i] + parts[j]
    for mine in range(both + 1):
        yield tuple(mine if n == i else both - mine if n == j else part for n, part in enumerate(parts))
