"""Runs a program on given input, with limits on its time and its output, and leaves nothing of it behind."""

import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from kakehashi.lexicon.external import Failure, quoted

BLOCK, TAIL = 1 << 16, 1 << 12  # bytes read at once; bytes of complaints kept
GLANCE = 0.05  # seconds between looks whether the program has ended
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE = 3.0  # seconds a killed program has to go


class _Heard(NamedTuple):
    output: bytes
    complaints: bytes  # the end of standard error


def output_of(command: Sequence[str], given: bytes, seconds: float, most: int) -> bytes:
    """What the program writes, having `given` as its standard input; Failure if it is late, loud or fails."""
    deadline = time.monotonic() + seconds
    with _child(command, given) as child:
        heard = _listen(child, deadline, seconds, most)
        while not _has_ended(child):  # it may close its pipes and live on
            _check_time(deadline, seconds, heard.complaints)
            time.sleep(GLANCE)
    if child.returncode:
        raise Failure(f"{_ending(child.returncode)}{_last_line(heard.complaints)}")
    return heard.output


@contextmanager
def _child(command: Sequence[str], given: bytes) -> Iterator[subprocess.Popen[bytes]]:
    """A child in a process group of its own; its input is a file, so that nobody waits for it to read."""
    child = None
    try:
        with tempfile.TemporaryFile() as stdin, _signals_deferred():
            stdin.write(given)
            stdin.seek(0)
            pipe = subprocess.PIPE
            child = subprocess.Popen(
                list(command), stdin=stdin, stdout=pipe, stderr=pipe, start_new_session=True
            )
        yield child
    except (OSError, ValueError) as error:
        if child is not None:
            raise
        reason = getattr(error, "strerror", None) or error
        raise Failure(f"cannot be started: {quoted(str(reason))}") from None
    finally:
        if child is not None:
            _end(child)


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Handlers are called afterwards: one that raises while a program is started would leave it to itself."""
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


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill the whole group, whether or not its leader still runs; only then free the leader's number."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        child.wait(timeout=GRACE)
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()


def _listen(child: subprocess.Popen[bytes], deadline: float, seconds: float, most: int) -> _Heard:
    """Read both pipes to their end; or, where a grandchild holds them open, till the child itself has ended."""
    assert child.stdout is not None
    assert child.stderr is not None
    output, complaints = bytearray(), b""
    with selectors.DefaultSelector() as pipes:
        for pipe in (child.stdout, child.stderr):
            pipes.register(pipe, selectors.EVENT_READ)
        while pipes.get_map():
            ended = _has_ended(child)
            ready = pipes.select(0.0 if ended else GLANCE)
            for key, _ in ready:
                block = os.read(key.fd, BLOCK)
                if not block:
                    pipes.unregister(key.fileobj)
                elif key.fileobj is child.stdout:
                    output += block
                else:
                    complaints = (complaints + block)[-TAIL:]
            if len(output) > most:
                raise Failure(f"wrote more than {most:,} bytes, far more than it was given")
            if ended and not ready:
                break
            _check_time(deadline, seconds, complaints)
    return _Heard(bytes(output), complaints)


def _has_ended(child: subprocess.Popen[bytes]) -> bool:
    """Without reaping it: till then its number, which is its group's, cannot be given to another process."""
    try:
        return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # where the system reaps for a caller that ignores SIGCHLD
        return True


def _check_time(deadline: float, seconds: float, complaints: bytes) -> None:
    if time.monotonic() > deadline:
        raise Failure(f"did not finish within {seconds:g} seconds (--set timeout=){_last_line(complaints)}")


def _ending(status: int) -> str:
    return f"failed with status {status}" if status > 0 else f"was ended by signal {-status}"


def _last_line(complaints: bytes) -> str:
    lines = [line for line in complaints.decode("utf-8", "replace").splitlines() if line.strip()]
    return f", saying: {quoted(lines[-1])}" if lines else ""
