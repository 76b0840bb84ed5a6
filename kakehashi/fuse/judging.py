"""The quality of given weights: judged queries are prepared once, then measured point by point."""

from collections.abc import Sequence

import numpy as np

from kakehashi.errors import InputError
from kakehashi.evaluation.judged import LookedUp
from kakehashi.evaluation.measures import Judged, Measure
from kakehashi.evaluation.scores import evaluate, query_score
from kakehashi.fuse.ranks import fused_ranks
from kakehashi.fuse.rules import RULES, Fusion, checked_weights, lay_out, of_query
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Floats, Longs, Qrels, Ranking, Run

_NOT_RELEVANT = -1  # everything whose level does not matter


class Judge:
    """For given weights, the mean that `evaluate` would give the run of `fuse_runs`."""

    def __init__(
        self,
        fusion: Fusion,
        runs: Sequence[Run],
        qrels: Qrels,
        measure: Measure,
        level: int = 1,
        mate_level: int | None = None,
        k: int = 1000,
        progress: Progress = SILENT,
    ):
        if isinstance(measure, Judged):
            raise InputError("Judged does not measure quality: tune by MAP or PRES@1000, for example")
        if measure.subset in (":cited", ":new"):
            raise InputError(f"weights are not tuned by {measure}: use all relevant documents, or -mate")
        self.fusion, self.measure, self.k = fusion, measure, k
        self._see = (level, mate_level)
        self._alone = [
            evaluate(qrels, _cut(run, min(k, fusion.depth)), [measure], level=level, mate_level=mate_level)
            for run in runs
        ]
        self._known = [np.fromiter(judged.values(), dtype=np.int64) for judged in qrels.values()]
        self._lay_out(runs, qrels, progress)
        self._ranks: Longs = np.full(len(self._judged), -1)
        self._lengths: Longs = np.full(len(qrels), -1)
        self._scores: Floats = np.zeros(len(qrels))

    @property
    def parts(self) -> list[float]:
        """The mean of each list alone."""
        return [scores.mean(self.measure) for scores in self._alone]

    def scores(self, weights: Sequence[float]) -> Floats:
        """(queries,) in the order of the judgments; NaN for one that the measure leaves out."""
        given = checked_weights(self.fusion, weights, len(self._alone))
        if np.count_nonzero(given) == 1:
            alone: Floats = self._alone[int(given.argmax())].values[:, 0]
            return alone
        ranks, lengths = np.empty_like(self._ranks), np.empty_like(self._lengths)
        fused_ranks(
            given, self._points, self._listed, self._starts, self._judged, self._judged_starts,
            self.k, RULES[self.fusion.rule].times_found, ranks, lengths,
        )  # fmt: skip
        self._score(ranks, lengths)
        return self._scores.copy()

    def value(self, weights: Sequence[float]) -> float:
        return float(np.nanmean(self.scores(weights)))

    def _score(self, ranks: Longs, lengths: Longs) -> None:
        """Measure again only what moved since the last time: neighbours on a grid differ in few queries."""
        owner = np.repeat(np.arange(len(lengths)), np.diff(self._judged_starts))
        moved = lengths != self._lengths
        moved[owner[ranks != self._ranks]] = True
        self._ranks, self._lengths = ranks, lengths
        for query in np.flatnonzero(moved).tolist():
            mine = slice(self._judged_starts[query], self._judged_starts[query + 1])
            found = np.full(lengths[query], _NOT_RELEVANT)
            held = ranks[mine] > 0
            found[ranks[mine][held] - 1] = self._levels[mine][held]
            looked_up = LookedUp(found, self._known[query])
            self._scores[query] = query_score(self.measure, looked_up, *self._see)

    def _lay_out(self, runs: Sequence[Run], qrels: Qrels, progress: Progress) -> None:
        points, listed, sizes = [], [], [0]
        judged: list[int] = []
        levels: list[int] = []
        n_judged = [0]
        for query, judgments in track(qrels.items(), "preparing lists", len(qrels), progress):
            lists = lay_out(self.fusion, of_query(runs, query))
            points.append(lists.points)
            listed.append(lists.listed)
            for place, doc in enumerate(lists.docs, sizes[-1]):
                if judgments.get(doc, 0) > 0:
                    judged.append(place)
                    levels.append(judgments[doc])
            sizes.append(sizes[-1] + len(lists.docs))
            n_judged.append(len(judged))
        self._points, self._listed = np.concatenate(points, axis=1), np.concatenate(listed, axis=1)
        self._starts, self._judged_starts = np.array(sizes), np.array(n_judged)
        self._judged: Longs = np.array(judged, dtype=np.int64)
        self._levels: Longs = np.array(levels, dtype=np.int64)


def _cut(run: Run, k: int) -> Run:
    return Run(run.system, {q: Ranking(r.docs[:k], r.scores[:k]) for q, r in run.rankings.items()})
