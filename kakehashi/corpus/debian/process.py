"""Runs Debian's own programs with a time limit and reports failures in one line."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kakehashi import programs
from kakehashi.errors import InputError, KakehashiError

GRACE = 3.0  # seconds apt gets to clean up before it is killed


@dataclass(frozen=True)
class Outcome:
    """The result of a finished program."""

    status: int
    output: str
    errors: str


def find_program(name: str, folders: str | None = None) -> str:
    """Full path of a Debian program; `folders` is a search path like PATH."""
    path = shutil.which(name, path=folders)
    if path is None:
        raise InputError(
            f"{name} is not installed: this collection can only be built on Debian, Ubuntu or a derivative"
        )
    return path


def run(
    command: Sequence[str],
    seconds: float,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Outcome:
    """Run to the end and return status and output, whatever the status."""
    with _one_line(command):
        found = programs.run(command, seconds, environment=environment, folder=folder, grace=GRACE)
    return Outcome(found.status, found.output.decode(errors="replace"), found.errors.decode(errors="replace"))


def stream(
    command: Sequence[str], seconds: float, environment: Mapping[str, str] | None = None
) -> Iterator[bytes]:
    """Standard output in blocks; a program that fails or times out raises an error instead of ending early."""
    with _one_line(command):
        yield from programs.stream(command, seconds, environment, GRACE)


@contextmanager
def _one_line(command: Sequence[str]) -> Iterator[None]:
    name = Path(command[0]).name
    try:
        yield
    except programs.TooSlow as error:
        raise KakehashiError(f"{name} {error}: rerun the command to resume") from None
    except programs.Failed as error:
        raise KakehashiError(f"{name} {error}: rerun the command") from None
    except programs.NotStarted as error:
        raise KakehashiError(f"{name} cannot be started ({error}): install it again") from None
