"""Queries without judgments: JSON lines or a folder of text files; whatever is wrong is said in one line."""

import json
from pathlib import Path

import pytest

from kakehashi.corpus.query_files import read_queries, read_query_text
from kakehashi.errors import FileError, InputError
from kakehashi.types import Text


def test_lines_may_leave_language_and_title_out(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    records = [
        {"id": "a", "text": "電池"},
        {"id": "b", "text": "cell", "lang": "en", "title": "t", "meta": {"x": 1}},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    assert read_queries(path, "ja") == [Text("a", "ja", "電池"), Text("b", "en", "cell", "t", {"x": 1})]


def test_text_files_are_queries_named_like_them(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("\ufeff電極\n", "utf-8")
    (tmp_path / "a.TXT").write_text("電池", "utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0")
    (tmp_path / ".hidden.txt").write_text("x", "utf-8")
    assert read_queries(tmp_path, "ja") == [Text("a", "ja", "電池"), Text("b", "ja", "電極\n")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.txt", b"\xff\xfe\x00", "is not UTF-8 at byte 0: convert the file"),
        ("q.txt", b"PK\x03\x04\0\0", "is not a text file: convert it to UTF-8 text"),
        ("q.txt", b" \n", "holds no text to search with"),
        ("two words.txt", b"x", "its name is the query's id, which must not hold blanks: rename it"),
        ("q.png", b"x", "holds no text files (.txt, .text, .md)"),
    ],
)
def test_folder_that_cannot_be_read_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_queries(tmp_path, "ja")
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.jsonl", "", "holds no queries"),
        ("q.jsonl", '{"id": "a"}', "is not a query record: Object missing required field `text`"),
        ("q.jsonl", '{"id": "a", "text": " "}', "query 'a' is empty"),
        (
            "q.jsonl",
            '{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}',
            "holds two queries with the id 'a'",
        ),
        ("q.jsonl", '{"id": "a b", "text": "x"}', "an id must not be empty or contain white space"),
        ("q.txt", "x", "is neither a .jsonl file nor a folder of text files"),
    ],
)
def test_lines_that_cannot_be_read_are_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        read_queries(tmp_path / name, "ja")
    assert message in str(caught.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="nowhere: is not there"):
        read_queries(tmp_path / "nowhere", "ja")
    with pytest.raises(FileError, match=r"nowhere\.txt: cannot be "):
        read_query_text(tmp_path / "nowhere.txt")
