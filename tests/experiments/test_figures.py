"""Figures of the papers as tables of points: what a point is, and what a plot shows of it."""

from pathlib import Path

import pytest

from kakehashi.corpus.world.build import build_world
from kakehashi.evaluation.plots import PUBLISHED, curves_plot
from kakehashi.experiments.combinations import asked, by_split
from kakehashi.experiments.combining import Answers, learned_by_folds
from kakehashi.experiments.fusion_figures import measure
from kakehashi.experiments.newsgroups_figures import errors
from kakehashi.experiments.registry import TABLES
from kakehashi.experiments.tables import Recipe
from kakehashi.learn.linear import LinearSettings
from kakehashi.learn.steps import Tick
from kakehashi.library import Library
from kakehashi.progress import SILENT


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures") / "world"
    build_world(folder, documents=500)
    library = Library(folder)
    library.update_index()
    library.train("bilinear", {"pairs": 10000, "epochs": 1})
    return folder


def test_error_is_that_of_the_pairs_since_the_amount_before() -> None:
    """Ticks are means of the pairs since the tick before; an amount ends with the first tick that reaches it."""
    ticks = [
        Tick(1, 6_000, 0.0, 0.5),
        Tick(1, 10_000, 0.0, 0.25),
        Tick(1, 15_000, 0.0, 0.2),
        Tick(1, 20_000, 0.0, 0.1),
    ]
    assert errors(ticks) == {10_000: pytest.approx((6 * 0.5 + 4 * 0.25) / 10), 20_000: pytest.approx(0.15)}


def test_ends_of_a_fusion_are_the_systems_alone(trained: Path, tmp_path: Path) -> None:
    """Only documents that both lists have keep their place at the ends, so the best of both can be no worse."""
    settings = {"of": ["bm25", "bilinear"], "measure": "MAP", "split": "dev"}
    found = measure(trained, tmp_path, settings, SILENT)
    dev = Answers(trained, tmp_path, "dev")
    for system, kappa in (("bm25", "1"), ("bilinear", "0")):
        alone = dev.measure(dev.run(asked(system)), ["MAP"])["MAP"]
        assert found.mean(f"MAP, κ {kappa}") == pytest.approx(sum(alone.values()) / len(alone), abs=2e-3)
    assert found.mean("MAP, at best") == max(found.mean(name) for name in found.scores)
    assert found.scores["MAP, at best"] == found.scores[f"MAP, κ {found.facts['κ']:g}"]


def test_dev_queries_are_ranked_with_weights_learned_without_them(trained: Path, tmp_path: Path) -> None:
    """Taking a query's judgments away changes every weight but those that rank it."""
    dev = Answers(trained, tmp_path, "dev")
    systems, settings = [asked("bilinear"), asked("bm25")], LinearSettings(loss="margin")
    before = learned_by_folds(dev, systems, "none", settings)
    assert list(before.rankings) == [query.id for query in dev.split.queries]
    one = dev.split.queries[0].id
    relevant = dict(dev.split.qrels[one])
    dev.split.qrels[one] = dict.fromkeys(before.rankings[one].docs[-3:], 3)
    after = learned_by_folds(dev, systems, "none", settings)
    dev.split.qrels[one] = relevant
    assert after.rankings[one].scores.tolist() == before.rankings[one].scores.tolist()


def test_measure_names_its_split() -> None:
    assert by_split(["MAP", "PRES@1000, dev", "MAP, dev"]) == {
        "test": {"MAP": "MAP"},
        "dev": {"PRES@1000, dev": "PRES@1000", "MAP, dev": "MAP"},
    }


@pytest.mark.parametrize(
    "name", [name for name, one in TABLES.items() if isinstance(one, Recipe) and one.curves]
)
def test_every_measure_of_a_figure_has_a_place(name: str) -> None:
    recipe = TABLES[name]
    assert isinstance(recipe, Recipe)
    assert {*recipe.measures} == {*recipe.curves}
    for row in recipe.configurations:
        assert {*row.published} <= {*recipe.curves}


def test_plot_has_a_panel_for_each_measure_and_shows_levels_across() -> None:
    panels = {
        "MAP": {"ours": [(1.0, 0.2), (2.0, 0.3)], f"ours, {PUBLISHED}": [(2.0, 0.4), (None, 0.5)]},
        "MB": {"ours": [(1.0, 7.0)]},
    }
    figure = curves_plot("epoch", panels)
    assert [axes.get_ylabel() for axes in figure.axes] == ["MAP", "MB"]
    lines = [line.get_ydata() for line in figure.axes[0].lines]
    assert [list(map(float, one)) for one in lines] == [[0.2, 0.3], [0.4], [0.5, 0.5]]
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["ours", f"ours, {PUBLISHED}"]


def test_ticks_of_a_logarithmic_axis_are_numbers_that_people_write() -> None:
    """Formulas are off in plots, so powers of ten would show their markup."""
    for amounts, shown in (((10_000.0, 1_000_000.0), "100,000"), ((1e-7, 1e-5), "1e-06")):
        figure = curves_plot("amount", {"MAP": {"ours": [(x, 0.2) for x in amounts]}}, logarithmic=True)
        figure.canvas.draw()
        labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
        assert shown in labels
        assert not any("$" in label for label in labels)
