"""k-means over sparse vectors: documents in clusters, each with the mean of its members."""

from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.learn.vectors import Rows
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Array, Floats32, Ints, Longs


class Clusters(NamedTuple):
    """Which documents belong to which cluster."""

    centroids: Floats32  # (clusters, words) mean of the members
    starts: Longs  # (clusters + 1,)
    members: Ints  # (documents,) numbers, cluster after cluster, ascending inside


def cluster(
    rows: Rows,
    n_words: int,
    n_clusters: int,
    rng: np.random.Generator,
    rounds: int = 10,
    progress: Progress = SILENT,
) -> Clusters:
    """Lloyd's rounds by angle, starting from random documents; stops early when nothing changes."""
    n = len(rows.starts) - 1
    if not 1 <= n_clusters <= n:
        raise InputError(f"{n} documents cannot be split into {n_clusters} clusters: choose 1 to {n}")
    centroids = np.zeros((n_clusters, n_words), np.float32)
    for c, d in enumerate(rng.choice(n, n_clusters, replace=False).tolist()):
        entries = slice(rows.starts[d], rows.starts[d + 1])
        centroids[c, rows.columns[entries]] = rows.values[entries]
    owners = np.full(n, -1, np.int32)
    for _ in track(range(rounds), "clustering documents", rounds, progress):
        lengths = np.sqrt(np.einsum("cw,cw->c", centroids, centroids, dtype=np.float64))
        directions = np.ascontiguousarray(
            (centroids / np.maximum(lengths, 1e-30)[:, None]).T, dtype=np.float32
        )
        moved = _assign(rows, directions, owners)
        centroids = _means(rows, owners, n_clusters, n_words)
        if moved == 0:
            break
    order = np.argsort(owners, kind="stable").astype(np.int32)
    starts = np.append(0, np.cumsum(np.bincount(owners, minlength=n_clusters))).astype(np.int64)
    return Clusters(centroids, starts, order)


def best_members(projected: Floats32, clusters: Clusters, best: int) -> Ints:
    """Documents of the clusters whose mean scores highest; f is linear, so it is the mean of their scores."""
    scores = clusters.centroids @ projected
    chosen = np.argsort(-scores, kind="stable")[:best]
    parts = [clusters.members[clusters.starts[c] : clusters.starts[c + 1]] for c in chosen.tolist()]
    return np.sort(np.concatenate(parts))


@kernel
def _assign(rows: Rows, directions: Array, owners: Array) -> Any:
    """Assign each document to the nearest direction (words, clusters); returns how many changed."""
    starts, columns, values = rows.starts, rows.columns, rows.values
    n_clusters = directions.shape[1]
    scores = np.empty(n_clusters, np.float32)
    moved = 0
    for d in range(len(starts) - 1):
        scores[:] = 0.0
        for e in range(starts[d], starts[d + 1]):
            row, x = directions[columns[e]], values[e]
            for c in range(n_clusters):
                scores[c] += x * row[c]
        best = np.argmax(scores)
        moved += owners[d] != best
        owners[d] = best
    return moved


@kernel
def _means(rows: Rows, owners: Array, n_clusters: int, n_words: int) -> Array:
    starts, columns, values = rows.starts, rows.columns, rows.values
    centroids, sizes = np.zeros((n_clusters, n_words), np.float32), np.zeros(n_clusters, np.int64)
    for d in range(len(owners)):
        sizes[owners[d]] += 1
        for e in range(starts[d], starts[d + 1]):
            centroids[owners[d], columns[e]] += values[e]
    for c in range(n_clusters):
        centroids[c] /= np.float32(max(sizes[c], 1))
    return centroids
