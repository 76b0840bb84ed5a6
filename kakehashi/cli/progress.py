"""Progress bars on standard error if it is a terminal; otherwise silent."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from kakehashi.progress import SILENT, Progress


class Bars:
    """One bar at a time, erased when its job is done."""

    def __init__(self, console: Console):
        self._console = console
        self._bars: RichProgress | None = None

    def start(self, what: str, total: int | None = None) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bars = RichProgress(*columns, console=self._console, transient=True)
        self._bars.start()
        self._task = self._bars.add_task(what, total=total)

    def advance(self, n: int = 1) -> None:
        if self._bars is not None:
            self._bars.advance(self._task, n)

    def finish(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


def progress() -> Progress:
    """Bars if standard error is a terminal, otherwise silence."""
    console = Console(stderr=True)
    return Bars(console) if console.is_terminal else SILENT
