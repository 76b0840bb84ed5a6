"""What a library holds is opened when it is asked for, and what is missing is named with the command that helps."""

from pathlib import Path

import msgspec
import pytest

from kakehashi.corpus import collection as collections
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.writing import info_toml
from kakehashi.errors import InputError
from kakehashi.index import index as opened
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.types import Condition, Scope
from tests.index.building import build, texts_of
from tests.toy import INFO, QRELS, toy_collection


def test_nothing_is_read_before_it_is_asked_for(
    indexed_toy: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    info, index = collections.read_info, opened.Index
    monkeypatch.setattr(collections, "read_info", lambda folder: read.append("collection") or info(folder))
    monkeypatch.setattr(opened, "Index", lambda folder: read.append("index") or index(folder))
    holdings = Holdings(str(indexed_toy.folder))
    assert holdings.folder == indexed_toy.folder
    assert holdings.model_folder("psq") == indexed_toy.folder / "models" / "psq"
    assert read == []
    assert holdings.index is holdings.index
    assert read == ["index"]
    assert holdings.collection is holdings.collection
    assert read == ["index", "collection"]


def test_folder_that_is_nowhere_is_refused_when_it_is_first_needed(tmp_path: Path) -> None:
    holdings = Holdings(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"nowhere: is not a collection: .*make one with kakehashi data get"):
        holdings.collection  # noqa: B018
    with pytest.raises(InputError, match=r"nowhere: is not a collection: .*make one with kakehashi data get"):
        holdings.index  # noqa: B018


def test_index_that_was_not_there_is_opened_once_it_is(tmp_path: Path) -> None:
    holdings = Holdings(toy_collection(tmp_path / "toy"))
    with pytest.raises(
        InputError, match=rf"no index here: build it first .*\(kakehashi index {holdings.folder}\)"
    ):
        holdings.index  # noqa: B018
    build(holdings.folder / "index", texts_of({"a": "w1"}))
    assert holdings.index.n_docs == 1


def test_damaged_index_names_both_what_is_wrong_and_the_command(toy_copy: Path) -> None:
    next((toy_copy / "index" / "segments").glob("*/meta.json")).unlink()
    with pytest.raises(InputError, match=rf"no segment here.*--rebuild.*\(kakehashi index {toy_copy}\)"):
        Holdings(toy_copy).index  # noqa: B018


def test_index_at_hand_is_taken_as_it_is(toy_index: Index, indexed_toy: Collection) -> None:
    holdings = Holdings(indexed_toy.folder, toy_index)
    assert holdings.index is toy_index


def test_same_holdings_through_an_index_in_other_words(indexed_toy: Collection, tmp_path: Path) -> None:
    holdings = Holdings(indexed_toy.folder)
    other = build(tmp_path / "other", texts_of({"x": "w1"}))
    over = holdings.over(other)
    assert over.index is other
    assert holdings.index is not other
    assert (over.folder, over.text("d01")) == (holdings.folder, holdings.text("d01"))


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "../a", "/a", "a/"])
def test_name_that_would_leave_the_folder_names_no_model(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"'{name}' cannot name a model: use letters, digits and hyphens"):
        Holdings(tmp_path).model_folder(name)


def test_split_is_its_judged_queries_and_what_they_are_ranked_against(indexed_toy: Collection) -> None:
    holdings = Holdings(indexed_toy.folder)
    split = holdings.split("train")
    assert (split.name, [query.id for query in split.queries], len(split)) == ("train", ["j1", "j2", "j3"], 3)
    assert (split.qrels, split.mate_level, split.scope) == (QRELS["train"], 3, Scope())
    few = holdings.split("train", 2)
    assert [query.id for query in few.queries] == ["j1", "j3"]
    assert few.qrels == {id: QRELS["train"][id] for id in ("j1", "j3")}
    originals = holdings.split("test", queries="originals.jsonl")
    assert [(query.id, query.lang) for query in originals.queries] == [("j5", "en"), ("j6", "en")]


def test_split_of_a_collection_with_pools_is_ranked_against_its_own(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "pools")
    info = msgspec.structs.replace(INFO, exclude_self=True, fields={**INFO.fields, "pool": "keyword"})
    (folder / "collection.toml").write_text(info_toml(info), encoding="utf-8")
    split = Holdings(folder).split("dev")
    assert split.scope == Scope((Condition("pool", "=", "dev"),), not_itself=True)


def test_split_or_queries_that_are_not_there_are_named(toy_copy: Path) -> None:
    (toy_copy / "originals.jsonl").unlink()
    holdings = Holdings(toy_copy)
    with pytest.raises(InputError, match="has no split 'nonsense': its splits are train, dev, test"):
        holdings.split("nonsense")
    with pytest.raises(InputError, match=rf"^{toy_copy} has no originals\.jsonl$"):
        holdings.split("test", queries="originals.jsonl")


def test_models_are_told_what_they_were_trained_on(indexed_toy: Collection) -> None:
    holdings = Holdings(indexed_toy.folder)
    index = holdings.index
    assert holdings.fingerprints == {
        "query": index.source_analyzer.fingerprint,
        "document": index.analyzer.fingerprint,
    }
    assert holdings.origin == {"collection": "toy", "index_generation": index.artifact.meta.generation}
