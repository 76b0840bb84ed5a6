"""Interpolated precision at given recall, averaged over queries; draws nothing."""

import numpy as np

from kakehashi.errors import InputError
from kakehashi.evaluation.judged import JudgedList, look_up
from kakehashi.types import Floats, Qrels, Run


def precision_at_recall(
    qrels: Qrels, run: Run, level: int = 1, points: int = 11, answered_only: bool = False
) -> Floats:
    """(points,) mean interpolated precision at recall 0, 1/(points - 1), ..., 1; queries as in `evaluate`."""
    if points < 2:
        raise InputError(f"{points} points: a curve needs at least 2")
    queries = [query for query in qrels if query in run.rankings]
    if not queries:
        raise InputError(
            f"run '{run.system}' contains none of the judged queries: check that their ids match"
        )
    total = np.zeros(points)
    for query in queries:
        total += interpolated(look_up(run.rankings[query], qrels[query]).see(level), points)
    return total / (len(queries) if answered_only else len(qrels))


def interpolated(seen: JudgedList, points: int) -> Floats:
    """(points,) the best precision at any rank with that recall or more; 0 if it is never reached."""
    found = len(seen.ranks)
    if not found:
        return np.zeros(points)
    precision = np.arange(1, found + 1) / seen.ranks
    best_from = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)  # (found + 1,)
    # a recall level is a number of documents, rounded to the nearest as in trec_eval 10 (version 9 added 0.9)
    needed = (np.arange(points) / (points - 1) * seen.n_relevant + 0.5).astype(np.int64)
    at_recall: Floats = best_from[np.minimum(np.maximum(needed, 1) - 1, found)]
    return at_recall
