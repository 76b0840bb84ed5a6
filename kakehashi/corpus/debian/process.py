"""Runs other programs with a time limit and without a shell; leaves no child behind."""

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kakehashi.errors import InputError, KakehashiError

BLOCK = 1 << 20
GRACE = 3.0  # seconds between asking a child to stop and killing it


@dataclass(frozen=True)
class Outcome:
    """What a finished program left."""

    status: int
    output: str
    errors: str


def find_program(name: str, folders: str | None = None) -> str:
    """Full path of a program of Debian's; `folders` is a search path like PATH."""
    path = shutil.which(name, path=folders)
    if path is None:
        raise InputError(
            f"{name} is not installed: this collection can only be built on Debian, Ubuntu or a relative"
        )
    return path


def run(
    command: Sequence[str],
    seconds: float,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Outcome:
    """Run to the end and return status and output, whatever the status is."""
    with _child(command, environment, folder, subprocess.PIPE) as child:
        try:
            output, errors = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise _too_slow(command, seconds) from None
    return Outcome(child.returncode, output.decode(errors="replace"), errors.decode(errors="replace"))


def stream(
    command: Sequence[str], seconds: float, environment: Mapping[str, str] | None = None
) -> Iterator[bytes]:
    """Standard output in blocks; a failing or too slow program raises instead of ending early."""
    with _child(command, environment, None, subprocess.DEVNULL) as child:
        assert child.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            _stop(child)

        watch = threading.Timer(seconds, give_up)
        watch.daemon = True
        watch.start()
        try:
            while block := child.stdout.read(BLOCK):
                yield block
            status = child.wait()
        finally:
            watch.cancel()
    if late.is_set():
        raise _too_slow(command, seconds)
    if status != 0:
        raise KakehashiError(f"{Path(command[0]).name} failed with status {status}: run the command again")


@contextmanager
def _child(
    command: Sequence[str], environment: Mapping[str, str] | None, folder: Path | None, errors: int
) -> Iterator[subprocess.Popen[bytes]]:
    """A child in a process group of its own, so that its own children can be stopped with it."""
    child = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=None if environment is None else dict(environment),
        cwd=folder,
        start_new_session=True,
    )
    try:
        yield child
    finally:
        _stop(child)
        for pipe in (child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End the child and everything it started; harmless where it has ended by itself."""
    if child.poll() is not None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            child.wait(timeout=GRACE)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def _too_slow(command: Sequence[str], seconds: float) -> KakehashiError:
    name = Path(command[0]).name
    return KakehashiError(
        f"{name} did not finish within {seconds:g} seconds: run the command again, it resumes"
    )
