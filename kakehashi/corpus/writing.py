"""Writes a collection folder whole or not at all: into a hidden sibling, renamed when complete."""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import msgspec

from kakehashi.corpus.collection import INFO, CollectionInfo
from kakehashi.errors import InputError
from kakehashi.types import Qrels, Text

_encoder = msgspec.json.Encoder()


class CollectionWriter:
    """`with CollectionWriter(dir, info) as writer: ...`; the folder appears when the block ends without error."""

    def __init__(self, folder: Path | str, info: CollectionInfo, force: bool = False):
        self.folder, self.info, self.force = Path(folder), info, force
        self._hidden = self.folder.with_name(f".{self.folder.name}.{os.getpid()}.partial")
        self._files: dict[str, BinaryIO] = {}

    def __enter__(self) -> "CollectionWriter":
        refuse_to_overwrite(self.folder, self.force)
        shutil.rmtree(self._hidden, ignore_errors=True)
        (self._hidden / "qrels").mkdir(parents=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for file in self._files.values():
            file.close()
        if kind is not None:
            shutil.rmtree(self._hidden, ignore_errors=True)
            return
        (self._hidden / INFO).write_text(info_toml(self.info), encoding="utf-8")
        self._put_in_place()

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

    def qrels(self, split: str, qrels: Qrels) -> None:
        for query, judged in qrels.items():
            for document, level in judged.items():
                self._row(f"qrels/{split}.tsv", query, "0", document, str(level))

    def _record(self, name: str, text: Text) -> None:
        # title and meta may be empty, but a record always has the same five keys
        record = {"id": text.id, "lang": text.lang, "title": text.title, "text": text.text, "meta": dict(text.meta)}
        self._file(name).write(_encoder.encode(record) + b"\n")

    def _row(self, name: str, *columns: str) -> None:
        for column in columns:
            if "\t" in column or "\n" in column or "\r" in column:
                raise InputError(f"{name}: a column holds a tab or line break: {column[:60]!r}")
        self._file(name).write("\t".join(columns).encode() + b"\n")

    def _file(self, name: str) -> BinaryIO:
        if name not in self._files:
            self._files[name] = (self._hidden / name).open("wb", buffering=1 << 20)
        return self._files[name]

    def _put_in_place(self) -> None:
        aside = self.folder.with_name(f".{self.folder.name}.{os.getpid()}.replaced")
        if self.folder.exists():
            self.folder.replace(aside)
        self._hidden.replace(self.folder)
        shutil.rmtree(aside, ignore_errors=True)


def refuse_to_overwrite(folder: Path, force: bool) -> None:
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / INFO).is_file():
        raise InputError(f"{folder} exists and is not a collection: choose another folder")
    if not force:
        raise InputError(f"{folder} holds a collection already: choose another folder or add --force")


def info_toml(info: CollectionInfo) -> str:
    """CollectionInfo as TOML; JSON strings and numbers are TOML strings and numbers."""
    values: dict[str, Any] = msgspec.to_builtins(info)
    tables = {key: value for key, value in values.items() if isinstance(value, Mapping)}
    plain = [f"{key} = {_json(value)}" for key, value in values.items() if key not in tables and value is not None]
    for key, table in tables.items():
        plain += ["", f"[{key}]", *_toml_items(table)]
    return "\n".join(plain) + "\n"


def _toml_items(table: Mapping[str, Any]) -> Iterable[str]:
    return [f"{_json(key)} = {_json(value)}" for key, value in table.items() if value is not None]


def _json(value: Any) -> str:
    return _encoder.encode(value).decode()
