"""Ablation on a small synthetic world: each row is what a training without the group finds."""

from typing import Any

import pytest

from kakehashi.corpus.splits import Split
from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError
from kakehashi.library import Library
from kakehashi.systems.linear import trained_settings
from kakehashi.systems.opening import job_of
from kakehashi.systems.registry import TRAINERS
from kakehashi.systems.spec import read_values
from kakehashi.training.ablation import ALL, AblationRow, ablate, compared, default_measures
from kakehashi.training.outcome import Outcome
from kakehashi.types import EVERYTHING


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("ablation") / "world"
    build_world(folder, documents=2000, seed=3)
    library = Library(folder)
    library.update_index()
    return library


def trained(library: Library, name: str, **changes: Any) -> Outcome:
    told = {"loss": "softmax", "inputs": "bm25", "split": "train", "features": "patents", **changes}
    return library.train("dense", told, model=name)[1]


@pytest.fixture(scope="module")
def full(world: Library) -> Outcome:
    return trained(world, "dense", without="ipc1")


@pytest.fixture(scope="module")
def rows(world: Library, full: Outcome) -> list[AblationRow]:
    return world.ablate("dense")[1]


def test_first_row_is_the_trained_model(full: Outcome, rows: list[AblationRow]) -> None:
    assert rows[0].group == ALL
    assert rows[0].means == full.made_from["cross_validated"]
    assert {*rows[0].difference.values()} == {0.0}
    assert {*rows[0].p.values()} == {1.0}


def test_every_group_that_the_model_has_is_left_out_once(full: Outcome, rows: list[AblationRow]) -> None:
    """What the training left out is no group any more."""
    groups = ["assignee", "bm25", "claims", "independent", "inventor", "ipc2", "ipc3", "places"]
    assert sorted(row.group for row in rows[1:]) == groups
    weights = full.made_from["weights"]
    shown = {name: weight for row in rows[1:] for name, weight in zip(row.features, row.weights, strict=True)}
    assert shown == {name: weight for name, weight in weights.items() if not name.startswith("ipc1")}


@pytest.mark.parametrize("group", ["bm25", "ipc3", "places"])
def test_row_is_what_a_training_without_the_group_finds(
    group: str, world: Library, rows: list[AblationRow]
) -> None:
    alone = trained(world, "without", without=f"ipc1, {group}").made_from["cross_validated"]
    row = next(row for row in rows if row.group == group)
    assert row.means == pytest.approx(alone, abs=1e-12)
    for measure, mean in alone.items():
        assert row.difference[measure] == pytest.approx(mean - rows[0].means[measure], abs=1e-12)


def test_what_most_is_lost_without_comes_first(rows: list[AblationRow]) -> None:
    means = [row.means["MAP"] for row in rows[1:]]
    assert means == sorted(means)
    assert rows[1].difference["MAP"] < -0.01
    assert rows[1].p["MAP"] < 0.01


def test_groups_can_be_named(world: Library, full: Outcome) -> None:
    wanted = [["country", "state"], ["ipc2 0"], ["ipc1", "inventor"]]
    _, found = world.ablate("dense", measures=["P@10"], groups=wanted)
    assert {row.group: row.features for row in found[1:]} == {
        "country, state": ("country", "state"),
        "ipc2 0": ("ipc2 0",),
        "ipc1, inventor": ("inventor",),
    }
    assert {*found[0].means} == {"P@10"}


def test_significance_is_that_of_all_ways_to_swap_the_models() -> None:
    """Three queries, all better: 2 of 8 ways are as extreme. A query that is equal changes nothing."""
    better = {"MAP": {"a": 0.5, "b": 0.7, "c": 0.9, "d": 0.4}}
    worse = {"MAP": {"a": 0.4, "b": 0.5, "c": 0.6, "d": 0.4}}
    row = compared("x", (), (), worse, better)
    assert row.p["MAP"] == pytest.approx(2 / 8)
    assert row.difference["MAP"] == pytest.approx(-0.6 / 4)


def test_test_part_is_never_looked_at(world: Library) -> None:
    settings = read_values("knowledge", TRAINERS["knowledge"].settings, {"split": "test"})
    with pytest.raises(InputError, match="never uses the test split"):
        ablate(job_of("knowledge", world, settings, "knowledge"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"groups": [["colour"]]}, "there is no input or feature 'colour'"),
        ({"groups": [["ipc1"]]}, "nothing is left to leave out"),
        ({"measures": ["beauty"]}, "beauty"),
    ],
)
def test_bad_wishes_name_the_fix(
    changes: dict[str, Any], message: str, world: Library, full: Outcome
) -> None:
    with pytest.raises(InputError, match=message):
        world.ablate("dense", **changes)


def test_model_of_the_other_kind_is_refused(world: Library, full: Outcome) -> None:
    with pytest.raises(InputError, match=r"is not a model of knowledge \(kakehashi train knowledge"):
        trained_settings("knowledge", world, "dense")
    with pytest.raises(InputError, match=r"\(kakehashi train knowledge"):
        trained_settings("knowledge", world)


def test_settings_are_those_of_the_training(world: Library, full: Outcome) -> None:
    settings = trained_settings("dense", world)
    assert (settings.inputs, settings.split, settings.without) == ("bm25", "train", "ipc1")
    assert isinstance(settings, TRAINERS["dense"].settings)


@pytest.mark.parametrize(
    ("cited", "is_shown"),
    [(None, False), (frozenset({"a", "b"}), False), (frozenset({"a"}), True), (frozenset(), True)],
)
def test_documents_never_cited_have_a_column_where_there_are_any(
    cited: frozenset[str] | None, is_shown: bool
) -> None:
    qrels = {"q": {"mate": 3, "a": 1, "b": 2, "poor": 0}}
    split = Split("dev", [], qrels, EVERYTHING, 3, lambda: cited)
    assert ("R@100:new" in default_measures(split)) == is_shown
