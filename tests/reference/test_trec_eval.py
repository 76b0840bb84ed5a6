"""Equality with trec_eval to its four digits: its own test files (real), and small ones done by hand."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from kakehashi.corpus import trec
from kakehashi.evaluation.curves import interpolated
from kakehashi.evaluation.judged import look_up
from kakehashi.evaluation.measures import Measure, parse
from kakehashi.evaluation.scores import evaluate
from kakehashi.types import Ranking, Run

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("KAKEHASHI_DATA", ROOT.parent / "shared" / "data")) / "trec_eval" / "test"
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
OURS = {
    "map": "MAP", "ndcg": "NDCG", "recip_rank": "MRR", "set_P": "P", "set_recall": "R",
    **{f"P_{k}": f"P@{k}" for k in CUTS},
    **{f"recall_{k}": f"R@{k}" for k in CUTS},
    **{f"map_cut_{k}": f"MAP@{k}" for k in CUTS},
    **{f"ndcg_cut_{k}": f"NDCG@{k}" for k in CUTS},
}  # fmt: skip
# expected output: judgments, run, relevance level, documents per query, whether unanswered queries count
OUTPUTS = {
    "out.test": ("qrels.test", "results.test", 1, None, False),
    "out.test.a": ("qrels.test", "results.test", 1, None, False),
    "out.test.aq": ("qrels.test", "results.test", 1, None, False),
    "out.test.aqc": ("qrels.test", "results.trunc", 1, None, True),
    "out.test.aqcM": ("qrels.test", "results.trunc", 1, 100, True),
    "out.test.aql": ("qrels.rel_level", "results.test", 2, None, False),
    "out.comment.test": ("qrels.comment.test", "results.comment.test", 1, None, False),
}

WORDS = re.compile("runid|relstring")  # the lines whose value is no number

real = pytest.mark.real
needs_files = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"trec_eval's test files are not at {FOLDER}")


def expected_values(path: Path) -> dict[tuple[str, str], float]:
    """(measure, query or "all") -> value, where the value is a number."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return {(name, query): float(value) for name, query, value in rows if not WORDS.match(name)}


def cut(run: Run, depth: int | None) -> Run:
    return Run(
        run.system,
        {query: Ranking(found.docs[:depth], found.scores[:depth]) for query, found in run.rankings.items()},
    )


@real
@needs_files
@pytest.mark.parametrize("output", OUTPUTS)
def test_trec_evals_own_outputs_are_met(output: str) -> None:
    qrels_name, run_name, level, depth, complete = OUTPUTS[output]
    expected = expected_values(FOLDER / output)
    qrels = trec.read_qrels(FOLDER / qrels_name)
    run = cut(trec.read_run(FOLDER / run_name), depth)
    names = {theirs: parse(ours) for theirs, ours in OURS.items() if (theirs, "all") in expected}
    found = evaluate(qrels, run, list(names.values()), level=level, answered_only=not complete)
    assert len(found.queries) == expected["num_q", "all"]
    assert len(names) >= 11
    for theirs, measure in names.items():
        assert round(found.mean(measure), 4) == pytest.approx(expected[theirs, "all"], abs=1e-9), theirs
        for query, value in found.of(measure).items():
            if (theirs, query) in expected:
                assert round(value, 4) == pytest.approx(expected[theirs, query], abs=1e-9), (theirs, query)


@real
@needs_files
def test_interpolated_precision_is_trec_evals() -> None:
    expected = expected_values(FOLDER / "out.test.aq")
    qrels, run = trec.read_qrels(FOLDER / "qrels.test"), trec.read_run(FOLDER / "results.test")
    for query, ranking in run.rankings.items():
        curve = interpolated(look_up(ranking, qrels[query]).see(), 11)
        theirs = [expected[f"iprec_at_recall_{tenth / 10:.2f}", query] for tenth in range(11)]
        assert np.round(curve, 4).tolist() == pytest.approx(theirs, abs=1e-9)


@real
@needs_files
def test_unjudged_share_is_trec_evals() -> None:
    expected = expected_values(FOLDER / "out.test.aql")
    qrels, run = trec.read_qrels(FOLDER / "qrels.rel_level"), trec.read_run(FOLDER / "results.test")
    for depth in (5, 10, 20):
        judged = evaluate(qrels, run, [parse(f"Judged@{depth}")], answered_only=True).mean(
            parse(f"Judged@{depth}")
        )
        assert round(1 - judged, 4) == expected[f"unj_{depth}", "all"]


QRELS = """\
t1 0 doc-a 2
t1 0 doc-b 0
t1 0 doc-c 1
t1 0 doc-d 1
t2 0 doc-a 1
t3 0 doc-e 1
"""
# t1 is out of order with a tie of doc-b and doc-c, t2 answers too late, t3 not at all, t9 is not judged
RUN = """\
t1 Q0 doc-b 1 3.5 hand
t1 Q0 doc-x 2 1.25 hand
t1 Q0 doc-c 3 3.5 hand
t1 Q0 doc-a 4 2.0 hand
t2 Q0 doc-z 1 9 hand
t2 Q0 doc-y 2 8 hand
t2 Q0 doc-a 3 7 hand
t9 Q0 doc-a 1 1 hand
"""
# t1 in order: doc-c (1), doc-b (0), doc-a (2), doc-x; three relevant. t2: at rank 3 of one relevant.
LOG3 = 1.584962500721156  # log2 of 3
BY_HAND = {
    "MAP": [(1 / 1 + 2 / 3) / 3, 1 / 3, 0],
    "MAP@2": [(1 / 1) / 3, 0, 0],
    "NDCG": [(1 + 2 / 2) / (2 + 1 / LOG3 + 1 / 2), 1 / 2, 0],
    "NDCG@2": [1 / (2 + 1 / LOG3), 0, 0],
    "P@5": [2 / 5, 1 / 5, 0],
    "R@2": [1 / 3, 0, 0],
    "R": [2 / 3, 1, 0],
    "MRR": [1, 1 / 3, 0],
    # t1: ranks 1, 3 and the missing one at 10 + 2 + 1; their mean is 17/3, the ideal 2
    "PRES@10": [1 - (17 / 3 - 2) / 10, 1 - (3 - 1) / 10, 0],
    "Judged@2": [1, 0, 0],
    # doc-a (level 2) taken out of t1: c, b, x with c and d relevant; the other queries as they are
    "MAP-mate": [(1 / 1) / 2, 1 / 3, 0],
    "PRES@10-mate": [1 - ((1 + 12) / 2 - 1.5) / 10, 1 - (3 - 1) / 10, 0],
}


@pytest.fixture
def by_hand(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "hand.qrels", tmp_path / "hand.run"
    qrels.write_text(QRELS, encoding="utf-8")
    run.write_text(RUN, encoding="utf-8")
    return qrels, run


@pytest.mark.parametrize("name", BY_HAND)
def test_files_worked_out_by_hand(name: str, by_hand: tuple[Path, Path]) -> None:
    qrels, run = trec.read_qrels(by_hand[0]), trec.read_run(by_hand[1])
    measure: Measure = parse(name)
    every = evaluate(qrels, run, [measure], mate_level=2)
    answered = evaluate(qrels, run, [measure], mate_level=2, answered_only=True)
    t1, t2, t3 = BY_HAND[name]
    assert every.of(measure) == pytest.approx({"t1": t1, "t2": t2, "t3": t3})
    assert every.mean(measure) == pytest.approx((t1 + t2 + t3) / 3)
    assert answered.mean(measure) == pytest.approx((t1 + t2) / 2)
    assert every.unjudged == ("t9",)
