"""Rules that merge several rankings by adding up the points of each list; does not tune weights.

    f(d) = sum_i w_i p_i(d)

p_i are the list's points (`points.py`), from its first `depth` documents. A list of weight 0 is ignored: it
adds no documents. If only one list has a weight, it is returned unchanged, so no rounding can reorder it.
Summands are added smallest first, so that the order of lists does not change any digit.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.errors import InputError
from kakehashi.fuse.points import NEGATIVE, NORMALISE, min_max, rank_points, reciprocal_ranks, shares
from kakehashi.types import Bools, Floats, Ranking, Run

LARGEST = 1e100  # beyond it sums and squares overflow, and no system scores like that
_NOTHING = Ranking([], np.zeros(0))
Negative = Annotated[
    Literal["shift", "floor", "clip", "softmax", "points"],
    Meta(
        description="`rule=borda`: how negative scores are handled. `shift` raises the scores of lists with "
        "negative ones until the lowest is 0, `floor` subtracts the lowest score from every list, `clip` turns "
        "negative scores into 0, `softmax` takes exp, `points` uses ranks instead of scores."
    ),
]
Normalise = Annotated[
    Literal["none", "min-max", "z"],
    Meta(
        description="`rule=linear`: how scores are normalised per query. `none` leaves them as they are, "
        "`min-max` scales them to 0..1, `z` counts standard deviations from the mean."
    ),
]
Missing = Annotated[
    Literal["zero", "min"],
    Meta(
        description="Contribution of a list to documents it does not contain: `zero`, or that of its "
        "last document (`min`)."
    ),
]
Constant = Annotated[
    float,
    Meta(
        description="`rule=rrf`: the constant in 1/(constant + rank); a larger value reduces the "
        "advantage of the first ranks. From 0 to 1e9."
    ),
]
Depth = Annotated[int, Meta(description="Documents used from each list.")]


class Fusion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule and its options; options of other rules are ignored."""

    rule: Annotated[str, Meta(description="Name of the rule.")]
    negative: Negative = "shift"
    normalise: Normalise = "min-max"
    missing: Missing = "zero"
    constant: Constant = 60.0
    depth: Depth = 1000

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise InputError(f"there is no rule '{self.rule}': choose one of {', '.join(RULES)}")
        if self.depth < 1:
            raise InputError(f"depth {self.depth}: it must be 1 or more")
        if not 0 <= self.constant <= 1e9:
            raise InputError(f"constant {self.constant}: it must be between 0 and 1e9")


class Rule(NamedTuple):
    summary: str
    points: Callable[[Floats, Fusion], Floats]
    shares: bool = False  # weights are scaled to sum to 1
    times_found: bool = False  # sums are multiplied by the number of lists with the document


def _borda(scores: Floats, fusion: Fusion) -> Floats:
    return shares(NEGATIVE[fusion.negative](scores))


def _rank_borda(scores: Floats, fusion: Fusion) -> Floats:
    return rank_points(scores) + (fusion.depth - len(scores))


RULES: dict[str, Rule] = {
    "borda": Rule(
        "weighted sum of scores, with the scores of each list scaled to sum to 1", _borda, shares=True
    ),
    "rank-borda": Rule(
        "weighted sum of rank points: the first document gets `depth` points, each further one point less",
        _rank_borda,
        shares=True,
    ),
    "linear": Rule(
        "weighted sum of scores: raw, scaled to 0..1 or standardised per query",
        lambda scores, fusion: NORMALISE[fusion.normalise](scores),
        shares=True,
    ),
    "rrf": Rule(
        "reciprocal rank fusion: sum of 1/(constant + rank); the default constant is 60",
        lambda scores, fusion: reciprocal_ranks(scores, fusion.constant),
    ),
    "combsum": Rule("sum of scores scaled to 0..1 per query", lambda scores, fusion: min_max(scores)),
    "combmnz": Rule(
        "combsum multiplied by the number of lists that contain the document",
        lambda scores, fusion: min_max(scores),
        times_found=True,
    ),
}


@dataclass(frozen=True)
class SideBySide:
    """One query's lists over all their documents, sorted by descending id, so that ties are already in order."""

    docs: list[str]
    points: Floats  # (lists, documents), with the points of missing documents
    listed: Bools  # (lists, documents)


def lay_out(fusion: Fusion, rankings: Sequence[Ranking]) -> SideBySide:
    """From rankings that were `checked`."""
    tops = [_cut(ranking, fusion.depth) for ranking in rankings]
    docs = sorted(set().union(*(top.docs for top in tops)), reverse=True)
    place = {doc: i for i, doc in enumerate(docs)}
    points, listed = np.zeros((len(tops), len(docs))), np.zeros((len(tops), len(docs)), dtype=np.bool_)
    for row, top in enumerate(tops):
        at = np.fromiter(map(place.__getitem__, top.docs), dtype=np.int64, count=len(top))
        given = RULES[fusion.rule].points(top.scores, fusion)
        if fusion.missing == "min" and len(given):
            points[row] = given.min()
        points[row, at], listed[row, at] = given, True
    return SideBySide(docs, points, listed)


def add_up(fusion: Fusion, lists: SideBySide, weights: Floats) -> Floats:
    """(documents,) the fused scores; the kernel of `judging.py` adds in the same order."""
    parts = weights[weights > 0, np.newaxis] * lists.points[weights > 0]  # (lists, documents)
    if len(parts) > 2:
        parts.sort(axis=0)
    total = np.zeros(len(lists.docs))
    for part in parts:
        total += part
    return total * lists.listed[weights > 0].sum(axis=0) if RULES[fusion.rule].times_found else total


def checked_weights(fusion: Fusion, weights: Sequence[float] | None, n_lists: int) -> Floats:
    """A weight per list; shares if the rule uses shares."""
    given = np.ones(n_lists) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(given) != n_lists:
        raise InputError(f"{len(given)} weights for {n_lists} runs: give one for each")
    if given.max(initial=0) > LARGEST:
        raise InputError(f"weights must not be beyond {LARGEST:g}: their ratios alone count")
    if not np.isfinite(given).all() or (given < 0).any() or not (given > 0).any():
        raise InputError("weights must be at least 0, and not all of them 0")
    return given / math.fsum(given) if RULES[fusion.rule].shares else given


@dataclass(frozen=True)
class Fuser:
    """A rule with weights, which fuses the rankings of one query."""

    fusion: Fusion
    weights: Floats  # (lists,)
    k: int = 1000

    def fuse(self, rankings: Sequence[Ranking]) -> Ranking:
        return self.fuse_checked([checked(ranking) for ranking in rankings])

    def fuse_checked(self, rankings: Sequence[Ranking]) -> Ranking:
        weighing: list[int] = np.flatnonzero(self.weights > 0).tolist()
        if len(weighing) == 1:
            return _cut(rankings[weighing[0]], min(self.fusion.depth, self.k))
        lists = lay_out(self.fusion, [rankings[i] for i in weighing])
        total = add_up(self.fusion, lists, self.weights[weighing])
        best = np.argsort(-total, kind="stable")[: self.k]
        return Ranking([lists.docs[i] for i in best], total[best])


def fuse_runs(
    rule: str | Fusion, runs: Sequence[Run], weights: Sequence[float] | None = None, k: int = 1000
) -> Run:
    """Merge several runs; a query missing from a run counts as an empty list (see `unanswered`)."""
    fusion = Fusion(rule) if isinstance(rule, str) else rule
    if len(runs) < 2:
        raise InputError("fuse needs at least 2 runs: add another one")
    fuser = Fuser(fusion, checked_weights(fusion, weights, len(runs)), k)
    fused = {query: fuser.fuse_checked(of_query(runs, query)) for query in _queries(runs)}
    return Run(f"{fusion.rule}({'+'.join(run.system for run in runs)})", fused)


def of_query(runs: Sequence[Run], query: str) -> list[Ranking]:
    """The runs' rankings, checked."""
    found = []
    for run in runs:
        try:
            found.append(checked(run.rankings.get(query, _NOTHING)))
        except InputError as error:
            raise InputError(f"run '{run.system}', query {query}: {error}") from None
    return found


def unanswered(runs: Sequence[Run]) -> list[list[str]]:
    """For each run, the queries that only other runs have."""
    queries = _queries(runs)
    return [[query for query in queries if not run.rankings.get(query, ())] for run in runs]


def _queries(runs: Sequence[Run]) -> Mapping[str, None]:
    return dict.fromkeys(query for run in runs for query in run.rankings)


def checked(ranking: Ranking) -> Ranking:
    docs, scores = ranking.docs, np.asarray(ranking.scores, dtype=np.float64)
    if len(docs) != len(scores):
        raise InputError(f"a ranking has {len(docs)} documents but {len(scores)} scores")
    if len(set(docs)) != len(docs):
        raise InputError("a ranking contains a document twice: keep its best score only")
    if len(scores) and not np.abs(scores).max() <= LARGEST:
        raise InputError(f"a score is not a number or is beyond {LARGEST:g}: scale the scores of that run")
    if (scores[1:] > scores[:-1]).any():
        raise InputError("a ranking is not sorted by score: sort it with types.in_order")
    return Ranking(docs, scores)


def _cut(ranking: Ranking, k: int) -> Ranking:
    return Ranking(ranking.docs[:k], ranking.scores[:k])
