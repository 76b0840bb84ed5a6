"""The command `table`: measures the rows of a published table and prints published and measured figures."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from kakehashi.cli.options import JSON, setting_pairs
from kakehashi.cli.plots import plot_kind, save_plot
from kakehashi.cli.table_page import mark_of, markdown_table, write_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kakehashi.experiments.tables import Listing, Recipe, Row


def table(
    name: str = typer.Argument(..., metavar="NAME", help="A table's name, or 'list'."),
    collection: list[Path] = typer.Option(
        [], "--collection", help="A collection folder to measure on (repeatable)."
    ),
    work: Path = typer.Option(
        Path("results/tables"), "--work", help="Folder in which measured rows are cached for later runs."
    ),
    as_json: bool = JSON,
    plot: Path | None = typer.Option(
        None,
        "--plot",
        help="Plot measures against costs or amounts, as .svg or .png (only for tables that have them).",
    ),
    only: str = typer.Option("", "--only", help="Measure only rows whose name contains this text."),
    without: str = typer.Option("", "--without", help="Skip rows whose name contains this text."),
    queries: int | None = typer.Option(
        None,
        "--queries",
        min=1,
        help="Measure on at most this many test queries, evenly chosen (overview, encoders and k20 only).",
    ),
    settings: list[str] = typer.Option(
        [],
        "--set",
        metavar="NAME=VALUE",
        help="Change a setting of all rows, such as size=small or epochs=4 (k20 only; repeatable).",
    ),
    markdown: bool = typer.Option(
        False, "--markdown", help="Print a Markdown table with one row per configuration."
    ),
    out: Path | None = typer.Option(
        None, "--out", help="Write a Markdown page with the table, and the plot if any."
    ),
) -> None:
    """Reproduce a published table on your collections; rerun it to resume."""
    from kakehashi.cli.output import print_json
    from kakehashi.cli.progress import progress
    from kakehashi.errors import InputError
    from kakehashi.experiments.registry import TABLES, table_of
    from kakehashi.experiments.tables import Listing, differences, only_rows, run, with_queries, with_settings

    if name == "list":
        for each in TABLES.values():
            print(f"{each.name:10} {each.title}; needs {each.collections}")
        return
    recipe = table_of(name)
    if not collection:
        raise InputError(f"{name} is measured on {recipe.collections}: give its folder with --collection")
    drawn = [each for each, table in TABLES.items() if not isinstance(table, Listing) and _has_plot(table)]
    if plot is not None and not (name in drawn and plot_kind(plot)):
        raise InputError(f"{name} has nothing to plot: --plot is for {', '.join(drawn)}")
    if isinstance(recipe, Listing):
        if only or without or queries or settings:
            raise InputError(
                f"{name} has no rows to choose from: leave out --only, --without, --queries and --set"
            )
        _show_examples(recipe, collection, as_json, markdown)
        return
    recipe = only_rows(recipe, only, without)
    recipe = with_queries(recipe, queries) if queries else recipe
    recipe = with_settings(recipe, setting_pairs(settings)) if settings else recipe
    rows = [row for folder in collection for row in run(recipe, folder, work, progress())]
    if plot is not None:
        _draw(recipe, rows, plot)
    tests = [one for folder in collection for one in differences(recipe, folder, work)]
    if as_json:
        print_json({"name": name, "rows": rows, **({"contrasts": tests} if tests else {})})
    elif out is not None:
        write_page(out, recipe, rows, plot, tests)
    elif markdown:
        print("\n".join(markdown_table(recipe, rows)))
    else:
        _show(recipe, rows)


def _has_plot(recipe: "Recipe") -> bool:
    return bool(recipe.against or recipe.over or recipe.ladder or recipe.bars)


def _show_examples(table: "Listing", collections: list[Path], as_json: bool, markdown: bool) -> None:
    from kakehashi.cli.output import print_json

    found = {folder.name: table.rows(folder) for folder in collections}
    if as_json:
        rows = [
            {"collection": name, **msgspec.to_builtins(row)} for name, rows in found.items() for row in rows
        ]
        print_json({"name": table.name, "rows": rows})
        return
    if markdown:
        print("| | published | " + " | ".join(found) + " |")
        print("|---" * (len(found) + 2) + "|")
    else:
        print(f"{table.name}: {table.title}")
        print(f"{'':8}{'published':28}" + "  ".join(f"{name:28}" for name in found))
    labels = {row.row: row.published for rows in found.values() for row in rows}
    for label, published in labels.items():
        cells = [next((row.found for row in rows if row.row == label), "") for rows in found.values()]
        if markdown:
            print(f"| {label} | {published} | " + " | ".join(cells) + " |")
        else:
            print(f"{label:>6}  {published:28}" + "  ".join(f"{cell:28}" for cell in cells))
    if not markdown:
        for line in table.departs:
            print(f"departs: {line}")


def _draw(recipe: "Recipe", rows: "Sequence[Row]", path: Path) -> None:
    from kakehashi.evaluation.plots import growth_plot, ladder_plot, tradeoff_plot

    if recipe.bars:
        _draw_bars(recipe, rows, path)
        return
    if recipe.ladder:
        values: dict[str, dict[str, float]] = {}
        for row in rows:
            if row.measure == recipe.drawn:
                values.setdefault(row.collection, {})[row.row] = row.measured
        figure = ladder_plot(recipe.drawn, recipe.ladder.steps, recipe.ladder.lines, values)
        save_plot(path, figure, plot_kind(path))
        return
    if recipe.over:
        lines: dict[str, dict[str, list[tuple[float, float]]]] = {name: {} for name in recipe.measures}
        for row in rows:
            name = f"{row.collection}, {row.row.split(',')[0]}"
            lines[row.measure].setdefault(name, []).append((row.facts[recipe.over], row.measured))
        save_plot(path, growth_plot(recipe.over, lines), plot_kind(path))
        return
    several = len({row.collection for row in rows}) > 1
    points = {
        f"{row.collection}, {row.row}" if several else row.row: (
            row.measured,
            {cost: row.facts[cost] for cost in recipe.against},
        )
        for row in rows
        if row.measure == recipe.measures[0]
    }
    save_plot(path, tradeoff_plot(recipe.measures[0], points), plot_kind(path))


def _draw_bars(recipe: "Recipe", rows: "Sequence[Row]", path: Path) -> None:
    from kakehashi.evaluation.plots import bars_plot

    several = len({row.collection for row in rows}) > 1
    groups: dict[str, dict[str, float]] = {}
    for row in rows:
        group, _, bar = row.row.partition(", ")
        name = f"{row.collection}, {group}" if several else group
        groups.setdefault(name, {})[bar.removesuffix(" %")] = row.measured
    save_plot(path, bars_plot(recipe.measures[0], recipe.bars, groups), plot_kind(path))


def _show(recipe: "Recipe", rows: "Sequence[Row]") -> None:
    print(f"{recipe.name}: {recipe.title}")
    width = max(len(row.row) for row in rows) + 2
    print(f"{'':{width}}{'collection':14}{'measure':12}{'published':>10}{'measured':>10}")
    for row in rows:
        published = f"{row.published:.4f}" if row.published is not None else "-"
        mark = mark_of(row.p)
        facts = ", ".join(f"{name} {value:,g}" for name, value in row.facts.items())
        print(
            f"{row.row:{width}}{row.collection:14}{row.measure:12}{published:>10}{row.measured:>10.4f}{mark:2}  {facts}"
        )
    print("† p < 0.05, ‡ p < 0.01 against the row it builds on (randomization test over queries)")
    for line in recipe.departs:
        print(f"departs: {line}")
