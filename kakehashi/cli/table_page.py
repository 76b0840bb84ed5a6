"""How `table` writes Markdown: a page, its headline and its full table."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.cli.terminal import say

if TYPE_CHECKING:
    from kakehashi.experiments.tables import Recipe, Row, Tested

MARK, STRONG = 0.05, 0.01


def write_page(
    path: Path, recipe: "Recipe", rows: "Sequence[Row]", plot: Path | None, tests: "Sequence[Tested]" = ()
) -> None:
    """A page that describes what was measured, how and when."""
    from datetime import date

    from kakehashi.store import replace_file

    collections = " ".join(f"--collection {name}" for name in dict.fromkeys(row.collection for row in rows))
    lines = [f"# {recipe.title[0].upper()}{recipe.title[1:]}", ""]
    lines += [f"`kakehashi table {recipe.name} {collections}`, {date.today().isoformat()}.", ""]
    lines += [f"- {line[0].upper()}{line[1:]}." for line in recipe.departs]
    lines += [
        "- † p < 0.05, ‡ p < 0.01 by a randomization test over queries; a mark does not say in which direction."
    ]
    if recipe.relative_to:
        lines += [f"- % is the percentage of {recipe.relative_to} by the same measure."]
    if plot is not None:
        lines += ["", f"![{recipe.drawn or recipe.title}]({plot.name})"]
    parts = [*headline(recipe, rows), *contrast_table(tests), *markdown_table(recipe, rows)]
    replace_file(path, "\n".join([*lines, "", *parts, ""]).encode())
    say(path)


def markdown_table(recipe: "Recipe", rows: "Sequence[Row]") -> list[str]:
    """Published and measured figures in adjacent columns, or measured ones with a percentage of another row."""
    from kakehashi.experiments.tables import in_percent

    published = any(row.published is not None for row in rows)
    percent = in_percent(recipe, rows)
    heads = []
    for measure in recipe.measures:
        if published:
            heads += [f"{measure}, published", f"{measure}, measured"]
        else:
            heads += [measure, "%"] if percent else [measure]
    lines = ["| | collection | " + " | ".join(heads) + " |", "|---" * (len(heads) + 2) + "|"]
    by_row: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        by_row.setdefault((row.row, row.collection), {})[row.measure] = row
    for (label, collection), found in by_row.items():
        cells = []
        for measure in recipe.measures:
            one = found.get(measure)  # lines of a plot do not all have the same points
            if published:
                cells.append(figure(one.published) if one else "")
            cells.append(f"{figure(one.measured)}{mark_of(one.p)}" if one else "")
            if percent and not published:
                cells.append(f"{percent[label, collection, measure]:.0f}" if one else "")
        lines.append(f"| {label} | {collection} | " + " | ".join(cells) + " |")
    return lines


def figure(value: float | None) -> str:
    """Shares with four decimals, what is larger with fewer, large counts with commas."""
    if value is None:
        return ""
    if value >= 1000 or (value >= 100 and float(value).is_integer()):
        return f"{value:,.0f}"
    return f"{value:.4f}" if abs(value) < 2 else f"{value:.2f}"


def mark_of(p: float | None) -> str:
    if p is None or p >= MARK:
        return ""
    return " ‡" if p < STRONG else " †"


def headline(recipe: "Recipe", rows: "Sequence[Row]") -> list[str]:
    """For each measure of the headline a small table: chosen rows by collection, with a percentage of one row."""
    from kakehashi.experiments.tables import in_percent

    values = {(row.row, row.collection, row.measure): row.measured for row in rows}
    percent, names = in_percent(recipe, rows), list(dict.fromkeys(row.collection for row in rows))
    lines: list[str] = []
    for measure in recipe.measures if recipe.headline else ():
        if measure not in recipe.headlined:
            continue
        lines += [f"| {measure} | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
        for said, label in recipe.headline.items():
            keys = [(label, name, measure) for name in names]
            if any(key in values for key in keys):
                cells = [f"{values[key]:.3f} ({percent[key]:.0f} %)" if key in values else "" for key in keys]
                lines.append(f"| {said} | {' | '.join(cells)} |")
        lines.append("")
    return lines


def contrast_table(tests: "Sequence[Tested]") -> list[str]:
    """Differences between rows, with their p, by collection."""
    cells = {(one.row, one.other, one.measure, one.collection): one for one in tests}
    names = list(dict.fromkeys(one.collection for one in tests))
    lines = [f"| difference | measure | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for row, other, measure in dict.fromkeys((one.row, one.other, one.measure) for one in tests):
        found = [cells.get((row, other, measure, name)) for name in names]
        told = [f"{one.difference:+.3f} ({said(one.p)})" if one else "" for one in found]
        lines.append(f"| `{row}` over `{other}` | {measure} | {' | '.join(told)} |")
    return [*lines, ""] if tests else []


def said(p: float) -> str:
    return "p < .001" if p < 0.001 else f"p = {p:.2g}".replace("0.", ".")
