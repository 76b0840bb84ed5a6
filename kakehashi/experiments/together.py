"""Rows of a table that share their work: systems, fusions and linear rankers measured in one pass over the queries.

The scores of all inputs and all metadata features are worked out once for each dev query, to learn the weights of
every combination, and once for each test query, to rank with all of them. Every document is scored, as by
`dense` with `full=true`.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kakehashi.corpus.splits import Split
from kakehashi.evaluation.measures import parse
from kakehashi.features.quantities import Citations
from kakehashi.fuse.rules import Fusion
from kakehashi.fuse.tuned import Tuned
from kakehashi.fuse.tuning import tune
from kakehashi.learn.asked import Asked
from kakehashi.learn.linear_model import Worth
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.retrieve.inputs import Input
from kakehashi.retrieve.linear import LinearRanker
from kakehashi.systems.linear import DenseTraining
from kakehashi.systems.opening import open_inputs
from kakehashi.systems.registry import spec_of
from kakehashi.training.evidence import (
    EvidenceSettings,
    Material,
    learned_from,
    lists_without,
    open_material,
    sample_lists,
)
from kakehashi.training.measuring import measure_run
from kakehashi.training.settings import part
from kakehashi.training.side_by_side import side_by_side
from kakehashi.training.weighing import learner
from kakehashi.types import Array, Floats, Longs, Ranking, Run, Text

DEPTH = 1000
CITATIONS = Citations()
PLAIN = Citations("plain citations", is_prior=False)
GRIDS: Mapping[str, Mapping[str, Sequence[float]]] = {
    "monolingual": {"k1": (0.6, 0.9, 1.2, 1.6, 2.0), "b": (0.3, 0.5, 0.75, 0.9)},
    "monolingual-hmm": {"alpha": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)},
}


class Listening(Input):
    """An input that remembers the scores of the query that each thread asked for last."""

    def __init__(self, inner: Input):
        super().__init__(inner.name, inner.system, inner.index)
        self._own = threading.local()

    def scores(self, query: Text) -> Floats:
        self._own.scores = super().scores(query)
        return self.last

    @property
    def last(self) -> Floats:
        found: Floats = self._own.scores
        return found


class Plan(NamedTuple):
    """What counts in a combination: systems by name, metadata features unless they are left out."""

    inputs: Sequence[str]
    features: bool = True
    without: Sequence[str] = ()  # groups of features
    as_before: bool = (
        False  # citations count whatever the query is about; weights, no trees, whatever its length
    )

    def left_out(self, material: Material) -> Longs:
        """Numbers of all inputs and features of the material that do not count."""
        evidence = material.ranker.evidence
        n = len(evidence.inputs)
        unused = {*self.without, CITATIONS.group if self.as_before else PLAIN.group}
        counts = [name in self.inputs for name in evidence.names[:n]]
        counts += [self.features and group not in unused for group in evidence.groups[n:]]
        return np.flatnonzero(~np.array(counts, bool))


class Pass:
    """The inputs of all combinations of a collection, and its dev and test queries."""

    def __init__(
        self, library: Library, inputs: Sequence[Asked], progress: Progress, most: int | None = None
    ):
        self.library, self._progress, self._most = library, progress, most
        self._training: Any = DenseTraining()
        self._evidence = part(self._training, EvidenceSettings)
        self._inputs = [Listening(one) for one in open_inputs(inputs, library)]
        self._searched: dict[tuple[str, str], Run] = {}
        self._left_out: dict[str, Longs] = {}  # by combination

    @cached_property
    def dev(self) -> Split:
        return self.library.split(self._evidence.split, self._evidence.queries)

    @cached_property
    def test(self) -> Split:
        return self.library.split("test", self._most)

    @cached_property
    def _material(self) -> Material:
        return open_material(self.library, self._inputs, self._evidence, (PLAIN,))

    def learned(self, plans: Mapping[str, Plan]) -> dict[str, Worth]:
        """What everything is worth in each combination, from lists that are sampled once."""
        queries = learned_from(self._material, self._training)
        lists = sample_lists(self._material, self._evidence, self._training.seed, self._progress, queries)
        whole = replace(lists.of(np.arange(len(self.dev))), amounts=None)
        priors = self._material.ranker.evidence.priors
        learn = learner(self._training, priors)
        weigh = learner(msgspec.structs.replace(self._training, loss="softmax"), priors)
        self._left_out = {label: plan.left_out(self._material) for label, plan in plans.items()}
        return {
            label: (weigh if plan.as_before else learn)(
                lists_without(self._material, whole if plan.as_before else lists, self._left_out[label])
            )
            for label, plan in plans.items()
        }

    def names_and_weights(self, worth: Worth) -> dict[str, float]:
        return dict(zip(self._material.names, worth.each().tolist(), strict=True))

    def rank(self, worths: Mapping[str, Worth], alone: Sequence[str] = ()) -> dict[str, Run]:
        """The best documents of the test queries, by each combination and by each input that is wanted alone."""
        ranker, split = self._material.ranker, self.test
        singles = [each for each in self._inputs if each.name in alone]
        ranker.prepare(split.queries, self._progress)

        def ranked(query: Text) -> list[Ranking]:
            rows = ranker.evidence.rows(query)
            own = [_found(ranker, query, each.last, split) for each in singles]
            if rows is None:
                return [*own, *(Ranking([], np.zeros(0)) for _ in worths)]
            said = ranker.evidence.amount(query)
            return own + [
                ranker.best(query, worth.at(said).scores(self._rows_of(label, rows)), DEPTH, split.scope)
                for label, worth in worths.items()
            ]

        names = [*(each.name for each in singles), *worths]
        found: dict[str, dict[str, Ranking]] = {name: {} for name in names}
        answers = side_by_side(ranked, split.queries, f"all combinations on {split.name}", self._progress)
        for query, rankings in zip(split.queries, answers, strict=True):
            for name, ranking in zip(names, rankings, strict=True):
                found[name][query.id] = ranking
        for name in (each.name for each in singles):
            self._searched[name, split.name] = Run(name, found[name])
        return {name: Run(name, rankings) for name, rankings in found.items()}

    def _rows_of(self, label: str, rows: Array) -> Array:
        """What a combination knows, without what depends on inputs it leaves out."""
        return self._material.ranker.evidence.refitted(rows, self._left_out[label])

    def searched(self, asked: Asked, split: Split) -> Run:
        """What the system's own search lists, in the words that it asks with."""
        key = asked.name, split.name
        if key not in self._searched:
            spec = spec_of(asked.system)
            most = self._most if split is self.test else self._evidence.queries
            texts = self.library.split(split.name, most, spec.queries).queries
            system = self.library.system(asked.system, asked.settings)
            self._searched[key] = system.search(texts, DEPTH, split.scope, progress=self._progress)
        return self._searched[key]

    def fused(self, systems: Sequence[Asked], measure: str) -> Tuned:
        """Borda with the weights that are best on dev."""
        runs = [self.searched(asked, self.dev) for asked in systems]
        return tune(Fusion("borda"), runs, self.dev.qrels, parse(measure), mate_level=self.dev.mate_level)

    def tuned(self, system: str) -> Asked:
        """The system with the settings of its grid that are best on dev, by MAP."""
        grid, wanted = GRIDS[system], parse("MAP")
        tried = [Asked(system, dict(zip(grid, values, strict=True))) for values in product(*grid.values())]
        return max(
            tried, key=lambda one: measure_run(self.searched(one, self.dev), self.dev, [wanted]).mean(wanted)
        )


def _found(ranker: LinearRanker, query: Text, scores: Floats, split: Split) -> Ranking:
    """What the search of an input alone lists: only documents that it finds."""
    ranking = ranker.best(query, np.where(np.isnan(scores), -np.inf, scores), DEPTH, split.scope)
    n = int(np.count_nonzero(np.isfinite(ranking.scores)))
    return Ranking(ranking.docs[:n], ranking.scores[:n])
