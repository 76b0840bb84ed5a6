"""Writes a collection folder, completely or not at all; reads none."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import msgspec
import zstandard

from kakehashi.corpus.collection import INFO, CollectionInfo
from kakehashi.corpus.folders import whole_folder
from kakehashi.corpus.ids import refuse_bad_id, refuse_bad_split
from kakehashi.errors import InputError
from kakehashi.types import Qrels, Text

_encoder = msgspec.json.Encoder()


class CollectionWriter:
    """`with CollectionWriter(dir, info) as writer: ...`; the folder appears when the block succeeds."""

    def __init__(
        self, folder: Path | str, info: CollectionInfo, force: bool = False, packed: bool = False
    ) -> None:
        """`packed` compresses the judgments, for collections with many millions."""
        self.folder, self.info, self.force = Path(folder).resolve(), info, force
        self._suffix = ".zst" if packed else ""
        self._files: dict[str, BinaryIO] = {}
        self._ids: dict[str, set[str]] = {}

    def __enter__(self) -> "CollectionWriter":
        refuse_to_overwrite(self.folder, self.force)
        self._whole = whole_folder(self.folder)
        self._hidden = self._whole.__enter__()
        (self._hidden / "qrels").mkdir()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._file(INFO).write(encoded(info_toml(self.info), INFO))
            for file in self._files.values():
                file.close()
        except BaseException as failure:
            self._whole.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._whole.__exit__(kind, error, trace)

    def document(self, text: Text) -> None:
        self._record("documents.jsonl", text)

    def query(self, text: Text) -> None:
        self._record("queries.jsonl", text)

    def original(self, text: Text) -> None:
        self._record("originals.jsonl", text)

    def parallel(self, source: str, target: str) -> None:
        self._row("parallel.tsv", source, target)

    def link(self, citing: str, cited: str, kind: str) -> None:
        self._row("links.tsv", citing, cited, kind)

    def class_edge(self, child: str, parent: str) -> None:
        self._row("classes.tsv", child, parent)

    def class_title(self, code: str, title: str) -> None:
        self._row("class_titles.tsv", code, title)

    def class_link(self, source: str, target: str) -> None:
        self._row("class_links.tsv", source, target)

    def qrels(self, split: str, qrels: Qrels) -> None:
        """Add judgments to a split; may be called many times with different queries."""
        refuse_bad_split(split)
        name = f"qrels/{split}.tsv{self._suffix}"
        for query, judged in qrels.items():
            rows = "".join([f"{query}\t0\t{document}\t{level}\n" for document, level in judged.items()])
            # one check of the whole block instead of one for every column: there are millions of rows
            if rows.count("\t") != 3 * len(judged) or rows.count("\n") != len(judged) or "\r" in rows:
                raise InputError(
                    f"{name}: an id judged for query {query[:60]!r} contains a tab or line break"
                )
            self._file(name).write(encoded(rows, name))

    def share(self, path: Path) -> None:
        """A file of another collection, as it is: the same file under another name, or a copy."""
        try:
            os.link(path, self._hidden / path.name)
        except OSError:  # on another file system, or on one without links
            shutil.copyfile(path, self._hidden / path.name)

    def _record(self, name: str, text: Text) -> None:
        refuse_bad_id(name, text.id)
        known = self._ids.setdefault(name, set())
        if text.id in known:
            raise InputError(f"{name}: two records have the id '{text.id}'")
        known.add(text.id)
        # title and meta may be empty, but a record always has the same five keys
        record = {
            "id": text.id,
            "lang": text.lang,
            "title": text.title,
            "text": text.text,
            "meta": dict(text.meta),
        }
        try:
            self._file(name).write(_encoder.encode(record) + b"\n")
        except (UnicodeEncodeError, TypeError, RecursionError) as error:
            raise InputError(f"{name}: record '{text.id}' cannot be written as JSON: {error}") from None

    def _row(self, name: str, *columns: str) -> None:
        for column in columns:
            if "\t" in column or "\n" in column or "\r" in column or column.startswith("\ufeff"):
                raise InputError(
                    f"{name}: a column contains a tab, line break or byte order mark: {column[:60]!r}"
                )
        self._file(name).write(encoded("\t".join(columns), name) + b"\n")

    def _file(self, name: str) -> BinaryIO:
        if name not in self._files:
            file: BinaryIO = (self._hidden / name).open("wb", buffering=1 << 20)
            if name.endswith(".zst"):
                file = zstandard.ZstdCompressor().stream_writer(file, closefd=True)
            self._files[name] = file
        return self._files[name]


def refuse_to_overwrite(folder: Path, force: bool) -> None:
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / INFO).is_file():
        raise InputError(f"{folder} exists and is not a collection: choose another folder")
    if not force:
        raise InputError(f"{folder} already contains a collection: choose another folder or add --force")


def encoded(text: str, name: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{name}: text cannot be written as UTF-8: {error}") from None


def info_toml(info: CollectionInfo) -> str:
    """CollectionInfo as TOML."""
    values: dict[str, Any] = msgspec.to_builtins(info)
    tables = {key: value for key, value in values.items() if isinstance(value, Mapping)}
    rows = [
        f"{key} = {_toml(value)}" for key, value in values.items() if key not in tables and value is not None
    ]
    for key, table in tables.items():
        items = [f"{_toml(name)} = {_toml(value)}" for name, value in table.items() if value is not None]
        rows += ["", f"[{key}]", *items]
    return "\n".join(rows) + "\n"


def _toml(value: Any) -> str:
    """JSON strings and numbers are TOML strings and numbers, except for the character DEL."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if not isinstance(value, str | bool | int | float):
        raise InputError(f"{INFO} cannot hold a value of type {type(value).__name__}: {value!r}")
    if isinstance(value, float) and value - value != 0:  # JSON has no notation for these, TOML does
        return repr(value)
    try:
        return _encoder.encode(value).decode().replace("\x7f", "\\u007f")
    except UnicodeEncodeError as error:
        raise InputError(f"{INFO}: text cannot be written as UTF-8: {error}") from None
