"""Folders that appear complete or not at all: written under a hidden name next to the target, then renamed."""

import ctypes
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kakehashi.store import sync

PARTIAL = ".partial"


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A hidden folder to fill; it replaces `folder` when the block succeeds."""
    folder = folder.resolve()
    with hidden_folder(folder) as hidden:
        yield hidden
        for path in hidden.rglob("*"):
            sync(path)
        _put_in_place(hidden, folder)


@contextmanager
def hidden_folder(target: Path) -> Iterator[Path]:
    """A folder beside the target, gone after the block; what killed processes left of such folders goes first."""
    _remove_leftovers(target)
    hidden = target.with_name(f".{target.name}.{os.getpid()}{PARTIAL}")
    hidden.mkdir(parents=True)
    lock = os.open(hidden, os.O_RDONLY)
    # an unlocked folder means that its writer is dead
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield hidden
    finally:
        os.close(lock)
        shutil.rmtree(hidden, ignore_errors=True)


def is_unfinished(name: str) -> bool:
    """Whether a writer hides under this name what it has not finished."""
    return name.startswith(".") and name.endswith(PARTIAL)


def _put_in_place(new: Path, folder: Path) -> None:
    """Make `new` the folder; if the system can swap two names, the folder exists at every moment."""
    if not folder.exists():
        new.replace(folder)
    elif _exchange(new, folder):
        shutil.rmtree(new, ignore_errors=True)
    else:
        aside = folder.with_name(f".{folder.name}.{os.getpid()}.replaced")
        folder.replace(aside)
        new.replace(folder)
        shutil.rmtree(aside, ignore_errors=True)
    sync(folder.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names in one step (Linux); False if that is not supported."""
    at_cwd, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of <fcntl.h> and <stdio.h>
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    return bool(rename(at_cwd, os.fsencode(one), at_cwd, os.fsencode(other), exchange) == 0)


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed writers of this folder left behind; a living writer holds a lock on its own."""
    if not folder.parent.is_dir():
        return
    for path in folder.parent.iterdir():
        if path.name.startswith(f".{folder.name}.") and path.suffix == PARTIAL and path.is_dir():
            descriptor = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            except BlockingIOError:
                pass
            finally:
                os.close(descriptor)
