"""The low-rank model on 20 Newsgroups: better than 0.70 on posts it never saw, where the papers end at 0.53."""

from pathlib import Path

import numpy as np
import pytest
from kakehashi.registry import build, read_values
from kakehashi.retrieve.models import model_folder
from kakehashi.training.lowrank import LowRankTraining, train

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.newsgroups import import_newsgroups
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.index.prepare import index_collection, index_folder
from kakehashi.types import Scope
from tests.data_beside import data_file

PAIRS = {"scheme": "2", "per_query": 5, "pairs": 1_000_000}
STEPS = {"rank": 50, "rate": 0.02, "l2": 0.01, "noise": 0.1, "epochs": 1}


@pytest.mark.real
def test_low_rank_reaches_a_map_of_070_on_newsgroups(tmp_path: Path) -> None:
    import_newsgroups(data_file("20news-bydate.tar.gz"), tmp_path / "news")
    collection = Collection(tmp_path / "news")
    index_collection(collection)
    index = Index(index_folder(collection))
    settings = read_values("lowrank", LowRankTraining, PAIRS | STEPS | {"tied": True, "identity": False})
    train(collection, index, model_folder(index, "lowrank"), settings)
    scope = Scope((parse_condition("pool=test"),), not_itself=True)
    system = build("lowrank", index, scope=scope)
    asked = [post for post in collection.queries() if post.meta["pool"] == ["test"]]
    group_of = {post.id: post.meta["group"] for post in asked}
    precisions = []
    for start in range(0, len(asked), 512):
        for id, ranking in system.search(asked[start : start + 512], len(asked)).rankings.items():
            assert len(ranking) == len(asked) - 1
            hits = np.flatnonzero([group_of[doc] == group_of[id] for doc in ranking.docs])
            precisions.append(np.mean(np.arange(1, len(hits) + 1) / (hits + 1)))
    assert np.mean(precisions) >= 0.70
