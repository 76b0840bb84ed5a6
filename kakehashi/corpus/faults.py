"""Collects the errors of files with their locations, a limited number of each kind; finds none itself."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from kakehashi.corpus import lines
from kakehashi.errors import FileError, one_line
from kakehashi.progress import SILENT, Progress

LISTED = 20  # errors of one kind listed per file; the others are only counted
STEP = 10_000  # lines between two reports of progress

T = TypeVar("T")
Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Fault:
    """One error at one place; a warning is unusual but harmless."""

    path: Path
    line: int | None
    message: str
    severity: Severity = "error"

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return one_line(f"{place}: {'' if self.severity == 'error' else 'warning: '}{self.message}")


class Faults:
    """Keeps the first errors of each kind in each file and counts the rest."""

    def __init__(self) -> None:
        self._found: dict[Path, list[Fault]] = {}
        self._counts: Counter[tuple[Path, str, Severity]] = Counter()

    def add(
        self, path: Path, line: int | None, kind: str, message: str, severity: Severity = "error"
    ) -> None:
        """`kind` names the group in which further errors of this kind are counted."""
        self._counts[path, kind, severity] += 1
        if self._counts[path, kind, severity] <= LISTED:
            self._found.setdefault(path, []).append(Fault(path, line, message, severity))

    def listed(self) -> list[Fault]:
        """By file and line; after each file, how many errors of each kind were not listed."""
        listed: list[Fault] = []
        for path, found in self._found.items():
            listed += sorted(found, key=lambda fault: fault.line or 0)
            for (where, kind, severity), count in self._counts.items():
                if where == path and count > LISTED:
                    listed.append(Fault(path, None, f"{count - LISTED} more: {kind}", severity))
        return listed

    @property
    def errors(self) -> int:
        return self._total("error")

    @property
    def warnings(self) -> int:
        return self._total("warning")

    def by_kind(self) -> dict[str, int]:
        """The number of each kind over all files, most frequent first."""
        kinds: Counter[str] = Counter()
        for (_, kind, _), count in self._counts.items():
            kinds[kind] += count
        return dict(kinds.most_common())

    def _total(self, severity: Severity) -> int:
        return sum(count for (_, _, found), count in self._counts.items() if found == severity)


def decoded_lines(path: Path, faults: Faults, progress: Progress = SILENT) -> Iterator[tuple[int, str]]:
    """The readable lines of a file; unreadable ones, and an unreadable rest, are recorded as errors."""
    try:
        for number, raw in _reported(lines.read_raw_lines(path), f"checking {path.name}", progress):
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                faults.add(path, number, "not UTF-8", f"is not UTF-8 at byte {error.start}: convert the file")
                continue
            yield number, text.removeprefix("\ufeff") if number == 1 else text
    except FileError as error:
        faults.add(path, error.line, "unreadable", error.message)


def rows(
    path: Path, names: str, faults: Faults, progress: Progress = SILENT
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a tab-separated file that have one column for each of the `names`."""
    width = len(names.split())
    for number, line in decoded_lines(path, faults, progress):
        columns = line.split("\t")
        if len(columns) == width:
            yield number, columns
        else:
            message = f"has {len(columns)} tab-separated columns, needs {width}: {names}"
            faults.add(path, number, "wrong number of columns", message)


def _reported(items: Iterable[T], what: str, progress: Progress) -> Iterator[T]:
    progress.start(what)
    try:
        for count, item in enumerate(items, 1):
            yield item
            if count % STEP == 0:
                progress.advance(STEP)
    finally:
        progress.finish()
