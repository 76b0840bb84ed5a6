"""Reading and writing the weights of one query word, whatever their layout, rates and penalties.

Every weight has `stride` adjacent floats, with one cache miss for all of them: itself, and what its
penalties, rate or average need. The common case, a weight alone, has separate loops.
"""

from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import inline_kernel, kernel
from kakehashi.learn.layout import Layout, hashed, row_key, sign
from kakehashi.learn.vectors import Rows
from kakehashi.types import Array


class Update(NamedTuple):
    """How weights change; positions are those of a weight's floats, -1 if it has no such float."""

    stride: int
    settled: int  # position of the clock at which penalties were last applied
    squares: int  # position of the sum of squared gradients
    average: int  # position of the sum of changes times their time
    l1: float
    l2: float
    first_square: float  # initial value of the sum of squares
    rate: float  # of adaptive steps


@kernel
def project(
    q: int,
    queries: Rows,
    layout: Layout,
    weights: Array,
    update: Update,
    clock: float,
    columns: Array,
    scores: Array,
    moves: Array,
) -> None:
    """Set scores to q'W over the given columns, and moves to what a unit of change adds to them."""
    scores[:] = 0.0
    moves[:] = 0.0
    length = np.float32(0.0)
    for e in range(queries.starts[q], queries.starts[q + 1]):
        i, x = queries.columns[e], queries.values[e]
        length += x * x
        if update.stride == 1 and layout.bits[i] < 0:
            row = weights[layout.offsets[i] : layout.offsets[i] + layout.n_columns]
            for s in range(len(columns)):
                scores[s] += x * row[columns[s]]
        elif update.stride == 1 and layout.copies == 1 and not layout.signed:
            offset, bits, fold = layout.offsets[i], layout.bits[i], layout.folded
            _read_hashed(x, row_key(i, 0), offset, bits, fold, weights, columns, scores)
        else:
            _read_kept(i, x, layout, weights, update, clock, columns, scores, moves)
    if update.squares < 0:
        moves[:] = length


@kernel
def _read_hashed(
    x: float, key: int, offset: int, bits: int, fold: bool, weights: Array, columns: Array, scores: Array
) -> None:
    block, shift = weights[offset : offset + (1 << bits)], np.uint64(64 - bits)
    if fold:
        for s in range(len(columns)):
            scores[s] += x * block[folded(key, bits, columns[s])]
        return
    for s in range(len(columns)):
        scores[s] += x * block[hashed(key, np.uint32(columns[s])) >> shift]


@kernel
def _read_kept(
    i: int,
    x: float,
    layout: Layout,
    weights: Array,
    update: Update,
    clock: float,
    columns: Array,
    scores: Array,
    moves: Array,
) -> None:
    offset, bits, stride, signed = layout.offsets[i], layout.bits[i], update.stride, layout.signed
    fold = layout.folded
    settled_at, squares_at = update.settled, update.squares
    first, l1, l2 = np.float32(update.first_square), np.float32(update.l1), np.float32(update.l2)
    rate, now, share = np.float32(update.rate), np.float32(clock), np.float32(1.0 / layout.copies)
    for copy in range(layout.copies):
        key = row_key(i, copy)
        for s in range(len(columns)):
            place, direction = place_of(key, offset, bits, columns[s], signed, fold)
            at = place * stride
            weight, own_rate = weights[at], np.float32(1.0)
            if squares_at >= 0:
                own_rate = np.float32(1.0) / np.sqrt(first + weights[at + squares_at])
                moves[s] += x * x * share * rate * own_rate
            if settled_at >= 0:
                weight = _without(weight, (now - weights[at + settled_at]) * own_rate, l1, l2)
            scores[s] += x * direction * share * weight


@inline_kernel
def folded(key: int, bits: int, j: int) -> Any:
    """The place of document word j in a block of 2^bits places.

    The first 2^bits words are adjacent in the block; every further 2^bits words are mapped over them, rotated by a
    distance specific to the query word, so that different words collide in every block. Words are ordered by
    frequency: frequent ones never share a place with each other, and what is read together is stored together.
    """
    turn, start = np.uint32(key >> np.uint64(32)), np.uint32(key >> np.uint64(8))
    word = np.uint32(j)
    return (word + (word >> np.uint32(bits)) * turn + start) & np.uint32((1 << bits) - 1)


@inline_kernel
def place_of(key: int, offset: int, bits: int, j: int, signed: bool, fold: bool) -> Any:
    """(place, sign) of a pair."""
    place: Any = offset + j
    direction = np.float32(1.0)
    if bits >= 0 and fold:
        place = offset + np.int64(folded(key, bits, j))
    elif bits >= 0:
        value = hashed(key, np.uint32(j))
        place = offset + np.int64(value >> np.uint64(64 - bits))
        if signed:
            direction = sign(value)
    return np.uint64(place), direction


@inline_kernel
def _without(weight: float, due: float, l1: float, l2: float) -> Any:
    """A weight with its penalties applied; `due` is the sum of the rates since they were last applied."""
    if l2 > 0.0:
        weight *= np.exp(-l2 * due)
    off = l1 * due
    return weight - min(max(weight, -off), off)  # towards zero, never past it; no branch to guess


@kernel
def write_word(
    i: int,
    x: float,
    layout: Layout,
    weights: Array,
    update: Update,
    clock: float,
    columns: Array,
    changes: Array,
    squares: Array,
) -> None:
    """Add x·changes to the weights of query word i."""
    if update.stride == 1 and layout.bits[i] < 0:
        row = weights[layout.offsets[i] : layout.offsets[i] + layout.n_columns]
        for s in range(len(columns)):
            row[columns[s]] += x * changes[s]
    elif update.stride == 1 and layout.copies == 1 and not layout.signed:
        offset, bits, fold = layout.offsets[i], layout.bits[i], layout.folded
        _write_hashed(x, row_key(i, 0), offset, bits, fold, weights, columns, changes)
    else:
        _write_kept(i, x, layout, weights, update, clock, columns, changes, squares)


@kernel
def _write_hashed(
    x: float, key: int, offset: int, bits: int, fold: bool, weights: Array, columns: Array, changes: Array
) -> None:
    block, shift = weights[offset : offset + (1 << bits)], np.uint64(64 - bits)
    if fold:
        for s in range(len(columns)):
            block[folded(key, bits, columns[s])] += x * changes[s]
        return
    for s in range(len(columns)):
        block[hashed(key, np.uint32(columns[s])) >> shift] += x * changes[s]


@kernel
def _write_kept(
    i: int,
    x: float,
    layout: Layout,
    weights: Array,
    update: Update,
    clock: float,
    columns: Array,
    changes: Array,
    squares: Array,
) -> None:
    offset, bits, stride, signed = layout.offsets[i], layout.bits[i], update.stride, layout.signed
    fold = layout.folded
    settled_at, squares_at, average_at = update.settled, update.squares, update.average
    first, l1, l2 = np.float32(update.first_square), np.float32(update.l1), np.float32(update.l2)
    rate, now = np.float32(update.rate), np.float32(clock)
    for copy in range(layout.copies):
        key = row_key(i, copy)
        for s in range(len(columns)):
            place, direction = place_of(key, offset, bits, columns[s], signed, fold)
            at = place * stride
            weight, change, own_rate = weights[at], x * direction * changes[s], np.float32(1.0)
            if squares_at >= 0:
                own_rate = np.float32(1.0) / np.sqrt(first + weights[at + squares_at])
                change *= rate * own_rate
                weights[at + squares_at] += x * x * squares[s]
            if settled_at >= 0:
                weight = _without(weight, (now - weights[at + settled_at]) * own_rate, l1, l2)
                weights[at + settled_at] = now
            weights[at] = weight + change
            if average_at >= 0:
                weights[at + average_at] += now * change


@kernel
def finished(weights: Array, update: Update, clock: float) -> Array:
    """(places,) final weights: penalties applied, or averaged over the rates."""
    n, stride = len(weights) // update.stride, update.stride
    first, l1, l2 = np.float32(update.first_square), np.float32(update.l1), np.float32(update.l2)
    now = np.float32(clock)
    out = np.empty(n, np.float32)
    for place in range(n):
        at = place * stride
        weight, own_rate = weights[at], np.float32(1.0)
        if update.squares >= 0:
            own_rate = np.float32(1.0) / np.sqrt(first + weights[at + update.squares])
        if update.settled >= 0:
            weight = _without(weight, (now - weights[at + update.settled]) * own_rate, l1, l2)
        if update.average >= 0 and clock > 0.0:
            weight -= weights[at + update.average] / now
        out[place] = weight
    return out
