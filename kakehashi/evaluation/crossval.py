"""k-fold cross-validation over queries: choose on k - 1 folds, apply to the held-out one, pool the scores.

Anything can be chosen: a threshold, a weight, a trained model. The chooser gets only the ids of the training
queries.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.random import Generator

from kakehashi.errors import InputError
from kakehashi.evaluation.measures import Measure
from kakehashi.evaluation.scores import Scores

Setting = TypeVar("Setting")


@dataclass(frozen=True)
class Fold(Generic[Setting]):
    """One round: what was chosen without these queries and applied to them."""

    held_out: tuple[str, ...]
    setting: Setting


@dataclass(frozen=True)
class CrossValidated(Generic[Setting]):
    """All rounds, and each query's score under the setting chosen without it."""

    folds: tuple[Fold[Setting], ...]
    scores: dict[str, float]


def split(queries: Iterable[str], folds: int, rng: Generator) -> list[tuple[str, ...]]:
    """Disjoint folds whose sizes differ by at most one; they depend on the ids and the generator alone."""
    ids = sorted(queries)
    if len(set(ids)) != len(ids):
        raise InputError("a query is given twice: it would be trained on and held out at once")
    if not 2 <= folds <= len(ids):
        raise InputError(
            f"{folds} folds of {len(ids)} queries: use 2 or more folds, and at most one per query"
        )
    shuffled = [ids[i] for i in rng.permutation(len(ids))]
    return [tuple(shuffled[start::folds]) for start in range(folds)]


def cross_validate(
    queries: Iterable[str],
    choose: Callable[[Sequence[str]], Setting],
    apply: Callable[[Setting, Sequence[str]], Mapping[str, float]],
    rng: Generator,
    folds: int = 5,
) -> CrossValidated[Setting]:
    """`choose(training ids)` returns a setting; `apply(setting, held-out ids)` scores each of these."""
    return _rounds(split(queries, folds, rng), choose, apply)


def cross_validate_settings(
    candidates: Mapping[Setting, Scores], rng: Generator, folds: int = 5, system: str = "cross-validated"
) -> tuple[Scores, dict[Measure, CrossValidated[Setting]]]:
    """The usual case: one finished run per setting. Each measure chooses separately, on the same folds.

    The best training mean wins; ties go to the first. Returns the pooled scores and the choices.
    """
    if not candidates:
        raise InputError("no settings to choose from")
    first = next(iter(candidates.values()))
    for scores in candidates.values():
        if set(scores.queries) != set(first.queries) or scores.measures != first.measures:
            raise InputError(
                f"'{scores.system}' and '{first.system}' were measured differently: use the same queries and measures"
            )
    parts = split(first.queries, folds, rng)
    rounds = {measure: _settings_rounds(candidates, measure, parts) for measure in first.measures}
    columns = [[found.scores[query] for query in first.queries] for found in rounds.values()]
    return Scores(system, first.queries, first.measures, np.array(columns).T), rounds


def _settings_rounds(
    candidates: Mapping[Setting, Scores], measure: Measure, parts: Sequence[tuple[str, ...]]
) -> CrossValidated[Setting]:
    by_query = {setting: scores.of(measure) for setting, scores in candidates.items()}

    def choose(training: Sequence[str]) -> Setting:
        return max(by_query, key=lambda setting: _mean(by_query[setting], training))

    def apply(setting: Setting, held_out: Sequence[str]) -> dict[str, float]:
        return {query: by_query[setting].get(query, float("nan")) for query in held_out}

    return _rounds(parts, choose, apply)


def _mean(scores: Mapping[str, float], queries: Sequence[str]) -> float:
    kept = [scores[query] for query in queries if query in scores]
    return float(np.mean(kept)) if kept else 0.0


def _rounds(
    parts: Sequence[tuple[str, ...]],
    choose: Callable[[Sequence[str]], Setting],
    apply: Callable[[Setting, Sequence[str]], Mapping[str, float]],
) -> CrossValidated[Setting]:
    done: list[Fold[Setting]] = []
    pooled: dict[str, float] = {}
    for number, held_out in enumerate(parts):
        setting = choose([query for other, part in enumerate(parts) if other != number for query in part])
        scores = apply(setting, held_out)
        if set(scores) != set(held_out):
            raise InputError(
                f"fold {number + 1}: scores are needed for the held-out queries, and for no others"
            )
        done.append(Fold(held_out, setting))
        pooled.update(scores)
    return CrossValidated(tuple(done), pooled)
