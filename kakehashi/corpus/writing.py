"""Writes a collection folder whole or not at all: into a hidden sibling, put in place when complete."""

import ctypes
import fcntl
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import msgspec

from kakehashi.corpus.collection import INFO, CollectionInfo
from kakehashi.errors import InputError
from kakehashi.types import Qrels, Text

_encoder = msgspec.json.Encoder()


class CollectionWriter:
    """`with CollectionWriter(dir, info) as writer: ...`; the folder appears when the block ends well."""

    def __init__(self, folder: Path | str, info: CollectionInfo, force: bool = False):
        self.folder, self.info, self.force = Path(folder).resolve(), info, force
        self._files: dict[str, BinaryIO] = {}
        self._ids: dict[str, set[str]] = {}

    def __enter__(self) -> "CollectionWriter":
        refuse_to_overwrite(self.folder, self.force)
        _remove_leftovers(self.folder)
        self._hidden = self.folder.with_name(f".{self.folder.name}.{os.getpid()}.partial")
        (self._hidden / "qrels").mkdir(parents=True)
        # whoever finds the folder unlocked knows that its writer is dead
        self._lock = os.open(self._hidden, os.O_RDONLY)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            for file in self._files.values():
                file.close()
            os.close(self._lock)
            shutil.rmtree(self._hidden, ignore_errors=True)

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
        """Add judgments to a split; may be called many times with different queries."""
        name = f"qrels/{split}.tsv"
        for query, judged in qrels.items():
            rows = "".join([f"{query}\t0\t{document}\t{level}\n" for document, level in judged.items()])
            # one look at the whole block instead of one at every column: there are millions of rows
            if rows.count("\t") != 3 * len(judged) or rows.count("\n") != len(judged) or "\r" in rows:
                raise InputError(f"{name}: an id judged for query {query[:60]!r} holds a tab or line break")
            self._file(name).write(encoded(rows, name))

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
            if "\t" in column or "\n" in column or "\r" in column:
                raise InputError(f"{name}: a column holds a tab or line break: {column[:60]!r}")
        self._file(name).write(encoded("\t".join(columns), name) + b"\n")

    def _file(self, name: str) -> BinaryIO:
        if name not in self._files:
            self._files[name] = (self._hidden / name).open("wb", buffering=1 << 20)
        return self._files[name]

    def _finish(self) -> None:
        self._file(INFO).write(encoded(info_toml(self.info), INFO))
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())
            file.close()
        _put_in_place(self._hidden, self.folder)


def refuse_to_overwrite(folder: Path, force: bool) -> None:
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / INFO).is_file():
        raise InputError(f"{folder} exists and is not a collection: choose another folder")
    if not force:
        raise InputError(f"{folder} holds a collection already: choose another folder or add --force")


def refuse_bad_id(name: str, id: str) -> None:
    """Judgments and runs separate their columns by blanks, so an id can have none."""
    if not id or id.split() != [id]:
        raise InputError(f"{name}: an id must not be empty or hold blanks: {id[:60]!r}")


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
    """JSON strings and numbers are TOML strings and numbers, but for the character DEL."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if not isinstance(value, str | bool | int | float):
        raise InputError(f"{INFO} cannot hold a value of type {type(value).__name__}: {value!r}")
    if isinstance(value, float) and value - value != 0:  # JSON has no word for these, TOML does
        return repr(value)
    try:
        return _encoder.encode(value).decode().replace("\x7f", "\\u007f")
    except UnicodeEncodeError as error:
        raise InputError(f"{INFO}: text cannot be written as UTF-8: {error}") from None


def _put_in_place(new: Path, folder: Path) -> None:
    """Make `new` the folder; where the system can exchange two names there is no moment without a folder."""
    if not folder.exists():
        new.replace(folder)
    elif _exchange(new, folder):
        shutil.rmtree(new, ignore_errors=True)
    else:
        aside = folder.with_name(f".{folder.name}.{os.getpid()}.replaced")
        folder.replace(aside)
        new.replace(folder)
        shutil.rmtree(aside, ignore_errors=True)
    _sync_folder(folder.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names in one step (Linux); False where that is not to be had."""
    at_cwd, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of <fcntl.h> and <stdio.h>
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    return bool(rename(at_cwd, os.fsencode(one), at_cwd, os.fsencode(other), exchange) == 0)


def _remove_leftovers(folder: Path) -> None:
    """What killed writers of this folder left behind; a living writer holds a lock on its own."""
    if not folder.parent.is_dir():
        return
    for path in folder.parent.iterdir():
        if path.name.startswith(f".{folder.name}.") and path.suffix == ".partial" and path.is_dir():
            descriptor = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            except BlockingIOError:
                pass
            finally:
                os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
