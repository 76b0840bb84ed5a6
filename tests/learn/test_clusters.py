"""Clusters: what they promise, and what they find again."""

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.learn.clusters import best_members, cluster
from kakehashi.learn.vectors import Rows
from tests.learn.plain_bilinear import dense, random_rows


def planted(rng: np.random.Generator, n_rows: int = 90) -> Rows:
    """Three kinds of documents, with words of their own."""
    columns = np.stack([np.sort(rng.choice(10, 5, replace=False)) + 10 * (row % 3) for row in range(n_rows)])
    return Rows(
        np.arange(n_rows + 1, dtype=np.int64) * 5,
        columns.ravel().astype(np.int32),
        np.ones(n_rows * 5, np.float32),
    )


def test_planted_groups_are_found() -> None:
    clusters = cluster(planted(np.random.default_rng(1)), 30, 3, np.random.default_rng(4))
    kinds = [
        set((clusters.members[clusters.starts[c] : clusters.starts[c + 1]] % 3).tolist()) for c in range(3)
    ]
    assert sorted(map(len, kinds)) == [1, 1, 1]


def test_score_of_a_mean_is_the_mean_of_the_scores() -> None:
    rng = np.random.default_rng(2)
    rows = random_rows(rng, 60, 20, 6)
    clusters = cluster(rows, 20, 5, rng)
    projected = rng.standard_normal(20).astype(np.float32)
    scores = dense(rows, 20) @ projected
    for c in range(5):
        members = clusters.members[clusters.starts[c] : clusters.starts[c + 1]]
        assert clusters.centroids[c] @ projected == pytest.approx(scores[members].mean(), abs=1e-5)


def test_every_document_is_in_one_cluster_and_all_clusters_hold_all() -> None:
    rng = np.random.default_rng(3)
    rows = random_rows(rng, 60, 20, 6)
    clusters = cluster(rows, 20, 7, rng)
    assert sorted(clusters.members.tolist()) == list(range(60))
    assert best_members(np.ones(20, np.float32), clusters, 7).tolist() == list(range(60))
    assert len(best_members(np.ones(20, np.float32), clusters, 2)) < 60


def test_more_clusters_than_documents_are_refused() -> None:
    rows = random_rows(np.random.default_rng(4), 5, 20, 6)
    with pytest.raises(InputError, match="5 documents cannot be split into 6 clusters"):
        cluster(rows, 20, 6, np.random.default_rng(1))
