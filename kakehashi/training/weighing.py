"""Learns weights of features from lists, and by folds, so that every query is judged with weights of other queries."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from kakehashi.evaluation.crossval import split
from kakehashi.learn.blend import blended
from kakehashi.learn.lambdamart import TreeSettings, learn_trees
from kakehashi.learn.linear import LinearSettings, Lists, Weights
from kakehashi.learn.linear import learn as learn_linear
from kakehashi.learn.linear_model import Worth
from kakehashi.learn.trees import Trees
from kakehashi.progress import SILENT, Progress, track
from kakehashi.retrieve.sparse import cores
from kakehashi.training.settings import part
from kakehashi.training.shortening import own_id
from kakehashi.types import Bools, Longs, Text

Learner = Callable[[Lists], Worth]


def names_in(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def folds_of(queries: Sequence[Text], folds: int, seed: int) -> Longs:
    """(queries,) the fold in which each is held out; a query that was cut is held out with the whole one."""
    parts = split(dict.fromkeys(map(own_id, queries)), folds, np.random.default_rng(seed))
    of = {query: fold for fold, part in enumerate(parts) for query in part}
    return np.array([of[own_id(query)] for query in queries], np.int64)


def learner(settings: Any, priors: Bools) -> Learner:
    """The learner of the chosen loss; all take the same lists.

    `priors` (features,) are what is known of a document whatever the query. They may lift a document and never push
    it down: where they would, weights are learned again without them, and trees only rise with them.
    """
    linear, trees = part(settings, LinearSettings), part(settings, TreeSettings)

    def grow(lists: Lists) -> Trees:
        return learn_trees(lists, trees, linear.seed, priors)

    def weigh(lists: Lists) -> Weights:
        worth = learn_linear(lists, linear)
        against = np.flatnonzero(priors & (worth.each() < 0.0))
        return learn_linear(lists.without(against), linear) if len(against) else worth

    if linear.loss == "lambdamart":
        return grow
    if linear.loss == "both":
        return lambda lists: blended(weigh(lists), grow(lists), lists)
    return weigh


def held_out(lists: Lists, learn: Learner, folds: Longs, progress: Progress = SILENT) -> list[Worth]:
    """For each query, what was learned from all folds but its own."""
    numbers = np.unique(folds).tolist()
    with ThreadPoolExecutor(min(cores(), len(numbers))) as pool:  # learning holds no interpreter lock
        learned = pool.map(lambda fold: learn(lists.of(np.flatnonzero(folds != fold))), numbers)
        by_fold = dict(zip(numbers, track(learned, "learning by folds", len(numbers), progress), strict=True))
    return [by_fold[fold] for fold in folds.tolist()]
