"""The command `ablate`: what a linear ranker loses without each input and each group of features."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kakehashi.cli.options import JSON
from kakehashi.cli.plots import plot_kind, save_plot
from kakehashi.cli.terminal import say

if TYPE_CHECKING:
    from kakehashi.training.ablation import AblationRow

MARK = 0.01  # of p


class Ranker(StrEnum):
    """Systems that weight features, and possibly scores of other systems."""

    knowledge = "knowledge"
    dense = "dense"


def ablate(
    system: Ranker = typer.Argument(..., metavar="SYSTEM", help="A trained system: knowledge or dense."),
    folder: Path = typer.Argument(..., metavar="DIR", help="An indexed collection folder."),
    name: str = typer.Option(
        "", "--name", metavar="MODEL", help="Name of the model (default: the system's name)."
    ),
    measures: list[str] = typer.Option(
        [],
        "--measure",
        "-m",
        help="Measure to report; rows are sorted by the first (repeatable). Default: MAP, PRES@1000 and, where "
        "training judgments show which documents were cited before, R@100:new.",
    ),
    groups: list[str] = typer.Option(
        [],
        "--group",
        metavar="NAMES",
        help="Leave these out together, separated by commas: inputs, features or groups (repeatable). "
        "Default: each input and each group of features separately.",
    ),
    plot: Path | None = typer.Option(None, "--plot", help="Plot the losses: FILE.png or FILE.svg."),
    as_json: bool = JSON,
) -> None:
    """Retrain without each input and group of features and show what is lost; the test split is not used."""
    from kakehashi.cli.output import print_json
    from kakehashi.cli.progress import progress
    from kakehashi.library import Library
    from kakehashi.training.weighing import names_in

    kind = plot_kind(plot) if plot else None
    wanted = [names_in(group) for group in groups]
    job, rows = Library(folder).ablate(system.value, name, measures, wanted, progress())
    settings = job.settings
    if plot and kind:
        from kakehashi.evaluation.plots import losses_plot

        save_plot(plot, losses_plot(_losses(rows)), kind)
    if as_json:
        print_json({"model": name or system.value, "split": settings.split, "rows": rows})
    else:
        _print_table(rows, "gains" if settings.loss == "lambdamart" else "weights")
        say(
            f"on {settings.split}, cross-validated; † p < {MARK} against all (randomization test over queries)"
        )


def _losses(rows: "Sequence[AblationRow]") -> dict[str, dict[str, tuple[float, bool]]]:
    return {
        measure: {row.group: (row.difference[measure], row.p[measure] < MARK) for row in rows[1:]}
        for measure in rows[0].means
    }


def _print_table(rows: "Sequence[AblationRow]", unit: str) -> None:
    from kakehashi.cli import output
    from kakehashi.cli.evaluate_output import short_p

    heads = [head for measure in rows[0].means for head in (measure, "difference", "p")]
    table = output.table_with("without", unit, *heads, left=2)
    for row in rows:
        cells = []
        for measure, mean in row.means.items():
            p, mark = row.p[measure], "†" if row.p[measure] < MARK else " "
            cells += [f"{mean:.4f}{mark}", f"{row.difference[measure]:+.4f}", short_p(p)]
            if row is rows[0]:
                cells[-2:] = ["", ""]
        weights = " ".join(f"{weight:+.3f}" for weight in row.weights)
        output.add_row(table, row.group, weights, *cells)
    output.show(table)
