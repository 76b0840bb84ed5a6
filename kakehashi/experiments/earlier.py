"""What earlier queries are worth: `examples` alone and as an input of `dense`, by how many training queries it knows.

Everything else that `dense` weighs, citations received included, knows all training queries. `earlier` measures on
test with weights learned on dev; `earlier-dev` measures on dev, each query with weights learned from the others.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi.experiments.combinations import asked, has_systems, measure_row, row, row_state
from kakehashi.experiments.combining import MOST_QUERIES, Answers
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.learn.linear import LinearSettings, Weights, learn_weights
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.systems.examples import MODEL
from kakehashi.training.evidence import EvidenceSettings, Material, answered, sample_lists
from kakehashi.training.weighing import folds_of, held_out

MEASURES = ("MAP", "MAP-mate", "PRES@1000", "R@100:new")
INPUTS = ("psq", "psq-hmm", "titles", "bilinear", "lowrank", "topics")
SHARES = (10, 30, 100)  # percent of the training queries
KNOWN = "training queries known, %"
FOLDS = 5
WANTS = "a collection with training judgments, titles, and trained translation, bilinear, lowrank and topics"


def model_of(percent: int) -> str:
    return MODEL if percent == 100 else f"{MODEL}-{percent}"


def measure_earlier(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    if settings["by"] == "linear" and settings["split"] == "dev":
        found = _cross_validated(folder, work, settings, progress)
    else:
        found = measure_row(folder, work, settings, progress)
    return Measured(found.scores, {KNOWN: float(settings["known"]), **found.facts})


def _cross_validated(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """Every dev query by weights of the other folds."""
    dev, told = Answers(folder, work, "dev", progress), EvidenceSettings()
    ranker = dev.ranker([asked(name) for name in settings["of"]], settings["features"], np.zeros(0))
    material = Material(ranker, dev.split, settings["features"], {})
    left_out = [name for name in settings["without"] if name in ranker.evidence.groups]
    learning = LinearSettings()
    lists = sample_lists(material, told, learning.seed, progress).without(material.group(left_out))
    folds = folds_of(dev.split.queries, FOLDS, learning.seed)
    by_fold = held_out(lists, lambda some: Weights(learn_weights(some, learning)), folds, progress)
    [run] = answered(material, [by_fold], settings["measures"], progress)
    return Measured(dev.measure(run, settings["measures"]), {})


def has_inputs(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether the systems of a row can be opened; smaller models of `examples` are trained on the way."""
    library, percent = Library(folder), settings["known"]
    if percent and not (library.model_folder(model_of(percent)) / "meta.json").is_file():
        library.train(MODEL, {"share": percent / 100}, model=model_of(percent))
    return has_systems(folder, settings)


def rows(split: str) -> list[Configuration]:
    def one(
        label: str, by: str, of: Sequence[str], percent: int, than: str = "", without: Sequence[str] = ()
    ) -> Configuration:
        more: dict[str, Any] = {
            "split": split,
            "known": percent,
            "features": "auto",
            "without": list(without),
        }
        return row(label, by, of, (), than, MEASURES, **more)

    found = [
        one(f"examples, {percent} %", "alone", [f"{MODEL}(model={model_of(percent)})"], percent)
        for percent in SHARES
    ]
    for name, without in (("dense", ()), ("dense without citations", ("citations",))):
        alone = f"{name}, no examples"
        found.append(one(alone, "linear", INPUTS, 0, without=without))
        for percent in SHARES:
            inputs = [*INPUTS, f"{MODEL}(model={model_of(percent)})"]
            found.append(one(f"{name}, {percent} %", "linear", inputs, percent, alone, without))
    return found


def _recipe(name: str, split: str, how: str) -> Recipe:
    return Recipe(
        name,
        f"what similar earlier queries cited, on {split} (no published figures)",
        WANTS,
        (f"at most {MOST_QUERIES} queries of dev and test, evenly chosen; {how}",),
        rows(split),
        MEASURES,
        measure_earlier,
        over=KNOWN,
        state=row_state,
        has=has_inputs,
    )


RECIPES = (
    _recipe("earlier", "test", "weights are learned on dev, rows are measured on test"),
    _recipe("earlier-dev", "dev", f"weights of {FOLDS - 1} fifths of dev rank the other fifth"),
)
