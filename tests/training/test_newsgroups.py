"""The low-rank model on 20 Newsgroups: better than 0.70 on posts it never saw, where the papers end at 0.53."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kakehashi.corpus.newsgroups import read_posts
from kakehashi.corpus.pairs import PairBlock
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.index.update import Analyzers, build_index
from kakehashi.retrieve.dense import Dense
from kakehashi.retrieve.lowrank_system import LowRankSystemSettings, train
from kakehashi.retrieve.sparse import Scope
from kakehashi.store import Array
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings
from tests.data_beside import data_file

PAIRS, PER_GROUP = 1_000_000, 5


def even_pairs(groups: Array) -> Iterator[PairBlock]:
    """Any post, any of its group, any of another."""
    rng = np.random.default_rng(1)
    order = np.argsort(groups, kind="stable")
    firsts, sizes = np.searchsorted(groups[order], np.arange(20)), np.bincount(groups)
    for _ in range(0, PAIRS, 100_000):
        queries = rng.integers(len(groups), size=100_000 // PER_GROUP)
        owners = np.repeat(groups[queries], PER_GROUP)
        positives = order[firsts[owners] + rng.integers(sizes[owners])]
        negatives = rng.integers(len(groups), size=100_000)
        while (wrong := groups[negatives] == owners).any():
            negatives[wrong] = rng.integers(len(groups), size=int(wrong.sum()))
        yield PairBlock(
            queries.astype(np.int32),
            np.arange(0, 100_001, PER_GROUP, dtype=np.int64),
            positives.astype(np.int32),
            negatives.astype(np.int32),
            np.ones(100_000, np.float32),
        )


@pytest.mark.real
def test_low_rank_reaches_a_map_of_070_on_newsgroups(tmp_path: Path) -> None:
    posts = list(read_posts(data_file("20news-bydate.tar.gz")))
    english = Analyzer(AnalyzerSettings(lang="en", stop="small", stem=True))
    build_index(tmp_path, posts, Analyzers(english, english), {"pool": "keyword"})
    known = [post for post in posts if post.meta["pool"] == ["train"]]
    asked = [post for post in posts if post.meta["pool"] == ["test"]]
    groups = np.unique([post.meta["group"] for post in known], return_inverse=True)[1]
    settings = LowRankSystemSettings(rank=50, rate=0.02, l2=0.01, tied=True, cosine=True)
    index = Index(tmp_path)
    model = train(index, known, [post.id for post in known], lambda: even_pairs(groups), settings)
    scope = Scope((parse_condition("pool=test"),), not_itself=True)
    system = Dense("lowrank", model, index, scope)
    precisions = []
    group_of = {post.id: post.meta["group"] for post in asked}
    for start in range(0, len(asked), 512):
        for id, ranking in system.search(asked[start : start + 512], len(asked)).rankings.items():
            assert len(ranking) == len(asked) - 1
            hits = np.flatnonzero([group_of[doc] == group_of[id] for doc in ranking.docs])
            precisions.append(np.mean(np.arange(1, len(hits) + 1) / (hits + 1)))
    assert np.mean(precisions) >= 0.70
