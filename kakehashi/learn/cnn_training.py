"""Trains the network of `cnn.py` by Adam, epoch by epoch, so that a training that was stopped goes on to the same bits.

What is drawn and dropped in an epoch depends on the seed and the epoch alone. Another number of threads, or a GPU,
adds floating-point numbers in another order, so that there the last digits differ.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.utils.deterministic

from kakehashi.learn.cnn import Network, Part, Shape, Weights
from kakehashi.learn.cnn_draws import Batch, Drawing, Judged, draw_epoch
from kakehashi.learn.cnn_maxsim import START
from kakehashi.learn.cnn_settings import SIDES
from kakehashi.learn.cnn_windows import network_of
from kakehashi.learn.steps import Tick
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Floats32

os.environ.setdefault(
    "CUBLAS_WORKSPACE_CONFIG", ":4096:8"
)  # matrix products that are the same again, on a GPU


class Steps(NamedTuple):
    """How it is trained."""

    rate: float
    epochs: int
    patience: int
    seed: int


@dataclass
class State:
    """A training between two epochs; saved and read back, it goes on to the same result."""

    weights: Weights
    first: Weights = field(default_factory=dict)  # Adam's means of gradients
    second: Weights = field(default_factory=dict)  # and of their squares
    steps: int = 0
    epoch: int = 0
    best: Weights = field(default_factory=dict)
    best_epoch: int = 0
    measures: list[float] = field(default_factory=list)
    curve: list[Tick] = field(default_factory=list)


def fresh(parts: Sequence[Part], shape: Shape, seed: int) -> State:
    """Uniform values within 1/√(inputs), as PyTorch begins; alike on every device.

    With `near`, filters of both sides and U_q = -U_d begin alike and O is negative: S = -Σ o·relu(A(c_q - c_d)).
    """
    rng = np.random.default_rng([seed, 0])

    def uniform(*size: int) -> Floats32:
        return ((2.0 * rng.random(size, dtype=np.float32) - 1.0) / np.float32(np.sqrt(size[0]))).astype(
            np.float32
        )

    weights: Weights = {}
    for part in parts:
        for side, vectors in zip(SIDES, part.vectors, strict=True):
            weights[f"{part.name}.{side}.w"] = uniform(part.window * vectors.shape[1], part.filters)
            weights[f"{part.name}.{side}.b"] = np.zeros(part.filters, np.float32)
    if shape.match == "maxsim":
        if shape.near:
            _alike(parts, weights)
        weights["mlp.0"] = np.full((len(parts), 1), START, np.float32)
        return State(weights)
    sizes = [2 * sum(part.filters for part in parts), *[shape.hidden] * (shape.layers - 1), 1]
    for i in range(shape.layers):
        weights[f"mlp.{i}"] = uniform(sizes[i], sizes[i + 1])
    if shape.near:
        _alike(parts, weights)
        half, last = sizes[0] // 2, f"mlp.{shape.layers - 1}"
        weights["mlp.0"][half:] = -weights["mlp.0"][:half]
        weights[last] = -np.abs(weights[last])
        for i in range(1, shape.layers - 1):
            weights[f"mlp.{i}"] = np.abs(weights[f"mlp.{i}"])
    return State(weights)


def _alike(parts: Sequence[Part], weights: Weights) -> None:
    """Filters of both sides."""
    for part in parts:
        weights[f"{part.name}.document.w"] = weights[f"{part.name}.query.w"].copy()


class Trained(NamedTuple):
    """The best model on dev, or the last where nothing is measured."""

    weights: Weights
    epoch: int
    curve: list[Tick]
    measures: list[float]


Measure = Callable[[Network], float]
Save = Callable[[State], None]


def train_cnn(
    parts: Sequence[Part],
    judged: Judged,
    shape: Shape,
    drawing: Drawing,
    steps: Steps,
    device: str = "cpu",
    measure: Measure | None = None,
    start: State | None = None,
    save: Save = lambda state: None,
    progress: Progress = SILENT,
    threads: int = 0,
) -> Trained:
    """Train until `epochs`, or `patience` epochs without a better measure; `save` gets the state after each.

    What is drawn and dropped in an epoch depends on the seed and the epoch, so a training resumes where it stopped.
    """
    with _repeatable(threads):
        state = start or fresh(parts, shape, steps.seed)
        trainer = Trainer(parts, judged, shape, drawing, steps, device, state, progress)
        while state.epoch < steps.epochs and state.epoch - state.best_epoch < steps.patience:
            trainer.epoch()
            if measure is not None:
                state.measures.append(measure(trainer.network))
            if measure is None or state.measures[-1] > max(state.measures[:-1], default=-1.0):
                state.best, state.best_epoch = dict(state.weights), state.epoch
            save(state)  # whoever keeps it copies it: training goes on in the same object
        return Trained(state.best or state.weights, state.best_epoch, state.curve, state.measures)


@contextmanager
def _repeatable(threads: int) -> Iterator[None]:
    """As many threads as wanted, and sums of gradients in a fixed order, also where several threads make them."""
    before, was = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    filled = torch.utils.deterministic.fill_uninitialized_memory  # type: ignore[attr-defined]
    torch.set_num_threads(threads or before)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    try:
        yield
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = filled  # type: ignore[attr-defined]
        torch.use_deterministic_algorithms(was)
        torch.set_num_threads(before)


class Trainer:
    """Adam over the batches of an epoch."""

    def __init__(
        self, parts: Sequence[Part], judged: Judged, shape: Shape, drawing: Drawing, steps: Steps, device: str,
        state: State, progress: Progress = SILENT, timed: bool = False,
    ):  # fmt: skip
        self.judged, self.drawing, self.steps, self.state = judged, drawing, steps, state
        self.progress, self.timed, self.seconds = progress, timed, dict[str, float]()
        self.network = network_of(parts, shape, state.weights, device)
        self.names = list(self.network.weights)
        self.optimiser = torch.optim.Adam(
            [self.network.weights[name] for name in self.names], lr=steps.rate, fused=device != "cpu" or None
        )
        if state.steps:
            self._restore()

    def epoch(self) -> None:
        """One pass over all queries; the state is that after it."""
        state, network = self.state, self.network
        number, device = state.epoch + 1, network.device
        generator = torch.Generator(device).manual_seed(self.steps.seed * 1_000_003 + number)
        if device.type == "cuda":
            torch.cuda.manual_seed(self.steps.seed * 1_000_003 + number)
        rng = np.random.default_rng([self.steps.seed, number])
        totals, pairs = torch.zeros(2, device=device), 0
        self.progress.start(
            f"learning, epoch {number} of {self.steps.epochs}", len(self.judged.relevant.starts) - 1
        )
        try:
            for batch in self._batches(rng):
                totals += self.step(batch, generator)
                pairs += len(batch.better)
                self.progress.advance(len(batch.queries))
        finally:
            self.progress.finish()
        loss, errors = (totals / max(pairs, 1)).tolist()
        state.curve.append(Tick(number, pairs + (state.curve[-1].pairs if state.curve else 0), loss, errors))
        state.epoch = number
        self._keep()

    def _batches(self, rng: np.random.Generator) -> Iterator[Batch]:
        batches = draw_epoch(self.judged, self.drawing, rng)
        while True:
            with self.phase("drawing"):
                batch = next(batches, None)
            if batch is None:
                return
            if len(batch.better):
                yield batch

    def step(self, batch: Batch, generator: torch.Generator) -> torch.Tensor:
        """(2,) the sums of losses and of wrong orders; every text of the batch is encoded once."""
        network, on_cuda = self.network, self.network.device.type == "cuda"
        with torch.autocast("cuda", torch.bfloat16, enabled=on_cuda):
            with self.phase("encoding"):
                queries, docs = network.encode("query", batch.queries), network.encode("document", batch.docs)
            with self.phase("scoring"):
                scores = network.scores(queries, docs, batch.query_of, batch.doc_of, generator)
        better, worse = (torch.from_numpy(each).to(network.device) for each in (batch.better, batch.worse))
        margins = scores[better] - scores[worse]
        losses = torch.relu(1.0 - margins)
        with self.phase("gradients"):
            self.optimiser.zero_grad(set_to_none=True)
            losses.mean().backward()  # type: ignore[no-untyped-call]
        with self.phase("Adam"):
            self.optimiser.step()
        return torch.stack([losses.detach().sum(), (margins.detach() <= 0).sum().float()])

    def phase(self, name: str) -> "_Phase":
        return _Phase(self.seconds if self.timed else None, name, self.network.device)

    def _keep(self) -> None:
        moments = [self.optimiser.state[self.network.weights[name]] for name in self.names]
        self.state.weights = self.network.arrays()
        for attribute, key in (("first", "exp_avg"), ("second", "exp_avg_sq")):
            arrays = {
                name: each[key].cpu().numpy().copy() for name, each in zip(self.names, moments, strict=True)
            }
            setattr(self.state, attribute, arrays)
        self.state.steps = int(moments[0]["step"])

    def _restore(self) -> None:
        device = self.network.device
        for name in self.names:
            weight = self.network.weights[name]
            step = torch.tensor(float(self.state.steps), device=device if device.type == "cuda" else "cpu")
            self.optimiser.state[weight] = {
                "step": step,
                "exp_avg": torch.tensor(self.state.first[name], device=device),
                "exp_avg_sq": torch.tensor(self.state.second[name], device=device),
            }


class _Phase:
    """Adds the seconds of a piece of work to its name's; waits for the device, so only where they are wanted."""

    def __init__(self, seconds: dict[str, float] | None, name: str, device: torch.device):
        self._seconds, self._name, self._device = seconds, name, device

    def __enter__(self) -> None:
        if self._seconds is not None:
            self._began = self._now()

    def __exit__(self, *_: Any) -> None:
        if self._seconds is not None:
            self._seconds[self._name] = self._seconds.get(self._name, 0.0) + self._now() - self._began

    def _now(self) -> float:
        if self._device.type == "cuda":
            torch.cuda.synchronize()
        return perf_counter()
