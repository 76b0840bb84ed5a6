"""Learns W of f(q, d) = q'Wd from pairs: the more relevant of two documents should score higher by a margin.

    minimise  mean over pairs of (margin - q'W(d⁺ - d⁻))₊  +  l1·|W|₁ + l2/2·|W|²

Penalties follow the step, W ← sign(W)·max(0, |W| - η·l1) after W ← W + η·q(d⁺ - d⁻)', and are applied to a weight when
it is next touched, so a step costs only what it touches. This module reads and writes no files.
"""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn import bilinear_kernels as kernels
from kakehashi.learn.epochs import Blocks, OnEpoch, Trained, best_epoch, rates_of
from kakehashi.learn.layout import (
    AUTO_BITS,
    MOST_ROWS,
    Layout,
    LayoutName,
    hashed_layout,
    rows_layout,
)
from kakehashi.learn.steps import StepSettings, Tick
from kakehashi.learn.vectors import Rows
from kakehashi.learn.weight_access import Update, finished
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Array, Longs


class BilinearSettings(StepSettings, frozen=True, forbid_unknown_fields=True):
    """How W is stored and learned."""

    shape: Annotated[
        Literal["full", "diagonal"],
        Meta(
            description="`full` learns a weight for every pair of words; `diagonal` learns one for every word that "
            "both sides share, for queries and documents of one language."
        ),
    ] = "full"
    layout: Annotated[
        Literal["auto", "rows", "blocks", "scattered"],
        Meta(
            description="Where weights are stored. `rows`: one place per pair of words, without collisions; 30,000 "
            "× 30,000 words take 3.6 GB. `blocks`: hashed, one block per query word, in which frequent "
            "document words never share a place. `scattered`: every pair hashed over all places, as in "
            "the papers. `auto`: `rows` for up to 2^26 pairs of words, else `blocks` with at least 25 bits."
        ),
    ] = "auto"
    bits: Annotated[
        int, Meta(description="Hashed layouts (`blocks`, `scattered`): number of weights, as a power of two.")
    ] = 24
    copies: Annotated[
        int, Meta(description="Hashed layouts: places per pair of words (multiple binning).")
    ] = 1
    signed: Annotated[
        bool, Meta(description="Hashed layouts: give every place of a pair of words a sign (signed hashing).")
    ] = False
    rates: Literal["adaptive", "schedule", "fixed"] = "fixed"
    rate: float = 0.5
    l1: Annotated[
        float,
        Meta(
            description="L1 penalty. It makes the weights sparse: pairs of words seen once by chance return to "
            "zero. 0 disables it."
        ),
    ] = 0.0
    average: Annotated[
        bool,
        Meta(
            description="Use the mean of the weights over all steps, weighted by their step sizes, instead of the "
            "last weights; needs `l1=0` and `l2=0`."
        ),
    ] = False
    batch: Annotated[
        int,
        Meta(
            description="Minimum number of pairs computed against the same weights, so that threads can share the "
            "work; 1 updates after the pairs of each drawn query."
        ),
    ] = 1024

    def __post_init__(self) -> None:
        StepSettings.__post_init__(self)
        if self.average and (self.l1 > 0 or self.l2 > 0):
            raise InputError("average cannot be combined with l1 or l2: set average=false, or l1=0 and l2=0")
        for name in ("batch", "copies"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.l1 < 0:
            raise InputError("l1 must not be negative")


def train_bilinear(
    blocks: Blocks,
    queries: Rows,
    documents: Rows,
    n_query_words: int,
    n_document_words: int,
    settings: BilinearSettings,
    on_epoch: OnEpoch | None = None,
    threads: int = 0,
    progress: Progress = SILENT,
    start: Trained | None = None,
) -> Trained:
    """The weights after the epoch with the best dev measure (the last one without `on_epoch`).

    `start` continues from learned weights of the same layout, for example in a search over penalties.
    """
    layout = (
        start.layout
        if start
        else _layout(blocks, queries, documents, n_query_words, n_document_words, settings)
    )
    update = _update(settings, queries, documents)
    learner = _Learner(layout, update, settings, threads or len(os.sched_getaffinity(0)))
    if start is not None:
        learner.weights[:: update.stride] = start.weights

    def run_epoch(epoch: int) -> list[Tick]:
        return learner.run_epoch(epoch, blocks(), queries, documents, progress)

    def taken(epoch: int) -> Trained:
        return Trained(layout, learner.finished(), epoch)

    return best_epoch(settings, run_epoch, taken, on_epoch, progress)


class _Learner:
    """The weights during training."""

    def __init__(self, layout: Layout, update: Update, settings: BilinearSettings, threads: int):
        self.layout, self.update, self.settings, self.threads = layout, update, settings, threads
        self.weights = np.zeros(layout.n_weights * update.stride, np.float32)
        self.clock = 0.0  # sum of all rates so far
        self.n_pairs = 0
        self.spaces = [kernels.new_workspace(layout.n_columns) for _ in range(threads)]

    def run_epoch(
        self, epoch: int, blocks: Iterable[PairBlock], queries: Rows, documents: Rows, progress: Progress
    ) -> list[Tick]:
        ticks = []
        with ThreadPoolExecutor(self.threads) as pool:
            for pairs in blocks:
                values = np.zeros(len(pairs.positives), np.float32)
                self._run_block(epoch, pairs, queries, documents, values, pool)
                loss = float(np.maximum(pairs.margins - values, 0.0).mean())
                ticks.append(Tick(epoch, self.n_pairs, loss, float((values <= 0.0).mean())))
                progress.advance(len(values))
        return ticks

    def _run_block(
        self,
        epoch: int,
        pairs: PairBlock,
        queries: Rows,
        documents: Rows,
        values: Array,
        pool: ThreadPoolExecutor,
    ) -> None:
        etas = rates_of(self.settings, epoch, self.n_pairs, len(pairs.positives))
        elapsed = np.append(0.0, np.cumsum(etas))
        clocks = self.clock + elapsed[pairs.starts]
        bounds = _batch_bounds(pairs.starts, self.settings.batch)
        batch = _new_batch(bounds, pairs, documents)
        fixed = (pairs, queries, documents, self.layout, self.weights, self.update, etas, clocks)
        if self.threads == 1:
            kernels.train_block(bounds, *fixed, self.spaces[0], batch, values)
        else:
            self._on_threads(bounds, fixed, batch, values, pool)
        self.clock += float(elapsed[-1])
        self.n_pairs += len(values)

    def _on_threads(
        self,
        bounds: Longs,
        fixed: tuple[object, ...],
        batch: kernels.Batch,
        values: Array,
        pool: ThreadPoolExecutor,
    ) -> None:
        pairs, queries, documents, layout, weights, update, _, clocks = fixed
        # scattered weights belong to many query words at once, so one thread writes them all
        owners = 1 if self.settings.layout == "scattered" else self.threads
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            kernels.fill_starts(first, last, pairs, documents, batch)
            cuts = _even_cuts(batch.starts[: last - first + 1], self.threads, first)

            def measure(t: int, cuts: list[int] = cuts, first: int = first) -> None:
                kernels.measure_groups(cuts[t], cuts[t + 1], *fixed, self.spaces[t], batch, first, values)

            def write(t: int, first: int = first, last: int = last) -> None:
                kernels.write_changes(
                    t, owners, first, last, pairs, queries, layout, weights, update, clocks, batch
                )

            list(pool.map(measure, range(self.threads)))
            list(pool.map(write, range(owners)))

    def finished(self) -> Array:
        weights: Array = finished(self.weights, self.update, self.clock)
        return weights


def _update(settings: BilinearSettings, queries: Rows, documents: Rows) -> Update:
    places, stride = [], 1
    for kept in (settings.l1 > 0 or settings.l2 > 0, settings.rates == "adaptive", settings.average):
        places.append(stride if kept else -1)
        stride += kept
    # a typical squared gradient, so that the first step of a weight is about as large as the rate
    typical = 2.0 * _mean_square(queries) * _mean_square(documents)
    settled, squares, average = places
    return Update(stride, settled, squares, average, settings.l1, settings.l2, typical, settings.rate)


def _mean_square(rows: Rows) -> float:
    return float(np.square(rows.values, dtype=np.float64).mean()) if len(rows.values) else 1.0


def _layout(
    blocks: Blocks,
    queries: Rows,
    documents: Rows,
    n_query_words: int,
    n_document_words: int,
    settings: BilinearSettings,
) -> Layout:
    name, bits = _chosen(n_query_words * n_document_words, settings)
    if name == "rows":
        if settings.copies > 1 or settings.signed:
            raise InputError("copies and signed are for hashed layouts: set layout=blocks or scattered")
        return rows_layout(n_query_words, n_document_words)
    demand = np.zeros(n_query_words)
    if name == "blocks":
        for pairs in blocks():
            kernels.count_demand(pairs, queries, documents, demand)
    return hashed_layout(name, bits, demand, n_document_words, settings.copies, settings.signed)


def _chosen(n_pairs: int, settings: BilinearSettings) -> tuple[LayoutName, int]:
    """(layout, bits); several places or signs need hashes."""
    if settings.layout != "auto":
        return settings.layout, settings.bits
    if n_pairs <= MOST_ROWS and settings.copies == 1 and not settings.signed:
        return "rows", settings.bits
    return "blocks", max(settings.bits, AUTO_BITS)


def _batch_bounds(starts: Longs, pairs: int) -> Longs:
    """Split groups 0..n into batches of at least this many pairs (the last may have fewer)."""
    bounds = [0]
    while bounds[-1] < len(starts) - 1:
        bounds.append(min(len(starts) - 1, int(np.searchsorted(starts, starts[bounds[-1]] + pairs))))
    return np.array(bounds, dtype=np.int64)


def _even_cuts(starts: Longs, parts: int, first: int) -> list[int]:
    """Split groups from `first` on into parts with about the same number of words; starts (groups + 1,) counts them."""
    inner = np.searchsorted(starts, starts[-1] * np.arange(1, parts) / parts)
    return [first, *(first + inner).tolist(), first + len(starts) - 1]


def _new_batch(bounds: Longs, pairs: PairBlock, documents: Rows) -> kernels.Batch:
    sizes = np.diff(documents.starts)
    of_pair = np.append(0, np.cumsum(sizes[pairs.positives] + sizes[pairs.negatives]))
    room = int(np.diff(of_pair[pairs.starts[bounds]]).max(initial=0))
    groups = int(np.diff(bounds).max(initial=0))
    return kernels.Batch(
        np.zeros(groups + 1, np.int64),
        np.zeros(groups, np.int64),
        np.empty(room, np.int32),
        np.empty(room, np.float32),
        np.empty(room, np.float32),
    )
