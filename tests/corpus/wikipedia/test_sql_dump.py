"""Rows of SQL dumps, whatever their strings hold; broken files end in one line that names the place."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.corpus.wikipedia.sql_dump import find_table, read_rows
from kakehashi.errors import FileError
from tests.corpus.wikipedia.dumps import write_table

STRINGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def test_strings_are_read_as_they_were_meant(tmp_path: Path) -> None:
    hard = ["it's", "a, (b); c", "back\\slash", "two\nlines", "", "日本語", "NULL)", "NULL"]
    path = write_table(tmp_path, "page", [(i, 0, title, 0) for i, title in enumerate(hard)])
    assert list(read_rows(path, ["page_title", "page_id"])) == [
        (title, str(i)) for i, title in enumerate(hard)
    ]


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 10**9), STRINGS), max_size=8))
def test_any_string_comes_back(rows: list[tuple[int, str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write_table(
        tmp_path_factory.mktemp("dump"), "linktarget", [(n, 14, text) for n, text in rows], packed=False
    )
    read = list(read_rows(path, ["lt_id", "lt_title"]))
    assert read == [(str(n), text) for n, text in rows]


def test_null_is_empty_and_bytes_that_are_no_text_do_not_stop_the_reader(tmp_path: Path) -> None:
    path = write_table(tmp_path, "langlinks", [(1, None, "x")], packed=False)
    path.write_bytes(path.read_bytes().replace(b"'x'", b"'\xff'"))
    assert list(read_rows(path, ["ll_lang", "ll_title"])) == [("", "\ufffd")]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("INSERT INTO `page` VALUES (1,0,'a',0),(2,0,'b'", "ends within a row: the file is cut off"),
        ("INSERT INTO `page` VALUES (1,0,'a", "a string does not end"),
        ("INSERT INTO `page` VALUES (1,0,'a',0),(2,0,", "ends within a row: the file is cut off"),
        ("INSERT INTO `page` VALUES (1,(2),'a',0);", "no value stands there"),
        ("INSERT INTO `page` VALUES (1,0);", "has a row of 2 values, needs 4"),
        ("INSERT INTO `page` VALUES 1,0;", "no row begins there"),
    ],
)
def test_broken_rows_name_file_and_line(line: str, fault: str, tmp_path: Path) -> None:
    path = write_table(tmp_path, "page", [], packed=False)
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(FileError, match=fault) as error:
        list(read_rows(path, ["page_id"]))
    assert "-page.sql:" in str(error.value)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.sql"
    path.write_text("hello\n")
    with pytest.raises(FileError, match="names no columns: give an SQL dump"):
        list(read_rows(path, ["page_id"]))
    write_table(tmp_path / "other", "page", [])
    with pytest.raises(FileError, match="has no column 'page_size': its columns are page_id, "):
        list(read_rows(tmp_path / "other" / "xxwiki-20240101-page.sql.gz", ["page_size"]))
    cut = write_table(tmp_path / "cut", "page", [(1, 0, "a", 0)])
    cut.write_bytes(cut.read_bytes()[:-20])
    with pytest.raises(FileError, match="cannot be read further"):
        list(read_rows(cut, ["page_id"]))


def test_table_is_found_by_its_whole_name(tmp_path: Path) -> None:
    write_table(tmp_path, "pagelinks", [])
    assert find_table(tmp_path, "page") is None
    found = write_table(tmp_path, "page", [])
    assert find_table(tmp_path, "page") == found
    (tmp_path / "page.sql.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(FileError, match="is a second table 'page' beside"):
        find_table(tmp_path, "page")


@settings(max_examples=100, deadline=None)
@given(tail=st.binary(max_size=60))
def test_any_bytes_are_rows_or_an_error(tail: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write_table(tmp_path_factory.mktemp("dump"), "page", [(1, 0, "a", 0)], packed=False)
    path.write_bytes(path.read_bytes() + b"INSERT INTO `page` VALUES (2,0," + tail)
    faults: list[str] = []
    try:
        rows = list(read_rows(path, ["page_id", "page_title"]))
    except FileError as error:
        rows, faults = [], [str(error)]
    assert all(len(row) == 2 for row in rows)
    assert all(fault.startswith(str(path)) for fault in faults)
