"""Where requests are worked on: a fixed number of threads, a bounded queue before them, a limit on time."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from kakehashi.serve.limits import Limits
from kakehashi.serve.problems import Problem

T = TypeVar("T")
SOON = 2.0  # seconds after which trying again is worth while


class Desk:
    """Work that is never piled up: what finds no room is refused at once.

    A thread cannot be stopped from outside, so one whose client was told that it took too long keeps its place until
    it is done.
    """

    def __init__(self, limits: Limits):
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.threads, thread_name_prefix="search")
        self._counting = Lock()
        self.taken = 0  # places: work that is done or waits for a thread

    @property
    def waiting(self) -> int:
        return max(0, self.taken - self._limits.threads)

    async def do(self, work: Callable[[], T]) -> T:
        """What `work` returns, computed in one of the threads."""
        limits = self._limits
        with self._counting:
            if self.taken >= limits.threads + limits.waiting:
                raise Problem(
                    "busy", f"{limits.threads} requests are running and {limits.waiting} waiting", retry=SOON
                )
            self.taken += 1
        future = self._pool.submit(work)
        future.add_done_callback(self._give_back)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), limits.seconds)
        except TimeoutError:  # work that has not begun is taken from the queue
            raise Problem(
                "timeout",
                f"no answer within {limits.seconds:g} seconds: search with a shorter text or for fewer hits",
                retry=SOON,
            ) from None

    def _give_back(self, future: "Future[T]") -> None:
        with self._counting:
            self.taken -= 1

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
