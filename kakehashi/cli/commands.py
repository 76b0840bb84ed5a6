"""All commands, put together."""

import os
from typing import Any

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
from kakehashi.cli.terminal import say

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
        say(f"kakehashi {__version__}")
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
