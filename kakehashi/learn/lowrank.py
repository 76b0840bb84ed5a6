"""Low-rank supervised model f(q, d) = (Uq)·(Vd), trained on pairs of documents; arrays in, arrays out, no files.

For a pair (q, d+, d-) with margin b and x = d+ - d-, where b - f(q, x) > 0:

    U <- U + rate · (Vx) qᵀ        V <- V + rate · (Uq) xᵀ

U and V are kept word by word, (words, rank), so that a text touches a few contiguous rows.
"""

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn.hinge import Weights, train_groups
from kakehashi.learn.vectors import Rows
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Floats, Floats32, Ints, Longs

UNSHARED = np.zeros(0, dtype=np.int32)
FIRST_SQUARES = 1e-8  # what AdaGrad divides by before the first gradient


class LowRankSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How U and V are trained.

    schedule  adagrad: rate / sqrt(sum of this weight's squared gradients)
              decay:   rate · decay^epoch · (offset / (offset + pairs so far))^power; power 0 keeps it fixed
    """

    rank: int = 100
    rate: float = 0.1
    schedule: Literal["adagrad", "decay"] = "adagrad"
    power: float = 0.5
    decay: float = 1.0
    offset: float = 1.0
    epochs: int = 1
    patience: int = 1  # epochs without a better judgment before training stops
    l2: float = 0.0  # pulls the rows a pair touches towards zero
    identity: bool = False  # f = qᵀ(UᵀV + I)d: words both sides share count by themselves
    tied: bool = False  # V is U: both sides are of one language and one vocabulary
    sequential: bool = False  # V's step sees the U that was just changed
    noise: float = 0.1  # standard deviation of a fresh U and V, times 1/sqrt(rank)
    report_every: int = 100_000  # pairs between two points of progressive validation
    seed: int = 1

    def __post_init__(self) -> None:
        if self.rank < 1 or self.epochs < 1 or self.patience < 1 or self.report_every < 1:
            raise InputError("a low-rank model needs rank, epochs, patience and report_every of at least 1")
        if not (self.rate > 0 and self.noise > 0 and self.offset > 0 and self.l2 >= 0 and self.power >= 0):
            raise InputError("a low-rank model needs rate, noise and offset above 0, l2 and power not below")


class Validation(NamedTuple):
    """Progressive validation: every pair judged before it changed anything, averaged from point to point."""

    pairs: Longs  # (points,) pairs seen so far
    loss: Floats  # (points,) mean hinge loss since the point before
    error: Floats  # (points,) share of pairs in the wrong order


class LowRank(NamedTuple):
    """A trained model; `shared` is empty unless the identity is part of it."""

    u: Floats32  # (query words, rank)
    v: Floats32  # (document words, rank); U itself where tied
    shared: Ints  # (query words,) the same word's number among the document words, or -1
    validation: Validation


def fresh(
    n_query_words: int, n_document_words: int, settings: LowRankSettings, rng: np.random.Generator
) -> tuple[Floats32, Floats32]:
    """U and V before training: small Gaussian noise."""
    scale = np.float32(settings.noise / np.sqrt(settings.rank))
    u = rng.standard_normal((n_query_words, settings.rank), dtype=np.float32) * scale
    if settings.tied:
        return u, u
    return u, rng.standard_normal((n_document_words, settings.rank), dtype=np.float32) * scale


def train_lowrank(
    blocks: Callable[[], Iterable[PairBlock]],
    queries: Rows,
    documents: Rows,
    n_query_words: int,
    n_document_words: int,
    settings: LowRankSettings,
    rng: np.random.Generator,
    shared: Ints = UNSHARED,
    on_epoch: Callable[[int, LowRank], float] | None = None,
    progress: Progress = SILENT,
    start: tuple[Floats32, Floats32] | None = None,
    keep_v: bool = False,
) -> LowRank:
    """Train on the pairs of `blocks()`, called once an epoch.

    `on_epoch(epoch, model)` says how good a model is; the best one is returned, and training stops after
    `patience` epochs that were not better. Without it the last epoch's model is returned. Training begins at
    `start`, which it changes, or at noise; `keep_v` trains U alone.
    """
    _check(n_query_words, n_document_words, settings, shared)
    u, v = start or fresh(n_query_words, n_document_words, settings, rng)
    adaptive = settings.schedule == "adagrad"
    u_squares = np.full_like(u if adaptive else u[:0], FIRST_SQUARES)
    v_squares = u_squares if settings.tied else np.full_like(v if adaptive else v[:0], FIRST_SQUARES)
    state = Weights(u, v, u_squares, v_squares, shared if settings.identity else UNSHARED)
    meter = _Meter(settings.report_every)
    best, best_value, since = None, -np.inf, 0
    for epoch in range(settings.epochs):
        _train_epoch(blocks(), queries, documents, state, settings, epoch, keep_v, meter, progress)
        if not (np.isfinite(state.u).all() and np.isfinite(state.v).all()):
            raise InputError(f"training left the range of numbers: lower the rate, which is {settings.rate}")
        if on_epoch is None:
            continue
        model = LowRank(state.u, state.v, state.shared, meter.points())
        value = on_epoch(epoch, model)
        if value > best_value:
            best_value, since = value, 0
            u = state.u.copy()
            best = model._replace(u=u, v=u if settings.tied else state.v.copy())
        else:
            since += 1
            if since == settings.patience:
                break
    return best or LowRank(state.u, state.v, state.shared, meter.points())


def _check(n_query_words: int, n_document_words: int, settings: LowRankSettings, shared: Ints) -> None:
    if settings.tied and n_query_words != n_document_words:
        raise InputError(
            f"a tied model needs one vocabulary, not {n_query_words} and {n_document_words} words"
        )
    if settings.identity and len(shared) != n_query_words:
        raise InputError("a model with the identity needs to know which words both sides share")


class _Meter:
    """Collects progressive validation."""

    def __init__(self, every: int):
        self.every = every
        self.seen = 0
        self.totals = np.zeros(3)  # pairs, loss, errors since the last point
        self._points: list[tuple[int, float, float]] = []

    def cut(self) -> None:
        n, loss, errors = self.totals.tolist()
        if n:
            self._points.append((self.seen, loss / n, errors / n))
        self.totals[:] = 0

    def points(self) -> Validation:
        table = np.array(self._points).reshape(-1, 3)
        return Validation(table[:, 0].astype(np.int64), table[:, 1], table[:, 2])


def _train_epoch(
    blocks: Iterable[PairBlock],
    queries: Rows,
    documents: Rows,
    state: Weights,
    settings: LowRankSettings,
    epoch: int,
    keep_v: bool,
    meter: _Meter,
    progress: Progress,
) -> None:
    rate = settings.rate * settings.decay**epoch
    power = settings.power if settings.schedule == "decay" else 0.0
    longest = int(np.diff(documents.starts).max(initial=0))
    work = (
        np.zeros(2 * longest, np.int32),
        np.zeros(2 * longest, np.float32),
        np.zeros(len(state.v) if len(state.shared) else 0, np.float32),
    )
    progress.start(f"low rank, epoch {epoch + 1} of {settings.epochs}")
    try:
        for block in blocks:
            for group in _groups_of(block, meter.every):
                n = int(block.starts[group.stop] - block.starts[group.start])
                train_groups(
                    group.start, group.stop, block, queries, documents, state, rate, power, settings.offset,
                    settings.l2, settings.schedule == "adagrad", settings.sequential, settings.tied,
                    keep_v, meter.seen, meter.totals, work,
                )  # fmt: skip
                meter.seen += n
                progress.advance(n)
                if meter.totals[0] >= meter.every:
                    meter.cut()
    finally:
        progress.finish()
    meter.cut()


def _groups_of(block: PairBlock, at_most: int) -> Iterable[range]:
    """Ranges of groups with about `at_most` pairs each, at least one group."""
    first, n_groups = 0, len(block.queries)
    while first < n_groups:
        wanted = block.starts[first] + at_most
        last = max(first + 1, int(np.searchsorted(block.starts, wanted, side="right")) - 1)
        yield range(first, min(last, n_groups))
        first = last
