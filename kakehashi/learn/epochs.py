"""Epochs of learning W from pairs: rates, progressive validation, and the epoch with the best dev measure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn.layout import Layout, Positions
from kakehashi.learn.steps import StepSettings, Tick
from kakehashi.progress import Progress
from kakehashi.types import Array, Floats, Ints

Blocks = Callable[[], Iterable[PairBlock]]  # the pairs from the beginning, in order


@dataclass
class Trained:
    """Learned weights and their training history."""

    layout: Layout
    weights: Array  # (places,) float32
    epoch: int  # the epoch of these weights
    same: Ints | None = None  # for a diagonal: (query words,) the document word of each weight, or -1
    positions: tuple[Positions, Positions] | None = None  # of words that share the weights of their targets
    curve: list[Tick] = field(default_factory=list)
    measures: list[float] = field(default_factory=list)  # dev measure after each epoch
    sizes: list[int] = field(default_factory=list)  # non-zero weights after each epoch

    @property
    def n_nonzero(self) -> int:
        return int(np.count_nonzero(self.weights))


OnEpoch = Callable[[Trained], float]
LearnBlock = Callable[
    [PairBlock, Array, Array], None
]  # pairs, their rates; sets what w·x was before each update


def best_epoch(
    settings: StepSettings,
    run_epoch: Callable[[int], list[Tick]],
    taken: Callable[[int], Trained],
    on_epoch: OnEpoch | None,
    progress: Progress,
) -> Trained:
    """Run epochs until the dev measure has not improved for `patience` of them; without a measure, run all."""
    best: Trained | None = None
    curve: list[Tick] = []
    measures: list[float] = []
    sizes: list[int] = []
    for epoch in range(1, settings.epochs + 1):
        progress.start(f"learning, epoch {epoch} of {settings.epochs}")
        try:
            curve += run_epoch(epoch)
        finally:
            progress.finish()
        if on_epoch is None and epoch < settings.epochs:
            continue
        trained = taken(epoch)
        if on_epoch is not None:
            measures.append(on_epoch(trained))
            sizes.append(trained.n_nonzero)
        if best is None or measures[-1] > max(measures[:-1]):
            best = trained
        if epoch - best.epoch >= settings.patience:
            break
    if best is None:
        raise InputError("epochs must be at least 1")
    best.curve, best.measures, best.sizes = curve, measures, sizes
    return best


def train_in_order(
    blocks: Blocks,
    settings: StepSettings,
    learn: LearnBlock,
    taken: Callable[[int], Trained],
    on_epoch: OnEpoch | None,
    progress: Progress,
) -> Trained:
    """Epochs of a learner that updates its weights after every pair, on one thread."""
    seen = 0

    def run_epoch(epoch: int) -> list[Tick]:
        nonlocal seen
        ticks = []
        for pairs in blocks():
            n = len(pairs.positives)
            values = np.empty(n, np.float32)
            learn(pairs, rates_of(settings, epoch, seen, n).astype(np.float32), values)
            seen += n
            loss = float(np.maximum(pairs.margins - values, 0.0).mean())
            ticks.append(Tick(epoch, seen, loss, float((values <= 0.0).mean())))
            progress.advance(n)
        return ticks

    return best_epoch(settings, run_epoch, taken, on_epoch, progress)


def rates_of(settings: StepSettings, epoch: int, seen: int, n: int) -> Floats:
    """(pairs,) rates of the next n pairs after `seen`; the base rate if rates are adaptive."""
    if settings.rates != "schedule":
        return np.full(n, settings.rate)
    t = seen + np.arange(n, dtype=np.float64)
    return settings.rate * settings.decay ** (epoch - 1) * (settings.t0 / (settings.t0 + t)) ** settings.power
