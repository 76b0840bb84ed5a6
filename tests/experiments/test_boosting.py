"""Tables of boosting, from end to end on a collection small enough for a test."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError
from kakehashi.experiments import boosting
from kakehashi.experiments.registry import TABLES, recipe_of
from kakehashi.experiments.tables import Recipe, Row, run
from kakehashi.library import Library
from kakehashi.systems.boosted import read_boosted
from kakehashi.training.boosting_jobs import sample_features
from tests.cli.calling import CommandLine

SMALL = {"samples": 3, "rounds": 120, "refresh": 60, "per_query": 5, "dev_queries": 50, "betas": "0 0.2"}
KINDS = {"Boost-1g": "boosted-1g", "Boost-2g": "boosted"}


def train(folder: Path, name: str, **changes: object) -> None:
    ngrams = {"ngrams": 1 if name == "boosted-1g" else 2}
    Library(folder).train("boosted", {**SMALL, **ngrams, **changes}, model=name)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boosted") / "world"
    build_world(folder, documents=500)
    Library(folder).update_index()
    for name in KINDS.values():
        train(folder, name)
    return folder


@pytest.fixture
def kakehashi(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


def some(name: str, keep: Callable[[str], bool]) -> Recipe:
    recipe = recipe_of(name)
    return replace(recipe, configurations=[row for row in recipe.configurations if keep(row.label)])


def of(rows: list[Row], measure: str) -> dict[str, float]:
    return {row.row: row.measured for row in rows if row.measure == measure}


def test_features_beat_words_that_pass_through(trained: Path, tmp_path: Path) -> None:
    rows = run(some("boosting", {"pass-through", "monolingual", *KINDS}.__contains__), trained, tmp_path)
    found = of(rows, "R@1000")
    assert set(found) == {"pass-through", "monolingual", *KINDS}
    assert min(found[label] for label in KINDS) > found["pass-through"]
    tested = {row.row: row.p for row in rows if row.measure == "MAP"}
    assert tested["pass-through"] is tested["monolingual"] is None
    assert all(tested[label] is not None for label in KINDS)


@pytest.mark.parametrize(("fact", "amounts"), [("samples", (1, 2, 3)), ("rounds", (50, 100))])
def test_parts_of_a_model_are_measured_as_far_as_it_goes(
    fact: str, amounts: tuple[int, ...], trained: Path, tmp_path: Path
) -> None:
    """The models have 3 samples of 120 rounds: rows of 5 samples or 250 rounds are left out."""
    rows = run(recipe_of(f"boosting-{fact}"), trained, tmp_path)
    for label, model in KINDS.items():
        own = [row for row in rows if row.row.startswith(label) and row.measure == "MAP"]
        assert [row.row for row in own] == [f"{label}, {amount} {fact}" for amount in amounts]
        assert [row.facts[fact] for row in own] == [*amounts]
        features = [row.facts["features"] for row in own]
        assert features == sorted(set(features))
        if fact == "samples":
            assert features[-1] == len(read_boosted(Library(trained), model).rounds)


def test_model_that_was_trained_again_is_measured_again(trained: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(trained, tmp_path / "world"))
    recipe = some("boosting-rounds", "Boost-2g, 50 rounds".__eq__)
    before = run(recipe, folder, tmp_path / "work")
    assert run(recipe, folder, tmp_path / "work") == before
    assert len([*(tmp_path / "work").iterdir()]) == 1
    train(folder, "boosted", samples=2)
    after = run(recipe, folder, tmp_path / "work")
    assert (before[0].facts["samples"], after[0].facts["samples"]) == (3, 2)


def test_published_features_stand_beside_those_of_the_same_round(trained: Path) -> None:
    rows = boosting.listed_features(trained, Path())
    chosen = {each.round: each for each in sample_features(trained / "models" / "boosted", 0)}
    assert [int(row.row) for row in rows] == [t for t in boosting.FEATURES if t <= 120]
    assert rows[0].published == "層 - layer 1.29"
    for row in rows:
        own = chosen[int(row.row)]
        assert row.found == f"{own.query} - {own.document} {own.weight:.2f}"


def test_untrained_collection_is_told_what_to_train(trained: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(trained, tmp_path / "bare", ignore=shutil.ignore_patterns("models")))
    with pytest.raises(InputError, match=r"\(kakehashi train boosted .*bare --name boosted-1g\)"):
        run(recipe_of("boosting-samples"), folder, tmp_path / "work")
    with pytest.raises(InputError, match=r"\(kakehashi train boosted .*bare\)"):
        boosting.listed_features(folder, Path())


def test_features_are_printed_in_every_form(kakehashi: CommandLine, trained: Path) -> None:
    words = ["table", "s13-4", "--collection", trained]
    found = kakehashi(*words, "--json").json
    rows = boosting.listed_features(trained, Path())
    assert found["name"] == "s13-4"
    assert [(row["collection"], row["row"], row["found"]) for row in found["rows"]] == [
        ("world", row.row, row.found) for row in rows
    ]
    lines = kakehashi(*words, "--markdown").out.splitlines()
    assert lines[:2] == ["| | published | world |", "|---|---|---|"]
    assert lines[2:] == [f"| {row.row} | {row.published} | {row.found} |" for row in rows]
    shown = kakehashi(*words).out.splitlines()
    assert shown[0] == "s13-4: features in the order in which boosting chose them"
    assert shown[1].split() == ["published", "world"]
    assert rows[0].found in shown[2]
    assert shown[-1].startswith("departs: the collection")


def test_growth_is_drawn_with_a_line_for_each_collection_and_kind(
    kakehashi: CommandLine, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kakehashi.evaluation import plots

    other = Path(shutil.copytree(trained, tmp_path / "other"))
    ends = (", 1 samples", ", 3 samples")
    monkeypatch.setitem(
        TABLES, "boosting-samples", some("boosting-samples", lambda label: label.endswith(ends))
    )
    drawn = []
    plain = plots.growth_plot
    monkeypatch.setattr(plots, "growth_plot", lambda *words: drawn.append(words) or plain(*words))
    words = ["table", "boosting-samples", "--collection", trained, "--collection", other]
    rows = kakehashi(*words, "--work", tmp_path / "work", "--plot", tmp_path / "x.svg", "--json").json["rows"]
    assert (tmp_path / "x.svg").read_bytes().startswith(b"<?xml")
    [(over, lines)] = drawn
    assert (over, [*lines]) == ("samples", ["MAP", "PRES@1000"])
    for measure, kinds in lines.items():
        assert set(kinds) == {f"{name}, {label}" for name in ("world", "other") for label in KINDS}
        for name, points in kinds.items():
            collection, label = name.split(", ")
            assert points == [
                (row["facts"]["samples"], row["measured"])
                for row in rows
                if row["measure"] == measure
                and row["collection"] == collection
                and row["row"].startswith(label)
            ]
