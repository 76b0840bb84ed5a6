"""Work on one item after another, on all cores; the kernels release the interpreter lock."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from kakehashi.progress import SILENT, Progress, track
from kakehashi.retrieve.sparse import cores

T = TypeVar("T")
R = TypeVar("R")
CHUNK = 32  # items at a time: an interrupt waits for no more


def side_by_side(
    work: Callable[[T], R], items: Sequence[T], what: str, progress: Progress = SILENT
) -> Iterator[R]:
    """What the work gives for each item, in their order."""

    def results() -> Iterator[R]:
        with ThreadPoolExecutor(cores()) as pool:
            for start in range(0, len(items), CHUNK):
                yield from pool.map(work, items[start : start + CHUNK])

    return track(results(), what, len(items), progress)
