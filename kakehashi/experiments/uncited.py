"""How many relevant documents `dense` should learn from as if they had never been cited, measured on dev.

Each dev query is ranked with weights learned from the others. Lists are sampled once for all rows.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi.evaluation.measures import parse
from kakehashi.experiments.overview import model_state
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.retrieve.inputs import parse_inputs
from kakehashi.systems.linear import DenseTraining
from kakehashi.systems.opening import chosen_inputs, open_inputs
from kakehashi.training.evidence import (
    EvidenceSettings,
    answered,
    learned_from,
    open_material,
    sample_lists,
    some_uncited,
)
from kakehashi.training.measuring import measure_run
from kakehashi.training.settings import part
from kakehashi.training.weighing import folds_of, held_out, learner

MEASURES = ("MAP", "MAP-mate", "PRES@1000", "R@100:cited", "R@100:new")
SHARES = (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
NONE = "no citations received"


def rows() -> list[Configuration]:
    shares = [Configuration(f"uncited={share:g}", {"share": share}, compared_with=NONE) for share in SHARES]
    return [Configuration(NONE, {"share": None}), *shares]


def measure_rows(
    folder: Path, work: Path, wanted: Sequence[Mapping[str, Any]], progress: Progress
) -> list[Measured]:
    training: Any = DenseTraining(uncited=0.0)
    library = Library(folder)
    told = part(training, EvidenceSettings)
    inputs = open_inputs(parse_inputs(chosen_inputs(training.inputs, library)), library)
    material = open_material(library, inputs, told)
    priors = np.flatnonzero(material.ranker.evidence.priors)
    queries = learned_from(material, training)
    folds, learn = (
        folds_of(queries, training.folds, training.seed),
        learner(training, material.ranker.evidence.priors),
    )
    lists = sample_lists(material, told, training.seed, progress, queries)
    models = []
    for settings in wanted:
        share = settings["share"]
        some = lists.without(priors) if share is None else some_uncited(lists, priors, share, training.seed)
        models.append(held_out(some, learn, folds, progress))
    runs = answered(material, models, MEASURES, progress)
    measures = [parse(name) for name in MEASURES]
    scores = [measure_run(run, material.split, measures) for run in runs]
    return [Measured({name: one.of(parse(name)) for name in MEASURES}, {}) for one in scores]


def measure(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    [found] = measure_rows(folder, work, [settings], progress)
    return found


def state(folder: Path, settings: Mapping[str, Any]) -> list[Any]:
    """Changes with the index, the inputs' models and the way weights are learned."""
    library = Library(folder)
    chosen = chosen_inputs("auto", library)
    models = [model_state(library, one) for one in parse_inputs(chosen)]
    return [library.index.fingerprint, chosen, models, msgspec.to_builtins(DenseTraining())]


RECIPES = (
    Recipe(
        "uncited",
        "how `dense` should weight citations received, on dev (no published figures)",
        "a collection with training judgments and trained systems",
        (
            "on dev: weights of four fifths of the queries rank the other fifth",
            "`uncited` is the share of relevant documents that are learned from as if they had never been cited",
            f"rows are tested against *{NONE}*",
        ),
        rows(),
        MEASURES,
        measure,
        state=state,
        together=measure_rows,
    ),
)
