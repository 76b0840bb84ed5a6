"""Compares systems pairwise on one measure, corrected for the number of comparisons; prints nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from kakehashi.errors import InputError
from kakehashi.evaluation.measures import Measure
from kakehashi.evaluation.scores import Scores
from kakehashi.evaluation.significance import holm, mean_interval, randomization_p, t_test_p
from kakehashi.progress import SILENT, Progress, track
from kakehashi.tabular import Tabular
from kakehashi.types import Floats

Test = Literal["randomization", "t"]


@dataclass(frozen=True)
class Comparison:
    """Two systems on the queries both have scores for."""

    a: str
    b: str
    n_queries: int
    difference: float  # mean of a minus mean of b
    interval: tuple[float, float]  # 95 %, Student's t over the per-query differences
    p: float
    p_holm: float  # corrected for all comparisons made together
    group: str = ""  # of queries or documents, where results are grouped


class Comparisons(Tabular, list[Comparison]):
    """All comparisons of one call."""

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "a": one.a,
                "b": one.b,
                "queries": one.n_queries,
                "difference": one.difference,
                "low": one.interval[0],
                "high": one.interval[1],
                "p": one.p,
                "p, Holm": one.p_holm,
                **({"group": one.group} if one.group else {}),
            }
            for one in self
        ]


def compare(
    scores: Sequence[Scores],
    measure: Measure,
    test: Test = "randomization",
    rounds: int = 100_000,
    seed: int = 0,
    against_first: bool = False,
    progress: Progress = SILENT,
) -> Comparisons:
    """Compare every pair of systems, or only the first with each other one.

    Every pair has its own generator with the same seed, so its p does not depend on which other systems are
    compared.
    """
    if len(scores) < 2:
        raise InputError("a comparison needs at least 2 runs")
    pairs = [(scores[0], other) for other in scores[1:]] if against_first else list(combinations(scores, 2))
    found = []
    for one, other in track(pairs, "compare", len(pairs), progress):
        a, b = paired(one, other, measure)
        p = t_test_p(a, b) if test == "t" else randomization_p(a, b, np.random.default_rng(seed), rounds)
        found.append((one.system, other.system, len(a), float((a - b).mean()), mean_interval(a - b), p))
    corrected = holm([row[-1] for row in found])
    return Comparisons(Comparison(*row, p_holm) for row, p_holm in zip(found, corrected, strict=True))


def compare_groups(
    groups: Mapping[str, Sequence[Scores]],
    measure: Measure,
    test: Test = "randomization",
    rounds: int = 100_000,
    seed: int = 0,
    against_first: bool = False,
    progress: Progress = SILENT,
) -> Comparisons:
    """Compare within every group that has any scores, corrected for all comparisons; a single group has no name."""
    found = [
        replace(one, group=name if len(groups) > 1 else "")
        for name, scores in groups.items()
        if all(one.n_queries(measure) for one in scores)
        for one in compare(scores, measure, test, rounds, seed, against_first, progress)
    ]
    corrected = holm([one.p for one in found])
    return Comparisons(replace(one, p_holm=p) for one, p in zip(found, corrected, strict=True))


def paired(one: Scores, other: Scores, measure: Measure) -> tuple[Floats, Floats]:
    """The scores of both systems on the queries that both have, in the same order."""
    a, b = one.of(measure), other.of(measure)
    shared = [query for query in a if query in b]
    if not shared:
        raise InputError(f"'{one.system}' and '{other.system}' share no query: nothing can be paired")
    return np.array([a[query] for query in shared]), np.array([b[query] for query in shared])
