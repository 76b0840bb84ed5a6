"""`@kernel`: a function compiled by Numba, without the interpreter lock, cached on disk.

Numba's cache notices a change of the file that contains a function, but not of the functions it calls from
other files. So the cache is in a folder named after the state of all sources that a kernel can depend on: any change
of one starts a new one, and stale machine code can never run.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit
from numba.core.event import Event, Listener, register

from kakehashi.progress import compiling

Kernel = Callable[
    ..., Any
]  # Numba types the arguments, and returns something that has no type name in Python
# division as in NumPy, without an exception for zero: a loop that may raise is never made SIMD
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
# Rooms without kernels that come after every room with kernels: imports go one way, so no kernel depends on them.
LATER = ("training", "systems", "building", "export", "hits.py", "library.py", "front.py", "experiments", "scale",
         "serve", "cli")  # fmt: skip
KEPT = 4  # number of older caches that are kept; a developer switches back and forth


def kernel(function: Kernel) -> Kernel:
    compiled: Kernel = njit(**OPTIONS)(function)
    return compiled


def whole_number_kernel(function: Kernel) -> Kernel:
    """For sums of whole numbers, which are the same in any order, so that the compiler may use SIMD.

    The sign of a zero is not kept.
    """
    compiled: Kernel = njit(**OPTIONS, fastmath={"reassoc", "nsz", "contract"})(function)
    return compiled


def inline_kernel(function: Kernel) -> Kernel:
    """For a few lines inside hot loops of other kernels."""
    compiled: Kernel = njit(**OPTIONS, inline="always")(function)
    return compiled


def _fingerprint() -> str:
    package = Path(__file__).parent
    digest = hashlib.blake2b(str(package).encode(), digest_size=8)
    for room in sorted(package.iterdir()):
        if room.name not in LATER:
            for path in sorted(room.rglob("*.py")) if room.is_dir() else [room]:
                state = path.stat()
                digest.update(f"{path.relative_to(package)} {state.st_mtime_ns} {state.st_size}\n".encode())
    return digest.hexdigest()


def _cache_folder() -> Path:
    """In the user's cache; if that is not writable, in a private temporary folder."""
    given = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    for parent in (Path(given) if given else Path("~/.cache").expanduser(), Path(tempfile.gettempdir())):
        folder = parent / f"kakehashi-{os.getuid()}" / "compiled" / _fingerprint()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.utime(folder)  # the most recently used is removed last
        except OSError:
            continue
        if folder.stat().st_uid == os.getuid():  # load machine code only from a folder of one's own
            _remove_old(folder)
            return folder
    return Path(tempfile.mkdtemp(prefix="kakehashi-"))


def _remove_old(current: Path) -> None:
    others = sorted(current.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[KEPT:]:
        if path != current:
            shutil.rmtree(path, ignore_errors=True)


class _Compiling(Listener):
    """Passes on that a function is compiled; one that is found in the cache raises no event."""

    def on_start(self, event: Event) -> None:
        compiling(True)

    def on_end(self, event: Event) -> None:
        compiling(False)


_register: Any = register  # it has no types of its own
_register("numba:compile", _Compiling())
_settings: Any = config  # its stubs do not know the names it takes from the environment
_settings.CACHE_DIR = str(_cache_folder())
