"""Which documents df is counted over: the three variants of the newsgroup experiment."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.systems.opening import open_system
from kakehashi.types import Scope, Text
from tests.index.building import build, holdings_of, zipfian
from tests.retrieve import formulas
from tests.retrieve.comparing import assert_right, words

TEST_POOL = Scope(where=(parse_condition("pool=test"),))


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> tuple[Index, dict[str, dict[str, list[str]]]]:
    documents = zipfian(np.random.default_rng(8), 300, n_terms=500, mean_length=8)
    pool_of = {id: "train" if i % 3 else "test" for i, id in enumerate(documents)}
    texts = [Text(id, "en", text, meta={"pool": pool_of[id]}) for id, text in documents.items()]
    index = build(tmp_path_factory.mktemp("pools") / "index", texts, {"pool": "keyword"})
    split = {
        pool: {id: text.split() for id, text in documents.items() if pool_of[id] == pool}
        for pool in ("train", "test")
    }
    return index, split


@pytest.mark.parametrize("idf", ["lucene", "rsj_clamped", "log"])
@pytest.mark.parametrize("variant", ["train", "pooled"])
def test_test_documents_are_ranked_by_the_chosen_df(
    pools: tuple[Index, dict[str, dict[str, list[str]]]], variant: str, idf: str
) -> None:
    """`train`: variant 2, for training and testing alike. `pooled`: variant 3, and variant 1 at test time."""
    index, split = pools
    counted = split["train"] if variant == "train" else split["train"] | split["test"]
    settings = {"idf": idf, "df": "pool=train" if variant == "train" else ""}
    system = open_system("tfidf", holdings_of(index), settings)
    for query in list(split["test"].values())[:20]:
        text = " ".join(query)
        ranking = system.search([Text("q", "en", text)], 50, TEST_POOL).rankings["q"]
        score = formulas.cosine(words(text), formulas.counts_of(counted), idf_name=idf)
        assert_right(ranking, formulas.scored(score, split["test"]), 50, slack=1e-7)


def test_term_unseen_in_training_vanishes(pools: tuple[Index, dict[str, dict[str, list[str]]]]) -> None:
    index, split = pools
    train, test = (formulas.counts_of(split[pool]) for pool in ("train", "test"))
    unseen = next(term for term in test.df if term not in train.df)
    query = [Text("q", "en", unseen)]
    by_train, by_all = (open_system("tfidf", holdings_of(index), {"df": df}) for df in ("pool=train", ""))
    assert len(by_train.search(query, scope=TEST_POOL).rankings["q"]) == 0
    assert len(by_all.search(query, scope=TEST_POOL).rankings["q"]) == test.df[unseen]


def test_pool_of_an_unknown_field_is_refused(tmp_path: Path) -> None:
    index = build(tmp_path / "index", [Text("a", "en", "x")])
    with pytest.raises(InputError, match="no metadata field 'pool': this index has lang"):
        open_system("tfidf", holdings_of(index), {"df": "pool=train"})
