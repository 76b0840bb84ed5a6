"""Tables of fusion, domain knowledge and linear learning, from end to end on a small world."""

import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.originals_collection import import_originals
from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError
from kakehashi.experiments import dense_choices, earlier, lengths
from kakehashi.experiments.combinations import asked
from kakehashi.experiments.combining import Answers, fused, learned
from kakehashi.experiments.overview import STEPS, measure_rows, rows
from kakehashi.experiments.registry import recipe_of, table_of
from kakehashi.experiments.tables import Listing, Recipe, in_percent, run, with_queries
from kakehashi.learn.linear import LinearSettings
from kakehashi.library import Library
from kakehashi.progress import SILENT
from kakehashi.retrieve.linear import LinearRanker
from kakehashi.systems.registry import SYSTEMS
from tests.cli.calling import CommandLine


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Word pairs and knowledge, but no translation."""
    folder = tmp_path_factory.mktemp("combined") / "world"
    build_world(folder, documents=800)
    library = Library(folder)
    library.update_index()
    for system, changes in {
        "bilinear": {"pairs": 20000, "epochs": 2, "batch": 16},
        "knowledge": {},
        "dense": {"inputs": "bilinear bm25"},
    }.items():
        library.train(system, changes)
    return folder


@pytest.fixture
def kakehashi(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


def only(recipe: Recipe, *labels: str) -> Recipe:
    return replace(recipe, configurations=[row for row in recipe.configurations if row.label in labels])


@pytest.mark.parametrize("system", ["bilinear", "bm25", "monolingual", "knowledge"])
def test_kept_scores_give_the_list_that_a_search_gives(system: str, trained: Path, tmp_path: Path) -> None:
    test = Answers(trained, tmp_path, "test")
    found = test.run(asked(system))
    searched = test.library.rank(system, "test")
    assert list(found.rankings) == list(searched.rankings)
    for query in test.split.queries:
        kept, direct = found.rankings[query.id], searched.rankings[query.id]
        assert len(kept) == len(direct) > 0
        np.testing.assert_allclose(kept.scores, direct.scores, rtol=1e-5, atol=1e-6)
        assert kept.docs[0] == direct.docs[0]
    again = Answers(trained, tmp_path, "test")
    (file,) = (tmp_path / "scores").iterdir()
    written = file.stat().st_mtime_ns
    again.run(asked(system))
    assert file.stat().st_mtime_ns == written  # nothing was asked a second time


def test_weights_are_those_that_training_finds(trained: Path, tmp_path: Path) -> None:
    dev = Answers(trained, tmp_path, "dev")
    weights = learned(dev, [asked("bilinear"), asked("bm25")], "patents", LinearSettings())
    plain = {"inputs": "bilinear bm25", "features": "patents", "short": False, "loss": "softmax"}
    dev.library.train("dense", plain, model="plain")
    model = dev.library.system("dense", {"model": "plain"})
    assert isinstance(model, LinearRanker)
    np.testing.assert_allclose(weights, model.worth.each(), rtol=1e-3, atol=1e-3)


def test_fusion_is_no_worse_than_its_parts_on_dev(trained: Path, tmp_path: Path) -> None:
    dev = Answers(trained, tmp_path, "dev")
    tuned = fused(dev, [dev.run(asked("bilinear")), dev.run(asked("knowledge"))], "MAP")
    assert tuned.value >= max(tuned.parts)
    scores = dev.measure(tuned.fuse([dev.run(asked("bilinear")), dev.run(asked("knowledge"))]), ["MAP"])
    assert np.mean(list(scores["MAP"].values())) == pytest.approx(tuned.value)


def test_rows_of_systems_that_are_not_there_are_left_out(trained: Path, tmp_path: Path) -> None:
    found = {row.row: row for row in run(recipe_of("p14-patents"), trained, tmp_path)}
    ours = {"DK, softmax (ours)", "LinLearn DK+VW, softmax (ours)"}
    assert {*found} == {"DK", "VW", "Borda DK+VW", "LinLearn DK+VW"} | ours
    assert all((found[label].published is None) == (label in ours) for label in found)


def test_rows_of_the_papers_are_learned_as_the_papers_say() -> None:
    """Hinge over raw scores; PSQ from n-best lists; softmax, and scaled scores, only in rows called ours."""
    for name in ("p14-patents", "p14-wikipedia", "t13-5.8", "t13-5.10", "t13-5.11"):
        for row in recipe_of(name).configurations:
            told = row.settings
            if "chain" in told:  # a step of the sparse ranker
                continue
            assert "psq" not in told["of"]
            if told["by"] == "linear":
                as_published = told["loss"] == "margin" and (not told["of"] or told["scaling"] == "raw")
                assert as_published == (not row.label.endswith("(ours)")), row.label


def test_dense_row_is_what_training_with_the_published_settings_gives(trained: Path, tmp_path: Path) -> None:
    """The same weights as `train dense` with the perceptron over raw scores."""
    rows = run(only(recipe_of("t13-5.8"), "dense"), trained, tmp_path)
    [dense] = [row for row in rows if (row.row, row.measure) == ("dense", "MAP, test")]
    library = Library(trained)
    told = {"inputs": "bilinear", "features": "patents", "loss": "margin", "scaling": "raw"}
    _, outcome = library.train("dense", told, model="published")
    assert dict(dense.facts) | {"seconds": 0} == pytest.approx(
        {name: round(weight, 4) for name, weight in outcome.made_from["weights"].items()} | {"seconds": 0},
        abs=2e-3,
    )


def test_dense_beats_its_parts_and_says_so(trained: Path, tmp_path: Path) -> None:
    found = {(row.row, row.measure): row for row in run(recipe_of("t13-5.8"), trained, tmp_path)}
    dense = found["dense", "MAP, test"]
    assert dense.measured > found["sparse", "MAP, test"].measured
    assert dense.published == 0.2901
    assert found["dense", "MAP, dev"].published == 0.2891
    assert dense.p is not None
    assert {*dense.facts} > {"bilinear", "ipc3", "city"}


def test_row_is_measured_again_when_its_model_is_trained_again(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "world"
    shutil.copytree(trained, folder)
    recipe = only(recipe_of("t13-5.8"), "sparse")
    before = {row.measure: row.measured for row in run(recipe, folder, tmp_path / "work")}
    Library(folder).train("bilinear", {"pairs": 2000, "epochs": 1})
    after = {row.measure: row.measured for row in run(recipe, folder, tmp_path / "work")}
    assert before != after


def test_overview_has_a_row_for_every_system() -> None:
    alone = {
        asked(name).system for row in rows() if row.settings["by"] == "alone" for name in row.settings["of"]
    }
    combined = {"dense", "fused"}  # shown as what they are made of
    assert alone == {*SYSTEMS} - {"bm25"} - combined  # bm25 over untranslated words is passthrough


def test_steps_of_the_ladder_are_rows_that_grow() -> None:
    """Each step may use what the one before may, and something else."""
    by_label = {row.label: row.settings for row in rows()}
    assert {"monolingual", "monolingual, everything"} <= {*by_label}
    used = []
    for label in STEPS.values():
        settings = by_label[label]
        features = {"metadata", "citations"} if settings.get("features", True) else set()
        used.append({*settings["of"], *settings["also"], *features} - {*settings.get("without", ())})
    assert all(one < other for one, other in pairwise(used))


@pytest.fixture(scope="module")
def both(trained: Path) -> Path:
    """With its monolingual twin beside it."""
    twin = trained.with_name("world-originals")
    import_originals(trained, twin)
    Library(twin).update_index()
    return trained


def labels(settings: str, *of: str, **more: Any) -> dict[str, Any]:
    return {"by": settings, "of": list(of), "measures": ["MAP", "R@100:new"], **more}


def test_rows_measured_together_are_those_that_training_and_searching_give(
    both: Path, tmp_path: Path
) -> None:
    """A combination learned among others is the one that `train dense` finds, a system alone is its own search."""
    wanted = [
        labels("alone", "bilinear"),
        labels("alone", "monolingual"),
        labels("linear", "bilinear", "bm25"),
        labels("linear", "bilinear", also=["lowrank"], features=False),
        labels("linear", "bm25", "hmm", twin=True, without=["ipc"]),
        labels("borda", "bilinear", "knowledge"),
        labels("tuned", "monolingual-hmm"),
    ]
    found = measure_rows(both, tmp_path, wanted, SILENT)
    library = Library(both)
    for system, measured in zip(("bilinear", "monolingual", "dense"), found, strict=False):
        run = library.rank(system, settings={"full": "true"} if system == "dense" else {})
        expected = library.measure(run, "test", ["MAP", "R@100:new"])
        for name in ("MAP", "R@100:new"):
            assert measured.mean(name) == pytest.approx(expected.means()[name], abs=2e-3)
    assert set(found[3].facts) >= {"bilinear", "bm25"}
    assert found[3].facts["bm25"] == 0.0  # it belongs to another row
    assert all(value == 0.0 for name, value in found[3].facts.items() if name != "bilinear")
    assert found[4].facts["hmm"] != 0.0
    classes = [name for name in found[2].facts if name.startswith("ipc ")]
    assert any(found[4].facts[name] == 0.0 != found[2].facts[name] for name in classes)
    assert found[4].mean("MAP") > found[1].mean("MAP")
    assert 0.1 <= found[6].facts["alpha"] <= 0.9


def test_rows_that_are_kept_are_not_measured_again(
    both: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = only(recipe_of("overview"), "monolingual", "bilinear", "monolingual, everything")
    first = run(recipe, both, tmp_path)
    assert {row.row for row in first} == {"monolingual", "bilinear", "monolingual, everything"}

    def fail(*_: Any) -> None:
        raise AssertionError("measured again")

    assert run(replace(recipe, together=fail, measure=fail), both, tmp_path) == first  # type: ignore[arg-type]
    few = with_queries(recipe, 10)
    assert {row.measured for row in run(few, both, tmp_path)} != {row.measured for row in first}
    with pytest.raises(InputError, match="leave out --queries"):
        with_queries(recipe_of("t13-5.8"), 10)


def test_overview_is_in_percent_of_the_human_translation(
    trained: Path, tmp_path: Path, kakehashi: CommandLine
) -> None:
    recipe = only(recipe_of("overview"), "monolingual", "bilinear", "knowledge")
    found = run(recipe, trained, tmp_path)
    percent = in_percent(recipe, found)
    values = {(row.row, row.measure): row.measured for row in found}
    expected = 100 * values["knowledge", "MAP-mate"] / values["monolingual", "MAP-mate"]
    assert percent["knowledge", "world", "MAP-mate"] == pytest.approx(expected)
    shown = kakehashi(
        "table",
        "overview",
        "--only",
        "monolingual",
        "--collection",
        trained,
        "--work",
        tmp_path,
        "--markdown",
    )
    assert shown.out.splitlines()[2].startswith("| monolingual | world | ")
    assert " | 100 |" in shown.out


def test_overview_becomes_a_page(trained: Path, tmp_path: Path, kakehashi: CommandLine) -> None:
    words = ["table", "overview", "--only", "monolingual", "--collection", trained, "--work", tmp_path]
    assert kakehashi.refused(*words, "--plot", tmp_path / "x.svg").startswith(
        "nothing to draw: none of the steps"
    )
    kakehashi(*words, "--out", tmp_path / "results.md")
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert page.startswith("# Every kind of system, alone and combined")
    assert "| monolingual | world | " in page
    assert "| monolingual, HMM tuned | world | " in page


def test_ablation_stands_beside_the_published_weights(trained: Path, tmp_path: Path) -> None:
    table = table_of("t13-5.9")
    assert isinstance(table, Listing)
    found = {row.row: row for row in table.rows(trained, tmp_path)}
    assert list(found) == [
        "(all)", "score", "ipc3", "inventor", "assignee", "independent", "claims", "ipc1", "ipc2",
        "city, state, country",
    ]  # fmt: skip
    assert found["ipc3"].published == "0.9453, 0.2816 †, 0.6507 †"
    weight, without, _ = found["ipc3"].found.split(", ")
    assert float(weight) > 0.0
    assert float(without.split()[0]) < float(found["(all)"].found.split(", ")[1])


def test_short_queries_are_measured_beside_whole_ones(trained: Path, tmp_path: Path) -> None:
    measured = {
        (system, words): lengths.measure(trained, tmp_path, {"of": [system], "words": words}, SILENT)
        for system in ("monolingual", "dense")
        for words in (3, 0)
    }
    library = Library(trained)
    for system in ("monolingual", "dense"):
        whole = library.measure(system, "test", ["MAP"]).means()["MAP"]
        assert measured[system, 0].mean("MAP") == pytest.approx(whole)
        assert list(measured[system, 3].scores["MAP"]) == list(measured[system, 0].scores["MAP"])
    assert 0.0 < measured["monolingual", 3].mean("MAP") < measured["monolingual", 0].mean("MAP")


def test_forgotten_citations_are_tried_by_cross_validation(trained: Path, tmp_path: Path) -> None:
    settings = [
        row.settings for row in dense_choices.uncited() if row.settings["uncited"] in (None, 0.1, 0.5)
    ]
    none, few, many = dense_choices.measure_rows(trained, tmp_path, settings, SILENT)
    assert list(few.scores) == list(dense_choices.MEASURES)
    assert few.scores["MAP"] != none.scores["MAP"]
    assert few.scores["MAP"] != many.scores["MAP"]
    _, outcome = Library(trained).train("dense", {"uncited": 0.1}, model="tenth")
    assert few.mean("MAP") == pytest.approx(outcome.made_from["cross_validated"]["MAP"], abs=1e-9)


def test_earlier_queries_are_added_to_what_train_dense_learns(trained: Path, tmp_path: Path) -> None:
    """Rows that know a tenth, and all, of the training queries; a tenth knows less."""
    by_label = {row.label: row.settings | {"also": []} for row in earlier.rows()}
    alone = [by_label[f"examples, {percent} %"] for percent in (10, 100)]
    dense = by_label["dense, 100 %"] | {"of": ["bilinear", "examples"]}
    library = Library(trained)
    library.train("examples", {})
    assert all(earlier.has_inputs(trained, settings) for settings in (*alone, dense))
    tenth, every, combined = earlier.measure_rows(trained, tmp_path, [*alone, dense], SILENT)
    assert [one.facts[earlier.KNOWN] for one in (tenth, every, combined)] == [10.0, 100.0, 100.0]
    assert tenth.mean("MAP-mate") < every.mean("MAP-mate")
    library.train("dense", {"inputs": "bilinear examples"}, model="dense-examples")
    run = library.rank("dense", settings={"model": "dense-examples", "full": "true"})
    expected = library.measure(run, "test", ["MAP-mate"]).means()["MAP-mate"]
    assert combined.mean("MAP-mate") == pytest.approx(expected, abs=2e-3)


def test_losses_are_compared_as_training_measures_them(trained: Path, tmp_path: Path) -> None:
    rows = dense_choices.losses()
    found = dense_choices.measure_rows(trained, tmp_path, [row.settings for row in rows], SILENT)
    for row, measured in zip(rows, found, strict=True):
        _, outcome = Library(trained).train("dense", {"loss": row.settings["loss"]}, model="other")
        assert measured.mean("MAP") == pytest.approx(outcome.made_from["cross_validated"]["MAP"], abs=1e-9)
    assert len({measured.mean("MAP") for measured in found}) == len(found)
