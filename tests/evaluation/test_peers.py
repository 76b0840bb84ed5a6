"""Equality with ir_measures, which runs trec_eval's own code (but for Judged, where ties have no order)."""

import ir_measures
import numpy as np
import pytest

from kakehashi.evaluation.measures import parse
from kakehashi.evaluation.scores import evaluate
from kakehashi.types import Run
from tests.evaluation.examples import levels_by_rank, random_case, ranking, slow_score

PEERS = {
    "MAP": "AP", "MAP@7": "AP@7", "NDCG": "nDCG", "NDCG@5": "nDCG@5", "P@5": "P@5", "P@100": "P@100",
    "R@10": "R@10", "MRR": "RR", "P": "SetP", "R": "SetR",
}  # fmt: skip


def as_dicts(run: Run) -> dict[str, dict[str, float]]:
    return {
        query: dict(zip(found.docs, found.scores.tolist(), strict=True))
        for query, found in run.rankings.items()
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", PEERS)
def test_random_runs_score_as_in_trec_eval(name: str, seed: int) -> None:
    qrels, run = random_case(np.random.default_rng(seed))
    measure = parse(name)
    ours = evaluate(qrels, run, [measure])
    peer = ir_measures.parse_measure(PEERS[name])
    theirs = {row.query_id: row.value for row in ir_measures.iter_calc([peer], qrels, as_dicts(run))}
    assert set(theirs) >= set(run.rankings) & set(qrels)
    for query, value in ours.of(measure).items():
        assert value == pytest.approx(theirs.get(query, 0.0), abs=1e-9), query


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", [1, 2, 3])
def test_higher_relevance_levels_score_as_in_trec_eval(level: int, seed: int) -> None:
    qrels, run = random_case(np.random.default_rng(100 + seed))
    ours = evaluate(qrels, run, [parse("MAP")], level=level, answered_only=True).of(parse("MAP"))
    peer = ir_measures.AP(rel=level)
    theirs = {row.query_id: row.value for row in ir_measures.iter_calc([peer], qrels, as_dicts(run))}
    for query, value in ours.items():
        assert value == pytest.approx(theirs[query], abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["PRES@10", "PRES@1000"])
def test_pres_of_random_runs_follows_its_definition(name: str, seed: int) -> None:
    qrels, run = random_case(np.random.default_rng(200 + seed))
    measure = parse(name)
    depth = measure.cutoff or 0
    for query, value in evaluate(qrels, run, [measure], answered_only=True).of(measure).items():
        levels = levels_by_rank(run.rankings[query], qrels[query])
        padded = levels + [0] * (depth - len(levels))
        assert value == pytest.approx(slow_score("PRES", depth, padded, qrels[query]), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_judged_share_without_ties_equals_the_peers(seed: int) -> None:
    qrels, tied = random_case(np.random.default_rng(300 + seed))
    run = Run("r", {query: ranking(*found.docs) for query, found in tied.rankings.items()})
    ours = evaluate(qrels, run, [parse("Judged@10")], answered_only=True).of(parse("Judged@10"))
    theirs = ir_measures.iter_calc([ir_measures.Judged @ 10], qrels, as_dicts(run))
    assert ours == pytest.approx({row.query_id: row.value for row in theirs if row.query_id in ours})
