"""BEIR folders."""

import json
from pathlib import Path

import pytest
from hypothesis import given

from kakehashi.corpus.beir import export_beir, import_beir, read_qrels, read_texts, write_qrels, write_texts
from kakehashi.corpus.check import check
from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.errors import FileError, InputError
from kakehashi.types import Qrels, Text
from tests.corpus.strategies import few, qrels, text_lists
from tests.toy import QRELS, toy_collection

INFO = CollectionInfo("toy", "ja", "en")


def beir_folder(folder: Path) -> Path:
    (folder / "qrels").mkdir(parents=True)
    documents = [{"_id": "d1", "title": "Pumps", "text": "fuel"}, {"_id": 2, "title": None, "text": "lens"}]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, [*documents, {"_id": "d3", "text": " "}])))
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "ポンプ", "metadata": {"a": [1]}}\n')
    (folder / "qrels/test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\t2\t-1\nq1\td9\t1\nq1\td3\t1\n"
    )
    return folder


def test_beir_folder_becomes_a_faultless_collection(tmp_path: Path) -> None:
    done = import_beir(beir_folder(tmp_path / "beir"), tmp_path / "c", INFO)
    made = Collection(tmp_path / "c")
    assert check(tmp_path / "c") == []
    assert list(made.documents()) == [Text("d1", "en", "fuel", "Pumps"), Text("2", "en", "lens")]
    assert list(made.queries()) == [Text("q1", "ja", "ポンプ", "", {"a": [1]})]
    assert made.qrels("test") == {"q1": {"d1": 2, "2": 0}}
    assert dict(made.info.levels) == {"2": "level 2", "1": "level 1"}
    assert done.left_out["empty documents"] == 1
    assert done.left_out["judgments of unknown documents or queries"] == 2
    assert made.info.made_with["empty documents"] == 1


def test_collection_survives_export_and_import(tmp_path: Path) -> None:
    toy = Collection(toy_collection(tmp_path / "toy"))
    export_beir(toy, tmp_path / "beir")
    import_beir(tmp_path / "beir", tmp_path / "again", INFO)
    again = Collection(tmp_path / "again")
    assert list(again.documents()) == list(toy.documents())
    assert list(again.queries()) == list(toy.queries())
    assert {split: again.qrels(split) for split in again.splits} == QRELS


@few
@given(text_lists)
def test_any_texts_survive(tmp_path_factory: pytest.TempPathFactory, texts: list[Text]) -> None:
    path = tmp_path_factory.mktemp("beir") / "corpus.jsonl"
    write_texts(path, texts)
    assert list(read_texts(path, "en")) == texts


@few
@given(qrels)
def test_any_judgments_survive(tmp_path_factory: pytest.TempPathFactory, judged: Qrels) -> None:
    path = tmp_path_factory.mktemp("beir") / "test.tsv"
    write_qrels(path, judged)
    assert read_qrels(path) == judged


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("corpus.jsonl", '{"_id": "d1", "text": 1}', r"corpus\.jsonl:1: is not a BEIR record"),
        ("corpus.jsonl", '{"id": "d1", "text": "a"}', r"corpus\.jsonl:1: .*missing required field `_id`"),
        ("corpus.jsonl", '{"_id": "d 1", "text": "a"}', "contains white space"),
        (
            "qrels/test.tsv",
            "query-id\tcorpus-id\tscore\nq1\td1\n",
            r"test\.tsv:2: has 2 tab-separated columns",
        ),
        ("qrels/test.tsv", "q1\td1\thigh\n", r"test\.tsv:1: level 'high'"),
    ],
)
def test_bad_files_are_refused_and_leave_nothing(
    tmp_path: Path, file: str, content: str, message: str
) -> None:
    source = beir_folder(tmp_path / "beir")
    (source / file).write_text(content)
    with pytest.raises(FileError, match=message):
        import_beir(source, tmp_path / "c", INFO)
    assert [path.name for path in tmp_path.iterdir()] == ["beir"]


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_missing_files_are_named(tmp_path: Path, file: str) -> None:
    source = beir_folder(tmp_path / "beir")
    (source / file).unlink()
    with pytest.raises(FileError, match=r"is missing|has no judgments"):
        import_beir(source, tmp_path / "c", INFO)


def test_query_in_two_splits_is_refused(tmp_path: Path) -> None:
    source = beir_folder(tmp_path / "beir")
    (source / "qrels/train.tsv").write_text("q1\td1\t1\n")
    with pytest.raises(InputError, match="'q1' is judged in train and in test"):
        import_beir(source, tmp_path / "c", INFO)
