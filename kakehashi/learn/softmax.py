"""Weights under which relevant documents have the largest share of e^{w·Φ}, by Newton's method; arrays in, weights out.

The loss is convex and has few weights, so a dozen steps reach its minimum to the last digits: what is learned does not
depend on where the steps began or on how many there were.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.types import Array, Bools, Floats, Longs

MOST_STEPS = 100  # of Newton's method, which needs 10 to 20
CLOSE = 1e-10  # the loss can fall by this much more: close enough to its minimum
SLIGHT = 1e-5  # documents with a smaller share of a list hardly bend the loss


def by_softmax(
    starts: Longs, features: Array, relevant: Bools, logs: Floats, says: Floats, l2: float
) -> Floats:
    """(parts, features) weights W; those of a query are says W, with says (queries, parts).

    `logs` are logarithms of how many documents each represents. The penalty is in units of the spread of each feature
    times its part.
    """
    shape = says.shape[1], features.shape[1]
    spread = spreads(starts, features, says)
    scales = np.where(spread > 0.0, 1.0 / np.where(spread > 0.0, spread, 1.0), 0.0)

    def loss(flat: Floats) -> tuple[float, Floats]:
        by_query = says @ (flat.reshape(shape) * scales)
        total, gradients = softmax_loss(starts, features, relevant, logs, by_query)
        gradient = (says.T @ gradients * scales).ravel()
        return total + 0.5 * l2 * float(flat @ flat), gradient + l2 * flat

    def curvature(flat: Floats) -> Floats:
        by_query = says @ (flat.reshape(shape) * scales)
        bent = softmax_curvature(starts, features, relevant, logs, by_query, says)
        flat_scales = scales.ravel()
        curved: Floats = bent * flat_scales[:, None] * flat_scales
        return curved + l2 * np.eye(len(flat))

    found: Floats = _lowest(loss, curvature, np.zeros(shape[0] * shape[1])).reshape(shape) * scales
    return found


def _lowest(
    loss: Callable[[Floats], tuple[float, Floats]], curvature: Callable[[Floats], Floats], start: Floats
) -> Floats:
    """Where a convex loss is lowest, by Newton's method: each step is halved until the loss falls as it should."""
    found = start
    now, gradient = loss(found)
    for _ in range(MOST_STEPS):
        bent = curvature(found)
        slight = 1e-9 * (1.0 + bent.max(initial=0.0))  # where numbers say the same and nothing is penalised
        bent[np.diag_indices_from(bent)] += slight
        step = np.linalg.solve(bent, -gradient)
        falls = -float(gradient @ step)
        if falls < CLOSE:
            break
        size = 1.0
        while size > CLOSE:
            then, gradient_then = loss(found + size * step)
            if then <= now - 0.1 * size * falls:
                break
            size *= 0.5
        else:
            break  # rounding: nothing more to gain
        found, now, gradient = found + size * step, then, gradient_then
    return found


@kernel
def spreads(starts: Array, features: Array, says: Array) -> Any:
    """(parts, features) standard deviation of each feature times each part, over all documents."""
    shape = says.shape[1], features.shape[1]
    means, squares = np.zeros(shape), np.zeros(shape)
    n = max(len(features), 1)
    for q in range(len(starts) - 1):
        for d in range(starts[q], starts[q + 1]):
            for p in range(shape[0]):
                for f in range(shape[1]):
                    means[p, f] += says[q, p] * features[d, f]
    means /= n
    for q in range(len(starts) - 1):
        for d in range(starts[q], starts[q + 1]):
            for p in range(shape[0]):
                for f in range(shape[1]):
                    squares[p, f] += (says[q, p] * features[d, f] - means[p, f]) ** 2
    return np.sqrt(squares / n)


@kernel
def _scores(first: int, end: int, features: Array, logs: Array, weights: Array) -> Any:
    """(documents of one query,) w·Φ, and the logarithm of how many documents each represents."""
    scores = logs[first:end].copy()
    for d in range(first, end):
        for f in range(len(weights)):
            scores[d - first] += weights[f] * features[d, f]
    return scores


@kernel
def softmax_loss(starts: Array, features: Array, relevant: Array, logs: Array, weights: Array) -> Any:
    """(mean loss, its gradient by the weights of each query); weights (queries, features).

    Relevant documents of a query are not compared with each other.
    """
    n_features = weights.shape[1]
    total, gradients = 0.0, np.zeros(weights.shape)
    others = np.zeros(n_features)
    n_queries = 0
    for q in range(len(starts) - 1):
        first, end = starts[q], starts[q + 1]
        scores = _scores(first, end, features, logs, weights[q])
        n_relevant, highest = np.count_nonzero(relevant[first:end]), scores.max() if end > first else 0.0
        if n_relevant == 0 or n_relevant == end - first:
            continue
        n_queries += 1
        mass, others[:] = 0.0, 0.0
        for d in range(first, end):
            if not relevant[d]:
                share = np.exp(scores[d - first] - highest)
                mass += share
                for f in range(n_features):
                    others[f] += share * features[d, f]
        for d in range(first, end):
            if relevant[d]:
                share = np.exp(scores[d - first] - highest)
                whole = max(mass + share, 1e-300)
                total -= (scores[d - first] - highest - np.log(whole)) / n_relevant
                for f in range(n_features):
                    one = (others[f] + share * features[d, f]) / whole - features[d, f]
                    gradients[q, f] += one / n_relevant
    return total / max(n_queries, 1), gradients / max(n_queries, 1)


@kernel
def softmax_curvature(
    starts: Array, features: Array, relevant: Array, logs: Array, weights: Array, says: Array
) -> Any:
    """(parts · features)² second derivatives of the mean loss by W, where the weights of a query are says W.

    Documents with a share below SLIGHT are left out of the sums and of the means alike, so that what remains is the
    curvature of a shorter list, never negative: this steers the steps, and does not move where they end.
    """
    n_features, n_parts = weights.shape[1], says.shape[1]
    bent = np.zeros((n_parts * n_features, n_parts * n_features))
    own, mean, others = np.zeros((n_features, n_features)), np.zeros(n_features), np.zeros(n_features)
    n_queries = 0
    for q in range(len(starts) - 1):
        first, end = starts[q], starts[q + 1]
        shares = _scores(first, end, features, logs, weights[q])
        n_relevant, highest = np.count_nonzero(relevant[first:end]), shares.max() if end > first else 0.0
        if n_relevant == 0 or n_relevant == end - first:
            continue
        n_queries += 1
        mass = 0.0
        for d in range(first, end):
            shares[d - first] = np.exp(shares[d - first] - highest)
            if not relevant[d]:
                mass += shares[d - first]
        kept = 0.0
        for d in range(first, end):
            if not relevant[d]:
                if shares[d - first] > SLIGHT * mass:
                    kept += shares[d - first]
                else:
                    shares[d - first] = 0.0
        mass = kept
        per_whole = 0.0  # Σ over relevant documents of 1 / (others + it)
        for d in range(first, end):
            if relevant[d]:
                per_whole += 1.0 / max(mass + shares[d - first], 1e-300)
        own[:], others[:] = 0.0, 0.0
        for d in range(first, end):
            share = shares[d - first]
            if relevant[d]:
                share *= 1.0 / max(mass + share, 1e-300)
            else:
                for f in range(n_features):
                    others[f] += share * features[d, f]
                share *= per_whole
            if share > 0.0:
                for f in range(n_features):
                    part = share * features[d, f]
                    if part != 0.0:
                        for g in range(f + 1):
                            own[f, g] += part * features[d, g]
        for d in range(first, end):
            if relevant[d]:
                whole = max(mass + shares[d - first], 1e-300)
                for f in range(n_features):
                    mean[f] = (others[f] + shares[d - first] * features[d, f]) / whole
                for f in range(n_features):
                    for g in range(f + 1):
                        own[f, g] -= mean[f] * mean[g]
        for i in range(n_parts):
            for j in range(n_parts):
                weight = says[q, i] * says[q, j] / n_relevant
                for f in range(n_features):
                    for g in range(f + 1):
                        bent[i * n_features + f, j * n_features + g] += weight * own[f, g]
                        if g < f:
                            bent[i * n_features + g, j * n_features + f] += weight * own[f, g]
    return bent / max(n_queries, 1)
