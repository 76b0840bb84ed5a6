"""The command `table`: measures the rows of a published table and prints published and measured figures."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from kakehashi.cli.blocks import columns_of
from kakehashi.cli.options import JSON, setting_pairs
from kakehashi.cli.plots import plot_kind, save_plot
from kakehashi.cli.table_page import figure, mark_of, markdown_table, write_page
from kakehashi.cli.terminal import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kakehashi.experiments.tables import Listing, Recipe, Row


NUMBERS = (3, 4)  # columns of the printed table
FACTS = 6  # printed of a configuration


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
        help="Plot measures against costs or amounts, with published values where they are known, as .svg or "
        ".png (only for tables that have them).",
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
        width = max(map(len, TABLES))
        for each in TABLES.values():
            say(f"{each.name:{width}}  {each.title}; needs {each.collections or 'no collection'}")
        return
    recipe = table_of(name)
    if not collection and recipe.collections:
        raise InputError(f"{name} is measured on {recipe.collections}: give its folder with --collection")
    drawn = [each for each, table in TABLES.items() if not isinstance(table, Listing) and _has_plot(table)]
    if plot is not None and not (name in drawn and plot_kind(plot)):
        raise InputError(f"{name} has nothing to plot: --plot is for {', '.join(drawn)}")
    if isinstance(recipe, Listing):
        if only or without or queries or settings:
            raise InputError(
                f"{name} has no rows to choose from: leave out --only, --without, --queries and --set"
            )
        _show_examples(recipe, collection, work, as_json, markdown)
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
        say("\n".join(markdown_table(recipe, rows)))
    else:
        _show(recipe, rows)


def _has_plot(recipe: "Recipe") -> bool:
    return bool(recipe.against or recipe.over or recipe.ladder or recipe.curves)


def _show_examples(
    table: "Listing", collections: list[Path], work: Path, as_json: bool, markdown: bool
) -> None:
    from kakehashi.cli.output import print_json

    found = {folder.name: table.rows(folder, work) for folder in collections if table.collections}
    if not table.collections:
        found = {"this machine": table.rows(Path(), work)}
    if as_json:
        rows = [
            {"collection": name, **msgspec.to_builtins(row)} for name, rows in found.items() for row in rows
        ]
        print_json({"name": table.name, "rows": rows})
        return
    labels = {row.row: row.published for rows in found.values() for row in rows}
    lines: list[tuple[str, ...]] = [("", "published", *found)]
    for label, published in labels.items():
        cells = [next((row.found for row in rows if row.row == label), "") for rows in found.values()]
        lines.append((label, published, *cells))
    if markdown:
        head, *rest = ["| " + " | ".join(line) + " |" for line in lines]
        say("\n".join([head.replace("|  |", "| |", 1), "|---" * len(lines[0]) + "|", *rest]))
        return
    say(f"{table.name}: {table.title}")
    _print_columns(lines)
    for remark in table.departs:
        say(f"departs: {remark}")


def _draw(recipe: "Recipe", rows: "Sequence[Row]", path: Path) -> None:
    from kakehashi.evaluation.plots import bars_plot, curves_plot, growth_plot, ladder_plot, tradeoff_plot

    if recipe.ladder:
        values: dict[str, dict[str, float]] = {}
        for row in rows:
            if row.measure == recipe.drawn:
                values.setdefault(row.collection, {})[row.row] = row.measured
        figure = ladder_plot(recipe.drawn, recipe.ladder.steps, recipe.ladder.lines, values)
        save_plot(path, figure, plot_kind(path))
        return
    if recipe.curves:
        panels = _curves(recipe, rows)
        figure = (
            bars_plot(recipe.over, panels, recipe.bars)
            if recipe.bars
            else curves_plot(recipe.over, panels, recipe.logarithmic)
        )
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


def _curves(
    recipe: "Recipe", rows: "Sequence[Row]"
) -> dict[str, dict[str, list[tuple[float | None, float]]]]:
    """panel -> line -> points; published figures are a line of their own, the same for every collection"""
    from kakehashi.evaluation.plots import PUBLISHED

    several = len({row.collection for row in rows}) > 1
    panels: dict[str, dict[str, list[tuple[float | None, float]]]] = {}
    for row in rows:
        point = recipe.curves[row.measure]
        lines = panels.setdefault(point.panel, {})
        name = f"{row.collection}, {row.row}" if several else row.row
        lines.setdefault(name, []).append((point.x, row.measured))
    for one in recipe.configurations:
        for measure, value in one.published.items():
            point = recipe.curves[measure]
            lines = panels.setdefault(point.panel, {})
            lines.setdefault(f"{one.label}, {PUBLISHED}", []).append((point.x, value))
    return panels


def _cells(row: "Row", before: "Row | None") -> tuple[str, ...]:
    """Facts stand once, beside the first measure of a configuration."""
    is_first = before is None or (row.row, row.collection) != (before.row, before.collection)
    measured = f"{figure(row.measured)}{mark_of(row.p) or '  '}"
    facts = _brief(row.facts) if is_first else ""
    return row.row, row.collection, row.measure, figure(row.published) or "-", measured, facts


def _brief(facts: "Mapping[str, float]") -> str:
    """A combination has dozens of weights, which no line has room for."""
    shown = [f"{name} {value:,g}" for name, value in list(facts.items())[:FACTS]]
    hidden = len(facts) - len(shown)
    return ", ".join(shown) + (f", {hidden} more with --json" if hidden else "")


def _print_columns(lines: "Sequence[tuple[str, ...]]", right: "Sequence[int]" = ()) -> None:
    """Each column as wide as its widest cell; numbers on the right."""
    widths = [max(columns_of(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        cells = zip(line, widths, strict=True)
        padded = [_padded(cell, width, number in right) for number, (cell, width) in enumerate(cells)]
        say("  ".join(padded).rstrip())


def _padded(cell: str, width: int, right: bool = False) -> str:
    """With blanks up to this many columns, of which a wide character takes two."""
    blanks = " " * (width - columns_of(cell))
    return f"{blanks}{cell}" if right else f"{cell}{blanks}"


def _show(recipe: "Recipe", rows: "Sequence[Row]") -> None:
    say(f"{recipe.name}: {recipe.title}")
    heads = ("", "collection", "measure", "published", "measured", "")
    cells = [_cells(row, before) for row, before in zip(rows, [None, *rows], strict=False)]
    _print_columns([heads, *cells], right=NUMBERS)
    say("† p < 0.05, ‡ p < 0.01 against the row it builds on (randomization test over queries)")
    for remark in recipe.departs:
        say(f"departs: {remark}")
