"""The checker finds each planted fault at its file and line, and nothing in a clean folder."""

import gzip
import shutil
from pathlib import Path

import pytest

from kakehashi.corpus.check import check, examine
from kakehashi.corpus.faults import LISTED
from kakehashi.errors import FileError
from tests.toy import toy_collection


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return toy_collection(tmp_path / "toy")


def replace_line(path: Path, number: int, line: str | bytes) -> None:
    rows = path.read_bytes().split(b"\n")
    rows[number - 1] = line if isinstance(line, bytes) else line.encode()
    path.write_bytes(b"\n".join(rows))


def found(folder: Path) -> list[tuple[str, int | None, str, str]]:
    return [
        (str(fault.path.relative_to(folder)), fault.line, fault.severity, fault.message)
        for fault in check(folder)
    ]


def test_clean_folder_has_no_faults_and_is_counted(folder: Path) -> None:
    report = examine(folder)
    assert report.faults == []
    assert (report.documents, report.queries) == (12, 6)
    assert report.judgments == {"train": 10, "dev": 4, "test": 6}


RECORD = '{{"id":"{id}","lang":"en","title":"","text":"{text}","meta":{meta}}}'
FAULTS = [
    ("documents.jsonl", 2, '{"id": "d02", ', "error", "not a text record"),
    ("documents.jsonl", 2, '{"id": 2, "lang": "en", "text": "a"}', "error", "Expected `str`, got `int`"),
    ("documents.jsonl", 2, '{"id": "d02", "lang": "en"}', "error", "missing required field `text`"),
    (
        "documents.jsonl",
        2,
        '{"id":"d02","lang":"en","text":"a","titel":"b"}',
        "warning",
        "unknown field `titel`",
    ),
    ("documents.jsonl", 2, "[" * 100_000, "error", "not a text record"),
    ("documents.jsonl", 2, b'{"id":"d02","lang":"en","text":"\xff"}', "error", "not UTF-8 at byte 32"),
    ("documents.jsonl", 2, RECORD.format(id="d 02", text="a", meta="{}"), "error", "contains white space"),
    ("documents.jsonl", 2, RECORD.format(id="d01", text="a", meta="{}"), "error", "already used in line 1"),
    ("documents.jsonl", 2, RECORD.format(id="d02", text=" ", meta="{}"), "error", "neither title nor text"),
    ("documents.jsonl", 2, RECORD.format(id="d02", text="a", meta='{"ipc":[1]}'), "error", "field 'ipc'"),
    ("documents.jsonl", 2, RECORD.format(id="d02", text="a", meta='{"ipc":null}'), "error", "field 'ipc'"),
    ("documents.jsonl", 2, RECORD.format(id="d02", text="a", meta='{"claims":"5"}'), "error", "not a number"),
    (
        "documents.jsonl",
        2,
        RECORD.format(id="d02", text="a", meta='{"claims":true}'),
        "error",
        "not a number",
    ),
    (
        "documents.jsonl",
        2,
        RECORD.format(id="d02", text="a", meta='{"date":"2006-02-30"}'),
        "error",
        "not a date",
    ),
    (
        "documents.jsonl",
        2,
        RECORD.format(id="d02", text="a", meta='{"date":"20060228"}'),
        "error",
        "not a date",
    ),
    ("documents.jsonl", 2, RECORD.format(id="d02", text="a", meta='{"date":2006}'), "error", "not a date"),
    (
        "queries.jsonl",
        6,
        RECORD.format(id="j6", text="a", meta="{}"),
        "warning",
        "language is 'en', not 'ja'",
    ),
    ("qrels/dev.tsv", 1, "j4\t0\td06", "error", "has 3 tab-separated columns, needs 4"),
    ("qrels/dev.tsv", 1, "", "error", "has 1 tab-separated columns"),
    ("qrels/dev.tsv", 1, b"j4\t0\td\xe906\t3", "error", "not UTF-8"),
    ("qrels/dev.tsv", 1, "j9\t0\td06\t3", "error", "no query 'j9'"),
    ("qrels/dev.tsv", 1, "j4\t0\td99\t3", "error", "no document 'd99'"),
    ("qrels/dev.tsv", 1, "j4\t0\td06\t4", "error", "level 4 is not declared"),
    ("qrels/dev.tsv", 1, "j4\t0\td06\t2.5", "error", "level '2.5' is not a whole number"),
    ("qrels/dev.tsv", 1, "j4\t0\td06\t-1", "error", "level '-1' is not a whole number"),
    ("qrels/dev.tsv", 4, "j4\t0\td06\t2", "error", "judges j4 and d06 a second time"),
    ("qrels/dev.tsv", 4, "j1\t0\td06\t2", "error", "query 'j1' is also judged in train"),
    ("originals.jsonl", 6, RECORD.format(id="j9", text="a", meta="{}"), "error", "no query 'j9'"),
    ("originals.jsonl", 6, RECORD.format(id="j5", text="a", meta="{}"), "error", "already used in line 5"),
    ("links.tsv", 3, "j2\td08", "error", "has 2 tab-separated columns, needs 3"),
    ("links.tsv", 3, "j2\td98\texaminer", "warning", "no query or document 'd98'"),
    ("classes.tsv", 1, "F01L 1/00", "error", "has 1 tab-separated columns, needs 2"),
    ("class_titles.tsv", 2, "H01M\tcells", "error", "'H01M' is already in line 1"),
    ("class_titles.tsv", 2, "G02B\t", "warning", "empty column"),
    ("class_titles.tsv", 2, "G02B", "error", "has 1 tab-separated columns, needs 2"),
    ("parallel.tsv", 16, "燃料電池\tfuel\tcell", "error", "has 3 tab-separated columns, needs 2"),
    ("parallel.tsv", 16, "燃料電池\t", "warning", "empty column"),
]


@pytest.mark.parametrize(("file", "line", "content", "severity", "message"), FAULTS)
def test_planted_fault_is_found_at_its_line(
    folder: Path, file: str, line: int, content: str | bytes, severity: str, message: str
) -> None:
    replace_line(folder / file, line, content)
    here = [fault for fault in found(folder) if fault[:3] == (file, line, severity)]
    assert any(message in fault[3] for fault in here), found(folder)


@pytest.mark.parametrize("file", ["collection.toml", "documents.jsonl", "queries.jsonl"])
def test_missing_file_is_found(folder: Path, file: str) -> None:
    (folder / file).unlink()
    assert any(fault[0] == file and fault[2] == "error" for fault in found(folder))


def test_queries_without_judgments_are_only_warned_of(folder: Path) -> None:
    for path in (folder / "qrels").iterdir():
        path.unlink()
    assert [fault[:3] for fault in found(folder)] == [("qrels", None, "warning")]


def test_documents_alone_are_a_collection(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name == "qrels":
            shutil.rmtree(path)
        elif path.name not in ("collection.toml", "documents.jsonl"):
            path.unlink()
    assert found(folder) == []
    assert examine(folder).documents == 12


def test_judgments_or_originals_of_missing_queries_are_faults(folder: Path) -> None:
    for path in (folder / "qrels").iterdir():
        path.unlink()
    (folder / "queries.jsonl").unlink()
    assert ("queries.jsonl", None, "error") in [fault[:3] for fault in found(folder)]


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is not a folder"):
        check(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('name = "toy"', "name = toy", 1, "is not TOML"),
        ('"3" =', '"three" =', None, "level 'three' is not a whole number"),
        ("mate_level = 3", "mate_level = 4", None, "mate_level 4 is not one of the levels"),
        ('"claims" = "number"', '"claims" = "integer"', None, "Invalid enum value 'integer'"),
        ("format = 1", "format = 2", None, "has format 2, this program reads 1"),
        ("synthetic = true", "sinthetic = true", None, "unknown field `sinthetic`"),
    ],
)
def test_faults_of_collection_toml(folder: Path, old: str, new: str, line: int | None, message: str) -> None:
    path = folder / "collection.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    first = found(folder)[0]
    assert first[:3] == ("collection.toml", line, "error")
    assert message in first[3]


def test_every_fault_is_found_not_only_the_first(folder: Path) -> None:
    replace_line(folder / "documents.jsonl", 2, "{")
    replace_line(folder / "documents.jsonl", 7, "{")
    replace_line(folder / "links.tsv", 1, "x")
    places = [fault[:2] for fault in found(folder) if fault[0] in ("documents.jsonl", "links.tsv")]
    assert ("documents.jsonl", 2) in places
    assert ("documents.jsonl", 7) in places
    assert ("links.tsv", 1) in places


def test_many_faults_of_one_kind_are_counted(folder: Path) -> None:
    with (folder / "links.tsv").open("a") as file:
        file.write("x\n" * 1000)
    faults = found(folder)
    assert len(faults) == LISTED + 1
    assert faults[-1][3] == "980 more: wrong number of columns"
    assert examine(folder).errors == 1000


def test_undecodable_rest_of_a_compressed_file_is_one_fault(folder: Path) -> None:
    path = folder / "links.tsv"
    packed = gzip.compress(path.read_bytes())
    path.unlink()
    (folder / "links.tsv.gz").write_bytes(packed[:-12])
    assert [fault[0] for fault in found(folder)] == ["links.tsv.gz"]


def test_file_in_two_forms_is_a_warning(folder: Path) -> None:
    (folder / "links.tsv.gz").write_bytes(gzip.compress((folder / "links.tsv").read_bytes()))
    assert [fault[:3] for fault in found(folder)] == [("links.tsv.gz", None, "warning")]


def test_unjudged_queries_are_a_warning(folder: Path) -> None:
    (folder / "qrels/dev.tsv").unlink()
    assert [fault[0::2] for fault in found(folder)] == [("queries.jsonl", "warning")]


def test_checking_changes_nothing(folder: Path) -> None:
    replace_line(folder / "documents.jsonl", 2, "{")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    check(folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_fault_prints_file_line_message(folder: Path) -> None:
    replace_line(folder / "links.tsv", 3, "x")
    assert (
        str(check(folder)[0])
        == f"{folder}/links.tsv:3: has 1 tab-separated columns, needs 3: citing cited kind"
    )
