"""How `dense` should learn, measured on dev: what it learns, and how much it may rely on citations received.

Each dev query is ranked with what was learned from the others. Lists are sampled once for all rows.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi.evaluation.measures import parse
from kakehashi.experiments.contents import opened
from kakehashi.experiments.overview import model_state
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.learn.asked import parse_inputs
from kakehashi.library import Library
from kakehashi.progress import Progress
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
LOSSES = {"weights": "softmax", "trees": "lambdamart", "weights and trees": "both"}
SHARES = (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
NONE = "no citations received"
DEFAULT: Any = DenseTraining()


def losses() -> list[Configuration]:
    first = next(iter(LOSSES))
    return [
        Configuration(
            label, {"loss": loss, "uncited": DEFAULT.uncited}, compared_with="" if label == first else first
        )
        for label, loss in LOSSES.items()
    ]


def uncited() -> list[Configuration]:
    """`uncited` None leaves citations received out."""
    shares = [Configuration(f"uncited={share:g}", {"uncited": share}, compared_with=NONE) for share in SHARES]
    return [Configuration(NONE, {"uncited": None}), *shares]


def measure_rows(
    folder: Path, work: Path, wanted: Sequence[Mapping[str, Any]], progress: Progress
) -> list[Measured]:
    training: Any = DenseTraining(uncited=0.0)
    library = Library(folder)
    told = part(training, EvidenceSettings)
    inputs = open_inputs(parse_inputs(chosen_inputs(training.inputs, library)), library)
    material = open_material(library, inputs, told)
    priors = material.ranker.evidence.priors
    queries = learned_from(material, training)
    folds = folds_of(queries, training.folds, training.seed)
    lists = sample_lists(material, told, training.seed, progress, queries)
    models = []
    for settings in wanted:
        share, numbers = settings["uncited"], np.flatnonzero(priors)
        some = lists.without(numbers) if share is None else some_uncited(lists, numbers, share, training.seed)
        loss = settings.get("loss", training.loss)
        if loss == "lambdamart":  # which learns from whole queries alone
            some = some.of(np.arange(len(material.split)))
        models.append(
            held_out(some, learner(DenseTraining(loss=loss), priors), folds[: len(some.starts) - 1], progress)
        )
    runs = answered(material, models, MEASURES, progress)
    measures = [parse(name) for name in MEASURES]
    scores = [measure_run(run, material.split, measures) for run in runs]
    return [Measured({name: one.of(parse(name)) for name in MEASURES}, {}) for one in scores]


def measure(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    [found] = measure_rows(folder, work, [settings], progress)
    return found


def state(folder: Path, settings: Mapping[str, Any]) -> list[Any]:
    """Changes with the index, the inputs' models and the way weights are learned."""
    library = opened(folder)
    chosen = chosen_inputs("auto", library)
    models = [model_state(library, one) for one in parse_inputs(chosen)]
    return [library.index.fingerprint, chosen, models, msgspec.to_builtins(DEFAULT)]


def _recipe(name: str, title: str, rows: Sequence[Configuration], *departs: str) -> Recipe:
    on_dev = "on dev: what was learned from four fifths of the queries ranks the other fifth"
    return Recipe(
        name,
        title,
        "a collection with training judgments and trained systems",
        (on_dev, *departs),
        rows,
        MEASURES,
        measure,
        state=state,
        together=measure_rows,
    )


RECIPES = (
    _recipe(
        "losses",
        "what `dense` should learn: weights, trees or both, on dev (no published figures)",
        losses(),
        "rows are tested against *weights*",
    ),
    _recipe(
        "uncited",
        "how `dense` should weight citations received, on dev (no published figures)",
        uncited(),
        "`uncited` is the share of relevant documents that are learned from as if they had never been cited",
        f"rows are tested against *{NONE}*",
    ),
)
