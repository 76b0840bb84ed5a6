"""Weights tuned without a fold and used on it, against tuning again from the start for every fold."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kakehashi.errors import FileError
from kakehashi.evaluation.crossval import split
from kakehashi.evaluation.measures import MAP, parse
from kakehashi.evaluation.scores import evaluate
from kakehashi.fuse import tuning
from kakehashi.fuse.tuned import Tuned, read_tuned, write_tuned
from kakehashi.fuse.tuning import held_out_run, tune
from kakehashi.types import Qrels, Run
from tests.fuse.lists import noisy, run, world


def plainly(
    rule: str, runs: list[Run], qrels: Qrels, folds: int, seed: int, **how: Any
) -> tuple[dict[str, float], list[Tuned]]:
    """Each query's score under what `tune` finds when it never hears of the query's fold."""
    scores, found = {}, []
    for part in split(qrels, folds, np.random.default_rng(seed)):
        known = {query: judged for query, judged in qrels.items() if query not in part}
        found.append(tune(rule, runs, known, MAP(), **how))
        fused = evaluate({query: qrels[query] for query in part}, found[-1].fuse(runs), [MAP()])
        scores |= fused.of(MAP())
    return scores, found


@pytest.mark.parametrize("nest", [False, True], ids=["flat", "nested"])
@pytest.mark.parametrize(
    "names", [("left", "right"), ("left", "right", "third"), ("left", "right", "twin", "third")]
)
@pytest.mark.parametrize("rule", ["borda", "combmnz"])
def test_value_is_that_of_tuning_anew_for_every_fold(rule: str, names: tuple[str, ...], nest: bool) -> None:
    qrels, systems = world(7, queries=13)
    runs = [systems[name] for name in names]
    tuned = tune(rule, runs, qrels, MAP(), step=0.1, nest=nest, folds=4, seed=3)
    scores, found = plainly(rule, runs, qrels, 4, 3, step=0.1, nest=nest)
    assert tuned.folds == tuple(tuple(step.weights for step in one.steps) for one in found)
    assert tuned.held_out == pytest.approx(np.mean([scores[query] for query in qrels]), abs=1e-12)
    pooled = evaluate(qrels, held_out_run(tuned, runs, qrels), [MAP()])
    assert pooled.of(MAP()) == pytest.approx(scores, abs=1e-12)
    assert msgspec.structs.replace(tuned, held_out=None, folds=(), seed=1) == tune(
        rule, runs, qrels, MAP(), step=0.1, nest=nest
    )


def test_without_room_all_is_measured_again_and_comes_out_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, systems = world(8, queries=9)
    runs = list(systems.values())
    first = tune("linear", runs, qrels, MAP(), step=0.25, folds=3)
    monkeypatch.setattr(tuning, "ROOM", 20)
    assert tune("linear", runs, qrels, MAP(), step=0.25, folds=3) == first


def test_tuning_flatters_itself_where_there_is_nothing_to_learn() -> None:
    """Lists of pure noise: the best of 101 points looks better than the middle, and is not."""
    flattered, honest = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        queries = [f"q{i}" for i in range(12)]
        nothing = {query: np.zeros(40) for query in queries}
        runs = [noisy(name, nothing, {query: rng.normal(0, 1, 40) for query in queries}) for name in "xyz"]
        qrels = {query: {f"d{i:03d}": 1 for i in rng.choice(40, 4, replace=False)} for query in queries}
        tuned = tune("borda", runs, qrels, MAP(), folds=4)
        assert tuned.held_out is not None
        flattered.append(tuned.value)
        honest.append(tuned.held_out)
    assert np.mean(flattered) > np.mean(honest) + 0.02


def test_few_queries_are_folds_themselves_and_one_is_none() -> None:
    """x alone is right for q, y alone for r; even weights tie, and put b before a."""
    runs = [run("x", q={"a": 1.0}, r={"b": 1.0}), run("y", q={"b": 1.0}, r={"a": 1.0})]
    tuned = tune("borda", runs, {"q": {"a": 1}, "r": {"a": 1}}, MAP(), step=0.5, folds=5)
    assert {*tuned.folds} == {((1.0, 0.0),), ((0.0, 1.0),)}
    assert (tuned.held_out, tuned.value) == (0.0, 0.5)
    alone = tune("borda", runs, {"q": {"a": 1}}, MAP(), step=0.5, folds=5)
    assert (alone.held_out, alone.folds) == (None, ())


def test_queries_that_a_measure_leaves_out_do_not_count() -> None:
    qrels, systems = world(9, queries=8)
    for query in list(qrels)[:3]:
        qrels[query] = dict.fromkeys(qrels[query], 3)  # mates alone
    runs = [systems["left"], systems["right"]]
    measure = parse("MAP-mate")
    tuned = tune("borda", runs, qrels, measure, mate_level=3, folds=8)
    pooled = evaluate(qrels, held_out_run(tuned, runs, qrels), [measure], mate_level=3)
    assert len(pooled.of(measure)) == 5
    assert tuned.held_out == pytest.approx(pooled.mean(measure), abs=1e-12)


def test_file_keeps_the_folds_and_refuses_others(tmp_path: Path) -> None:
    qrels, systems = world(10, queries=6)
    tuned = tune("borda", [systems["left"], systems["right"]], qrels, MAP(), step=0.5, folds=3)
    path = tmp_path / "w.json"
    write_tuned(path, tuned)
    assert read_tuned(path) == tuned
    [*_, last] = tuned.told()
    assert last.startswith(f"MAP {tuned.held_out:.4f}  cross-validated in 3 folds: ")
    for folds in ([[[1, 0, 0]]], [[[1, 0], [1, 0]]], [[]]):
        path.write_bytes(msgspec.json.encode({**msgspec.to_builtins(tuned), "folds": folds}))
        with pytest.raises(FileError, match="a fold has weights for other steps"):
            read_tuned(path)
