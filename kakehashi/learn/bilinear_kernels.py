"""The inner loops of learning q'Wd from pairs of documents.

A group is one query with some pairs. Its query vector is projected once, v = q'W over the words of its
documents; every pair is measured with v, and a violated margin changes v, not W:

    W ← W + η·q(d⁺ - d⁻)'    means    v ← v + η·|q|²·(d⁺ - d⁻)

so W is read and written once per group, and the result is the same as pair by pair. All groups of a batch
start from the same W: they can be measured in parallel, and their changes are then written query word by
query word, each word by one thread, in the order of the groups. So the result does not depend on the number of
threads. Every weight has `stride` adjacent floats, with one cache miss for all of them: itself, and what its
regularisation, rate or average needs.
"""

from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import inline_kernel, kernel
from kakehashi.corpus.pairs import PairBlock
from kakehashi.learn.layout import Layout
from kakehashi.learn.vectors import Rows
from kakehashi.learn.weight_access import Update, project, write_word
from kakehashi.types import Array


class Batch(NamedTuple):
    """Buffers for the results of the groups of a batch."""

    starts: Array  # (groups + 1,) int64: where the columns of a group start below
    counts: Array  # (groups,) int64
    columns: Array  # int32: the words that a group changes
    changes: Array  # float32: Σ η·(d⁺ - d⁻), without η under adaptive rates
    squares: Array  # float32: Σ (d⁺ - d⁻)²


class Workspace(NamedTuple):
    """Working memory of one thread."""

    marks: Array  # (document words,) int32, zero between groups: 1 + position in the lists below
    bitmap: Array  # (document words / 64 + 1,) uint64, zero between groups
    columns: Array  # (document words,) int32
    scores: Array  # (document words,) float32: v
    rates: Array  # (document words,) float32: how much v moves per unit of change


def new_workspace(n_columns: int) -> Workspace:
    return Workspace(
        np.zeros(n_columns, np.int32),
        np.zeros(n_columns // 64 + 1, np.uint64),
        np.empty(n_columns, np.int32),
        np.empty(n_columns, np.float32),
        np.empty(n_columns, np.float32),
    )


@kernel
def measure_groups(
    first: int,
    last: int,
    pairs: PairBlock,
    queries: Rows,
    documents: Rows,
    layout: Layout,
    weights: Array,
    update: Update,
    etas: Array,
    clocks: Array,
    space: Workspace,
    batch: Batch,
    first_group: int,
    values: Array,
) -> None:
    """Measure groups first..last; values (pairs,) become w·x before the pair's update.

    If the margin is violated, the change is recorded in the batch, whose group 0 is `first_group`.
    """
    adaptive = update.squares >= 0
    columns, marks, scores, moves = space.columns, space.marks, space.scores, space.rates
    for g in range(first, last):
        q = pairs.queries[g]
        n = _mark(g, pairs, documents, space)
        project(q, queries, layout, weights, update, clocks[first_group], columns[:n], scores[:n], moves[:n])
        start = batch.starts[g - first_group]
        changes, squares = batch.changes[start : start + n], batch.squares[start : start + n]
        changes[:] = 0.0
        squares[:] = 0.0
        changed = False
        for p in range(pairs.starts[g], pairs.starts[g + 1]):
            up, down = pairs.positives[p], pairs.negatives[p]
            value = _dot(up, documents, space) - _dot(down, documents, space)
            values[p] = value
            if value < pairs.margins[p]:
                eta = np.float32(1.0) if adaptive else np.float32(etas[p])
                _step(up, eta, documents, space, changes, squares)
                _step(down, -eta, documents, space, changes, squares)
                changed = True
        n_changed = 0
        for s in range(n):
            marks[columns[s]] = 0
            if changed and squares[s] != 0.0:
                batch.columns[start + n_changed] = columns[s]
                changes[n_changed], squares[n_changed] = changes[s], squares[s]
                n_changed += 1
        batch.counts[g - first_group] = n_changed


@kernel
def _mark(g: int, pairs: PairBlock, documents: Rows, space: Workspace) -> Any:
    """List the words of a group's documents in ascending order, so that W is read from front to back."""
    bitmap, marks, columns = space.bitmap, space.marks, space.columns
    for p in range(pairs.starts[g], pairs.starts[g + 1]):
        _set_bits(pairs.positives[p], documents, bitmap)
        _set_bits(pairs.negatives[p], documents, bitmap)
    n = 0
    for word in range(len(bitmap)):
        bits = bitmap[word]
        while bits != 0:
            lowest = bits & (~bits + np.uint64(1))
            j = word * 64 + _position(lowest)
            columns[n] = j
            n += 1
            marks[j] = n
            bits ^= lowest
        bitmap[word] = 0
    return n


@inline_kernel
def _position(power: Any) -> Any:
    """The exponent of a power of two below 2^64."""
    n = 0
    for step in (32, 16, 8, 4, 2, 1):
        if power >> np.uint64(step) != 0:
            power, n = power >> np.uint64(step), n + step
    return n


@kernel
def _set_bits(d: int, documents: Rows, bitmap: Array) -> None:
    columns = documents.columns
    for e in range(documents.starts[d], documents.starts[d + 1]):
        j = columns[e]
        bitmap[j >> 6] |= np.uint64(1) << np.uint64(j & 63)


@kernel
def _dot(d: int, documents: Rows, space: Workspace) -> Any:
    columns, values, marks, scores = documents.columns, documents.values, space.marks, space.scores
    total = np.float32(0.0)
    for e in range(documents.starts[d], documents.starts[d + 1]):
        total += values[e] * scores[marks[columns[e]] - 1]
    return total


@kernel
def _step(d: int, eta: float, documents: Rows, space: Workspace, changes: Array, squares: Array) -> None:
    columns, values, marks, scores, moves = (
        documents.columns,
        documents.values,
        space.marks,
        space.scores,
        space.rates,
    )
    for e in range(documents.starts[d], documents.starts[d + 1]):
        s = marks[columns[e]] - 1
        x = eta * values[e]
        changes[s] += x
        squares[s] += x * x
        scores[s] += x * moves[s]


@kernel
def write_changes(
    owner: int,
    n_owners: int,
    first: int,
    last: int,
    pairs: PairBlock,
    queries: Rows,
    layout: Layout,
    weights: Array,
    update: Update,
    clocks: Array,
    batch: Batch,
) -> None:
    """Write the changes of groups first..last for the query words this owner is responsible for.

    clocks (groups of the block + 1,): what the clock shows at the beginning of each group. Penalties of earlier
    groups are taken off before a group's change, its own when its weights are next touched: after the change.
    """
    for g in range(first, last):
        b = g - first
        start, n = batch.starts[b], batch.counts[b]
        if n == 0:
            continue
        columns, changes = batch.columns[start : start + n], batch.changes[start : start + n]
        squares = batch.squares[start : start + n]
        q = pairs.queries[g]
        for e in range(queries.starts[q], queries.starts[q + 1]):
            i, x = queries.columns[e], queries.values[e]
            if i % n_owners != owner:
                continue
            write_word(i, x, layout, weights, update, clocks[g], columns, changes, squares)


@kernel
def train_block(
    bounds: Array,
    pairs: PairBlock,
    queries: Rows,
    documents: Rows,
    layout: Layout,
    weights: Array,
    update: Update,
    etas: Array,
    clocks: Array,
    space: Workspace,
    batch: Batch,
    values: Array,
) -> None:
    """All batches of a block on one thread; batch b contains groups bounds[b]..bounds[b + 1]."""
    for b in range(len(bounds) - 1):
        first, last = bounds[b], bounds[b + 1]
        fill_starts(first, last, pairs, documents, batch)
        measure_groups(
            first, last, pairs, queries, documents, layout, weights, update, etas, clocks, space, batch, first, values
        )  # fmt: skip
        write_changes(0, 1, first, last, pairs, queries, layout, weights, update, clocks, batch)


@kernel
def fill_starts(first: int, last: int, pairs: PairBlock, documents: Rows, batch: Batch) -> None:
    """Where each group of a batch may record its changes."""
    starts = documents.starts
    batch.starts[0] = 0
    for g in range(first, last):
        room = 0
        for p in range(pairs.starts[g], pairs.starts[g + 1]):
            up, down = pairs.positives[p], pairs.negatives[p]
            room += starts[up + 1] - starts[up] + starts[down + 1] - starts[down]
        batch.starts[g - first + 1] = batch.starts[g - first] + room


@kernel
def count_demand(pairs: PairBlock, queries: Rows, documents: Rows, demand: Array) -> None:
    """Add to demand (query words,) the number of word pairs of each query word, including repetitions."""
    starts = documents.starts
    for g in range(len(pairs.queries)):
        met = 0
        for p in range(pairs.starts[g], pairs.starts[g + 1]):
            up, down = pairs.positives[p], pairs.negatives[p]
            met += starts[up + 1] - starts[up] + starts[down + 1] - starts[down]
        q = pairs.queries[g]
        for e in range(queries.starts[q], queries.starts[q + 1]):
            demand[queries.columns[e]] += met
