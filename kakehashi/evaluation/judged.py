"""One query's ranking with its judgments: the input of every measure; computes no measure itself.

The rules of trec_eval apply here, for every measure. Documents are ordered by score (rounded to single
precision, as in trec_eval up to version 9), equal scores by document id, both descending; the order in which
a run lists them is ignored. Documents that are not judged, or at a negative level, are not relevant.
"""

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import repeat
from typing import Literal

import numpy as np

from kakehashi.errors import InputError
from kakehashi.types import Bools, Longs, Ranking, in_order

Subset = Literal[
    "", "-mate", ":cited", ":new"
]  # which relevant documents count; spelled as in a measure's name

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
    found_cited: Bools | None = None  # (retrieved,) whether training judgments call the document relevant
    known_cited: Bools | None = None  # (judged,)

    def see(self, level: int = 1, subset: Subset = "", mate_level: int | None = None) -> JudgedList:
        """Documents are relevant from `level` on; positive ones outside the subset are removed, found or not."""
        found, known = self.found, self.known
        if subset:
            found = found[_inside(subset, found, self.found_cited, mate_level)]
            known = known[_inside(subset, known, self.known_cited, mate_level)]
        return JudgedList(
            levels=np.maximum(found, 0),
            judged=found >= 0,
            ideal=np.sort(known[known > 0])[::-1],
            ranks=np.flatnonzero(found >= level) + 1,
            n_relevant=int(np.count_nonzero(known >= level)),
        )


def _inside(subset: Subset, levels: Longs, cited: Bools | None, mate_level: int | None) -> Bools:
    """What stays: everything that is not relevant at any level, and the subset; no subset holds mates."""
    outside: Bools = levels == mate_level if mate_level is not None else np.zeros(len(levels), np.bool_)
    if subset != "-mate":
        if cited is None:
            raise InputError(f"'{subset}' needs to know which documents training judgments call relevant")
        outside |= (levels > 0) & (cited if subset == ":new" else ~cited)
    return ~outside


def look_up(
    ranking: Ranking, judgments: Mapping[str, int], cited: AbstractSet[str] | None = None
) -> LookedUp:
    """`cited`: documents that training judgments call relevant."""
    docs = _in_trec_order(ranking).docs
    found = np.fromiter(map(judgments.get, docs, repeat(_UNJUDGED)), dtype=np.int64, count=len(docs))
    known = np.fromiter(judgments.values(), dtype=np.int64, count=len(judgments))
    if cited is None:
        return LookedUp(found, known)
    return LookedUp(found, known, _among(docs, cited), _among(judgments, cited))


def _among(docs: Collection[str], cited: AbstractSet[str]) -> Bools:
    return np.fromiter(map(cited.__contains__, docs), dtype=np.bool_, count=len(docs))


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
