"""Tuned weights: worth what a run made with them measures, best of their grid, and the same every time."""

from itertools import product
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.errors import FileError, InputError
from kakehashi.evaluation.measures import MAP, parse
from kakehashi.evaluation.scores import evaluate
from kakehashi.fuse.grid import best_weights
from kakehashi.fuse.judging import Judge
from kakehashi.fuse.rules import RULES, Fusion, fuse_runs
from kakehashi.fuse.tuned import Tuned, read_tuned, write_tuned
from kakehashi.fuse.tuning import curve, tune
from kakehashi.types import Qrels
from tests.fuse.lists import DOCS, LISTS, run, world

LEVELS = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1)
MEASURES = ("MAP", "PRES@5", "NDCG", "NDCG@3", "P", "P@3", "R@4", "MRR", "MAP@3", "PRES@6-mate")


@given(
    st.lists(LISTS, min_size=6, max_size=6),
    LEVELS,
    LEVELS,
    st.sampled_from(sorted(RULES)),
    st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any), min_size=1, max_size=3),
    st.integers(1, 12),
    st.sampled_from(MEASURES),
    st.sampled_from(["zero", "min"]),
)
def test_value_of_weights_is_what_the_fused_run_measures(
    lists: list[dict[str, float]],
    first: dict[str, int],
    second: dict[str, int],
    rule: str,
    points: list[list[int]],
    k: int,
    measure: str,
    missing: str,
) -> None:
    qrels: Qrels = {"q1": {**first, "always": 1}, "q2": second, "nobody answers": {"d1": 1}}
    runs = [run(f"r{i}", q1=lists[i], q2=lists[3 + i], unjudged=lists[i]) for i in range(3)]
    fusion = Fusion(rule, missing=missing, depth=8)
    judge = Judge(fusion, runs, qrels, parse(measure), mate_level=3, k=k)
    for weights in points:  # one after another: only queries that moved are measured again
        fused = fuse_runs(fusion, runs, weights, k)
        assert judge.value(weights) == evaluate(qrels, fused, [parse(measure)], mate_level=3).mean(
            parse(measure)
        )


def test_cut_goes_before_single_precision() -> None:
    """a and c are equal to a measure, but c was cut off before it could be counted ahead of a."""
    one = run("one", q={"a": 1 + 2e-9, "c": 1.0, "b": 3.0})
    qrels: Qrels = {"q": {"a": 1}}
    fusion = Fusion("linear", normalise="none")
    for k, rank in ((3, 3), (2, 2)):
        assert Judge(fusion, [one, one], qrels, MAP(), k=k).value([1, 1]) == 1 / rank
        assert evaluate(qrels, fuse_runs(fusion, [one, one], [1, 1], k), [MAP()]).mean(MAP()) == 1 / rank


@pytest.mark.parametrize("rule", ["borda", "linear", "rrf"])
@pytest.mark.parametrize("measure", ["MAP", "PRES@20"])
def test_orthogonal_systems_have_their_best_weights_inside(rule: str, measure: str) -> None:
    qrels, systems = world(1)
    tuned = tune(rule, [systems["left"], systems["right"]], qrels, parse(measure))
    assert 0.2 < tuned.steps[0].weights[0] < 0.8
    assert tuned.value > max(tuned.parts) + 0.05
    other_qrels, other = world(2)
    moved = tuned.fuse([other["left"], other["right"]])
    alone = max(
        evaluate(other_qrels, other[name], [parse(measure)]).mean(parse(measure))
        for name in ("left", "right")
    )
    assert evaluate(other_qrels, moved, [parse(measure)]).mean(parse(measure)) > alone + 0.05


def test_similar_systems_gain_hardly_anything() -> None:
    qrels, systems = world(1)
    tuned = tune("borda", [systems["left"], systems["twin"]], qrels, MAP())
    assert 0 <= tuned.value - max(tuned.parts) < 0.01


def test_curve_holds_every_step_and_both_ends() -> None:
    qrels, systems = world(3, queries=10)
    runs = [systems["left"], systems["right"]]
    tuned = tune("borda", runs, qrels, MAP())
    [step] = tuned.steps
    assert [kappa for kappa, _ in step.curve] == [i / 100 for i in range(101)]
    assert step.curve[100][1] == tuned.parts[0] == evaluate(qrels, runs[0], [MAP()]).mean(MAP())
    assert step.curve[0][1] == tuned.parts[1]
    assert tuned.value == max(value for _, value in step.curve)
    again = curve(tuned, runs, qrels)
    assert [value for _, value in again] == pytest.approx([value for _, value in step.curve])


@pytest.mark.parametrize("rule", ["linear", "borda"])
def test_tuned_sum_is_never_worse_than_its_parts(rule: str) -> None:
    for seed in range(3):
        qrels, systems = world(seed, queries=8)
        for normalise, missing in product(("none", "min-max", "z"), ("zero", "min")):
            fusion = Fusion(rule, normalise=normalise, missing=missing)
            for nest in (False, True):
                tuned = tune(fusion, [*systems.values()][:3], qrels, MAP(), step=0.25, nest=nest)
                assert tuned.value >= max(tuned.parts)


def test_equal_values_give_the_most_even_weights() -> None:
    assert best_weights(lambda weights: 1.0, 2).weights == (0.5, 0.5)
    assert best_weights(lambda weights: 1.0, 2, step=1.0).weights == (1.0, 0.0)
    assert best_weights(lambda weights: 1.0, 4, step=0.25).weights == (0.25, 0.25, 0.25, 0.25)


@pytest.mark.parametrize(
    "peak", [(0.5, 0.3, 0.2), (0.05, 0.0, 0.95), (0.0, 0.65, 0.35), (0.25, 0.1, 0.15, 0.5)]
)
def test_ascent_finds_the_peak_of_a_hill(peak: tuple[float, ...]) -> None:
    def value(weights: object) -> float:
        assert isinstance(weights, tuple)
        assert sum(weights) == pytest.approx(1)
        return -sum((a - b) ** 2 for a, b in zip(weights, peak, strict=True))

    assert best_weights(value, len(peak)).weights == pytest.approx(peak)


@pytest.mark.parametrize("step", [0.03, -0.1, 0.0000001, 1.5])
def test_steps_that_do_not_reach_the_end_are_refused(step: float) -> None:
    with pytest.raises(InputError, match="1 must be a multiple of it"):
        best_weights(lambda weights: 1.0, 2, step)


def test_nesting_goes_two_by_two_and_is_replayed(tmp_path: Path) -> None:
    qrels, systems = world(4, queries=10)
    runs = [systems[name] for name in ("left", "right", "twin", "third")]
    tuned = tune("borda", runs, qrels, MAP(), step=0.1, nest=True)
    assert [step.of for step in tuned.steps] == [(0, 1), (2, 3), (4, 5)]
    first, second, last = (step.weights for step in tuned.steps)
    by_hand = fuse_runs(
        "borda", [fuse_runs("borda", runs[:2], first), fuse_runs("borda", runs[2:], second)], last
    )
    fused = tuned.fuse(runs)
    for query, ranking in fused.rankings.items():
        assert list(ranking.docs) == list(by_hand.rankings[query].docs)
    assert evaluate(qrels, fused, [MAP()]).mean(MAP()) == tuned.value
    write_tuned(tmp_path / "w.json", tuned)
    assert read_tuned(tmp_path / "w.json") == tuned
    three = tune("borda", runs[:3], qrels, MAP(), step=0.5, nest=True)
    assert [step.of for step in three.steps] == [(0, 1), (3, 2)]


def small() -> Tuned:
    qrels: Qrels = {"q": {"a": 1}}
    return tune("borda", [run("x", q={"a": 1.0}), run("y", q={"b": 1.0})], qrels, MAP(), step=0.5)


def test_tuning_again_writes_the_same_bytes(tmp_path: Path) -> None:
    qrels, systems = world(5, queries=6)
    for name in ("one.json", "two.json"):
        write_tuned(tmp_path / name, tune("linear", list(systems.values()), qrels, MAP(), step=0.25))
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_number_and_order_of_runs_are_checked() -> None:
    x, y, new = run("x", q={"a": 1.0}), run("y", q={"b": 1.0}), run("new", q={"b": 1.0})
    with pytest.raises(InputError, match=r"weights are for 2 runs \(x, y\), not 3"):
        small().fuse([x, y, y])
    with pytest.raises(InputError, match="weights are for x, y, not for y, x: change the order"):
        small().fuse([y, x])
    assert small().check([x, y]) == []
    assert small().check([x, new]) == ["new"]  # another tag for the same system, perhaps


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runs": ["x", "y", "z"]}, "do not use all runs"),
        ({"steps": []}, "do not use all runs"),
        (
            {"steps": [{"of": [0, 2], "weights": [1, 1], "value": 0, "points": 3}]},
            "refers to a list that does not exist",
        ),
        (
            {"steps": [{"of": [0, 0], "weights": [1, 1], "value": 0, "points": 3}]},
            "refers to a list that does not exist",
        ),
        ({"steps": [{"of": [0, 1], "weights": [1], "value": 0, "points": 3}]}, "1 weights for 2 runs"),
        (
            {"steps": [{"of": [0, 1], "weights": [-1, 2], "value": 0, "points": 3}]},
            "weights must be at least 0",
        ),
        ({"fusion": {"rule": "best"}}, "there is no rule 'best'"),
        ({"fusion": {"rule": "borda", "negative": "hide"}}, "Invalid enum value 'hide'"),
        ({"measure": "joy"}, "unknown measure 'joy'"),
        ({"surplus": 1}, "unknown field"),
    ],
)
def test_bad_files_of_weights_are_refused(change: dict[str, object], message: str, tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_bytes(msgspec.json.encode({**msgspec.to_builtins(small()), **change}))
    with pytest.raises(FileError, match=message):
        read_tuned(path)


def test_files_that_are_no_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    for text in ("", "{", "[]", "q Q0 d 1 1.0 x\n", '{"rule": "borda"}'):
        path.write_text(text)
        with pytest.raises(FileError, match="is not a file of weights"):
            read_tuned(path)


def test_share_of_judged_documents_is_no_aim() -> None:
    with pytest.raises(InputError, match="Judged does not measure quality"):
        tune("borda", [run("x", q={"a": 1.0})] * 2, {"q": {"a": 1}}, parse("Judged@10"))


def test_runs_that_answer_no_judged_query_cannot_be_tuned() -> None:
    """As when dev runs are held against the judgments of test."""
    qrels: Qrels = {"q": {"a": 1}}
    with pytest.raises(InputError, match="no run contains any of the judged queries"):
        tune("borda", [run("x", other={"a": 1.0}), run("y", other={"a": 1.0})], qrels, MAP(), step=0.5)


def test_run_that_cannot_be_fused_is_named() -> None:
    runs = [run("x", q={"a": 1.0}), run("y", q={"a": 1e300})]
    with pytest.raises(InputError, match=r"run 'y', query q: a score is not a number or is beyond 1e\+100"):
        tune("borda", runs, {"q": {"a": 1}}, MAP())
