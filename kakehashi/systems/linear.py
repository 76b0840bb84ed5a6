"""The systems `knowledge` and `dense`: what features of metadata, and scores of other systems, are worth."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.features.quantities import Citations
from kakehashi.features.sets import AUTO, FeatureSet, features_of, general_set
from kakehashi.features.survey import FieldUse
from kakehashi.index.holdings import Holdings
from kakehashi.learn.asked import parse_inputs
from kakehashi.learn.lambdamart import TreeSettings
from kakehashi.learn.linear import LinearSettings
from kakehashi.learn.linear_model import KIND, VERSION, LinearModel, linear_of
from kakehashi.retrieve.linear import LinearRanker, open_evidence
from kakehashi.settings import ModelName
from kakehashi.systems.models import check_analyzers, has_model, read_model
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.training.evidence import (
    RELATED,
    EvidenceSettings,
    answered,
    learned_from,
    measured,
    open_material,
    sample_lists,
)
from kakehashi.training.job import Job
from kakehashi.training.outcome import Outcome
from kakehashi.training.settings import combined, part
from kakehashi.training.weighing import folds_of, held_out, learner, names_in

KNOWLEDGE, DENSE = "knowledge", "dense"


Full = Annotated[
    bool,
    Meta(
        description="Score every document instead of candidates only: slower, and the reference for what candidates "
        "miss."
    ),
]


class KnowledgeUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which trained model answers, and how."""

    model: ModelName = "knowledge"
    full: Full = False


class DenseUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which trained model answers, and how."""

    model: ModelName = "dense"
    full: Full = False


class InputSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Systems whose scores are weighed."""

    inputs: Annotated[
        str,
        Meta(
            description="Systems whose scores are weighed, such as `psq boosted(model=boosted-1g)`; `auto` takes "
            "those of `psq`, `psq-hmm`, `titles`, `bilinear`, `boosted`, `lowrank`, `topics`, `encoder` and "
            "`examples` that are trained under these names, and `bm25` and `hmm` where queries and documents have one "
            "language."
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


def train(job: Job) -> Outcome:
    """Learn from all queries; how well that does is measured by cross-validation over them."""
    holdings, settings, progress = job.holdings, job.settings, job.progress
    told, seed = part(settings, EvidenceSettings), settings.seed
    material = open_material(holdings, job.inputs, told)
    learn = learner(settings, material.ranker.evidence.priors)
    queries = learned_from(material, settings)
    lists = sample_lists(material, told, seed, progress, queries)
    left_out = material.group(names_in(told.without))
    lists = lists.without(left_out)
    worth = learn(lists)
    each = worth.each()
    if not np.isfinite(each).all():
        raise InputError("weights grew beyond all bounds: set a smaller rate, or loss=softmax")
    by_fold = held_out(lists, learn, folds_of(queries, told.folds, seed), progress)
    measures = list(dict.fromkeys([told.measure, "MAP", "PRES@1000"]))
    [by_others] = answered(material, [by_fold], measures, progress)
    [scores] = measured(material, [by_others], measures)
    validated = {name: float(np.mean(list(values.values()))) for name, values in scores.items()}
    made_from = {
        **holdings.origin,
        "split": told.split,
        "queries": len(material.split),
        "documents": int(lists.starts[-1]),
        worth.unit: dict(zip(material.names, each.tolist(), strict=True)),
        "cross_validated": validated,
        "fields": {use.field: use.told for use in material.features.uses},
        "fields_left_out": dict(material.features.left_out),
    }
    model = LinearModel(
        parse_inputs(getattr(settings, "inputs", "")),
        told.scaling,
        material.features.name,
        material.names,
        worth,
        material.citations,
        holdings.fingerprints,
        told.citations == RELATED,
        msgspec.to_builtins(material.features.uses),
    )
    model.save(job.folder, msgspec.to_builtins(settings), made_from, seed)
    counted = "features in use" if worth.unit == "gains" else "weights"
    n_weights = int(np.count_nonzero(each))
    return Outcome(
        0, [], [], n_weights, made_from, [*material.features.told, *_told(made_from)], counted, by_others
    )


def _told(made_from: Mapping[str, Any]) -> list[str]:
    """What everything was found to be worth, and how well that does on queries it was not learned from."""
    weights = [f"{name}: {worth:+.4f}" for name, worth in made_from.get("weights", {}).items()]
    gains = [
        f"{name}: {share:.1%} of what trees gained" for name, share in made_from.get("gains", {}).items()
    ]
    validated = [
        f"{measure} on {made_from['split']}, cross-validated: {value:.4f}"
        for measure, value in made_from["cross_validated"].items()
    ]
    return weights + gains + validated


def trained_settings(system: str, holdings: Holdings, model: str = "") -> Any:
    """What a model of `knowledge` or `dense` was trained with, as its artifact says."""

    def read(folder: Path) -> Any:
        training = store.read(folder, KIND, VERSION).meta.settings["training"]
        if ("inputs" in training) != (system == DENSE):
            raise FileError(folder, None, f"is not a model of {system}")
        try:
            return msgspec.convert(training, DenseTraining if system == DENSE else KnowledgeTraining)
        except msgspec.ValidationError as error:
            raise FileError(folder, None, f"has other settings than now ({error}): train it again") from None

    return read_model(system, holdings, model or system, read)


def trained_features(model: LinearModel, holdings: Holdings) -> FeatureSet:
    """Those the model was trained with, whatever the fields of the collection look like now."""
    if model.features != AUTO:
        return features_of(model.features, holdings)
    counts = any(name in model.names for name in Citations().names)
    return general_set(msgspec.convert(model.fields, tuple[FieldUse, ...]), citations=counts)


def open_linear(opening: Opening) -> LinearRanker:
    holdings, settings = opening.holdings, opening.settings
    trainer = KNOWLEDGE if isinstance(settings, KnowledgeUse) else DENSE

    def read(folder: Path) -> LinearModel:
        return linear_of(check_analyzers(store.read(folder, KIND, VERSION), holdings))

    model = read_model(trainer, holdings, settings.model, read)
    inputs = opening.inputs(model.inputs)
    with store.reading(holdings.model_folder(settings.model)):
        kinds = trained_features(model, holdings).kinds
    evidence = open_evidence(holdings, inputs, model.scaling, kinds, model.citations, model.related)
    if evidence.names != list(model.names):
        raise FileError(
            holdings.model_folder(settings.model),
            None,
            f"was trained on other features than '{model.features}' now has: kakehashi train {trainer} again",
        )
    return LinearRanker(opening.name, evidence, model.worth, settings.full)


SPECS = (
    SystemSpec(
        KNOWLEDGE,
        "Rerank",
        "shared metadata (classes, people, places), with weights learned from judgments",
        KnowledgeUse,
        open_linear,
        trainer=Trainer(
            KNOWLEDGE,
            "Learn weights of shared metadata from the dev judgments.",
            KnowledgeTraining,
            train,
            turn=4,
            needs=("dev judgments", "metadata"),
        ),
        is_trained=has_model(KNOWLEDGE),
    ),
    SystemSpec(
        DENSE,
        "Rerank",
        "scores of other systems and shared metadata, with weights learned from judgments",
        DenseUse,
        open_linear,
        trainer=Trainer(
            DENSE,
            "Learn weights of other systems' scores and of shared metadata from the dev judgments.",
            DenseTraining,
            train,
            turn=8,
            needs=("dev judgments",),
        ),
        is_trained=has_model(DENSE),
    ),
)
