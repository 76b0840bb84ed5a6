"""Low-rank supervised model f(q, d) = (Uq)·(Vd), trained on pairs of documents; arrays in, arrays out, no files.

For a pair (q, d+, d-) with margin b and x = d+ - d-, where b - f(q, x) > 0:

    U <- U + rate · (Vx) qᵀ        V <- V + rate · (Uq) xᵀ

U and V are kept word by word, (words, rank), so that a text touches a few contiguous rows.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta

from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn.hinge import Weights, train_groups
from kakehashi.learn.steps import StepSettings, Tick
from kakehashi.learn.vectors import Rows
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Floats32, Ints

UNSHARED = np.zeros(0, dtype=np.int32)
FIRST_SQUARES = 1e-8  # initial divisor of adaptive steps, before the first gradient


class LowRankSettings(StepSettings, frozen=True, forbid_unknown_fields=True):
    """How U and V are trained; l2 pulls the rows a pair touches towards zero."""

    rank: Annotated[int, Meta(description="Length of the vectors.")] = 100
    identity: Annotated[
        bool,
        Meta(description="Use f = qᵀ(UᵀV + I)d, so that words both sides share also count by themselves."),
    ] = False
    tied: Annotated[
        bool,
        Meta(
            description="Use one matrix (V = U) and the words of the documents for both sides; for queries and "
            "documents of one language and one analyzer."
        ),
    ] = False
    sequential: Annotated[
        bool,
        Meta(
            description="Compute the step of V from the updated U. If false, both steps use the old values."
        ),
    ] = False
    noise: Annotated[
        float,
        Meta(
            description="Initial values of U and V: Gaussian noise with this standard deviation divided by √rank."
        ),
    ] = 0.1
    report_every: Annotated[
        int, Meta(description="Pairs between two points of the learning curve (progressive validation).")
    ] = 100_000

    def __post_init__(self) -> None:
        StepSettings.__post_init__(self)
        for name in ("rank", "report_every"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not self.noise > 0:
            raise InputError(f"noise must be positive, not {self.noise}")


class LowRank(NamedTuple):
    """A trained model; `shared` is empty unless it includes the identity."""

    u: Floats32  # (query words, rank)
    v: Floats32  # (document words, rank); U itself where tied
    shared: Ints  # (query words,) the same word's number among the document words, or -1
    epoch: int  # the epoch of this model
    curve: list[Tick]
    measures: list[float]  # the value of `on_epoch` after each epoch


OnEpoch = Callable[[LowRank], float]


def joined(models: Sequence[LowRank]) -> LowRank:
    """One model whose f is the mean of those of several; its vectors are theirs, one after the other.

    Each was chosen after an epoch of its own, so the model that they make has none.
    """
    if len(models) == 1:
        return models[0]
    share = np.float32(1.0 / np.sqrt(len(models)))
    u = np.concatenate([model.u for model in models], axis=1) * share
    v = u if models[0].v is models[0].u else np.concatenate([model.v for model in models], axis=1) * share
    curve = [tick for model in models for tick in model.curve]
    return LowRank(u, v, models[0].shared, 0, curve, [])


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
    on_epoch: OnEpoch | None = None,
    progress: Progress = SILENT,
    start: tuple[Floats32, Floats32] | None = None,
    keep_v: bool = False,
) -> LowRank:
    """Train on the pairs of `blocks()`, called once per epoch.

    `on_epoch(model)` measures a model; the best one is returned, and training stops after `patience` epochs
    without improvement. Without it the last model is returned. Training starts from `start`, which it changes,
    or from noise; `keep_v` trains only U.
    """
    _check(n_query_words, n_document_words, settings, shared)
    u, v = start or fresh(n_query_words, n_document_words, settings, rng)
    adaptive = settings.rates == "adaptive"
    u_squares = np.full_like(u if adaptive else u[:0], FIRST_SQUARES)
    v_squares = u_squares if settings.tied else np.full_like(v if adaptive else v[:0], FIRST_SQUARES)
    state = Weights(u, v, u_squares, v_squares, shared if settings.identity else UNSHARED)
    meter = _Meter(settings.report_every)
    measures: list[float] = []
    best = LowRank(u, v, state.shared, 0, meter.ticks, measures)
    for epoch in range(1, settings.epochs + 1):
        _train_epoch(blocks(), queries, documents, state, settings, epoch, keep_v, meter, progress)
        if not (np.isfinite(u).all() and np.isfinite(v).all()):
            raise InputError(f"training diverged: lower the rate, which is {settings.rate}")
        model = best._replace(u=u, v=v, epoch=epoch)
        if on_epoch is None:
            best = model
            continue
        measures.append(on_epoch(model))
        if epoch == 1 or measures[-1] > max(measures[:-1]):
            kept = u.copy()
            best = model._replace(u=kept, v=kept if settings.tied else v.copy())
        elif epoch - best.epoch >= settings.patience:
            break
    return best


def _check(n_query_words: int, n_document_words: int, settings: LowRankSettings, shared: Ints) -> None:
    if settings.tied and n_query_words != n_document_words:
        raise InputError(
            f"a tied model needs one vocabulary, not {n_query_words} and {n_document_words} words"
        )
    if settings.identity and len(shared) != n_query_words:
        raise InputError("a model with the identity needs the words that both sides share")


class _Meter:
    """Collects progressive validation."""

    def __init__(self, every: int):
        self.every = every
        self.seen = 0
        self.totals = np.zeros(3)  # pairs, loss, errors since the last point
        self.ticks: list[Tick] = []

    def cut(self, epoch: int) -> None:
        n, loss, errors = self.totals.tolist()
        if n:
            self.ticks.append(Tick(epoch, self.seen, loss / n, errors / n))
        self.totals[:] = 0


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
    scheduled = settings.rates == "schedule"
    rate = settings.rate * settings.decay ** (epoch - 1) if scheduled else settings.rate
    power = settings.power if scheduled else 0.0
    longest = int(np.diff(documents.starts).max(initial=0))
    work = (
        np.zeros(2 * longest, np.int32),
        np.zeros(2 * longest, np.float32),
        np.zeros(len(state.v) if len(state.shared) else 0, np.float32),
    )
    progress.start(f"learning, epoch {epoch} of {settings.epochs}")
    try:
        for block in blocks:
            for group in _groups_of(block, meter.every):
                n = int(block.starts[group.stop] - block.starts[group.start])
                train_groups(
                    group.start, group.stop, block, queries, documents, state, rate, power, settings.t0,
                    settings.l2, settings.rates == "adaptive", settings.sequential, settings.tied,
                    keep_v, meter.seen, meter.totals, work,
                )  # fmt: skip
                meter.seen += n
                progress.advance(n)
                if meter.totals[0] >= meter.every:
                    meter.cut(epoch)
    finally:
        progress.finish()
    meter.cut(epoch)


def _groups_of(block: PairBlock, at_most: int) -> Iterable[range]:
    """Ranges of groups with about `at_most` pairs each, at least one group."""
    first, n_groups = 0, len(block.queries)
    while first < n_groups:
        wanted = block.starts[first] + at_most
        last = max(first + 1, int(np.searchsorted(block.starts, wanted, side="right")) - 1)
        yield range(first, min(last, n_groups))
        first = last
