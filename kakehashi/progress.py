"""How long-running work reports its progress; the command line displays it, a library user may ignore it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

T = TypeVar("T")


class Progress(Protocol):
    """Receives the state of one job after another."""

    def start(self, what: str, total: int | None = None) -> None: ...
    def advance(self, n: int = 1) -> None: ...
    def finish(self) -> None: ...


class Silent:
    """Reports nothing."""

    def start(self, what: str, total: int | None = None) -> None:
        pass

    def advance(self, n: int = 1) -> None:
        pass

    def finish(self) -> None:
        pass


SILENT = Silent()
Watcher = Callable[[bool], None]  # called with True when compiling a function begins, with False when it ends
_watchers: list[Watcher] = []


def watch_compiling(watcher: Watcher) -> None:
    """Have `watcher` told when functions are compiled for this machine, which happens once and takes seconds each."""
    _watchers.append(watcher)


def compiling(begins: bool) -> None:
    for watcher in _watchers:
        watcher(begins)


def track(
    items: Iterable[T], what: str, total: int | None = None, progress: Progress = SILENT
) -> Iterator[T]:
    """Yield `items`, reporting each one after it has been used."""
    progress.start(what, total)
    try:
        for item in items:
            yield item
            progress.advance()
    finally:
        progress.finish()
