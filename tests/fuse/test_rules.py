"""Fusion rules against sums done by hand."""

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.fuse.rules import RULES, fuse_runs
from kakehashi.types import Ranking, Run


def run(name: str, **rankings: dict[str, float]) -> Run:
    """Documents as given, best first."""
    return Run(
        name, {q: Ranking(list(found), np.array(list(found.values()))) for q, found in rankings.items()}
    )


FIRST = run("first", q1={"a": 9.0, "b": 5.0, "c": 1.0}, q2={"x": 2.0})
SECOND = run("second", q1={"b": 0.3, "d": 0.2, "a": -0.1}, q3={"y": 1.0, "z": 0.5})


def scores(rule: str, *runs: Run, k: int = 1000) -> dict[str, dict[str, float]]:
    fused = fuse_runs(rule, runs, k=k)
    for ranking in fused.rankings.values():
        keys = list(zip(ranking.scores.tolist(), ranking.docs, strict=True))
        assert keys == sorted(keys, reverse=True)
    return {q: dict(zip(r.docs, r.scores.tolist(), strict=True)) for q, r in fused.rankings.items()}


def test_reciprocal_ranks_by_hand() -> None:
    found = scores("rrf", FIRST, SECOND)
    assert found["q1"] == pytest.approx(
        {"b": 1 / 62 + 1 / 61, "a": 1 / 61 + 1 / 63, "d": 1 / 62, "c": 1 / 63}
    )
    assert list(found["q1"]) == ["b", "a", "d", "c"]
    assert found["q2"] == pytest.approx({"x": 1 / 61})
    assert found["q3"] == pytest.approx({"y": 1 / 61, "z": 1 / 62})


def test_combsum_by_hand() -> None:
    # first: 9 5 1 -> 1, 0.5, 0; second: 0.3 0.2 -0.1 -> 1, 0.75, 0
    found = scores("combsum", FIRST, SECOND)
    assert found["q1"] == pytest.approx({"b": 1.5, "a": 1.0, "d": 0.75, "c": 0.0})
    assert found["q2"] == {"x": 1.0}  # a single score is the best there is
    assert found["q3"] == {"y": 1.0, "z": 0.0}


def test_combmnz_by_hand() -> None:
    found = scores("combmnz", FIRST, SECOND)
    assert found["q1"] == pytest.approx({"b": 3.0, "a": 2.0, "d": 0.75, "c": 0.0})


@pytest.mark.parametrize("rule", RULES)
def test_order_of_runs_does_not_matter(rule: str) -> None:
    assert scores(rule, FIRST, SECOND)["q1"] == pytest.approx(scores(rule, SECOND, FIRST)["q1"])


@pytest.mark.parametrize("rule", RULES)
def test_run_fused_with_itself_keeps_its_order(rule: str) -> None:
    assert list(scores(rule, FIRST, FIRST, FIRST)["q1"]) == ["a", "b", "c"]


@pytest.mark.parametrize("rule", RULES)
def test_only_k_documents_are_kept(rule: str) -> None:
    whole = scores(rule, FIRST, SECOND)["q1"]
    for k in (1, 3):
        assert list(scores(rule, FIRST, SECOND, k=k)["q1"].items()) == list(whole.items())[:k]


def test_ties_come_in_descending_order_of_ids() -> None:
    found = scores("rrf", run("a", q={"d1": 1.0, "d2": 0.5}), run("b", q={"d2": 1.0, "d1": 0.5}))
    assert list(found["q"]) == ["d2", "d1"]


def test_empty_ranking_gives_nothing() -> None:
    for rule in RULES:
        assert scores(rule, run("a", q={}), run("b", q={"d": 3.0}))["q"].keys() == {"d"}
        assert scores(rule, run("a", q={}), run("b", q={}))["q"] == {}


def test_scale_of_scores_does_not_matter_to_combsum() -> None:
    scaled = run("x", q1={doc: 1000 * score - 7 for doc, score in zip("abc", (9.0, 5.0, 1.0), strict=True)})
    assert scores("combsum", scaled, SECOND)["q1"] == pytest.approx(scores("combsum", FIRST, SECOND)["q1"])


def test_name_tells_what_was_fused() -> None:
    assert fuse_runs("rrf", [FIRST, SECOND]).system == "rrf(first+second)"


def test_single_run_and_unknown_rule_are_refused() -> None:
    with pytest.raises(InputError, match="fuse needs at least 2 runs"):
        fuse_runs("rrf", [FIRST])
    with pytest.raises(
        InputError, match="there is no rule 'max': choose one of borda, rank-borda, linear, rrf"
    ):
        fuse_runs("max", [FIRST, SECOND])
