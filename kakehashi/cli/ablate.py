"""The command `ablate`: what a linear ranker loses without each input and each group of features."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from kakehashi.training.ablation import AblationRow

MARK = 0.01  # of p


class Ranker(StrEnum):
    """Systems that weigh features, and perhaps scores of other systems."""

    knowledge = "knowledge"
    dense = "dense"


def ablate(
    system: Ranker = typer.Argument(..., metavar="SYSTEM", help="knowledge or dense, trained."),
    folder: Path = typer.Argument(..., metavar="DIR", help="A collection folder, indexed."),
    name: str = typer.Option("", "--name", metavar="MODEL", help="The model (default: the system's name)."),
    measures: list[str] = typer.Option(
        ["MAP", "PRES@1000"],
        "--measure",
        "-m",
        help="What to measure; rows are ordered by the first (repeatable).",
    ),
    groups: list[str] = typer.Option(
        [],
        "--group",
        metavar="NAMES",
        help="Leave these out together, by commas: inputs, features or groups (repeatable). "
        "Default: each input and each group of features by itself.",
    ),
    plot: Path | None = typer.Option(None, "--plot", help="Draw what is lost: FILE.png or FILE.svg."),
    as_json: bool = typer.Option(False, "--json", help="One JSON object on standard output, nothing else."),
) -> None:
    """Learn again without each input and group of features, and say what is lost; the test part is not looked at."""
    from kakehashi.cli.evaluate import plot_kind, save_plot
    from kakehashi.cli.progress import progress
    from kakehashi.cli.search import open_index
    from kakehashi.corpus.collection import Collection
    from kakehashi.training.ablation import ablate as leave_out
    from kakehashi.training.ablation import trained_settings
    from kakehashi.training.linear import names_in

    kind = plot_kind(plot) if plot else None
    collection = Collection(folder)
    index = open_index(collection)
    settings = trained_settings(system.value, index, name)
    wanted = [names_in(group) for group in groups]
    rows = leave_out(collection, index, settings, measures, progress(), wanted)
    if plot and kind:
        from kakehashi.evaluate.plots import losses_plot

        save_plot(plot, losses_plot(_losses(rows)), kind)
    if as_json:
        _print_json(name or system.value, settings.split, rows)
    else:
        _print_table(rows, "gains" if settings.loss == "lambdamart" else "weights")
        print(
            f"on {settings.split}, cross-validated; † p < {MARK} against all (randomization test over queries)"
        )


def _losses(rows: "Sequence[AblationRow]") -> dict[str, dict[str, tuple[float, bool]]]:
    return {
        measure: {row.group: (row.difference[measure], row.p[measure] < MARK) for row in rows[1:]}
        for measure in rows[0].means
    }


def _print_json(model: str, split: str, rows: "Sequence[AblationRow]") -> None:
    from kakehashi.cli.evaluate_output import print_json

    print_json({"model": model, "split": split, "rows": rows})


def _print_table(rows: "Sequence[AblationRow]", unit: str) -> None:
    from kakehashi.cli import evaluate_output as output

    heads = [head for measure in rows[0].means for head in (measure, "difference", "p")]
    table = output.table_with("without", unit, *heads, left=2)
    for row in rows:
        cells = []
        for measure, mean in row.means.items():
            p, mark = row.p[measure], "†" if row.p[measure] < MARK else " "
            cells += [f"{mean:.4f}{mark}", f"{row.difference[measure]:+.4f}", output.short_p(p)]
            if row is rows[0]:
                cells[-2:] = ["", ""]
        weights = " ".join(f"{weight:+.3f}" for weight in row.weights)
        output.add_row(table, row.group, weights, *cells)
    output.show(table)
