"""One query's ranking with its judgments: the input of every measure; computes no measure itself.

The rules of trec_eval apply here, for every measure. Documents are ordered by score (rounded to single
precision, as in trec_eval up to version 9), equal scores by document id, both descending; the order in which
a run lists them is ignored. Documents that are not judged, or at a negative level, are not relevant.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from kakehashi.errors import InputError
from kakehashi.types import Bools, Longs, Ranking, in_order

_UNJUDGED = -1  # TREC's mark for documents that were seen but not judged


@dataclass(frozen=True)
class JudgedList:
    """Levels by rank, and those of an ideal ranking."""

    levels: Longs  # (retrieved,) level at each rank; 0 for unjudged documents
    judged: Bools  # (retrieved,) whether the document at each rank has a judgment
    ideal: Longs  # (positive,) every positive level among the judgments, best first
    ranks: Longs  # (found,) ranks of the relevant documents, from 1, ascending
    n_relevant: int  # relevant documents among the judgments, found or not


@dataclass(frozen=True)
class LookedUp:
    """Levels as judged, before it is decided which of them are relevant."""

    found: Longs  # (retrieved,) by rank; negative if not judged
    known: Longs  # (judged,) all judgments of the query

    def see(self, level: int = 1, without: int | None = None) -> JudgedList:
        """Documents are relevant from `level` on; those of level `without` are removed, found or not."""
        found, known = self.found, self.known
        if without is not None:
            found, known = found[found != without], known[known != without]
        return JudgedList(
            levels=np.maximum(found, 0),
            judged=found >= 0,
            ideal=np.sort(known[known > 0])[::-1],
            ranks=np.flatnonzero(found >= level) + 1,
            n_relevant=int(np.count_nonzero(known >= level)),
        )


def look_up(ranking: Ranking, judgments: Mapping[str, int]) -> LookedUp:
    docs = _in_trec_order(ranking).docs
    return LookedUp(
        found=np.fromiter(map(judgments.get, docs, repeat(_UNJUDGED)), dtype=np.int64, count=len(docs)),
        known=np.fromiter(judgments.values(), dtype=np.int64, count=len(judgments)),
    )


def _in_trec_order(ranking: Ranking) -> Ranking:
    """The ranking itself if it is already sorted, as every run written by this program is."""
    docs = ranking.docs
    with np.errstate(
        over="ignore"
    ):  # beyond single precision, scores are infinite, and tie, in trec_eval too
        scores = np.asarray(ranking.scores, dtype=np.float32)
    if len(docs) != len(scores):
        raise InputError(f"a ranking has {len(docs)} documents but {len(scores)} scores")
    if len(set(docs)) != len(docs):
        raise InputError("a ranking contains a document twice: keep its best score only")
    if np.isnan(scores).any():
        raise InputError("a ranking contains a score that is not a number")
    if np.all(scores[1:] <= scores[:-1]):
        ties = np.flatnonzero(scores[1:] == scores[:-1]).tolist()
        if all(docs[i] > docs[i + 1] for i in ties):
            return ranking
    return in_order(docs, scores.astype(np.float64))
