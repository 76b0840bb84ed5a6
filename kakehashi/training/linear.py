"""Trains `knowledge` and `dense`: what features of metadata, and scores of systems, are worth."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi.corpus.collection import Collection
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.learn.linear import LinearSettings, Lists, learn_weights
from kakehashi.learn.linear_model import LinearModel
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.inputs import parse_inputs
from kakehashi.retrieve.models import fingerprints
from kakehashi.training.evidence import EvidenceSettings, measured, open_material, sample_lists
from kakehashi.training.outcome import Outcome
from kakehashi.training.settings import combined, part
from kakehashi.types import Floats, Longs


class InputSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Systems whose scores are weighed."""

    inputs: str = "psq bilinear"  # each as psq, or boosted(model=boosted-1g)


KnowledgeTraining = combined(
    "KnowledgeTraining", "What `train knowledge` can be told.", EvidenceSettings, LinearSettings
)
DenseTraining = combined(
    "DenseTraining", "What `train dense` can be told.", InputSettings, EvidenceSettings, LinearSettings
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
    told, learning = part(settings, EvidenceSettings), part(settings, LinearSettings)
    inputs = getattr(settings, "inputs", "")
    material = open_material(collection, index, inputs, told)
    lists = sample_lists(material, told, learning.seed, progress)
    left_out = material.group(names_in(told.without))
    lists = lists.without(left_out)
    weights = learn_weights(lists, learning)
    if not np.isfinite(weights).all():
        raise InputError("weights grew beyond all bounds: set a smaller rate, or loss=softmax")
    by_fold = held_out_weights(lists, learning, folds_of(len(material.queries), told.folds, learning.seed))
    measures = list(dict.fromkeys([told.measure, "MAP", "PRES@1000"]))
    scores = measured(material, [by_fold], measures, progress)[0]
    validated = {name: float(np.mean(list(values.values()))) for name, values in scores.items()}
    made_from = {
        "collection": collection.info.name,
        "index_generation": index.artifact.meta.generation,
        "split": told.split,
        "queries": len(material.queries),
        "documents": int(lists.starts[-1]),
        "weights": dict(zip(material.names, weights.tolist(), strict=True)),
        "cross_validated": validated,
    }
    model = LinearModel(
        parse_inputs(inputs),
        told.scaling,
        material.features,
        material.names,
        weights,
        material.citations,
        fingerprints(index),
    )
    model.save(folder, msgspec.to_builtins(settings), made_from, learning.seed)
    return Outcome(0, [], [], int(np.count_nonzero(weights)), made_from)


def names_in(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def folds_of(n: int, folds: int, seed: int) -> Longs:
    """(queries,) the fold each is held out in."""
    return np.random.default_rng(seed).permutation(np.arange(n) % folds)


def held_out_weights(lists: Lists, settings: LinearSettings, folds: Longs) -> Floats:
    """(queries, features) what was learned from all folds but the query's own."""
    found = np.zeros((len(folds), lists.features.shape[1]))
    for fold in np.unique(folds).tolist():
        found[folds == fold] = learn_weights(lists.of(np.flatnonzero(folds != fold)), settings)
    return found
