"""The inner loops of pairwise training: one step per pair that violates its margin; arrays in, arrays changed."""

from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.corpus.pairs import PairBlock
from kakehashi.learn.vectors import Rows
from kakehashi.types import Array


class Weights(NamedTuple):
    """The arrays that training changes."""

    u: Array  # (query words, rank) float32
    v: Array  # (document words, rank); u itself if tied
    u_squares: Array  # sums of squared gradients, or empty
    v_squares: Array
    shared: Array  # (query words,) number among the document words or -1; empty without the identity


@kernel
def train_groups(
    first: int,
    last: int,
    block: PairBlock,
    queries: Rows,
    documents: Rows,
    state: Weights,
    base_rate: float,
    power: float,
    t0: float,
    l2: float,
    adaptive: bool,
    sequential: bool,
    tied: bool,
    keep_v: bool,
    seen: int,
    totals: Array,
    work: Any,
) -> None:
    q_starts, q_columns, q_values = queries.starts, queries.columns, queries.values
    positives, negatives, margins = block.positives, block.negatives, block.margins
    u, v, u_squares, v_squares, shared = state.u, state.v, state.u_squares, state.v_squares, state.shared
    x_columns, x_values, same_words = work
    uq, vx = np.zeros(u.shape[1], np.float32), np.zeros(u.shape[1], np.float32)
    for g in range(first, last):
        q = block.queries[g]
        columns = q_columns[q_starts[q] : q_starts[q + 1]]
        values = q_values[q_starts[q] : q_starts[q + 1]]
        project(u, columns, values, uq)
        for i in range(len(columns) if len(shared) > 0 else 0):
            if shared[columns[i]] >= 0:
                same_words[shared[columns[i]]] = values[i]
        for p in range(block.starts[g], block.starts[g + 1]):
            n = _difference(documents, positives[p], negatives[p], x_columns, x_values)
            dx, dv = x_columns[:n], x_values[:n]
            project(v, dx, dv, vx)
            f = _dot(uq, vx)
            for j in range(n if len(shared) > 0 else 0):
                f += same_words[dx[j]] * dv[j]
            totals[0] += 1.0
            totals[1] += max(0.0, margins[p] - f)
            totals[2] += f <= 0.0
            if margins[p] - f > 0.0:
                rate = np.float32(base_rate * (t0 / (t0 + seen)) ** power if power > 0.0 else base_rate)
                _step(u, u_squares, columns, values, vx, rate, l2, adaptive)
                if sequential:
                    project(u, columns, values, uq)
                if not keep_v:
                    _step(v, v_squares, dx, dv, uq, rate, l2, adaptive)
                if tied or not sequential:
                    project(u, columns, values, uq)
            seen += 1
        for i in range(len(columns) if len(shared) > 0 else 0):
            if shared[columns[i]] >= 0:
                same_words[shared[columns[i]]] = 0.0


@kernel
def project(weights: Array, columns: Array, values: Array, out: Array) -> None:
    """out = Σ_i values_i · weights[columns_i]"""
    out[:] = 0.0
    for i in range(len(columns)):
        row, value = weights[columns[i]], values[i]
        for r in range(len(out)):
            out[r] += value * row[r]


@kernel
def project_rows(rows: Rows, weights: Array) -> Array:
    """(rows, rank) every row times the weights; the result of a row depends only on that row."""
    starts, columns, values = rows.starts, rows.columns, rows.values
    out = np.zeros((len(starts) - 1, weights.shape[1]), np.float32)
    for r in range(len(out)):
        project(weights, columns[starts[r] : starts[r + 1]], values[starts[r] : starts[r + 1]], out[r])
    return out


@kernel
def _dot(a: Array, b: Array) -> float:
    total = 0.0
    for r in range(len(a)):
        total += np.float64(a[r]) * np.float64(b[r])
    return total


@kernel
def _difference(documents: Rows, plus: int, minus: int, columns: Array, values: Array) -> int:
    """Write d+ - d- into columns and values; returns how many words differ."""
    d_starts, d_columns, d_values = documents.starts, documents.columns, documents.values
    i, i_end, j, j_end, n = d_starts[plus], d_starts[plus + 1], d_starts[minus], d_starts[minus + 1], 0
    while i < i_end or j < j_end:
        if j == j_end or (i < i_end and d_columns[i] < d_columns[j]):
            columns[n], values[n] = d_columns[i], d_values[i]
            i += 1
        elif i == i_end or d_columns[j] < d_columns[i]:
            columns[n], values[n] = d_columns[j], -d_values[j]
            j += 1
        else:
            columns[n], values[n] = d_columns[i], d_values[i] - d_values[j]
            i += 1
            j += 1
        n += values[n] != 0.0
    return n


@kernel
def _step(
    weights: Array,
    squares: Array,
    columns: Array,
    values: Array,
    direction: Array,
    rate: float,
    l2: float,
    adaptive: bool,
) -> None:
    """weights[columns_i] += rate · (values_i · direction - l2 · weights[columns_i])"""
    pull = np.float32(l2)
    for i in range(len(columns)):
        row, value = weights[columns[i]], values[i]
        if adaptive:
            sums = squares[columns[i]]
            for r in range(len(direction)):
                gradient = value * direction[r] - pull * row[r]
                sums[r] += gradient * gradient
                row[r] += rate * gradient / np.sqrt(sums[r])
        else:
            for r in range(len(direction)):
                row[r] += rate * (value * direction[r] - pull * row[r])
