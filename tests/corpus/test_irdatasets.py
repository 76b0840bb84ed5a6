"""The bridge from ir_datasets."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kakehashi.corpus.check import check
from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.irdatasets import import_datasets, load, read_documents, read_qrels, read_queries
from kakehashi.errors import InputError, MissingDependency
from kakehashi.types import Text

INFO = CollectionInfo("fake", "ja", "en")


class Doc(NamedTuple):
    doc_id: str
    url: str
    title: str
    abstract: str
    body: bytes


class Query(NamedTuple):
    query_id: str
    title: str
    description: str
    narrative: str


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class Fake:
    """A dataset held in memory."""

    def __init__(self, docs: list[Any], queries: list[Any], qrels: list[Any]):
        self.docs, self.queries, self.qrels = docs, queries, qrels

    def docs_iter(self) -> Iterator[Any]:
        return iter(self.docs)

    def queries_iter(self) -> Iterator[Any]:
        return iter(self.queries)

    def qrels_iter(self) -> Iterator[Any]:
        return iter(self.qrels)


DOCS = [Doc("d1", "http://x", "Pumps", "fuel", b"raw"), Doc("d2", "http://y", "Lenses", "glass", b"raw")]
QUERIES = [Query("q1", "ポンプ", "燃料ポンプ", "long"), Query("q2", "レンズ", "カメラ", "long")]
TEST = Fake(DOCS, QUERIES, [Qrel("q1", "d1", 2), Qrel("q1", "d1", 1), Qrel("q1", "d2", -1)])
TRAIN = Fake(DOCS, QUERIES, [Qrel("q2", "d2", 1)])


def test_usual_text_fields_are_found_in_any_named_tuple() -> None:
    assert next(iter(read_documents(TEST, "en"))) == Text("d1", "en", "fuel", "Pumps")
    assert next(iter(read_queries(TEST, "ja"))) == Text("q1", "ja", "燃料ポンプ", "ポンプ")


def test_fields_can_be_chosen() -> None:
    assert next(iter(read_queries(TEST, "ja", ["narrative"]))) == Text("q1", "ja", "long")
    with pytest.raises(InputError, match="'q1' has no text field story: it has query_id, title"):
        list(read_queries(TEST, "ja", ["story"]))


def test_highest_level_of_several_judgments_wins() -> None:
    assert read_qrels(TEST) == {"q1": {"d1": 2, "d2": -1}}


def test_datasets_become_the_splits_of_one_collection(tmp_path: Path) -> None:
    import_datasets({"train": TRAIN, "test": TEST}, tmp_path / "c", INFO)
    made = Collection(tmp_path / "c")
    assert check(tmp_path / "c") == []
    assert {split: made.qrels(split) for split in made.splits} == {
        "train": {"q2": {"d2": 1}},
        "test": {"q1": {"d1": 2, "d2": 0}},
    }
    assert [text.id for text in made.queries()] == ["q1", "q2"]


def test_query_with_two_texts_is_refused(tmp_path: Path) -> None:
    other = Fake(DOCS, [QUERIES[0]._replace(title="x"), QUERIES[1]], TRAIN.qrels)
    with pytest.raises(InputError, match="'q1' has two texts"):
        import_datasets({"train": other, "test": TEST}, tmp_path / "c", INFO)


def test_failing_dataset_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    class Broken(Fake):
        def docs_iter(self) -> Iterator[Any]:
            yield DOCS[0]
            raise RuntimeError("download failed")

    with pytest.raises(InputError, match="ir_datasets cannot provide the data: download failed"):
        import_datasets({"test": Broken(DOCS, QUERIES, TEST.qrels)}, tmp_path / "c", INFO)
    assert list(tmp_path.iterdir()) == []


def test_ir_datasets_own_records_and_dataset_class(tmp_path: Path) -> None:
    ir_datasets = pytest.importorskip("ir_datasets")
    formats = pytest.importorskip("ir_datasets.formats")

    class Docs(formats.BaseDocs):
        def docs_iter(self) -> Iterator[Any]:
            yield formats.GenericDoc("d1", "fuel pump")

    class Queries(formats.BaseQueries):
        def queries_iter(self) -> Iterator[Any]:
            yield formats.GenericQuery("q1", "ポンプ")

    class Qrels(formats.BaseQrels):
        def qrels_iter(self) -> Iterator[Any]:
            yield formats.TrecQrel("q1", "d1", 1, "0")

    import_datasets({"test": ir_datasets.Dataset(Docs(), Queries(), Qrels())}, tmp_path / "c", INFO)
    assert Collection(tmp_path / "c").qrels("test") == {"q1": {"d1": 1}}
    with pytest.raises(InputError, match="has no dataset 'no-such-dataset'"):
        load("no-such-dataset")


def test_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(MissingDependency, match=r"pip install 'kakehashi\[datasets\]'"):
        load("beir/scifact")
