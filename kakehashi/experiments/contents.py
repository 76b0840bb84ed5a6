"""What the rows of a table were measured on: the opened collection, and a state that changes with its files."""

import gc
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from kakehashi import store
from kakehashi.index.holdings import INDEX, MODELS
from kakehashi.library import Library


def opened(folder: Path) -> Library:
    """The same for all rows until its index or a model changes: opening maps a hundred files, and few may be open."""
    metas = [folder / INDEX / store.META, *sorted((folder / MODELS).rglob(store.META))]
    found = [(str(path), path.stat()) for path in metas if path.is_file()]
    return _opened(folder, tuple((name, at.st_ino, at.st_size, at.st_mtime_ns) for name, at in found))


@lru_cache(maxsize=1)
def _opened(folder: Path, state: tuple[tuple[str, int, int, int], ...]) -> Library:
    gc.collect()  # what was opened before refers to itself, so its files are still mapped
    return Library(folder)


def state_of(collection: Path) -> list[Any]:
    """Changes when the contents of the collection's files do."""
    files = sorted(path for path in collection.rglob("*") if path.is_file() and _is_given(path, collection))
    return [[str(path.relative_to(collection)), checksum_of(path)] for path in files]


def checksum_of(path: Path) -> str:
    """Of a file's content; empty if there is none."""
    if not path.is_file():
        return ""
    found = path.stat()
    return _checksum(path, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=4096)
def _checksum(path: Path, *state: int) -> str:
    """A file that is the same is read once per process."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=6)).hexdigest()


def _is_given(path: Path, collection: Path) -> bool:
    return path.relative_to(collection).parts[0] not in ("index", "models", "build")
