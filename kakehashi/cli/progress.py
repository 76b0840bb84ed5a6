"""Progress bars on standard error if it is a terminal; otherwise silent."""

from typing import TYPE_CHECKING

from rich.console import Console

from kakehashi.cli.terminal import harmless
from kakehashi.progress import SILENT, Progress, watch_compiling

if TYPE_CHECKING:  # bars are imported when there is one to draw
    from rich.progress import Progress as RichProgress

COMPILING = "compiling for this machine, once"


class CompilingNotice:
    """One line on a terminal while functions are compiled, so that the first use of a command is not a blank screen."""

    def __init__(self, console: Console):
        self._console, self._depth, self._count = console, 0, 0

    def __call__(self, begins: bool) -> None:
        self._depth += 1 if begins else -1
        self._count += begins
        if Bars.shown is not None:
            Bars.shown.say(COMPILING if self._depth else "")
        elif self._depth == 1 and begins:
            self._write(f"{COMPILING}: {self._count} functions so far")
        elif not self._depth:
            self._write("")

    def _write(self, text: str) -> None:
        self._console.file.write(f"\r{text}\x1b[K")  # to the start of the line, and clear what is left of it
        self._console.file.flush()


class Bars:
    """One bar at a time, erased when its job is done."""

    def __init__(self, console: Console):
        self._console = console
        self._bars: RichProgress | None = None

    shown: "Bars | None" = None  # the one on the screen

    def start(self, what: str, total: int | None = None) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        description = TextColumn("{task.description}", markup=False)
        columns = (description, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bars = RichProgress(*columns, console=self._console, transient=True)
        self._bars.start()
        self._what = harmless(what)
        self._task = self._bars.add_task(self._what, total=total)
        Bars.shown = self

    def say(self, remark: str) -> None:
        """Beside what the bar is about."""
        if self._bars is not None:
            text = f"{self._what} ({remark})" if remark else self._what
            self._bars.update(self._task, description=text)

    def advance(self, n: int = 1) -> None:
        if self._bars is not None:
            self._bars.advance(self._task, n)

    def finish(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None
            Bars.shown = None


def announce_compiling() -> None:
    """On a terminal, say so while functions are compiled."""
    console = Console(stderr=True)
    if console.is_terminal:
        watch_compiling(CompilingNotice(console))


def progress() -> Progress:
    """Bars if standard error is a terminal, otherwise silence."""
    console = Console(stderr=True)
    return Bars(console) if console.is_terminal else SILENT
