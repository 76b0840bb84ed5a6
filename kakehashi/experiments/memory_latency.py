"""T13 table 3.1: how long this machine takes to reach a word in each of its memories, measured.

A read that depends on the one before cannot be hidden by the processor, so a walk along a random cycle through
a buffer takes the latency of the smallest memory that holds the buffer.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kakehashi.experiments.tables import Listed, Listing

LINE = 64  # bytes that memory delivers at once
STEPS, ROUNDS = 2_000_000, 3
PAGE, PAGES = 4096, 200
SIZES = Path("/sys/devices/system/cpu/cpu0/cache")
REGISTERS, DISK = "processor registers", "disk storage"
CACHES = {"level 1 cache": "1", "level 2 cache": "2", "level 3 cache": "3"}
MAIN = "main memory"
PUBLISHED = {  # latency in cycles, order of the size in bytes
    REGISTERS: ("about 1", "10^2"),
    "level 1 cache": ("few cycles", "10^4"),
    "level 2 cache": ("10 to 50 cycles", "10^5"),
    "level 3 cache": ("higher than level 2", "10^6"),
    MAIN: ("hundreds of cycles", "10^9"),
    DISK: ("millions of cycles", "10^12"),
}


def rows(folder: Path, work: Path) -> list[Listed]:
    """Latency and size of each memory, and the latency in cycles of the first-level cache's clock."""
    walk = compiled_walk()
    found = {REGISTERS: (addition(), 0)}
    known = cache_sizes()
    for name, level in CACHES.items():
        if level in known:
            found[name] = (latency(walk, known[level] // 2), known[level])
    found[MAIN] = (
        latency(walk, max([4 * size for size in known.values()], default=0) + (1 << 28)),
        main_memory(),
    )
    found[DISK] = (disk_latency(work), 0)
    return [
        Listed(name, ", ".join(PUBLISHED[name]), told(*found[name]) if name in found else "not known here")
        for name in PUBLISHED
    ]


def told(seconds: float, size: int) -> str:
    spent = f"{seconds * 1e9:.2f} ns" if seconds < 1e-6 else f"{seconds * 1e6:,.0f} µs"
    return f"{spent}, {size:,} B" if size else spent


def cycle(n_bytes: int) -> NDArray[np.int64]:
    """Where to go next, one word of every line: a single random cycle through all lines."""
    lines = max(n_bytes // LINE, 2)
    order = np.random.default_rng(1).permutation(lines).astype(np.int64) * (LINE // 8)
    following = np.zeros(lines * (LINE // 8), np.int64)
    following[order] = np.roll(order, -1)
    return following


def compiled_walk() -> Callable[[NDArray[np.int64], int], int]:
    """Compiled here and not kept, since nothing else depends on it."""
    from numba import njit

    compiled: Any = njit

    def walk(following: NDArray[np.int64], steps: int) -> int:
        place = 0
        for _ in range(steps):
            place = following[place]
        return place

    found: Callable[[NDArray[np.int64], int], int] = compiled(walk)
    found(np.zeros(8, np.int64), 1)
    return found


def latency(walk: Callable[[NDArray[np.int64], int], int], n_bytes: int) -> float:
    """Seconds of a step, best of some rounds."""
    following = cycle(n_bytes)
    walk(following, len(following) // (LINE // 8))  # every line is read once
    return min(timed(lambda: walk(following, STEPS)) for _ in range(ROUNDS)) / STEPS


def addition() -> float:
    """Seconds of an addition between registers: each needs the result of the one before."""
    from numba import njit

    compiled: Any = njit

    def add(steps: int, start: float) -> float:
        total = start
        for _ in range(steps):
            total += start
        return total

    sum_of = compiled(add)
    sum_of(1, 1.0)
    return min(timed(lambda: sum_of(STEPS, 0.1)) for _ in range(ROUNDS)) / STEPS


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def cache_sizes(folder: Path = SIZES) -> dict[str, int]:
    """level -> bytes of the caches that hold data; empty where the system does not say"""
    found: dict[str, int] = {}
    for index in sorted(folder.glob("index*")):
        kind, level, size = ((index / name).read_text().strip() for name in ("type", "level", "size"))
        if kind != "Instruction" and size.endswith("K"):
            found[level] = int(size[:-1]) * 1024
    return found


def main_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def disk_latency(work: Path) -> float:
    """Seconds to read a page that memory does not hold: the median of reads at random places of a new file."""
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=work) as file:
        file.write(os.urandom(PAGE * PAGES * 16))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        places = np.random.default_rng(1).permutation(PAGES * 16)[:PAGES] * PAGE
        spent = [timed(lambda place=place: os.pread(file.fileno(), PAGE, int(place))) for place in places]  # type: ignore[misc]
    return float(np.median(spent))


LISTINGS = (
    Listing(
        "t13-3.1",
        "latencies of this machine's memories",
        "",
        (
            "measured: dependent reads along a random cycle through half of each cache and through more than all of "
            "them; registers: an addition that needs the one before",
            "disk: pages of a new file after the system was told to forget them; what lies below the system may "
            "still hold them",
        ),
        rows,
        {name: {"latency": spent, "bytes": size} for name, (spent, size) in PUBLISHED.items()},
    ),
)
