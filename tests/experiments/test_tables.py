"""Tables: rows are measured once, tested against the row they build on, and resumed."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kakehashi.cli.table_page import contrast_table, figure, said
from kakehashi.corpus.collection import Collection
from kakehashi.errors import InputError
from kakehashi.experiments.patents import linked_copy
from kakehashi.experiments.registry import TABLES, recipe_of
from kakehashi.experiments.tables import (
    RATIO,
    Configuration,
    Contrast,
    Listing,
    Measured,
    Point,
    Recipe,
    differences,
    run,
)
from kakehashi.progress import Progress
from kakehashi.systems.bilinear import BilinearTraining
from kakehashi.systems.spec import read_values


def recipe(seen: list[float], fails_at: float = -1.0) -> Recipe:
    def measure(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
        if settings["gain"] == fails_at:
            raise KeyboardInterrupt
        seen.append(settings["gain"])
        scores = {f"q{i}": 0.1 * (i % 3) + settings["gain"] for i in range(30)}
        return Measured({"MAP": scores}, {"weights": 7})

    rows = [
        Configuration("plain", {"gain": 0.0}, {"MAP": 0.2}),
        Configuration("better", {"gain": 0.3}, {"MAP": 0.4}, "plain"),
        Configuration("the same", {"gain": 0.3}, {}, "better"),
    ]
    return Recipe("t", "a table", "anything", (), rows, ("MAP",), measure)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "some"
    folder.mkdir()
    (folder / "queries.jsonl").write_text("{}\n")
    return folder


def test_rows_carry_both_figures_and_are_tested_against_the_row_they_build_on(
    collection: Path, tmp_path: Path
) -> None:
    rows = run(recipe([]), collection, tmp_path / "work")
    assert [(row.row, row.published) for row in rows] == [("plain", 0.2), ("better", 0.4), ("the same", None)]
    assert [row.measured for row in rows] == pytest.approx([0.1, 0.4, 0.4])
    assert rows[0].p is None
    assert rows[1].p is not None
    assert rows[1].p < 0.001
    assert rows[2].p == 1.0
    assert rows[1].facts["weights"] == 7


def test_interrupted_table_goes_on_where_it_stopped(collection: Path, tmp_path: Path) -> None:
    seen: list[float] = []
    with pytest.raises(KeyboardInterrupt):
        run(recipe(seen, fails_at=0.3), collection, tmp_path / "work")
    run(recipe(seen), collection, tmp_path / "work")
    assert seen == [0.0, 0.3]  # equal settings are measured once


def test_changed_collection_is_measured_again(collection: Path, tmp_path: Path) -> None:
    seen: list[float] = []
    run(recipe(seen), collection, tmp_path / "work")
    (collection / "queries.jsonl").write_text("{}\n{}\n")
    run(recipe(seen), collection, tmp_path / "work")
    assert seen == [0.0, 0.3, 0.0, 0.3]


def test_file_of_the_same_size_with_other_content_is_measured_again(collection: Path, tmp_path: Path) -> None:
    seen: list[float] = []
    for content in ('{"id": 1}', '{"id": 2}', '{"id": 1}'):
        (collection / "queries.jsonl").write_text(content)
        run(recipe(seen), collection, tmp_path / "work")
    assert seen == [0.0, 0.3] * 2  # what was measured on the first content is still there


def test_terms_frequent_after_rewriting_are_left_out() -> None:
    """T13 drops stop words from rewritten texts: terms in more than half of them."""
    for name in ("t13-5.7", "t13-fig5.8"):
        for row in recipe_of(name).configurations:
            told = read_values("bilinear", BilinearTraining, row.settings["training"])
            assert told.document_share == (0.5 if told.document_cfh else 1.0), row.label
            assert told.query_share == (0.5 if told.query_cfh else 1.0), row.label


@pytest.mark.parametrize("name", [name for name, table in TABLES.items() if isinstance(table, Recipe)])
def test_settings_of_every_row_are_known_to_the_trainer(name: str) -> None:
    labels = [row.label for row in recipe_of(name).configurations]
    assert len(set(labels)) == len(labels)
    for row in recipe_of(name).configurations:
        rivals = [row.compared_with] if isinstance(row.compared_with, str) else row.compared_with
        assert {*rivals} <= {"", *labels}
        if "training" in row.settings:
            read_values("bilinear", BilinearTraining, row.settings["training"])


def test_table_of_examples_measures_nothing() -> None:
    listings = {name for name, table in TABLES.items() if isinstance(table, Listing)}
    assert {"s13-4", "t13-5.9", "t13-3.1", "t13-5.2"} <= listings
    with pytest.raises(InputError, match="s13-4 shows examples: it measures nothing"):
        recipe_of("s13-4")


def test_unknown_table_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"there is no table 't13-9': choose one of t13-4\.3"):
        recipe_of("t13-9")


def test_copy_of_a_collection_has_an_index_of_its_own(indexed_toy: Collection, tmp_path: Path) -> None:
    copy = linked_copy(indexed_toy.folder, tmp_path / "copy")
    assert copy.collection.info == indexed_toy.info
    assert [text.id for text in copy.collection.queries()] == [text.id for text in indexed_toy.queries()]
    assert not (copy.folder / "index").exists()


def test_contrasts_compare_rows_that_were_measured(collection: Path, tmp_path: Path) -> None:
    """A difference is that of the means, and a contrast with a row that is missing is left out."""
    plain = recipe([])
    labels = [one.label for one in plain.configurations]
    contrasts = (Contrast(labels[1], labels[0], "MAP"), Contrast(labels[0], "not measured", "MAP"))
    wanted = replace(plain, contrasts=contrasts)
    assert differences(wanted, collection, tmp_path / "work") == []
    rows = {row.row: row.measured for row in run(wanted, collection, tmp_path / "work")}
    [one] = differences(wanted, collection, tmp_path / "work")
    assert (one.row, one.other, one.collection) == (labels[1], labels[0], collection.name)
    assert one.difference == pytest.approx(rows[labels[1]] - rows[labels[0]])
    assert 0.0 < one.p <= 1.0
    assert f"{one.difference:+.3f} ({said(one.p)})" in contrast_table([one])[2]


def test_contrasts_of_the_overview_name_its_rows() -> None:
    overview = recipe_of("overview")
    labels = {one.label for one in overview.configurations}
    assert overview.contrasts
    assert {name for one in overview.contrasts for name in (one.row, one.other)} <= labels


def test_share_of_another_row_is_shown_where_it_was_published(collection: Path, tmp_path: Path) -> None:
    plain = recipe([])
    rows = [replace(row, published={**row.published, RATIO: 2.0}) for row in plain.configurations[:2]]
    shares = replace(plain, configurations=rows, measures=("MAP", RATIO))
    found = {(row.row, row.measure): row for row in run(shares, collection, tmp_path / "work")}
    better = found["better", RATIO]
    assert better.published == 2.0
    assert better.measured == pytest.approx(found["better", "MAP"].measured / found["plain", "MAP"].measured)
    assert ("plain", RATIO) not in found  # it is compared with nothing


def test_row_is_measured_again_for_a_table_that_needs_more_of_it(collection: Path, tmp_path: Path) -> None:
    """Two tables share a row; the one that was measured first knows fewer measures."""
    seen: list[float] = []
    first = recipe(seen)
    run(first, collection, tmp_path / "work")

    def more(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
        found = first.measure(folder, work, settings, progress)
        return Measured({**found.scores, "MB": {"model": 3.0}}, found.facts)

    rows = run(replace(first, measures=("MAP", "MB"), measure=more), collection, tmp_path / "work")
    assert {row.measured for row in rows if row.measure == "MB"} == {3.0}
    assert seen == [0.0, 0.3, 0.0, 0.3]


def test_lines_of_a_plot_may_lack_points(collection: Path, tmp_path: Path) -> None:
    curves = {"MAP": Point("MAP", 1.0), "error": Point("error", 2.0)}
    drawn = replace(recipe([]), measures=tuple(curves), curves=curves)
    assert {row.measure for row in run(drawn, collection, tmp_path / "work")} == {"MAP"}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.20414, "0.2041"),
        (None, ""),
        (25.6, "25.60"),
        (1068.0, "1,068"),
        (1_088_127, "1,088,127"),
        (0.0, "0.0000"),
    ],
)
def test_figures_have_the_decimals_that_tell_them_apart(value: float | None, shown: str) -> None:
    assert figure(value) == shown
