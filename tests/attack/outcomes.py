"""What a case of an attack ends in, and how cases are run so that a crash or a hang ends nothing else."""

import os
import resource
import select
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from kakehashi.errors import KakehashiError

SAME, OTHER, REFUSED = "same", "other but valid", "refused in one line"
GOOD = (SAME, OTHER, REFUSED)
PATIENCE = 150.0  # seconds of work; a case takes far less, unless something must be compiled for it
BUSY = 6  # times as long may pass on a machine that has other work


@dataclass
class Counts:
    """Outcomes by class, and what each failure was."""

    by_class: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def add(self, kind: str, case: str, outcome: str) -> None:
        name = outcome if outcome in GOOD else "failure"
        self.by_class.setdefault(kind, Counter())[name] += 1
        if name == "failure":
            self.failures.append(f"{kind}: {case}: {outcome}")

    def total(self) -> int:
        return sum(found.total() for found in self.by_class.values())

    def table(self) -> str:
        columns = (*GOOD, "failure")
        rows = [["class", "cases", *columns]]
        for kind, found in self.by_class.items():
            rows.append([kind, str(found.total()), *(str(found[name]) for name in columns)])
        total = Counter[str]()
        for found in self.by_class.values():
            total += found
        rows.append(["all", str(total.total()), *(str(total[name]) for name in columns)])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        )


def is_one_line(message: str) -> bool:
    """A line that says something, without control characters."""
    return bool(message.strip()) and message.isprintable()


def outcome_of(work: Callable[[], str]) -> str:
    """What `work` returns, or how it ended; only an error meant for the user is a refusal."""
    try:
        return work()
    except KakehashiError as error:
        return REFUSED if is_one_line(str(error)) else f"not one line: {str(error)!r}"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"trace: {type(error).__name__}: {error} ({place.filename}:{place.lineno})"


def limit_work(seconds: float) -> None:
    """End this process, and each that it starts, after so much time of the processor."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), hard))


def in_a_child(work: Callable[[], str], patience: float = PATIENCE) -> str:
    """The outcome of `work` in a process of its own: a copy of this one, in which everything is compiled already.

    Its patience is time of the processor, so that a busy machine is not taken for a hang.
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            limit_work(patience)
            os.write(writing, outcome_of(work).encode("utf-8", "replace")[:4000])
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    said, end = b"", time.monotonic() + BUSY * patience
    with os.fdopen(reading, "rb") as pipe:
        while select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            block = os.read(pipe.fileno(), 4096)
            if not block:
                break
            said += block
        else:
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return (
            "hang" if number in (signal.SIGKILL, signal.SIGXCPU) else f"crash: {signal.Signals(number).name}"
        )
    return said.decode() or f"died with status {os.WEXITSTATUS(status)}"
