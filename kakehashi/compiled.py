"""`@kernel`: a function compiled by Numba, without the interpreter lock, cached on disk.

Numba's cache notices a change of the file that contains a function, but not of the functions it calls from
other files. So the cache is in a folder named after the state of all sources that a kernel can depend on: any change
of one starts a new one, and stale machine code can never run.
"""

import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from atexit import register as register_at_exit
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import config, njit
from numba.core.caching import FunctionCache
from numba.core.event import Event, Listener, register
from numba.core.runtime.nrt import rtsys

from kakehashi.progress import compiling

Kernel = Callable[
    ..., Any
]  # Numba types the arguments, and returns something that has no type name in Python
# Rooms without kernels that come after every room with kernels: imports go one way, so no kernel depends on them.
LATER = ("training", "systems", "building", "export", "hits.py", "library.py", "front.py", "experiments", "scale",
         "serve", "cli")  # fmt: skip
KEPT = 4  # number of older caches that are kept; a developer switches back and forth
IN_USE = "in-use"  # a file in a cache, locked by every process that uses it


def _fingerprint() -> str:
    package = Path(__file__).parent
    digest = hashlib.blake2b(str(package).encode(), digest_size=8)
    for path, state in sorted(_sources(str(package), LATER)):
        digest.update(f"{path} {state}\n".encode())
    return digest.hexdigest()


def _sources(folder: str, left_out: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """(path, when it was changed and how large it is) of every source."""
    for entry in os.scandir(folder):
        if entry.name in left_out:
            continue
        if entry.is_dir():
            yield from _sources(entry.path)
        elif entry.name.endswith(".py"):
            state = entry.stat()
            yield entry.path, f"{state.st_mtime_ns} {state.st_size}"


def _cache_folder() -> Path | None:
    """In the user's cache if nobody else could put machine code there; else of this process alone, or none."""
    try:
        given = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
        parent = Path(given) if given else Path("~/.cache").expanduser()
        folder = _own_folder(parent.absolute())
        if _is_private(folder):
            os.utime(folder)  # the most recently used is removed last
            _lock(folder, fcntl.LOCK_SH)  # until this process ends, however it does
            _remove_old(folder)
            return folder
    except (OSError, RuntimeError):  # a home that cannot be written, or no home
        pass
    try:
        folder = Path(tempfile.mkdtemp(prefix="kakehashi-"))
    except OSError:
        return None
    register_at_exit(_remove_own, folder, os.getpid())
    return folder


def _own_folder(parent: Path) -> Path:
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent
    for name in (f"kakehashi-{os.getuid()}", "compiled", _fingerprint()):
        folder = folder / name
        folder.mkdir(exist_ok=True, mode=0o700)
    return folder.resolve()


def _is_private(folder: Path) -> bool:
    """Whether only this user and root can write to a folder, or put another in the place of one above it."""
    own = folder.stat().st_uid == os.getuid()
    return own and all(_is_safe(place.stat()) for place in (folder, *folder.parents))


def _is_safe(place: os.stat_result) -> bool:
    if place.st_uid not in (0, os.getuid()):
        return False
    of_group = place.st_mode & stat.S_IWGRP and place.st_gid not in (
        0,
        os.getuid(),
    )  # a group of one's own is nobody
    return bool(place.st_mode & stat.S_ISVTX) or not (of_group or place.st_mode & stat.S_IWOTH)


def _remove_own(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not at the end of a copy of it
        shutil.rmtree(folder, ignore_errors=True)


def _remove_old(current: Path) -> None:
    with suppress(OSError):  # another process is removing them
        others = [path for path in current.parent.iterdir() if path != current]
        for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[KEPT:]:
            if (held := _lock(path, fcntl.LOCK_EX)) is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(held)


def _lock(folder: Path, kind: int) -> int | None:
    """An open file that holds the lock; None if others hold it."""
    held = os.open(folder / IN_USE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(held, kind | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        return None
    return held


class _Loaded(FunctionCache):
    """A cache that loads a function without readying Numba for compiling one, which takes a fifth of a short search.

    Whoever compiles a function readies it first, whatever was loaded before.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        own: Any = self  # nothing here has types
        usual: Any = super()
        runtime: Any = rtsys
        if not (hasattr(own, "_load_overload") and hasattr(own, "_guard_against_spurious_io_errors")):
            return usual.load_overload(sig, target_context)  # another version of Numba
        runtime.initialize(target_context)  # what machine code calls
        with own._guard_against_spurious_io_errors():
            return own._load_overload(sig, target_context)


# division as in NumPy, without an exception for zero: a loop that may raise is never made SIMD
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_settings: Any = config  # its stubs do not know the names it takes from the environment
_folder = _cache_folder()
if _folder is not None:
    _settings.CACHE_DIR = str(_folder)


def _compiled(function: Kernel, **options: Any) -> Kernel:
    compiled: Any = njit(**OPTIONS, **options)(function)
    cache: Any = _Loaded
    if _folder is not None:
        compiled._cache = cache(function)
    found: Kernel = compiled
    return found


def kernel(function: Kernel) -> Kernel:
    return _compiled(function)


def whole_number_kernel(function: Kernel) -> Kernel:
    """For sums of whole numbers, which are the same in any order, so that the compiler may use SIMD.

    The sign of a zero is not kept.
    """
    return _compiled(function, fastmath={"reassoc", "nsz", "contract"})


def inline_kernel(function: Kernel) -> Kernel:
    """For a few lines inside hot loops of other kernels."""
    return _compiled(function, inline="always")


class _Compiling(Listener):
    """Passes on that a function is compiled; one that is found in the cache raises no event."""

    def on_start(self, event: Event) -> None:
        compiling(True)

    def on_end(self, event: Event) -> None:
        compiling(False)


_register: Any = register  # it has no types of its own
_register("numba:compile", _Compiling())
