"""Tables of translated queries, from end to end on a collection small enough for a test."""

from dataclasses import replace
from pathlib import Path

import pytest

from kakehashi.corpus.world.build import build_world
from kakehashi.evaluation.plots import tradeoff_plot
from kakehashi.experiments.registry import recipe_of
from kakehashi.experiments.tables import Row, run
from kakehashi.library import Library
from kakehashi.systems.registry import TRAINERS
from kakehashi.systems.spec import read_values
from kakehashi.training.job import Job
from kakehashi.training.outcome import Outcome


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("translated") / "world"
    build_world(folder, documents=500)
    library = Library(folder)
    library.update_index()
    library.train("translation", {"decoder": True, "tune": 0})
    return folder


def of(rows: list[Row], measure: str) -> dict[str, float]:
    return {row.row: row.measured for row in rows if row.measure == measure}


def test_every_way_to_translate_beats_not_translating(trained: Path, tmp_path: Path) -> None:
    rows = run(recipe_of("translation"), trained, tmp_path)
    found = of(rows, "MAP")
    assert set(found) == {
        "pass-through",
        "monolingual",
        "DT",
        "PSQ lexical",
        "PSQ lexical, HMM",
        "PSQ n-best",
    }
    for label in ("DT", "PSQ lexical", "PSQ lexical, HMM", "PSQ n-best"):
        assert found[label] > 2 * found["pass-through"], label


def test_pruning_makes_the_index_smaller(trained: Path, tmp_path: Path) -> None:
    recipe = recipe_of("psq-pruning")
    rows = run(
        replace(recipe, configurations=[recipe.configurations[i] for i in (0, 3, 8)]), trained, tmp_path
    )
    sizes = [row.facts["MiB on disk"] for row in rows if row.measure == "MAP"]
    assert sizes[0] > sizes[1] > sizes[2]
    assert all(row.facts["ms"] > 0 for row in rows)
    points = {
        row.row: (row.measured, {"MiB": row.facts["MiB on disk"]}) for row in rows if row.measure == "MAP"
    }
    assert len(tradeoff_plot("MAP", points).axes) == 1


@pytest.mark.parametrize(("table", "chosen"), [("s13-2", 4), ("s13-2-grid", 2)])
def test_stop_lists_and_cuts_are_measured_on_a_copy(
    table: str, chosen: int, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The collection's own index and model stay as they are."""
    trainer = TRAINERS["translation"]
    quick = read_values("translation", trainer.settings, {"decoder": False})

    def without_decoder(job: Job) -> Outcome:
        return trainer.train(replace(job, settings=quick))

    monkeypatch.setitem(TRAINERS, "translation", replace(trainer, train=without_decoder))
    before = (trained / "index" / "meta.json").read_bytes()
    recipe = recipe_of(table)
    rows = run(replace(recipe, configurations=[recipe.configurations[chosen]]), trained, tmp_path)
    measure = "MAP, test" if table == "s13-2" else "MAP"
    assert 0.1 < of(rows, measure)[recipe.configurations[chosen].label] < 1.0
    assert (trained / "index" / "meta.json").read_bytes() == before
