import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from kakehashi.errors import InputError
from kakehashi.evaluation.measures import MAP
from kakehashi.evaluation.plots import (
    bars_plot,
    curves_plot,
    differences_plot,
    growth_plot,
    ladder_plot,
    losses_plot,
    means_plot,
    precision_recall_plot,
    render,
    tradeoff_plot,
    weight_plot,
)
from kakehashi.evaluation.scores import Scores

CURVES = {"bm25.run": np.linspace(0.9, 0.1, 11), "_psq$2$.run": np.linspace(0.8, 0.3, 11)}
COSTS = {
    "whole": (0.31, {"MiB": 80.0, "ms": 2.0}),
    "cut": (0.30, {"MiB": 40.0, "ms": 1.0}),
    "worse": (0.29, {"MiB": 60.0, "ms": 0.9}),
}
GROWTH = {
    "MAP": {"a, one": [(1.0, 0.1), (5.0, 0.3), (2.0, 0.2)], "a, two": [(1.0, 0.2)]},
    "PRES": {"a, one": [(1.0, 0.5)], "a, two": [(1.0, 0.6)]},
}
WEIGHTS = {"dev": [(0.0, 0.1), (0.5, 0.3), (1.0, 0.2)], "test": [(0.0, 0.2), (0.5, 0.25), (1.0, 0.1)]}
LINES: dict[str, dict[str, list[tuple[float | None, float]]]] = {
    "MAP": {"_psq$": [(0.0, 0.1), (1.0, 0.3)], "_psq$, published": [(0.0, 0.2), (None, 0.25)]},
    "PRES": {"_psq$": [(0.0, 0.5), (1.0, 0.4)]},
}
LOSSES = {
    "MAP": {"psq": (-0.2, True), "_tags$": (0.01, False), "section": (0.02, True)},
    "PRES": {"psq": (-0.1, False), "_tags$": (-0.3, True), "section": (0.0, False)},
}
STEPS = {"translation": "one", "+ metadata": "two", "+ _examples$": "three"}
LADDER = {
    "here": {"one": 0.1, "two": 0.3, "three": 0.25, "whole": 0.2},
    "there": {"one": 0.1, "three": 0.4, "whole": 0.2, "other": 9.9},
}
N_FIGURES = 11
DIFFERENCES = np.random.default_rng(1).normal(0.05, 0.2, size=40)


def all_figures() -> list[object]:
    scores = [Scores(name, ("a", "b", "c"), (MAP(),), np.array([[0.1], [0.5], [0.4]])) for name in CURVES]
    return [
        precision_recall_plot(CURVES),
        ladder_plot("MAP-mate", STEPS, ["whole"], LADDER),
        differences_plot("bm25.run", "psq.run", MAP(), DIFFERENCES),
        differences_plot("bm25.run", "psq.run", MAP(), np.tile(DIFFERENCES, 10)),
        means_plot(scores, MAP()),
        tradeoff_plot("MAP", COSTS),
        growth_plot("samples", GROWTH),
        weight_plot("MAP", "_psq$", WEIGHTS),
        losses_plot(LOSSES),
        curves_plot("κ", LINES),
        bars_plot("level", LINES, ["none", "some"]),
    ]


def test_every_plot_is_looked_at() -> None:
    assert len(all_figures()) == N_FIGURES


@pytest.mark.parametrize("number", range(N_FIGURES))
def test_plots_are_the_same_bytes_every_time(number: int) -> None:
    for kind in ("png", "svg"):
        first, second = (render(all_figures()[number], kind) for _ in range(2))
        assert first == second


@pytest.mark.parametrize("number", range(N_FIGURES))
def test_plots_are_real_files_of_their_kind(number: int) -> None:
    figure = all_figures()[number]
    assert render(figure, "png").startswith(b"\x89PNG")
    svg = render(figure, "svg")
    assert etree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert b"<dc:date>" not in svg


def test_a_precision_recall_plot_shows_each_curve_and_names_it() -> None:
    figure = precision_recall_plot(CURVES)
    lines = figure.axes[0].get_lines()
    assert [line.get_ydata().tolist() for line in lines] == [curve.tolist() for curve in CURVES.values()]
    assert [text.get_text().strip() for text in figure.legends[0].get_texts()] == list(CURVES)
    assert len({(line.get_color(), line.get_marker(), line.get_linestyle()) for line in lines}) == 2


def test_tradeoffs_are_drawn_for_every_cost_and_joined_where_nothing_is_better() -> None:
    figure = tradeoff_plot("MAP", COSTS)
    assert [axes.get_xlabel() for axes in figure.axes] == ["MiB", "ms"]
    fronts = [axes.get_lines()[0].get_xdata() for axes in figure.axes]
    assert [list(front) for front in fronts] == [[40.0, 80.0], [0.9, 1.0, 2.0]]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(COSTS)
    with pytest.raises(InputError, match="no point to draw"):
        tradeoff_plot("MAP", {})


def test_growth_is_a_line_of_points_in_order_for_each_kind_and_a_panel_for_each_measure() -> None:
    figure = growth_plot("samples", GROWTH)
    assert [axes.get_ylabel() for axes in figure.axes] == ["MAP", "PRES"]
    assert {axes.get_xlabel() for axes in figure.axes} == {"samples"}
    one, two = figure.axes[0].get_lines()
    assert [list(one.get_xdata()), list(one.get_ydata())] == [[1.0, 2.0, 5.0], [0.1, 0.2, 0.3]]
    assert list(two.get_ydata()) == [0.2]
    assert one.get_color() == figure.axes[1].get_lines()[0].get_color() != two.get_color()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a, one", "a, two"]


def test_twenty_curves_can_be_told_apart() -> None:
    figure = precision_recall_plot({f"run{i}": np.linspace(1, i / 20, 11) for i in range(20)})
    looks = {
        (line.get_color(), line.get_marker(), line.get_linestyle()) for line in figure.axes[0].get_lines()
    }
    assert len(looks) == 20


def test_bars_are_sorted_and_counted() -> None:
    figure = differences_plot("a", "b", MAP(), np.array([-0.1, 0.3, 0.0, 0.2]))
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights == [0.3, 0.2, 0.0, -0.1]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "a better: 2",
        "b better: 1",
        "mean +0.1000",
    ]
    assert "n = 4, 1 equal" in figure.axes[0].get_xlabel()


def test_a_single_query_can_be_drawn() -> None:
    one = Scores("one", ("q",), (MAP(),), np.array([[0.5]]))
    assert render(means_plot([one], MAP()), "svg")
    assert render(differences_plot("a", "b", MAP(), np.zeros(1)), "svg")


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(InputError):
        precision_recall_plot({})
    with pytest.raises(InputError):
        differences_plot("a", "b", MAP(), np.zeros(0))
    with pytest.raises(InputError):
        means_plot([], MAP())


def test_evaluation_loads_without_matplotlib() -> None:
    code = "import sys, kakehashi.evaluation.plots; sys.exit('matplotlib' in sys.modules)"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_best_point_of_a_weight_curve_is_marked() -> None:
    lines = weight_plot("MAP", "psq", WEIGHTS).axes[0].lines
    assert [line.get_markevery() for line in lines] == [[1], [1]]
    with pytest.raises(InputError, match="no curve"):
        weight_plot("MAP", "psq", {})


def test_losses_are_bars_from_nothing_lost_and_marked_where_significant() -> None:
    figure = losses_plot(LOSSES)
    first, second = figure.axes
    assert [bar.get_width() for bar in first.patches] == [-0.2, 0.01, 0.02]
    assert [bar.get_width() for bar in second.patches] == [-0.1, -0.3, 0.0]
    assert [label.get_text().strip() for label in first.get_yticklabels()] == ["psq", "_tags$", "section"]
    assert {label.get_text() for label in second.get_yticklabels()} == {""}
    assert [text.get_text() for text in first.texts] == ["†", "", "†"]
    assert first.patches[0].get_facecolor() != first.patches[1].get_facecolor()
    with pytest.raises(InputError, match="no group"):
        losses_plot({"MAP": {}})


def test_steps_of_a_ladder_go_on_where_the_last_one_ended() -> None:
    figure = ladder_plot("MAP-mate", STEPS, ["whole", "absent"], LADDER)
    here, there = figure.axes
    bars = [(bar.get_x(), bar.get_x() + bar.get_width(), bar.get_y()) for bar in here.patches]
    assert [(round(low, 9), round(high, 9)) for low, high, _ in bars] == [(0, 0.1), (0.1, 0.3), (0.25, 0.3)]
    assert [text.get_text() for text in here.texts] == ["0.100", "0.300", "0.250"]
    assert len({bar.get_facecolor() for bar in here.patches}) == 3  # the first, a gain, a loss
    assert [round(bar.get_width(), 9) for bar in there.patches] == [0.1, 0.3]  # a step was not measured
    assert there.patches[1].get_y() == here.patches[2].get_y()
    assert [line.get_xdata()[0] for line in here.lines] == [0.2]
    assert there.get_xlim()[1] < 1.0  # rows that are not shown do not count
    assert [label.get_text() for label in here.get_yticklabels()] == list(STEPS)
    with pytest.raises(InputError, match="none of the steps"):
        ladder_plot("MAP", STEPS, ["whole"], {"here": {"whole": 0.2}})
