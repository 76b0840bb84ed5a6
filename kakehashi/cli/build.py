"""The command `build`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kakehashi.cli.options import COLLECTION, JSON, THREADS
from kakehashi.cli.terminal import say

if TYPE_CHECKING:
    from kakehashi.building.build import Built, Done


def build(
    folder: Path = COLLECTION,
    budget: str = typer.Option("", "--budget", metavar="TIME", help="A time limit, such as 10m or 1.5h."),
    only: str = typer.Option(
        "", "--only", metavar="NAMES", help="Train only these, such as translation,dense."
    ),
    without: str = typer.Option("", "--without", metavar="NAMES", help="Train all but these."),
    lender: Path | None = typer.Option(
        None,
        "--from",
        metavar="OLD",
        help="Another collection, or a file of packed models: used where DIR lacks data to train its own.",
    ),
    measure: str = typer.Option("MAP", "--measure", help="The measure on dev that chooses the best system."),
    again: bool = typer.Option(False, "--again", help="Train even what is up to date."),
    threads: int = THREADS,
    as_json: bool = JSON,
) -> None:
    """Set a collection up: index it, train what its data allow, measure on dev, choose the best system.

    Run it again after an interruption or after documents changed: what is up to date is kept.
    """
    from kakehashi.building.build import parse_duration, told
    from kakehashi.cli.progress import progress
    from kakehashi.library import Library

    def report(done: "Done") -> None:
        say(told(done, timed=sys.stderr.isatty()), file=sys.stderr)  # a log stays the same from run to run

    built = Library(folder).build(
        only=_names(only),
        without=_names(without),
        budget=parse_duration(budget) if budget else None,
        measure=measure,
        again=again,
        lender=lender,
        threads=threads,
        progress=progress(),
        report=report,
    )
    if as_json:
        _print_json(built)
    else:
        show(built, folder)


def show(built: "Built", folder: Path) -> None:
    """The table of systems, and what answers from now on."""
    from kakehashi.cli.output import add_row, show, table_with

    if built.scores:
        table = table_with("system", *built.measures, "p against the best")
        for row in built.rows():
            name = str(row["system"])
            p = "" if row["p"] is None else f"{row['p']:.2g}"
            add_row(table, name, *(f"{row[measure]:.4f}" for measure in built.measures), p)
        n_queries = max(len(scores.queries) for scores in built.scores.values())
        say(f"on {n_queries} dev queries (combinations cross-validated):")
        show(table)
    why = f"best {built.best.measure} on dev" if built.best.measure else "not measured: no dev judgments"
    say(f"{folder}: searches with {built.best.system} from now on ({why})")


def _print_json(built: "Built") -> None:
    from dataclasses import asdict

    from kakehashi.cli.output import print_json

    print_json({"best": built.best, "rows": built.rows(), "steps": [asdict(one) for one in built.done]})


def _names(text: str) -> Sequence[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
