"""What the files of a collection are like: cheap to ask, different after any change, and what is damaged.

An artifact never changes a file in place (`kakehashi/store.py`), so a file that did was damaged by somebody else.
What an opened library derives and keeps for later (vectors of documents, places of texts) is left out.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import xxhash

from kakehashi import store
from kakehashi.building.record import FOLDER as BUILD
from kakehashi.corpus.class_titles import FILE as CLASS_TITLES
from kakehashi.corpus.collection import INFO
from kakehashi.index.holdings import INDEX, MODELS
from kakehashi.systems.registry import TRAINERS

SEGMENTS = "segments"


class File(NamedTuple):
    """Inode, size in bytes and time of the last change."""

    inode: int
    size: int
    changed: int


State = dict[str, File]  # by path inside the folder


def state_of(folder: Path) -> State:
    """Of all files that an opened library depends on; texts are read from their file when they are asked for."""
    folders = [folder / INDEX, *(folder / INDEX / SEGMENTS).glob("*"), folder / BUILD, *_models(folder)]
    paths = [
        folder / INFO,
        *folder.glob(f"{CLASS_TITLES}*"),
        *(path for one in folders for path in _files(one)),
    ]
    found = ((path, _file(path)) for path in paths)
    return {str(path.relative_to(folder)): file for path, file in found if file is not None}


def differ(before: State, now: State) -> bool:
    """Whether something that was opened changed, or was added; an artifact that is being written does not count."""
    added = (name for name in now.keys() - before.keys() if name.endswith(store.META) or "/" not in name)
    return any(now.get(name) != file for name, file in before.items()) or any(
        not name.startswith(f"{INDEX}/{SEGMENTS}/") for name in added
    )


def damaged(folder: Path, before: State, now: State) -> list[str]:
    """What is wrong with artifacts of which an array changed in place."""
    arrays = (name for name in before if "/" in name and not name.endswith(store.META))
    changed = {(folder / name).parent for name in arrays if name in now and now[name] != before[name]}
    return [
        fault
        for one in sorted(changed)
        if (one / store.META).is_file()
        for fault in store.read_any(one).faults()
    ]


def models_fingerprint(folder: Path) -> str:
    """Changes whenever a model is trained, replaced or removed."""
    digest = xxhash.xxh3_128()
    for model in _models(folder):
        path = model / store.META
        if path.is_file():
            digest.update(f"{path.relative_to(folder)}\0{store.checksum(path)}\n".encode())
    return digest.hexdigest()


@cache
def _parts() -> tuple[str, ...]:
    """The folders that trained models consist of, inside the folder of a model."""
    return tuple(sorted({part for trainer in TRAINERS.values() for part in trainer.parts}))


def _models(folder: Path) -> list[Path]:
    named = sorted(path for path in (folder / MODELS).glob("*") if not path.name.startswith("."))
    return [model / part for model in named for part in _parts()]


def _files(folder: Path) -> Iterator[Path]:
    """Names that begin with a point are being written, or are locks."""
    try:
        yield from (path for path in folder.iterdir() if not path.name.startswith(".") and path.is_file())
    except OSError:
        return


def _file(path: Path) -> File | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return File(found.st_ino, found.st_size, found.st_mtime_ns)
