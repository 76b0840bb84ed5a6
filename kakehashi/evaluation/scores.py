"""Scores of a run: measures by query, their means and confidence intervals; reads no files.

A judged query missing from the run counts 0 (trec_eval -c); with `answered_only` it is left out
(plain trec_eval). A query of the run without judgments is left out and reported. A query whose judgments hold
nothing relevant counts 0 for every run, as in trec_eval; a measure of some relevant documents (`-mate`, `:new`)
leaves out queries that have none of them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kakehashi.errors import InputError
from kakehashi.evaluation.judged import JudgedList, LookedUp, Subset, look_up
from kakehashi.evaluation.measures import Measure
from kakehashi.evaluation.significance import mean_interval
from kakehashi.tabular import Tabular
from kakehashi.types import Floats, Qrels, Ranking, Run

_NOTHING = Ranking([], np.zeros(0))
_LACKING = {
    "-mate": "besides its mates",
    ":cited": "that training judgments cite",
    ":new": "that training judgments never cite",
}


@dataclass(frozen=True)
class Scores(Tabular):
    """One run's scores; a cell is NaN if the query is left out of that measure."""

    system: str
    queries: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats  # (queries, measures)
    unanswered: tuple[str, ...] = ()  # judged, but not in the run
    unjudged: tuple[str, ...] = ()  # in the run, but not judged
    hopeless: tuple[str, ...] = ()  # judged, but without relevant documents: 0 for every run

    def rows(self) -> list[dict[str, Any]]:
        """One row per query."""
        names = [str(measure) for measure in self.measures]
        return [
            {"query": query, **dict(zip(names, values, strict=True))}
            for query, values in zip(self.queries, self.values.tolist(), strict=True)
        ]

    def of(self, measure: Measure) -> dict[str, float]:
        """Query id -> score, without the queries the measure leaves out."""
        column = self._column(measure)
        kept = np.flatnonzero(~np.isnan(column))
        return dict(zip([self.queries[i] for i in kept], column[kept].tolist(), strict=True))

    def mean(self, measure: Measure) -> float:
        """NaN if the measure leaves all queries out."""
        column = self._column(measure)
        return float("nan") if np.isnan(column).all() else float(np.nanmean(column))

    def means(self) -> dict[str, float]:
        """Name of the measure -> mean over the queries."""
        return {str(measure): self.mean(measure) for measure in self.measures}

    def interval(self, measure: Measure, confidence: float = 0.95) -> tuple[float, float]:
        """Student's t interval of the mean over queries; NaN from a single query."""
        column = self._column(measure)
        return mean_interval(column[~np.isnan(column)], confidence)

    def n_queries(self, measure: Measure) -> int:
        """Queries that the measure does not leave out."""
        return int(np.count_nonzero(~np.isnan(self._column(measure))))

    def within(self, queries: Collection[str]) -> "Scores":
        """The scores of these queries alone."""
        kept = [i for i, query in enumerate(self.queries) if query in queries]
        return Scores(self.system, tuple(self.queries[i] for i in kept), self.measures, self.values[kept])

    def _column(self, measure: Measure) -> Floats:
        if measure not in self.measures:
            raise InputError(
                f"{measure} was not measured: available are {', '.join(map(str, self.measures))}"
            )
        column: Floats = self.values[:, self.measures.index(measure)]
        return column


def evaluate(
    qrels: Qrels,
    run: Run,
    measures: Sequence[Measure],
    *,
    level: int = 1,
    mate_level: int | None = None,
    cited: AbstractSet[str] | None = None,
    answered_only: bool = False,
) -> Scores:
    """Measure a run; documents are relevant from `level` on, those of `mate_level` are the query's mates.

    `cited` are the documents that training judgments call relevant: those of `:cited`, the others of `:new` measures.
    """
    _check(qrels, measures, level, mate_level, cited)
    answered = [query for query in qrels if query in run.rankings]
    queries = answered if answered_only else list(qrels)
    if not queries:
        raise InputError(
            f"run '{run.system}' contains none of the judged queries: check that their ids match"
        )
    judged = {query: qrels[query] for query in queries}
    scores = _measured(judged, run, measures, level, mate_level, cited)
    _refuse_empty_columns(scores)
    return replace(
        scores,
        unanswered=tuple(query for query in qrels if query not in run.rankings),
        unjudged=tuple(query for query in run.rankings if query not in qrels),
    )


def evaluate_parts(
    qrels: Qrels,
    runs: Iterable[Run],
    measures: Sequence[Measure],
    *,
    level: int = 1,
    mate_level: int | None = None,
    cited: AbstractSet[str] | None = None,
) -> Scores:
    """Measure a run that comes in parts with different queries, so that it need not fit into memory."""
    _check(qrels, measures, level, mate_level, cited)
    parts = [
        _measured({query: qrels[query] for query in run.rankings}, run, measures, level, mate_level, cited)
        for run in runs
    ]
    if not parts:
        raise InputError("there are no queries to measure")
    whole = Scores(
        system=parts[0].system,
        queries=tuple(query for part in parts for query in part.queries),
        measures=tuple(measures),
        values=np.concatenate([part.values for part in parts]),
        hopeless=tuple(query for part in parts for query in part.hopeless),
    )
    _refuse_empty_columns(whole)
    return whole


def _measured(
    qrels: Qrels,
    run: Run,
    measures: Sequence[Measure],
    level: int,
    mate_level: int | None,
    cited: AbstractSet[str] | None,
) -> Scores:
    """Scores of exactly these queries."""
    values = np.full((len(qrels), len(measures)), np.nan)
    wanted: set[Subset] = {measure.subset for measure in measures}
    needed = cited if wanted & {":cited", ":new"} else None
    hopeless = []
    for row, (query, judgments) in enumerate(qrels.items()):
        levels = _look_up(run, query, judgments, needed)
        seen = {subset: levels.see(level, subset, mate_level) for subset in wanted}
        values[row] = [_score(measure, seen[measure.subset]) for measure in measures]
        if not np.count_nonzero(levels.known >= level):
            hopeless.append(query)
    return Scores(run.system, tuple(qrels), tuple(measures), values, hopeless=tuple(hopeless))


def _refuse_empty_columns(scores: Scores) -> None:
    for column, measure in enumerate(scores.measures):
        if np.isnan(scores.values[:, column]).all():
            raise InputError(f"{measure}: no query has a relevant document {_LACKING[measure.subset]}")


def query_score(measure: Measure, levels: LookedUp, level: int = 1, mate_level: int | None = None) -> float:
    """One query's score; NaN if the measure leaves the query out."""
    return _score(measure, levels.see(level, measure.subset, mate_level))


def _look_up(run: Run, query: str, judgments: Mapping[str, int], cited: AbstractSet[str] | None) -> LookedUp:
    try:
        return look_up(run.rankings.get(query, _NOTHING), judgments, cited)
    except InputError as error:
        raise InputError(f"run '{run.system}', query {query}: {error}") from None


def _score(measure: Measure, seen: JudgedList) -> float:
    return float("nan") if measure.subset and not seen.n_relevant else measure.score(seen)


def _check(
    qrels: Qrels,
    measures: Sequence[Measure],
    level: int,
    mate_level: int | None,
    cited: AbstractSet[str] | None,
) -> None:
    if not qrels:
        raise InputError("the judgments are empty: there is nothing to measure against")
    if not measures:
        raise InputError("no measure is given: use MAP, for example")
    if level < 1:
        raise InputError(
            f"relevance level {level}: it must be 1 or more, because 0 means judged as not relevant"
        )
    for measure in measures:
        if measure.subset == "-mate" and mate_level is None:
            raise InputError(f"{measure} needs the level of a query's mates: give the mate level")
        if measure.subset in (":cited", ":new") and cited is None:
            raise InputError(
                f"{measure} needs training judgments, which say what was cited before: give them (--trained-on)"
            )
