"""Trains `knowledge` and `dense`: what features of metadata, and scores of systems, are worth."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.errors import InputError
from kakehashi.evaluate.crossval import split
from kakehashi.index.index import Index
from kakehashi.learn.linear import LinearSettings, Lists, Weights, learn_weights
from kakehashi.learn.linear_model import LinearModel, Worth
from kakehashi.learn.trees import TreeSettings, learn_trees
from kakehashi.progress import SILENT, Progress, track
from kakehashi.retrieve.inputs import parse_inputs
from kakehashi.retrieve.models import fingerprints
from kakehashi.training.evidence import EvidenceSettings, measured, open_material, sample_lists
from kakehashi.training.inputs import chosen_inputs
from kakehashi.training.outcome import Outcome
from kakehashi.training.settings import combined, part
from kakehashi.types import Longs, Text

Learner = Callable[[Lists], Worth]


class InputSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Systems whose scores are weighed."""

    inputs: Annotated[
        str,
        Meta(
            description="Systems whose scores are weighed, such as `psq boosted(model=boosted-1g)`; `auto` takes "
            "those of `psq`, `psq-hmm`, `bilinear`, `boosted`, `lowrank` and `topics` that are trained "
            "under these names."
        ),
    ] = "auto"


KnowledgeTraining = combined(
    "KnowledgeTraining", "What `train knowledge` can be told.", EvidenceSettings, LinearSettings, TreeSettings
)
DenseTraining = combined(
    "DenseTraining",
    "What `train dense` can be told.",
    InputSettings,
    EvidenceSettings,
    LinearSettings,
    TreeSettings,
)


def train(
    collection: Collection,
    index: Index,
    folder: Path,
    settings: Any,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Outcome:
    """Learn from all queries; how well that does is measured by cross-validation over them."""
    if inputs := getattr(settings, "inputs", ""):
        inputs = chosen_inputs(inputs, index)
        settings = msgspec.structs.replace(settings, inputs=inputs)  # what the model says it was made of
    told, seed, learn = part(settings, EvidenceSettings), settings.seed, learner(settings)
    material = open_material(collection, index, inputs, told)
    lists = sample_lists(material, told, seed, progress)
    left_out = material.group(names_in(told.without))
    lists = lists.without(left_out)
    worth = learn(lists)
    each = worth.each()
    if not np.isfinite(each).all():
        raise InputError("weights grew beyond all bounds: set a smaller rate, or loss=softmax")
    by_fold = held_out(lists, learn, folds_of(material.queries, told.folds, seed), progress)
    measures = list(dict.fromkeys([told.measure, "MAP", "PRES@1000"]))
    scores = measured(material, [by_fold], measures, progress)[0]
    validated = {name: float(np.mean(list(values.values()))) for name, values in scores.items()}
    made_from = {
        "collection": collection.info.name,
        "index_generation": index.artifact.meta.generation,
        "split": told.split,
        "queries": len(material.queries),
        "documents": int(lists.starts[-1]),
        worth.unit: dict(zip(material.names, each.tolist(), strict=True)),
        "cross_validated": validated,
    }
    model = LinearModel(
        parse_inputs(inputs),
        told.scaling,
        material.features,
        material.names,
        worth,
        material.citations,
        fingerprints(index),
    )
    model.save(folder, msgspec.to_builtins(settings), made_from, seed)
    return Outcome(0, [], [], int(np.count_nonzero(each)), made_from)


def names_in(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def folds_of(queries: Sequence[Text], folds: int, seed: int) -> Longs:
    """(queries,) the fold each is held out in."""
    parts = split((query.id for query in queries), folds, np.random.default_rng(seed))
    of = {query: fold for fold, part in enumerate(parts) for query in part}
    return np.array([of[query.id] for query in queries], np.int64)


def learner(settings: Any) -> Learner:
    """What learns by the loss that is set; all take the same lists."""
    linear, trees = part(settings, LinearSettings), part(settings, TreeSettings)
    if linear.loss == "lambdamart":
        return lambda lists: learn_trees(lists, trees, linear.seed)
    return lambda lists: Weights(learn_weights(lists, linear))


def held_out(lists: Lists, learn: Learner, folds: Longs, progress: Progress = SILENT) -> list[Worth]:
    """For each query what was learned from all folds but its own."""
    numbers = np.unique(folds).tolist()
    by_fold = {
        fold: learn(lists.of(np.flatnonzero(folds != fold)))
        for fold in track(numbers, "learning by folds", len(numbers), progress)
    }
    return [by_fold[fold] for fold in folds.tolist()]
