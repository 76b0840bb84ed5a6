"""Puts the commands together and turns errors into one line and an exit status."""

import os
import signal
import sys
import warnings
from contextlib import suppress
from types import FrameType
from typing import Any, TextIO

import typer

from kakehashi import __version__
from kakehashi.cli import (
    ablate,
    bench,
    build,
    data,
    demo,
    evaluate,
    fuse,
    index,
    model,
    remember,
    search,
    serve,
    show,
    table,
    train,
    verify,
    warm_up,
)
from kakehashi.cli.systems_help import SystemsHelp
from kakehashi.errors import KakehashiError, Notice

app = typer.Typer(
    name="kakehashi",
    help="Cross-language prior-art search that learns from citations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("demo")(demo.demo)
app.command("build")(build.build)
app.add_typer(data.app, name="data")
app.add_typer(show.app, name="show")
app.add_typer(model.app, name="model")
app.command("index")(index.index)
app.add_typer(train.app, name="train")
app.command("rank", cls=SystemsHelp)(search.rank)
app.command("search", cls=SystemsHelp)(search.search)
app.command("remember")(remember.remember)
app.command("serve")(serve.serve)
app.add_typer(serve.app, name="token")
app.command("verify")(verify.verify)
app.command("evaluate")(evaluate.evaluate)
app.command("compare")(evaluate.compare)
app.command("fuse")(fuse.fuse)
app.command("ablate")(ablate.ablate)
app.command("table")(table.table)
app.command("bench")(bench.bench)
app.command("warm-up")(warm_up.warm_up)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"kakehashi {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
    debug: bool = typer.Option(False, "--debug", help="Show the full trace of an error."),
) -> None:
    if debug:
        os.environ["KAKEHASHI_DEBUG"] = "1"


# Typer shows only leaves of its tree of exceptions: BadParameter < UsageError < ClickException < Exception
CommandLineError: Any = typer.BadParameter.__mro__[2]


ENDING = (signal.SIGTERM, signal.SIGHUP)  # left alone, they would end us and leave our children behind


class _Interrupted(BaseException):
    """A signal, under a name that the command-line library does not turn into its own message and status."""

    def __init__(self, number: int):
        self.number = number


def main() -> None:
    """Exit 0 for success, 2 for bad input, 1 for anything else, 128 and its number for a signal."""
    signal.signal(signal.SIGINT, _interrupt)
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup wants it ignored
            signal.signal(number, _interrupt)
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
        what = "interrupted" if end.number == signal.SIGINT else f"ended by {signal.Signals(end.number).name}"
        _report(what, 128 + end.number)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _report(f"{error.filename or 'system'}: {error.strerror or error}", 1)
    except MemoryError:
        _report("out of memory: give it a smaller input or more memory", 1)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for other in ENDING:  # they often come together, and would break off what the first one has to tidy up
        signal.signal(other, signal.SIG_IGN)
    raise _Interrupted(number)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, Notice):
        print(f"warning: {message}", file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), end="", file=sys.stderr)


def _report(message: str, status: int) -> None:
    if "KAKEHASHI_DEBUG" in os.environ:
        raise
    with suppress(OSError):  # after SIGHUP the terminal is gone
        print(f"kakehashi: {message}", file=sys.stderr)
    sys.exit(status)
