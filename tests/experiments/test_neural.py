"""The tables of neural rankers from end to end: candidate pools, stacking, means of runs, overlap of classes."""

from dataclasses import replace
from pathlib import Path

import pytest

from kakehashi.cli.table import _draw
from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.world.build import build_world
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import InputError
from kakehashi.evaluation.plots import PUBLISHED, bars_plot
from kakehashi.experiments.overlap import BINS, SHARE, bin_of, count
from kakehashi.experiments.registry import recipe_of
from kakehashi.experiments.tables import Recipe, Row, only_rows, run, with_settings
from kakehashi.library import Library
from kakehashi.types import Text

SMALL = {"hidden": "16", "layers": "2", "epochs": "2", "rate": "0.003", "word_epochs": "2", "filters": "16",
         "word_dimensions": "16", "device": "cpu", "translated": "psq"}  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("neural") / "world"
    build_world(folder, documents=500)
    return folder


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Networks of one table serve another."""
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'kakehashi[neural]'")
    pytest.importorskip("gensim", reason="gensim is not installed: pip install 'kakehashi[related]'")
    return tmp_path_factory.mktemp("work")


def small(name: str, *labels: str) -> Recipe:
    recipe = with_settings(recipe_of(name), SMALL)
    rows = [row for row in recipe.configurations if any(label in row.label for label in labels)]
    return replace(recipe, configurations=rows, rounds=1000)


def of(rows: list[Row]) -> dict[str, Row]:
    return {row.row: row for row in rows}


def test_networks_order_pools_of_random_documents(world: Path, work: Path) -> None:
    wanted = [f"40 others, {kind}, seed 1" for kind in ("meta", "joint", "stacked")]
    recipe = small("k20-3", "40 others, text", "400 others, text, seed 1", *wanted)
    rows = of(run(recipe, world, work))
    text, joint, stacked = (rows[f"40 others, {kind}, seed 1"] for kind in ("text", "joint", "stacked"))
    assert text.measured > rows["400 others, text, seed 1"].measured  # more documents are harder
    assert stacked.measured > text.measured  # citations of the world follow its classes, too
    assert stacked.p is not None
    assert joint.p is not None
    assert set(stacked.facts) >= {"weight of text", "weight of meta", "documents"}
    assert 41 < text.facts["documents"] < 60
    runs = [rows[f"40 others, text, seed {seed}"].measured for seed in (1, 2, 3)]
    assert len(set(runs)) == 3
    assert rows["40 others, text, mean"].measured == pytest.approx(sum(runs) / 3)
    assert (text.published, joint.published, stacked.published) == (0.926, 0.929, 0.935)


def test_reranking_and_weights_beside_tfidf(world: Path, work: Path) -> None:
    recipe = small(
        "k20-4", "40 others, tf-idf", "40 others, rerank, text, seed 1", "40 others, weighted, text, seed 1"
    )
    rows = of(run(recipe, world, work))
    assert rows["40 others, tf-idf"].published == 0.619
    weighted = rows["40 others, weighted, text, seed 1"]
    assert weighted.facts["weight of tf-idf"] + weighted.facts["weight of text"] == pytest.approx(1)
    assert weighted.measured > rows["40 others, rerank, text, seed 1"].measured


def test_a_pair_is_measured_where_its_languages_are(world: Path, work: Path, tmp_path: Path) -> None:
    recipe = recipe_of("k20-2")
    assert {row.label.split(",")[0] for row in recipe.configurations if recipe.has(world, row.settings)} == {
        "En-Ja"
    }
    info = CollectionInfo("other", "zh", "en")
    with CollectionWriter(tmp_path / "zh", info) as writer:
        writer.document(Text("d", "en", "x"))
    with pytest.raises(InputError, match=r"k20-2 has no row for .*zh"):
        run(recipe, tmp_path / "zh", work)


def test_settings_must_be_known_and_belong_to_the_table() -> None:
    with pytest.raises(InputError, match="k20-3 has no setting 'hiden'"):
        with_settings(recipe_of("k20-3"), {"hiden": "16"})
    with pytest.raises(InputError, match="overview has no settings: leave out --set"):
        with_settings(recipe_of("overview"), {"hidden": "16"})


def test_means_of_runs_that_were_not_chosen_are_left_out(world: Path, work: Path) -> None:
    recipe = only_rows(small("k20-3", "40 others, text, seed 1", "40 others, text, mean"), "text")
    assert [row.row for row in run(recipe, world, work)] == ["40 others, text, seed 1"]


CLASSES = {"d1": ["de:A", "de:B"], "d2": ["de:A"], "d3": ["de:C", "de:D", "de:E"], "d4": []}
ASKED = {"q1": ["en:A", "en:B"], "q2": ["en:A", "en:Z"]}
LINKS = [("en:A", "de:A"), ("en:B", "de:B"), ("en:C", "de:C")]
JUDGED = {"train": {"q1": {"d1": 2, "d2": 1, "d4": 1}}, "test": {"q2": {"d1": 1, "d3": 2, "d2": 2}}}


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    info = CollectionInfo(
        "articles", "en", "de", levels={"2": "same", "1": "linked"}, fields={"categories": "keyword"}
    )
    with CollectionWriter(tmp_path / "articles", info) as writer:
        for id, own in CLASSES.items():
            writer.document(Text(id, "de", f"text {id}", meta={"categories": own}))
        for id, own in ASKED.items():
            writer.query(Text(id, "en", f"text {id}", meta={"categories": own}))
        for split, qrels in JUDGED.items():
            writer.qrels(split, qrels)
        for one, other in LINKS:
            writer.class_link(one, other)
    Library(tmp_path / "articles").update_index()
    return tmp_path / "articles"


def test_overlap_is_the_share_of_a_documents_classes_that_links_reach(articles: Path) -> None:
    found = count(articles, "categories")
    kept = {level: {bar: n for bar, n in bars.items() if n} for level, bars in found.items()}
    # q1 has all of d1 and d2; q2 half of d1, none of d3, all of d2; d4 has no classes
    assert kept == {
        "2": {"90-100": 2, "0": 1},
        "1": {"90-100": 1, "40-50": 1},
        "all": {"90-100": 3, "40-50": 1, "0": 1},
    }


def test_without_links_classes_are_compared_as_they_are(articles: Path) -> None:
    (articles / "class_links.tsv").unlink()
    assert count(articles, "categories")["all"]["0"] == 5


def test_bars_end_with_their_upper_bound() -> None:
    assert [bin_of(value) for value in (0.0, 1e-6, 0.1, 0.3, 1 / 3, 0.5, 1.0)] == [
        "0", "0-10", "0-10", "20-30", "30-40", "40-50", "90-100",
    ]  # fmt: skip


def test_histogram_of_a_collection_is_drawn(articles: Path, tmp_path: Path) -> None:
    recipe = with_settings(recipe_of("k20-fig2"), {"classes": "categories"})
    rows = run(recipe, articles, tmp_path / "work")
    values = {(row.row, row.measure): row for row in rows}
    assert len(rows) == 3 * len(BINS)  # all levels, 2 and 1
    assert values["level 2", f"{SHARE}, 90-100 %"].measured == pytest.approx(2 / 3)
    assert values["level 2", f"{SHARE}, 0 %"].published == 0.43
    assert values["all levels", f"{SHARE}, 0 %"].facts["pairs"] == 5
    for level in ("all levels", "level 2", "level 1"):
        assert sum(row.measured for row in rows if row.row == level) == pytest.approx(1)
    _draw(recipe, rows, tmp_path / "fig2.svg")
    assert (tmp_path / "fig2.svg").read_bytes().startswith(b"<?xml")


def test_bars_are_as_high_as_their_values_and_stand_side_by_side() -> None:
    lines = {"level 2": [(0.0, 0.4), (1.0, 0.6)], f"level 2, {PUBLISHED}": [(0.0, 0.9)]}
    figure = bars_plot("overlap", {"share": lines}, ("0", "0-10"))
    [axes] = figure.axes
    assert [bar.get_height() for bar in axes.patches] == [0.4, 0.6, 0.9]
    ours, other, published = axes.patches
    assert ours.get_x() + ours.get_width() == pytest.approx(published.get_x()) == pytest.approx(0)
    assert other.get_x() == pytest.approx(1 + ours.get_x())
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "0-10"]
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["level 2", f"level 2, {PUBLISHED}"]
