"""The CNN ranker: a network that scores a query with a document, trained on pairs of documents by PyTorch.

    p_i = tanh(W [x_i; ...; x_(i+h-1)] + b)        c = mean of p_i
    S(q, d) = tanh(O relu(... relu(U [c_q; c_d])))
    loss = max(0, 1 - (S(q, d+) - S(q, d-)))

Every part (words with windows of h = 4, classes with h = 1) has filters of its own for queries and for documents.
Word vectors stay as they are. Arrays in, arrays out; scoring without PyTorch is `cnn_model.py`.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.utils.deterministic
from torch.nn.functional import dropout, embedding_bag

from kakehashi.learn.cnn_draws import Batch, Drawing, Judged, draw_epoch
from kakehashi.learn.cnn_settings import SIDES
from kakehashi.learn.steps import Tick
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Array, Floats32, Ints, Longs

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # matrix products that are the same again, on a GPU
WINDOWS = {"cpu": 1 << 15, "cuda": 1 << 21}  # encoded at a time, which bounds memory


def has_cuda() -> bool:
    return torch.cuda.is_available()


class Texts(NamedTuple):
    """Text i holds words[starts[i]:starts[i + 1]], numbers of rows of its part's vectors."""

    starts: Longs  # (texts + 1,)
    words: Ints


class Part(NamedTuple):
    """What the network reads: words or classes, of both sides."""

    name: str
    window: int
    filters: int
    vectors: tuple[Floats32, Floats32]  # (words, dimensions) of queries and of documents
    texts: tuple[Texts, Texts]
    longest: tuple[int, int]  # words of a text that are read, of queries and of documents


class Shape(NamedTuple):
    """The network above the filters."""

    hidden: int
    layers: int  # matrices, the last of which gives the score
    dropout: float
    near: bool = False  # whether training begins with a score that falls with the distance of c_q and c_d


class Steps(NamedTuple):
    """How it is trained."""

    rate: float
    epochs: int
    patience: int
    seed: int


Weights = dict[str, Floats32]  # by name: `text.query.w`, `text.query.b`, ..., `mlp.0`, `mlp.1`, ...


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
        return ((2.0 * rng.random(size, dtype=np.float32) - 1.0) / np.float32(np.sqrt(size[0]))).astype(np.float32)

    weights: Weights = {}
    for part in parts:
        for side, vectors in zip(SIDES, part.vectors, strict=True):
            weights[f"{part.name}.{side}.w"] = uniform(part.window * vectors.shape[1], part.filters)
            weights[f"{part.name}.{side}.b"] = np.zeros(part.filters, np.float32)
    sizes = [2 * sum(part.filters for part in parts), *[shape.hidden] * (shape.layers - 1), 1]
    for i in range(shape.layers):
        weights[f"mlp.{i}"] = uniform(sizes[i], sizes[i + 1])
    if shape.near:
        for part in parts:
            weights[f"{part.name}.document.w"] = weights[f"{part.name}.query.w"].copy()
        half, last = sizes[0] // 2, f"mlp.{shape.layers - 1}"
        weights["mlp.0"][half:] = -weights["mlp.0"][:half]
        weights[last] = -np.abs(weights[last])
        for i in range(1, shape.layers - 1):
            weights[f"mlp.{i}"] = np.abs(weights[f"mlp.{i}"])
    return State(weights)


class Network:
    """The weights and the texts on one device."""

    def __init__(self, parts: Sequence[Part], shape: Shape, weights: Weights, device: str, by_word: bool | None = None):
        self.device, self.shape, self.parts = torch.device(device), shape, parts
        self.by_word = self.device.type == "cpu" if by_word is None else by_word
        self.weights = {
            name: torch.tensor(array, device=device, requires_grad=True) for name, array in weights.items()
        }
        self._vectors, self._texts = {}, {}
        for part in parts:
            for side, vectors, texts in zip(SIDES, part.vectors, part.texts, strict=True):
                key, zeros = (part.name, side), np.zeros((1, vectors.shape[1]), np.float32)  # the last row pads
                kept = torch.float32 if self.device.type == "cpu" else torch.bfloat16  # as they are multiplied
                self._vectors[key] = torch.tensor(np.concatenate([vectors, zeros]), dtype=kept, device=device)
                words = np.append(texts.words, np.int32(len(vectors))).astype(np.int64)
                self._texts[key] = torch.tensor(words, device=device), texts.starts
        self.phases: dict[str, float] = {}  # seconds, where somebody measures them

    def encode(self, side: str, rows: Longs) -> torch.Tensor:
        """(texts, filters of all parts)"""
        return torch.cat([self._encode(part, side, rows) for part in self.parts], dim=1)

    def _encode(self, part: Part, side: str, rows: Longs) -> torch.Tensor:
        """Texts of like length together, so that little is padding."""
        starts = self._texts[part.name, side][1]
        sizes = np.minimum(starts[rows + 1] - starts[rows], part.longest[SIDES.index(side)])
        order = np.argsort(sizes, kind="stable")
        found, first, room = [], 0, WINDOWS[self.device.type]
        widths = np.maximum(sizes[order], part.window)
        while first < len(order):
            # the widest text decides how many fit, and they are in ascending order
            fits = widths[first:] * np.arange(1, len(order) - first + 1) <= room
            last = first + max(1, int(np.count_nonzero(fits)))
            some = order[first:last]
            found.append(self._encode_block(part, side, starts[rows[some]], sizes[some], int(widths[last - 1])))
            first = last
        if not found:
            return torch.zeros((0, part.filters), device=self.device)
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return torch.cat(found)[torch.from_numpy(back).to(self.device)]

    def _encode_block(self, part: Part, side: str, starts: Longs, sizes: Longs, width: int) -> torch.Tensor:
        words, vectors = self._texts[part.name, side][0], self._vectors[part.name, side]
        w, b = self.weights[f"{part.name}.{side}.w"], self.weights[f"{part.name}.{side}.b"]
        begin, size = (torch.from_numpy(each).to(self.device, non_blocking=True) for each in (starts, sizes))
        places = torch.arange(width, device=self.device)  # (width,)
        inside = places < size[:, None]  # (texts, width)
        tokens = words[torch.where(inside, begin[:, None] + places, len(words) - 1)]  # (texts, width)
        n, h = width - part.window + 1, part.window
        sums = (_by_word if self.by_word else _by_window)(tokens, vectors, w, h)  # (texts · n, filters)
        p = torch.tanh(sums + b.to(sums.dtype)).view(len(starts), n, part.filters)
        count = torch.where(size > 0, torch.clamp(size - h + 1, min=1), 0)  # windows of each text
        mask = (torch.arange(n, device=self.device) < count[:, None]).to(p.dtype)  # (texts, n)
        total = torch.bmm(mask[:, None], p)[:, 0].float()  # (texts, filters)
        return total / torch.clamp(count, min=1)[:, None]

    def scores(
        self, queries: torch.Tensor, docs: torch.Tensor, query_of: Longs, doc_of: Longs,
        generator: torch.Generator | None = None,
    ) -> torch.Tensor:  # fmt: skip
        """(instances,) of encoded texts; with a generator, hidden values are dropped as in training."""
        u = self.weights["mlp.0"]
        m = queries.shape[1]
        left, right = (torch.from_numpy(each).to(self.device) for each in (query_of, doc_of))
        h = (queries @ u[:m])[left] + (docs @ u[m:])[right]  # U [c_q; c_d], each text's half once
        for i in range(1, self.shape.layers):
            h = self._dropped(torch.relu(h), generator) @ self.weights[f"mlp.{i}"]
        return torch.tanh(h[:, 0].float())

    def _dropped(self, h: torch.Tensor, generator: torch.Generator | None) -> torch.Tensor:
        rate = self.shape.dropout
        if generator is None or not rate:
            return h
        if self.device.type == "cuda":  # fused; its generator was seeded for the epoch
            return dropout(h, rate)
        kept = torch.empty(h.shape, dtype=torch.uint8).random_(0, 256, generator=generator) >= round(256 * rate)
        return h * kept * (256.0 / (256 - round(256 * rate)))

    def arrays(self) -> Weights:
        return {name: each.detach().cpu().numpy().copy() for name, each in self.weights.items()}


def _by_window(tokens: torch.Tensor, vectors: torch.Tensor, w: torch.Tensor, h: int) -> torch.Tensor:
    """(texts · windows, filters): every window times the filters."""
    x = vectors[tokens].unfold(1, h, 1)  # (texts, windows, k, h)
    return x.transpose(2, 3).reshape(-1, w.shape[0]) @ w


def _by_word(tokens: torch.Tensor, vectors: torch.Tensor, w: torch.Tensor, h: int) -> torch.Tensor:
    """The same, with every distinct word multiplied once for each place in a window: text repeats its words."""
    used, places = torch.unique(tokens, return_inverse=True)
    k, m = vectors.shape[1], w.shape[1]
    by_place = w.view(h, k, m).transpose(0, 1).reshape(k, h * m)
    projected = (vectors[used] @ by_place).view(-1, m)  # (used · h, m)
    bags = places.unfold(1, h, 1) * h + torch.arange(h, device=tokens.device)  # (texts, windows, h)
    return embedding_bag(bags.reshape(-1, h), projected, mode="sum")


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

    What is drawn and dropped in an epoch depends on the seed and the epoch, so a training goes on where it stopped.
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
        self.network = Network(parts, shape, state.weights, device)
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
        self.progress.start(f"learning, epoch {number} of {self.steps.epochs}", len(self.judged.relevant.starts) - 1)
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
            arrays = {name: each[key].cpu().numpy().copy() for name, each in zip(self.names, moments, strict=True)}
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


def encoded(network: Network, side: str, rows: Longs) -> Floats32:
    """(texts, filters of all parts) for measuring: no gradients are kept."""
    with torch.no_grad():
        return np.asarray(network.encode(side, rows).float().cpu().numpy(), np.float32)


def scored(network: Network, queries: Floats32, docs: Floats32, query_of: Longs, doc_of: Longs) -> Array:
    """(instances,) float32"""
    with torch.no_grad():
        left, right = (torch.from_numpy(each).to(network.device) for each in (queries, docs))
        return np.asarray(network.scores(left, right, query_of, doc_of).cpu().numpy())


def flops(parts: Sequence[Part], shape: Shape, n_queries: int, n_docs: int, n_instances: int) -> Mapping[str, float]:
    """Floating-point operations of one forward pass over full-length texts, by what they are for."""
    filters = {}
    for side, n, i in zip(SIDES, (n_queries, n_docs), (0, 1), strict=True):
        filters[side] = sum(
            2.0 * n * (part.longest[i] - part.window + 1) * part.window * part.vectors[i].shape[1] * part.filters
            for part in parts
        )
    m = sum(part.filters for part in parts)
    first = 2.0 * (n_queries + n_docs) * m * shape.hidden
    rest = 2.0 * n_instances * (shape.hidden * shape.hidden * (shape.layers - 2) + shape.hidden)
    return {"encoding": filters["query"] + filters["document"], "scoring": first + rest}
