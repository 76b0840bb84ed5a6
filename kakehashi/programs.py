"""Runs other programs without a shell and with a time limit, and leaves no processes behind.

A program has its own process group: whatever it started is stopped with it. The caller decides what its status,
output or timeout means to a user.
"""

import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

BLOCK, COMPLAINTS = 1 << 16, 1 << 20  # bytes read at once; bytes of standard error kept (the last ones)
GLANCE = 0.05  # seconds between checks whether the program has ended
DYING = 3.0  # seconds a killed program has to exit
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class NotStarted(Exception):
    """The program does not exist or may not be run; the message is the system's."""


class TooSlow(Exception):
    """It did not finish in time and was stopped."""

    def __init__(self, seconds: float, errors: bytes):
        super().__init__(f"did not finish within {seconds:g} seconds")
        self.errors = errors


class TooLong(Exception):
    """It wrote more than allowed and was stopped."""


class Failed(Exception):
    """It ended with a non-zero status."""


class Outcome(NamedTuple):
    """The result of a program; the status is negative if a signal ended it."""

    status: int
    output: bytes
    errors: bytes  # the end of standard error


def run(
    command: Sequence[str],
    seconds: float,
    given: bytes = b"",
    most: int | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    grace: float = 0.0,
) -> Outcome:
    """Run to the end with `given` as standard input; `most` limits its output in bytes.

    A program that must be stopped is asked to exit first, and killed after `grace` seconds.
    """
    output, errors = bytearray(), b""
    with _child(command, given, environment, folder, grace) as child:
        try:
            for pipe, block in _blocks(child, seconds):
                if pipe is child.stderr:
                    errors = (errors + block)[-COMPLAINTS:]
                else:
                    output += block
                if most is not None and len(output) > most:
                    raise TooLong(f"wrote more than {most:,} bytes")
        except TimeoutError:
            raise TooSlow(seconds, errors) from None
    return Outcome(child.returncode, bytes(output), errors)


def stream(
    command: Sequence[str],
    seconds: float,
    environment: Mapping[str, str] | None = None,
    grace: float = 0.0,
) -> Iterator[bytes]:
    """Standard output in blocks; raises `Failed` after the last one if the status is not 0.

    The program is stopped when the caller stops reading. Its standard error is ignored.
    """
    with _child(command, b"", environment, None, grace) as child:
        try:
            for pipe, block in _blocks(child, seconds):
                if pipe is child.stdout:
                    yield block
        except TimeoutError:
            raise TooSlow(seconds, b"") from None
    if child.returncode:
        raise Failed(f"failed with status {child.returncode}")


@contextmanager
def _child(
    command: Sequence[str],
    given: bytes,
    environment: Mapping[str, str] | None,
    folder: Path | None,
    grace: float,
) -> Iterator[subprocess.Popen[bytes]]:
    """A child in its own process group; its input is a file, so that nothing waits for it to read."""
    child = None
    try:
        with tempfile.TemporaryFile() as stdin, _signals_deferred():
            stdin.write(given)
            stdin.seek(0)
            child = subprocess.Popen(
                list(command),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=None if environment is None else dict(environment),
                cwd=folder,
                start_new_session=True,
            )
        yield child
    except (OSError, ValueError) as error:
        if child is not None:
            raise
        raise NotStarted(getattr(error, "strerror", None) or str(error)) from error
    finally:
        if child is not None:
            _end(child, grace)


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Run signal handlers afterwards: one that raises while a program is starting would abandon it."""
    if threading.current_thread() is not threading.main_thread():  # handlers run in the main thread only
        yield
        return
    come: list[int] = []
    handlers = {number: signal.getsignal(number) for number in ENDING}
    for number, handler in handlers.items():
        if callable(handler):
            signal.signal(number, lambda number, _: come.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            if callable(handler):
                signal.signal(number, handler)
        for each in come:
            os.kill(os.getpid(), each)


def _blocks(child: subprocess.Popen[bytes], seconds: float) -> Iterator[tuple[IO[bytes], bytes]]:
    """Blocks of both pipes until the child has ended, even if a grandchild keeps them open; TimeoutError if late."""
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as pipes:
        for pipe in (child.stdout, child.stderr):
            assert pipe is not None
            pipes.register(pipe, selectors.EVENT_READ, pipe)
        while pipes.get_map():
            ended = _has_ended(child)
            ready = pipes.select(0.0 if ended else GLANCE)
            for key, _ in ready:
                block = os.read(key.fd, BLOCK)
                if block:
                    yield key.data, block
                else:
                    pipes.unregister(key.fileobj)
            if ended and not ready:
                break
            _check_time(deadline)
    while not _has_ended(child):  # it may close its pipes and keep running
        _check_time(deadline)
        time.sleep(GLANCE)


def _check_time(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise TimeoutError


def _has_ended(child: subprocess.Popen[bytes]) -> bool:
    """Without reaping it: until then its number, which is its group's, cannot be reused by another process."""
    try:
        return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # if the system reaps for a caller that ignores SIGCHLD
        return True


def _end(child: subprocess.Popen[bytes], grace: float) -> None:
    """Kill the whole group, whether or not its leader still runs; only then free the leader's number."""
    try:
        if grace and not _has_ended(child):
            _signal(child, signal.SIGTERM)
            patience = time.monotonic() + grace
            while not _has_ended(child) and time.monotonic() < patience:
                time.sleep(GLANCE)
    finally:
        _signal(child, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=DYING)
        for pipe in (child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)
