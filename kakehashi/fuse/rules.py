"""Unsupervised rules that make one ranking of several: rank sums and score sums."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from kakehashi.errors import InputError
from kakehashi.types import Floats, Ranking, Run, in_order

Points = Callable[[Ranking], Floats]
RRF_K = 60  # the constant of reciprocal rank fusion: how little first place is worth


def reciprocal_ranks(ranking: Ranking) -> Floats:
    return np.asarray(1.0 / (RRF_K + 1.0 + np.arange(len(ranking))), dtype=np.float64)


def min_max(ranking: Ranking) -> Floats:
    """Scores moved to 0..1; a list of equal scores counts as all best."""
    scores = np.asarray(ranking.scores, dtype=np.float64)
    if len(scores) == 0:
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.ones_like(scores)


def _sum(points: Points, times_found: bool, rankings: Sequence[Ranking]) -> Ranking:
    total: defaultdict[str, float] = defaultdict(float)
    found: defaultdict[str, int] = defaultdict(int)
    for ranking in rankings:
        for doc, value in zip(ranking.docs, points(ranking).tolist(), strict=True):
            total[doc] += value
            found[doc] += 1
    docs = list(total)
    scores = np.array([total[doc] * (found[doc] if times_found else 1) for doc in docs])
    return in_order(docs, scores)


RULES: dict[str, tuple[str, Callable[[Sequence[Ranking]], Ranking]]] = {
    "rrf": (
        "reciprocal rank fusion: sum of 1/(60 + rank)",
        lambda rankings: _sum(reciprocal_ranks, False, rankings),
    ),
    "combsum": ("sum of scores scaled to 0..1 per query", lambda rankings: _sum(min_max, False, rankings)),
    "combmnz": (
        "combsum times the number of lists with the document",
        lambda rankings: _sum(min_max, True, rankings),
    ),
}


def fuse_runs(rule: str, runs: Sequence[Run], k: int = 1000) -> Run:
    """One run of several; a document missing from a list gets nothing from it."""
    if rule not in RULES:
        raise InputError(f"no rule is called '{rule}': choose one of {', '.join(RULES)}")
    if len(runs) < 2:
        raise InputError("fuse needs at least 2 runs: name another one")
    queries = dict.fromkeys(query for run in runs for query in run.rankings)
    rankings = {}
    for query in queries:
        fused = RULES[rule][1]([run.rankings[query] for run in runs if query in run.rankings])
        rankings[query] = Ranking(fused.docs[:k], fused.scores[:k])
    return Run(f"{rule}({'+'.join(run.system for run in runs)})", rankings)
