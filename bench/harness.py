"""What every benchmark needs: the machine in words, the world as data, timing that alternates between rivals."""

import os
import platform
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from kakehashi.corpus.world.build import build_world
from kakehashi.library import Library
from kakehashi.progress import Progress


def machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def world(folder: Path, documents: int, progress: Progress) -> Library:
    """The synthetic world of that size and seed 7, built once and kept."""
    place = folder / f"world-{documents}"
    if not place.exists():
        build_world(place, documents=documents, seed=7, progress=progress)
    return Library(place)


def best_of(rounds: int, rivals: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Seconds of each rival's best round; rivals take turns, so that a noisy moment hits all alike."""
    best = dict.fromkeys(rivals, float("inf"))
    for _ in range(rounds):
        for name, work in rivals.items():
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def fastest(rounds: int, rivals: dict[str, Callable[[], float]]) -> dict[str, float]:
    """As `best_of`, for rivals that time themselves and return seconds."""
    best = dict.fromkeys(rivals, float("inf"))
    for _ in range(rounds):
        for name, work in rivals.items():
            best[name] = min(best[name], work())
    return best


def first_distinct(words: Iterable[str], n: int) -> list[str]:
    """The first n different words."""
    return list(dict.fromkeys(words))[:n]
