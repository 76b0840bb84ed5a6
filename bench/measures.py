"""Time to score a run of 2,000 queries with 1,000 documents each, against trec_eval's code (through ir_measures).

Both get judgments and run in the form they want, in memory, and compute the same seven measures of every query;
their values must agree. The measures that only kakehashi has (PRES, and those without mates) are timed apart.
"""

from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
from harness import best_of

from kakehashi.evaluation.measures import parse_all
from kakehashi.evaluation.scores import Scores, evaluate
from kakehashi.progress import Progress
from kakehashi.types import Qrels, Ranking, Run

N_QUERIES, DEPTH, N_DOCS, N_RELEVANT, ROUNDS, SEED = 2000, 1000, 20_000, 20, 3, 5
PEERS = {
    "MAP": "AP", "MAP@1000": "AP@1000", "NDCG": "nDCG", "NDCG@10": "nDCG@10", "P@10": "P@10", "R@1000": "R@1000",
    "MRR": "RR",
}  # fmt: skip
OURS_ALONE = ("PRES", "MAP-mate", "NDCG-mate", "PRES-mate")
MATE_LEVEL = 3


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    qrels, made_up = _made_up()
    shared, alone = parse_all([*PEERS]), parse_all([*OURS_ALONE])
    as_dicts = {
        query: dict(zip(found.docs, found.scores.tolist(), strict=True))
        for query, found in made_up.rankings.items()
    }
    peer = ir_measures.evaluator([ir_measures.parse_measure(name) for name in PEERS.values()], qrels)
    seconds = best_of(
        ROUNDS,
        {
            "kakehashi": lambda: evaluate(qrels, made_up, shared),
            "trec_eval": lambda: list(peer.iter_calc(as_dicts)),
            "ours_alone": lambda: evaluate(qrels, made_up, alone, mate_level=MATE_LEVEL),
        },
    )
    difference = _largest_difference(evaluate(qrels, made_up, shared), peer.iter_calc(as_dicts))
    return {
        "figures": {
            "queries": N_QUERIES,
            "documents_per_query": DEPTH,
            "measures": ",".join(PEERS),
            "kakehashi_seconds": round(seconds["kakehashi"], 3),
            "trec_eval_seconds": round(seconds["trec_eval"], 3),
            "pres_and_without_mates_seconds": round(seconds["ours_alone"], 3),
            "largest_difference_of_a_score": difference,
        },
        "ratios": {"measures_vs_trec_eval": round(seconds["trec_eval"] / seconds["kakehashi"], 2)},
    }


def _made_up() -> tuple[Qrels, Run]:
    """Random lists with many ties; some of what they hold is judged, at levels 1 to 3."""
    rng = np.random.default_rng(SEED)
    docs = [f"D{i:06d}" for i in range(N_DOCS)]
    rankings, qrels = {}, {}
    for query in map(str, range(N_QUERIES)):
        found = rng.choice(N_DOCS, DEPTH, replace=False)
        rankings[query] = Ranking([docs[i] for i in found], np.round(rng.random(DEPTH), 2))
        qrels[query] = {docs[i]: int(i) % 3 + 1 for i in found[:N_RELEVANT]}
    return qrels, Run("made up", rankings)


def _largest_difference(ours: Scores, theirs: Any) -> float:
    columns = {str(measure): ours.of(measure) for measure in ours.measures}
    named = {peer: name for name, peer in PEERS.items()}
    return max(abs(columns[named[str(row.measure)]][row.query_id] - float(row.value)) for row in theirs)
