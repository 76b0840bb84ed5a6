"""Runs the command line: signals, and errors as one line and an exit status.

Nothing slow is imported here before signals are listened to, so that Ctrl-C ends in one line at any moment.
"""

import atexit
import gc
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from types import FrameType
from typing import TYPE_CHECKING, TextIO

from kakehashi.errors import KakehashiError, Notice, one_line

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

COLLECTED = 200_000  # new objects before Python looks for cycles: importing makes many, and none to collect
_TEMPORARY = re.compile(
    r"(^|/)\.([^/]+)\.\d+\.(?:tmp|partial|replaced)(?=$|[/:])"
)  # names of unfinished files
ENDING = (signal.SIGTERM, signal.SIGHUP)  # left alone, they would end us and leave our children behind


class _Interrupted(BaseException):
    """A signal, under a name that the command-line library does not turn into its own message and status."""

    def __init__(self, number: int):
        self.number = number


def main() -> None:
    """Exit 0 for success, 2 for bad input, 1 for anything else, 128 and its number for a signal."""
    _open_streams()
    _listen(_leave)
    gc.set_threshold(COLLECTED)
    atexit.register(gc.freeze)  # or Python looks through all that is left for cycles, though the process ends
    from kakehashi.cli.commands import CommandLineError, app

    _listen(_interrupt)
    sys.unraisablehook = _not_unraisable
    if sys.stderr.isatty():  # importing the display takes a while
        from kakehashi.cli.progress import announce_compiling

        announce_compiling()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", Notice)
            warnings.showwarning = _show_warning
            sys.exit(app(prog_name="kakehashi", standalone_mode=False))
    except KakehashiError as error:
        _report(str(error), error.exit_status)
    except CommandLineError as error:
        context = getattr(error, "ctx", None)
        if not error.format_message():  # a command without arguments has shown its help already
            sys.exit(2)
        _report(
            f"{error.format_message()} (see {context.command_path if context else 'kakehashi'} --help)", 2
        )
    except _Interrupted as end:
        _report(*_told(end.number))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _report(f"{error.filename or 'system'}: {error.strerror or error}", 1)
    except MemoryError:
        _report("out of memory: give it a smaller input or more memory", 1)
    except (
        Exception
    ) as error:  # a fault of the program: whoever uses it needs a line, whoever mends it --debug
        _report(
            f"unexpected {type(error).__name__}: {error} (kakehashi --debug ... shows where: please report it)",
            1,
        )
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the interpreter is being taken apart


def _open_streams() -> None:
    """Whatever was closed before we began leads nowhere, not into the first files that are opened."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115
    if isinstance(
        sys.stdout, TextIOWrapper
    ):  # names of files need not be UTF-8, terminals need not have all letters
        sys.stdout.reconfigure(errors="backslashreplace")


def _listen(handler: Callable[[int, FrameType | None], None]) -> None:
    signal.signal(signal.SIGINT, handler)
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup wants it ignored
            signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> None:
    """While modules are imported there is nothing to tidy up, and much code that takes an exception badly."""
    what, status = _told(number)
    with suppress(OSError):
        os.write(2, f"kakehashi: {what}\n".encode())
    os._exit(status)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for other in ENDING:  # they often come together, and would break off what the first one has to tidy up
        signal.signal(other, signal.SIG_IGN)
    raise _Interrupted(number)


def _not_unraisable(given: "UnraisableHookArgs") -> None:
    """A signal may meet code that cannot pass an exception on; it ends the program nevertheless."""
    if isinstance(given.exc_value, _Interrupted):
        _leave(given.exc_value.number, None)
    sys.__unraisablehook__(given)


def _told(number: int) -> tuple[str, int]:
    what = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    return what, 128 + number


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, Notice):
        print(f"warning: {one_line(message)}", file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), end="", file=sys.stderr)


def _report(message: str, status: int) -> None:
    if "KAKEHASHI_DEBUG" in os.environ:
        raise
    line = one_line(_TEMPORARY.sub(r"\1\2", message))
    with suppress(OSError):  # after SIGHUP the terminal is gone
        print(f"kakehashi: {line}", file=sys.stderr)
    sys.exit(status)
