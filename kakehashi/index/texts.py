"""Documents by id: the offset of each line in documents.jsonl, so that a text is read without the others.

The table of offsets is stored next to the index and rebuilt when the file changes. A compressed file has no usable
offsets; there, a text is found by reading from the start.
"""

from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import msgspec
import numpy as np
import xxhash

from kakehashi import store
from kakehashi.corpus.collection import Collection, decode_text
from kakehashi.corpus.lines import MAX_LINE
from kakehashi.errors import FileError, InputError
from kakehashi.soundness import typed, within
from kakehashi.types import Array, Longs, Text

FOLDER, KIND, VERSION = "texts", "text-places", 1
DOCUMENTS = "documents.jsonl"


class _Places(NamedTuple):
    hashes: Array  # (documents,) uint64, ascending
    starts: Longs  # (documents,) where the line of that document starts


class _OnlyId(msgspec.Struct):
    id: str


_decoder = msgspec.json.Decoder(_OnlyId)


class Texts:
    """Opened once, used by any number of threads."""

    def __init__(self, collection: Collection, folder: Path):
        self._collection, self._folder = collection, folder / FOLDER
        self._made: tuple[object, _Places] | None = None  # the state of the file, and its offsets
        self._making = Lock()

    def of(self, doc_id: str) -> Text:
        path = self._collection.path(DOCUMENTS)
        found = self._read(path, doc_id) if path.suffix == ".jsonl" else self._scan(doc_id)
        if found is None:
            raise InputError(f"{path} has no document '{doc_id}'")
        return found

    def some(self, doc_ids: Iterable[str]) -> dict[str, Text]:
        """Several at once, by id; a compressed file is read once for all. What the file lacks is left out."""
        path, wanted = self._collection.path(DOCUMENTS), {*doc_ids}
        if path.suffix == ".jsonl":
            return {doc_id: text for doc_id in wanted if (text := self._read(path, doc_id)) is not None}
        found: dict[str, Text] = {}
        for text in self._collection.documents() if wanted else ():
            if text.id in wanted:
                found[text.id] = text
                if len(found) == len(wanted):
                    break
        return found

    def _scan(self, doc_id: str) -> Text | None:
        return self.some([doc_id]).get(doc_id)

    def _read(self, path: Path, doc_id: str) -> Text | None:
        places, key = self._places(path), _hash(doc_id)
        first, end = np.searchsorted(places.hashes, key, "left"), np.searchsorted(places.hashes, key, "right")
        with path.open("rb") as file:
            for start in places.starts[first:end].tolist():
                file.seek(start)
                line = file.readline(MAX_LINE + 1).rstrip(b"\r\n")
                text = decode_text(path, None, line.decode("utf-8", "replace"))
                if text.id == doc_id:
                    return text
        return None

    def _places(self, path: Path) -> _Places:
        state = path.stat()
        made_from = {"size": state.st_size, "changed": state.st_mtime_ns}
        with self._making:
            if self._made is None or self._made[0] != made_from:
                self._made = made_from, _kept(self._folder, made_from) or _keep(self._folder, path, made_from)
            return self._made[1]


def _hash(doc_id: str) -> np.uint64:
    return np.uint64(xxhash.xxh3_64_intdigest(doc_id.encode("utf-8", "surrogatepass")))


def _kept(folder: Path, made_from: dict[str, int]) -> _Places | None:
    def read(artifact: store.Artifact) -> _Places:
        hashes = typed("hashes", artifact.array("hashes"), (np.uint64,), None)
        places = typed("starts", artifact.array("starts"), (np.int64,), len(hashes))
        return _Places(hashes, within("starts", places, made_from["size"]))

    return store.read_kept(folder, KIND, VERSION, made_from, read)


def _keep(folder: Path, path: Path, made_from: dict[str, int]) -> _Places:
    places = _found(path)
    try:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(places._asdict())
            writer.commit({}, made_from)
    except (
        OSError,
        InputError,
    ):  # another user's folder, or one that is being written: keep the table in memory
        pass
    return places


def _found(path: Path) -> _Places:
    hashes, starts, start = [], [], 0
    with path.open("rb", buffering=1 << 20) as file:
        for number, line in enumerate(file, 1):
            mark = len(BOM_UTF8) if number == 1 and line.startswith(BOM_UTF8) else 0
            if line[mark:].strip():
                try:
                    hashes.append(_hash(_decoder.decode(line[mark:]).id))
                except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                    raise FileError(path, number, f"is not a text record: {error}") from None
                starts.append(start + mark)
            start += len(line)
    order = np.argsort(np.array(hashes, np.uint64), kind="stable")
    return _Places(np.array(hashes, np.uint64)[order], np.array(starts, np.int64)[order])
