"""A document's text by its id, from a file in any form, whatever happens to the file."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from kakehashi import store
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.lines import write_file
from kakehashi.errors import FileError, InputError
from kakehashi.index import texts
from kakehashi.index.holdings import Holdings
from kakehashi.index.texts import Texts
from kakehashi.types import Text
from tests.toy import toy_collection

TEXTS = [
    Text("a", "en", "battery", "Cell"),
    Text("b", "en", "電池 " * 50, meta={"ipc": ["H01M"]}),
    Text("c-3", "en", ""),
    Text("ü", "en", "lens"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return toy_collection(tmp_path / "toy")


def put(folder: Path, documents: list[Text], suffix: str = "") -> Path:
    for old in folder.glob("documents.jsonl*"):
        old.unlink()
    lines = [
        json.dumps(
            {"id": text.id, "lang": text.lang, "title": text.title, "text": text.text, "meta": text.meta}
        )
        for text in documents
    ]
    path = folder / f"documents.jsonl{suffix}"
    with write_file(path) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
    return path


@pytest.mark.parametrize("suffix", ["", ".zst", ".gz"])
def test_every_document_is_read_as_the_file_has_it(suffix: str, folder: Path) -> None:
    put(folder, TEXTS, suffix)
    holdings = Holdings(folder)
    assert [holdings.text(text.id) for text in TEXTS] == TEXTS == [*Collection(folder).documents()]


@pytest.mark.parametrize("suffix", ["", ".zst", ".gz"])
@pytest.mark.parametrize(
    ("unknown", "shown"),
    [("", ""), ("A", "A"), ("a ", "a "), ("nobody", "nobody"), ("\ud800", "\\ud800")],
    ids=["none", "A", "a and a space", "nobody", "half a character"],
)
def test_unknown_document_is_refused_with_the_file(
    suffix: str, unknown: str, shown: str, folder: Path
) -> None:
    path = put(folder, TEXTS, suffix)
    with pytest.raises(InputError) as caught:
        Holdings(folder).text(unknown)
    assert str(caught.value) == f"{path} has no document '{shown}'"


def test_lines_may_be_empty_end_as_on_windows_and_begin_with_a_byte_order_mark(folder: Path) -> None:
    path = put(folder, TEXTS)
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join([lines[0], b"", *lines[1:]]))
    assert [*Collection(folder).documents()] == TEXTS
    assert [Holdings(folder).text(text.id) for text in TEXTS] == TEXTS


@pytest.mark.parametrize("suffix", ["", ".zst"])
def test_file_that_changes_afterwards_is_read_as_it_is_now(suffix: str, folder: Path) -> None:
    put(folder, TEXTS, suffix)
    holdings = Holdings(folder)
    assert holdings.text("ü").text == "lens"
    path = put(folder, [Text("new", "en", "first"), Text("ü", "en", "Linse"), *TEXTS[:2]], suffix)
    os.utime(path, ns=(0, 12345))
    assert holdings.text("ü").text == "Linse"
    assert holdings.text("new").text == "first"
    with pytest.raises(InputError, match="has no document 'c-3'"):
        holdings.text("c-3")


def test_table_of_places_is_kept_until_the_file_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(folder, TEXTS)
    kept = folder / "index" / "texts" / store.META

    def texts_by_id() -> list[Text]:
        return [Texts(Collection(folder), folder / "index").of(text.id) for text in TEXTS]

    assert texts_by_id() == TEXTS
    before = kept.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(texts, "_found", lambda path: pytest.fail("the file was read once more"))
        assert texts_by_id() == TEXTS
    os.utime(path, ns=(0, 12345))
    assert texts_by_id() == TEXTS
    assert kept.read_bytes() != before


def test_file_is_read_once_however_many_threads_ask(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [Text(f"d{i}", "en", f"text {i}") for i in range(200)]
    put(folder, documents)
    made, found = [], texts._found
    monkeypatch.setattr(texts, "_found", lambda path: made.append(path) or found(path))
    holdings = Holdings(folder)
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(holdings.text, [text.id for text in documents])] == documents
    assert len(made) == 1


def test_documents_of_the_same_hash_are_told_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_hash", lambda doc_id: np.uint64(len(doc_id) % 2))
    put(folder, TEXTS)
    holdings = Holdings(folder)
    assert [holdings.text(text.id) for text in TEXTS] == TEXTS
    for unknown in ("x", "xy"):
        with pytest.raises(InputError, match=f"has no document '{unknown}'"):
            holdings.text(unknown)


def test_of_two_records_with_one_id_the_first_is_taken_in_every_form(folder: Path) -> None:
    for suffix in ("", ".zst"):
        put(folder, [*TEXTS, Text("a", "en", "other")], suffix)
        assert Holdings(folder).text("a") == TEXTS[0]


@pytest.mark.parametrize("damage", ["file in its place", "locked", "cut short"])
def test_folder_that_cannot_be_written_or_read_costs_only_time(damage: str, folder: Path) -> None:
    put(folder, TEXTS)
    kept = folder / "index" / "texts"
    if damage == "file in its place":
        kept.parent.mkdir()
        kept.write_bytes(b"")
        assert [Holdings(folder).text(text.id) for text in TEXTS] == TEXTS
    elif damage == "locked":
        with store.locked(kept):
            assert [Holdings(folder).text(text.id) for text in TEXTS] == TEXTS
        assert not (kept / store.META).exists()
    else:
        Holdings(folder).text("a")
        for path in kept.glob("*.npy"):
            path.write_bytes(path.read_bytes()[:-4])
    assert [Holdings(folder).text(text.id) for text in TEXTS] == TEXTS


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b'{"lang": "en"}',
        b'{"id": 7}',
        b'{"id": "\xff"}',
        b'{"id": "x", "meta": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
    ids=["half a record", "no record", "no id", "a number", "no UTF-8", "too deep"],
)
def test_broken_line_is_named_by_its_number(line: bytes, folder: Path) -> None:
    path = put(folder, TEXTS)
    path.write_bytes(path.read_bytes() + b"\n" + line + b"\n")
    with pytest.raises(FileError, match=r"documents\.jsonl:6: is not a text record") as caught:
        Holdings(folder).text("a")
    assert "\n" not in str(caught.value)
    assert not (folder / "index" / "texts" / store.META).exists()


def test_record_that_lacks_more_than_its_id_is_refused_when_it_is_read(folder: Path) -> None:
    path = put(folder, TEXTS)
    path.write_bytes(path.read_bytes() + b'{"id": "half"}\n')
    holdings = Holdings(folder)
    assert holdings.text("a") == TEXTS[0]
    with pytest.raises(FileError, match=r"documents\.jsonl: is not a text record: .*lang"):
        holdings.text("half")


def test_empty_file_and_missing_file_are_told_apart(folder: Path) -> None:
    path = put(folder, [])
    with pytest.raises(InputError, match="has no document 'a'"):
        Holdings(folder).text("a")
    path.unlink()
    with pytest.raises(FileError, match=r"documents\.jsonl: is missing: run kakehashi data check"):
        Holdings(folder).text("a")
