"""Tunes weights on judged queries, and estimates their value on held-out queries."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import msgspec
import numpy as np

from kakehashi.errors import InputError
from kakehashi.evaluation.crossval import cross_validate, split
from kakehashi.evaluation.measures import Measure, parse
from kakehashi.fuse.grid import best_weights
from kakehashi.fuse.judging import Judge
from kakehashi.fuse.rules import Fusion, fuse_runs
from kakehashi.fuse.tuned import Step, Tuned
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Bools, Floats, Qrels, Ranking, Run

ROOM = 1 << 25  # scores cached for other folds: 256 MiB
_Origin: TypeAlias = Any  # key of a list: its number, or what it was fused from and with which weights
_Chosen: TypeAlias = tuple[tuple[Step, ...], Floats]  # the steps, and the scores of all queries by the last


def tune(
    rule: str | Fusion,
    runs: Sequence[Run],
    qrels: Qrels,
    measure: Measure,
    *,
    step: float | None = None,
    nest: bool = False,
    level: int = 1,
    mate_level: int | None = None,
    k: int = 1000,
    folds: int = 0,
    seed: int = 1,
    progress: Progress = SILENT,
) -> Tuned:
    """The weights with the highest mean; `nest` fuses in pairs, and then the results in the same way.

    Every judged query counts; one missing from all runs counts as 0. With `folds`, the weights are cross-validated
    over this many folds; the final weights are those of all queries.
    """
    fusion = Fusion(rule) if isinstance(rule, str) else rule
    if len(runs) < 2:
        raise InputError("fuse needs at least 2 runs: add another one")
    if not any(query in run.rankings for run in runs for query in qrels):
        raise InputError("no run contains any of the judged queries: check that their ids match")
    plan = _nesting(len(runs)) if nest else [tuple(range(len(runs)))]

    def judge(lists: Sequence[Run]) -> Judge:
        return Judge(fusion, lists, qrels, measure, level, mate_level, k, progress)

    search = _Search(fusion, runs, judge, step, plan, progress)
    steps, _ = search.best(np.ones(len(qrels), dtype=bool))
    tuned = Tuned(
        fusion=fusion,
        runs=tuple(run.system for run in runs),
        measure=str(measure),
        value=steps[-1].value,
        parts=search.parts,
        steps=steps,
        step=step,
        level=level,
        mate_level=mate_level,
        k=k,
    )
    return _validated(tuned, search, list(qrels), folds, seed) if folds else tuned


def curve(
    tuned: Tuned, runs: Sequence[Run], qrels: Qrels, mate_level: int | None = None
) -> tuple[tuple[float, float], ...]:
    """The curve of a tuned pair on other queries; for display, never for tuning."""
    tuned.check(runs)
    if len(runs) != 2:
        raise InputError(f"{len(runs)} runs have no curve: use two")
    judge = Judge(tuned.fusion, runs, qrels, parse(tuned.measure), tuned.level, mate_level, tuned.k)
    return tuple((kappa, judge.value((kappa, 1 - kappa))) for kappa, _ in tuned.steps[0].curve)


def held_out_run(tuned: Tuned, runs: Sequence[Run], qrels: Qrels) -> Run:
    """The tuning queries, each fused with the weights found without its fold."""
    rankings: dict[str, Ranking] = {}
    for part, weights in zip(
        split(qrels, len(tuned.folds), np.random.default_rng(tuned.seed)), tuned.folds, strict=True
    ):
        steps = [
            msgspec.structs.replace(step, weights=own) for step, own in zip(tuned.steps, weights, strict=True)
        ]
        some = [Run(run.system, {q: run.rankings[q] for q in part if q in run.rankings}) for run in runs]
        rankings |= msgspec.structs.replace(tuned, steps=tuple(steps)).fuse(some, tuned.k).rankings
    return Run("held-out", {query: rankings[query] for query in qrels if query in rankings})


def _validated(tuned: Tuned, search: "_Search", queries: Sequence[str], folds: int, seed: int) -> Tuned:
    """With fewer queries than folds, each query is a fold; a single one cannot be left out."""
    if len(queries) < 2:
        return tuned
    number = {query: i for i, query in enumerate(queries)}

    def choose(training: Sequence[str]) -> _Chosen:
        chosen = np.zeros(len(queries), dtype=bool)
        chosen[[number[query] for query in training]] = True
        return search.best(chosen)

    def apply(found: _Chosen, held_out: Sequence[str]) -> dict[str, float]:
        return {query: float(found[1][number[query]]) for query in held_out}

    rng = np.random.default_rng(seed)
    done = cross_validate(queries, choose, apply, rng, min(folds, len(queries)))
    return msgspec.structs.replace(
        tuned,
        held_out=_mean(np.array([done.scores[query] for query in queries])),
        folds=tuple(tuple(step.weights for step in fold.setting[0]) for fold in done.folds),
        seed=seed,
    )


class _Search:
    """Finds the weights of all steps on any part of the judged queries.

    Grid points are measured for all queries at once and cached, so another part mostly costs means. Only if it
    chooses other weights than all queries do, later steps have other lists and are measured again.
    """

    def __init__(
        self,
        fusion: Fusion,
        runs: Sequence[Run],
        judge: Callable[[Sequence[Run]], Judge],
        step: float | None,
        plan: Sequence[tuple[int, ...]],
        progress: Progress,
    ):
        self._fusion, self._runs, self._judge = fusion, runs, judge
        self._step, self._plan, self._progress = step, plan, progress
        self._points: dict[_Origin, _Points] = {}  # of the first search
        self._alone: dict[int, float] = {}

    @property
    def parts(self) -> tuple[float, ...]:
        """The value of each run alone."""
        return tuple(self._alone[i] for i in range(len(self._runs)))

    def best(self, chosen: Bools) -> _Chosen:
        """The steps that are best by the chosen queries."""
        lists = list(self._runs)
        origins: list[_Origin] = list(range(len(lists)))
        known = {**self._points}  # the results of other searches are not shared, and are discarded
        steps: list[Step] = []
        for of in self._plan:
            origin = tuple(origins[i] for i in of)
            if origin not in known:
                known[origin] = self._lay_out(of, [lists[i] for i in of])
            points = known[origin]
            self._progress.start("tune", None)
            try:
                found = best_weights(partial(points.mean, chosen), len(of), self._step)
            finally:
                self._progress.finish()
            steps.append(Step(of, found.weights, found.value, found.points, found.curve))
            if of is not self._plan[-1]:
                origins.append((origin, found.weights))
                lists.append(
                    fuse_runs(self._fusion, [lists[i] for i in of], found.weights, self._fusion.depth)
                )
        if not self._points:
            self._points = known
        return tuple(steps), points.of(found.weights)

    def _lay_out(self, of: Sequence[int], lists: Sequence[Run]) -> "_Points":
        judge = self._judge(lists)
        self._alone |= {i: part for i, part in zip(of, judge.parts, strict=True) if i < len(self._runs)}
        return _Points(judge, self._progress)


class _Points:
    """Scores by query of the grid points, each computed once while there is room to cache it."""

    def __init__(self, judge: Judge, progress: Progress):
        self._judge, self._progress = judge, progress
        self._known: dict[tuple[float, ...], Floats] = {}

    def of(self, weights: Sequence[float]) -> Floats:
        point = tuple(weights)
        if point in self._known:
            return self._known[point]
        self._progress.advance()
        scores = self._judge.scores(point)
        if (len(self._known) + 1) * len(scores) <= ROOM:
            self._known[point] = scores
        return scores

    def mean(self, chosen: Bools, weights: Sequence[float]) -> float:
        return _mean(self.of(weights)[chosen])


def _mean(scores: Floats) -> float:
    """Over queries that the measure does not leave out; 0 if it leaves out all."""
    return 0.0 if np.isnan(scores).all() else float(np.nanmean(scores))


def _nesting(n_runs: int) -> list[tuple[int, ...]]:
    """Pair neighbours, then the results: ((0 1) (2 3)); an odd one waits for the next round."""
    waiting = list(range(n_runs))
    steps: list[tuple[int, ...]] = []
    while len(waiting) > 1:
        pairs = list(zip(waiting[::2], waiting[1::2], strict=False))
        odd = waiting[2 * len(pairs) :]
        waiting = [n_runs + len(steps) + i for i in range(len(pairs))] + odd
        steps += pairs
    return steps
