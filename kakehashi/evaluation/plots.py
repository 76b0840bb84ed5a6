"""Plots for print: readable in greyscale and by colour-blind readers; the same bytes for the same input.

Functions return figures; `render` turns one into the bytes of a PNG or SVG file. No file is written here.
"""

from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kakehashi.errors import InputError
from kakehashi.evaluation.measures import Measure
from kakehashi.evaluation.plot_parts import legend_above, legend_shape, one_panel, panels_of, style
from kakehashi.evaluation.scores import Scores
from kakehashi.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette without its yellow, which is too light for a line on white
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_DASHES = ("-", "--", "-.", ":")
PUBLISHED = "published"  # ends the name of a line that nobody measured here
_BETTER, _WORSE, _GREY = "#0072B2", "#D55E00", "#595959"


def precision_recall_plot(curves: Mapping[str, Floats]) -> "Figure":
    """Interpolated precision over recall, one line per run; see `curves.precision_at_recall`."""
    if not curves:
        raise InputError("no curve to draw")
    with style():
        figure, axes = one_panel(5.2, 3.6 + 0.19 * legend_shape(list(map(_name, curves)))[0])
        looks = zip(cycle(_COLOURS), cycle(_MARKERS), cycle(_DASHES))
        for (name, precision), (colour, marker, dash) in zip(curves.items(), looks, strict=False):
            recall = np.linspace(0, 1, len(precision))
            every = max(1, (len(precision) - 1) // 10)
            axes.plot(
                recall, precision, dash, color=colour, marker=marker, markevery=every, label=_name(name)
            )
        axes.set(xlim=(-0.02, 1.02), ylim=(0, 1.02), xlabel="recall", ylabel="interpolated precision")
        axes.set_xticks(np.linspace(0, 1, 6))
        axes.grid(True)
        legend_above(figure, *axes.get_legend_handles_labels())
        return figure


def tradeoff_plot(measure: str, points: Mapping[str, tuple[float, Mapping[str, float]]]) -> "Figure":
    """A measure against costs, one panel per cost: label -> (value, {cost: amount}); a line joins the best points."""
    costs = list(next(iter(points.values()))[1]) if points else []
    if not costs:
        raise InputError("no point to draw: this table has no costs")
    with style():
        figure, panels = panels_of(len(costs), 2.8 + 0.19 * legend_shape(list(points))[0])
        values = [value for value, _ in points.values()]
        for axes, cost in zip(panels, costs, strict=True):
            amounts = [facts[cost] for _, facts in points.values()]
            axes.plot(*zip(*_front(amounts, values), strict=True), "-", color=_GREY, linewidth=1.0)
            looks = zip(points, amounts, values, cycle(_COLOURS), cycle(_MARKERS), strict=False)
            for label, amount, value, colour, marker in looks:
                axes.plot([amount], [value], marker, color=colour, label=label)
            axes.set(xlabel=cost, ylabel=measure, xlim=(0, 1.08 * max(amounts)))
            axes.grid(True)
        legend_above(figure, *figure.axes[0].get_legend_handles_labels())
        return figure


def growth_plot(over: str, lines: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]) -> "Figure":
    """Measures over an amount, one panel per measure: measure -> line -> points."""
    with style():
        height = 2.8 + 0.19 * legend_shape(list(next(iter(lines.values()))))[0]
        figure, panels = panels_of(len(lines), height)
        for axes, (measure, drawn) in zip(panels, lines.items(), strict=True):
            for (label, points), colour, marker in zip(
                drawn.items(), cycle(_COLOURS), cycle(_MARKERS), strict=False
            ):
                axes.plot(*zip(*sorted(points), strict=True), f"{marker}-", color=colour, label=label)
            axes.set(xlabel=over, ylabel=measure, xlim=(0, None))
            axes.grid(True)
        legend_above(figure, *figure.axes[0].get_legend_handles_labels())
        return figure


def curves_plot(
    over: str,
    panels: Mapping[str, Mapping[str, Sequence[tuple[float | None, float]]]],
    logarithmic: bool = False,
) -> "Figure":
    """Lines over an amount: panel -> line -> points; a point without an amount is a level, drawn from side to side.

    Lines whose name ends in `published` are thin, dashed and grey, and so are their levels.
    """
    if not any(points for lines in panels.values() for points in lines.values()):
        raise InputError("nothing to draw: no row was measured")
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    measured = [name for name in names if not name.endswith(PUBLISHED)]
    with style():
        figure, drawn = panels_of(len(panels), 3.0 + 0.19 * legend_shape(list(map(_name, names)))[0], 4.2)
        looks = dict(zip(measured, zip(cycle(_COLOURS), cycle(_MARKERS), cycle("-")), strict=False))
        looks |= dict(
            zip(
                (name for name in names if name not in looks),
                zip(cycle((_GREY,)), cycle(_MARKERS), cycle(_DASHES[1:])),
                strict=False,
            )
        )
        handles: dict[str, Any] = {}
        for axes, (panel, lines) in zip(drawn, panels.items(), strict=True):
            for name, points in lines.items():
                colour, marker, dash = looks[name]
                known = sorted((x, y) for x, y in points if x is not None)
                if known:
                    [handles[name]] = axes.plot(
                        *zip(*known, strict=True), dash, color=colour, marker=marker, label=_name(name)
                    )
                for level in (y for x, y in points if x is None):
                    line = axes.axhline(level, linestyle=dash, color=colour, linewidth=0.9)
                    handles.setdefault(name, line)
            axes.set(xlabel=over, ylabel=panel)
            if logarithmic:
                axes.set_xscale("log")
                axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}" if x >= 1 else f"{x:g}")
                axes.xaxis.set_minor_formatter(lambda x, _: "")
            axes.grid(True)
        legend_above(figure, list(handles.values()), list(map(_name, handles)))
        return figure


def bars_plot(
    over: str, panels: Mapping[str, Mapping[str, Sequence[tuple[float | None, float]]]], places: Sequence[str]
) -> "Figure":
    """What `curves_plot` draws as lines, as bars side by side over named places 0, 1 and so on."""
    if not any(points for lines in panels.values() for points in lines.values()):
        raise InputError("nothing to draw: no row was measured")
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    with style():
        figure, drawn = panels_of(len(panels), 3.0 + 0.19 * legend_shape(list(map(_name, names)))[0], 6.4)
        colours, hatches = cycle(_COLOURS), cycle(("", "//", "..", "\\\\"))
        looks = {
            name: (_GREY if name.endswith(PUBLISHED) else next(colours), next(hatches)) for name in names
        }
        handles: dict[str, Any] = {}
        width = 0.8 / len(names)
        for axes, (panel, lines) in zip(drawn, panels.items(), strict=True):
            for name, points in lines.items():
                shift = (names.index(name) - (len(names) - 1) / 2) * width
                known = [(x + shift, y) for x, y in points if x is not None]
                if known:
                    colour, hatch = looks[name]
                    places_of, heights = [x for x, _ in known], [y for _, y in known]
                    handles[name] = axes.bar(
                        places_of, heights, width, color=colour, hatch=hatch, edgecolor="white"
                    )
            axes.set_xticks(range(len(places)), places)
            axes.set(xlabel=over, ylabel=panel, ylim=(0, None))
            axes.grid(True, axis="y")
        legend_above(figure, list(handles.values()), list(map(_name, handles)))
        return figure


def weight_plot(measure: str, first: str, curves: Mapping[str, Sequence[tuple[float, float]]]) -> "Figure":
    """A measure over the weight of the first of two lists; the best point of each curve is marked."""
    if not curves:
        raise InputError("no curve to draw")
    with style():
        figure, axes = one_panel(5.2, 3.2 + 0.19 * legend_shape(list(map(_name, curves)))[0])
        looks = zip(cycle(_COLOURS), cycle(_MARKERS), cycle(_DASHES))
        for (name, points), (colour, marker, dash) in zip(curves.items(), looks, strict=False):
            weights, values = zip(*points, strict=True)
            best = [int(np.argmax(values))]
            axes.plot(weights, values, dash, color=colour, marker=marker, markevery=best, label=_name(name))
        axes.set(xlim=(-0.02, 1.02), xlabel=f"weight of {_name(first)}", ylabel=measure)
        axes.grid(True)
        legend_above(figure, *axes.get_legend_handles_labels())
        return figure


def _front(amounts: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    """The points for which no other is both cheaper and better, cheapest first."""
    front: list[tuple[float, float]] = []
    for amount, value in sorted(zip(amounts, values, strict=True), key=lambda point: (point[0], -point[1])):
        if not front or value > front[-1][1]:
            front.append((amount, value))
    return front


def differences_plot(a: str, b: str, measure: Measure, differences: Floats) -> "Figure":
    """Per-query differences a - b as bars, largest first."""
    from matplotlib.patches import Patch

    if not len(differences):
        raise InputError("no query to draw")
    ordered = np.sort(differences)[::-1]
    wins, losses, equal = (int(np.count_nonzero(np.sign(ordered) == sign)) for sign in (1, -1, 0))
    with style():
        figure, axes = one_panel(6.4, 3.4)
        _bars(axes, ordered)
        axes.axhline(0, color="black", linewidth=0.8)
        mean = axes.axhline(ordered.mean(), color=_GREY, linewidth=1.0, linestyle="--")
        reach = max(float(np.abs(ordered).max()), 1e-6) * 1.12
        axes.set(xlim=(0.3, len(ordered) + 0.7), ylim=(-reach, reach))
        axes.set(xlabel=f"queries, by difference (n = {len(ordered)}, {equal} equal)")
        axes.set(ylabel=f"difference in {measure}")
        signs = [Patch(color=_BETTER), Patch(color=_WORSE)]
        labels = [f"{_name(a)} better: {wins}", f"{_name(b)} better: {losses}", f"mean {ordered.mean():+.4f}"]
        legend_above(figure, [*signs, mean], labels)
        axes.grid(True, axis="y")
        return figure


def means_plot(scores: Sequence[Scores], measure: Measure) -> "Figure":
    """Means with 95 % confidence intervals (Student's t over queries), one dot per run."""
    if not scores:
        raise InputError("no run to draw")
    means = [one.mean(measure) for one in scores]
    with style():
        figure, axes = one_panel(5.6, 1.2 + 0.32 * len(scores))
        for row, (one, mean) in enumerate(zip(scores, means, strict=True)):
            low, high = one.interval(measure)
            axes.plot([low, high], [row, row], color=_BETTER, linewidth=1.6, solid_capstyle="butt")
            axes.plot([mean], [row], "o", color=_BETTER, markersize=6)
            axes.annotate(
                f"{mean:.4f}", (mean, row), (0, 5), textcoords="offset points", ha="center", va="bottom"
            )
        axes.set_yticks(range(len(scores)), [_name(one.system) for one in scores])
        axes.set(ylim=(len(scores) - 0.5, -0.7), xlabel=f"{measure}, mean and 95 % confidence interval")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.grid(True, axis="both")
        return figure


def losses_plot(differences: Mapping[str, Mapping[str, tuple[float, bool]]]) -> "Figure":
    """What is lost without each group, one panel per measure: measure -> group -> (change, whether significant)."""
    if not differences or not all(differences.values()):
        raise InputError("no group to draw")
    groups = list(next(iter(differences.values())))
    with style():
        figure, panels = panels_of(len(differences), 0.9 + 0.24 * len(groups))
        for number, (axes, (measure, changes)) in enumerate(zip(panels, differences.items(), strict=True)):
            values = [changes[group][0] for group in groups]
            colours = [_WORSE if value < 0 else _BETTER for value in values]
            axes.barh(range(len(groups)), values, height=0.7, color=colours)
            axes.axvline(0, color="black", linewidth=0.8)
            for row, (value, significant) in enumerate(changes[group] for group in groups):
                side = -1 if value < 0 else 1
                mark, at = "†" if significant else "", "right" if value < 0 else "left"
                axes.annotate(
                    mark, (value, row), (2 * side, 0), textcoords="offset points", ha=at, va="center"
                )
            axes.set_yticks(range(len(groups)), [_name(group) for group in groups] if number == 0 else [])
            axes.set(ylim=(len(groups) - 0.4, -0.6), xlabel=f"{measure} without it, compared with all")
            axes.margins(x=0.12)
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
            axes.grid(True, axis="x")
        return figure


def ladder_plot(
    measure: str, steps: Mapping[str, str], lines: Sequence[str], values: Mapping[str, Mapping[str, float]]
) -> "Figure":
    """What each step adds to the one before, from the top down, beside rows to compare with; a panel per collection.

    `steps` names the row of each step, `values` has the rows of each collection; a step without one is left out.
    """
    if not any(row in rows for rows in values.values() for row in steps.values()):
        raise InputError("nothing to draw: none of the steps was measured")
    with style():
        columns = min(4, len(values))
        height = -(-len(values) // columns) * (0.75 + 0.26 * len(steps)) + 0.3
        figure, panels = panels_of(len(values), height, 2.6, columns)
        for number, (axes, (name, rows)) in enumerate(zip(panels, values.items(), strict=True)):
            before = 0.0
            for place, row in enumerate(steps.values()):
                if row not in rows:
                    continue
                low, high = sorted((before, rows[row]))
                colour = _GREY if not before else _BETTER if rows[row] >= before else _WORSE
                axes.barh(place, high - low, left=low, height=0.7, color=colour)
                axes.annotate(
                    f"{rows[row]:.3f}",
                    (high, place),
                    (3, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=7,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},  # over the lines
                )
                before = rows[row]
            for line, dash, colour in zip(lines, cycle(_DASHES), cycle(("#000000", *_COLOURS[1:]))):
                if line in rows:
                    axes.axvline(rows[line], linestyle=dash, color=colour, linewidth=1.0, label=_name(line))
            axes.set_yticks(range(len(steps)), list(steps) if number % columns == 0 else [])
            most = max(value for row, value in rows.items() if row in (*steps.values(), *lines))
            axes.set(ylim=(len(steps) - 0.4, -0.6), xlim=(0, 1.18 * most), title=name, xlabel=measure)
            axes.tick_params(axis="y", length=0)
            axes.grid(True, axis="x")
        handles, labels = panels[0].get_legend_handles_labels()
        if labels:
            legend_above(figure, handles, labels)
        return figure


def render(figure: "Figure", kind: Literal["png", "svg"]) -> bytes:
    """The figure as the bytes of a file, without dates, so that equal figures are equal files."""
    data = BytesIO()
    with style():
        figure.savefig(
            data,
            format=kind,
            dpi=200,
            metadata={"Date": None, "Creator": None} if kind == "svg" else {"Software": None},
        )
    return data.getvalue()


def _name(name: str) -> str:
    """Short enough for a legend; a leading underscore would hide it there."""
    short = name if len(name) <= 40 else f"{name[:18]}…{name[-20:]}"
    return f"\u200a{short}" if short.startswith("_") else short


def _bars(axes: "Axes", ordered: Floats) -> None:
    """Single bars while a reader can count them, two filled areas beyond."""
    n = len(ordered)
    if n <= 150:
        axes.bar(np.arange(1, n + 1), ordered, width=0.85, color=np.where(ordered >= 0, _BETTER, _WORSE))
        return
    edges = np.arange(n + 1) + 0.5
    axes.stairs(np.maximum(ordered, 0), edges, fill=True, color=_BETTER)
    axes.stairs(np.minimum(ordered, 0), edges, fill=True, color=_WORSE)
