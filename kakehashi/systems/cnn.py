"""The systems `cnn-text`, `cnn-meta`, `cnn-joint` and `cnn-stacked`: a neural network reranks a first system's list."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.fuse.fused import Fused
from kakehashi.fuse.tuned import Tuned, check_steps
from kakehashi.index.holdings import Holdings
from kakehashi.learn.cnn_model import CnnModel, Filters
from kakehashi.learn.cnn_settings import SIDES, CnnSettings, WordVectorSettings
from kakehashi.learn.linear_model import Asked
from kakehashi.learn.walks import WalkSettings
from kakehashi.retrieve.cnn_scorer import CnnScorer
from kakehashi.retrieve.inputs import Input, parse_inputs
from kakehashi.retrieve.reranked import Reranked
from kakehashi.retrieve.system import IndexSystem
from kakehashi.settings import ModelName
from kakehashi.soundness import Unsound, finite, setting_count, typed
from kakehashi.store import Artifact
from kakehashi.systems.models import check_analyzers, has_model, read_model
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.training.cnn import (
    CLASSES,
    DEPTH,
    TEXT,
    Learned,
    forget_checkpoint,
    learn_cnn,
    readers_of,
    tuned_weights,
)
from kakehashi.training.cnn_vectors import ClassSettings
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.job import Job
from kakehashi.training.outcome import Outcome
from kakehashi.training.settings import combined, part
from kakehashi.types import Run

KIND, WEIGHTS, VERSION = "cnn", "stacking", 1  # a network; the weights of several
STACKED = "cnn-stacked"
ENCODINGS = "encodings"  # the folder of document encodings inside the model's folder
PARTS = {"cnn-text": (TEXT,), "cnn-meta": (CLASSES,), "cnn-joint": (TEXT, CLASSES)}
Depth = Annotated[int, Meta(description="How many of the first system's best documents are reranked.", ge=1)]
Rerank = Annotated[
    Literal["weighted", "pure"],
    Meta(
        description="`weighted` adds the network's scores to those of the first system, by weights found on dev; "
        "`pure` orders by the network alone."
    ),
]


def _use(name: str) -> type[msgspec.Struct]:
    fields: list[Any] = [("model", ModelName, name), ("rerank", Rerank, "weighted"), ("depth", Depth, DEPTH)]
    doc = "The trained model to use, and how its scores are used."
    return msgspec.defstruct(
        "CnnUse", fields, frozen=True, forbid_unknown_fields=True, namespace={"__doc__": doc}
    )


class First(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is reranked."""

    first: Annotated[
        str,
        Meta(
            description="The system whose documents are reranked, which also finds documents that are hard to tell "
            "from relevant ones; `auto` takes `psq-hmm` or `psq` where they are trained, `hmm` where queries and "
            "documents have one language, else `passthrough`."
        ),
    ] = "auto"
    candidates: Annotated[
        int,
        Meta(description="How many of its documents are reranked when an epoch is measured on dev.", ge=1),
    ] = 200


class Models(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is stacked."""

    text: Annotated[str, Meta(description="The model of `cnn-text`, trained before.")] = "cnn-text"
    meta: Annotated[str, Meta(description="The model of `cnn-meta`, trained before.")] = "cnn-meta"


class CnnFile(NamedTuple):
    """A trained network as it lies on disk."""

    model: CnnModel
    names: dict[str, tuple[Sequence[str], Sequence[str]]]
    fields: list[str]
    first: Asked
    tuned: Tuned


def train(name: str, job: Job) -> Outcome:
    """Learn a network, then its weight beside the first system."""
    if not job.inputs:
        raise InputError("first: name a system whose documents are reranked")
    learned = learn_cnn(job, PARTS[name], job.settings.candidates)
    scorer = CnnScorer(name, job.holdings, learned.model, learned.readers(job.holdings))
    reranked = Reranked(name, job.holdings.index, job.inputs[0], scorer, DEPTH)
    tuned = _tuned(job, [job.inputs[0], Input(name, reranked, job.holdings.index)])
    first = parse_inputs(job.settings.first)[0]
    save_cnn(job.folder, learned, first, tuned, job.settings, job.holdings)
    forget_checkpoint(job.folder)
    n_weights = sum(int(layer.size) for layer in learned.model.layers)
    n_weights += sum(int(own.w.size) for sides in learned.model.parts.values() for own in sides)
    told = [*learned.told, *tuned.told()] if tuned.value else learned.told
    return Outcome(learned.epoch, learned.curve, learned.measures, n_weights, learned.made_from, told)


def train_stacked(job: Job) -> Outcome:
    """Find the weights of both networks and of the first system."""
    settings, holdings = job.settings, job.holdings
    systems = [
        _reranked(name, holdings, job.inputs[0], _read(name, holdings, getattr(settings, side)), DEPTH)
        for side, name in (("text", "cnn-text"), ("meta", "cnn-meta"))
    ]
    tuned = _tuned(job, [job.inputs[0], *(Input(each.name, each, holdings.index) for each in systems)])
    first, models = parse_inputs(settings.first)[0], [settings.text, settings.meta]
    save_stacked(job.folder, models, first, tuned, settings, holdings, holdings.origin)
    n_weights = sum(weight > 0 for weight in tuned.steps[0].weights)
    return Outcome(0, [], [], n_weights, holdings.origin, list(tuned.told()))


def _tuned(job: Job, systems: Sequence[Input]) -> Tuned:
    """By the lists of dev queries."""
    dev = DevSet(job.holdings, part(job.settings, DevSettings)).split
    runs = [
        Run(each.name, each.system.search(dev.queries, DEPTH, dev.scope, threads=job.threads).rankings)
        for each in systems
    ]
    return tuned_weights(job.holdings, runs, dev, job.settings.measure, job.progress)


def save_cnn(
    folder: Path, learned: Learned, first: Asked, tuned: Tuned, settings: msgspec.Struct, holdings: Holdings
) -> None:
    own = {
        "longest": {
            name: [filters.longest for filters in sides] for name, sides in learned.model.parts.items()
        },
        "layers": len(learned.model.layers),
        "fields": learned.fields,
        "first": msgspec.to_builtins(first),
        "tuned": msgspec.to_builtins(tuned),
        "analyzers": holdings.fingerprints,
        "training": msgspec.to_builtins(settings),
    }
    with store.Writer(folder, KIND, VERSION) as writer:
        for name, sides in learned.model.parts.items():
            for side, filters, names in zip(SIDES, sides, learned.names[name], strict=True):
                writer.put(
                    {f"{name}.{side}.{key}": getattr(filters, key) for key in ("vectors", "w", "b")}
                    | store.strings_arrays(f"{name}.{side}.names", names)
                )
        writer.put({f"mlp.{i}": layer for i, layer in enumerate(learned.model.layers)})
        writer.commit(own, learned.made_from, getattr(settings, "seed", None))


def save_stacked(
    folder: Path,
    models: Sequence[str],
    first: Asked,
    tuned: Tuned,
    settings: msgspec.Struct,
    holdings: Holdings,
    made_from: Mapping[str, Any],
) -> None:
    own = {
        "models": list(models),
        "first": msgspec.to_builtins(first),
        "tuned": msgspec.to_builtins(tuned),
        "analyzers": holdings.fingerprints,
        "training": msgspec.to_builtins(settings),
    }
    with store.Writer(folder, WEIGHTS, VERSION) as writer:
        writer.commit(own, made_from)


def _read(trainer: str, holdings: Holdings, model: str) -> "tuple[CnnFile, Path]":
    def read(folder: Path) -> CnnFile:
        artifact = check_analyzers(store.read(folder, KIND, VERSION), holdings)
        artifact.map_all()
        return _file_of(artifact)

    return read_model(trainer, holdings, model, read), holdings.model_folder(model)


def _file_of(artifact: Artifact) -> CnnFile:
    settings = artifact.meta.settings
    parts: dict[str, tuple[Filters, Filters]] = {}
    names: dict[str, tuple[Sequence[str], Sequence[str]]] = {}
    for name, longest in settings["longest"].items():
        sides, own = [], []
        for side, n in zip(SIDES, longest, strict=True):
            own.append(list(artifact.strings(f"{name}.{side}.names")))
            sides.append(_filters(artifact, f"{name}.{side}", len(own[-1]), n))
        parts[name], names[name] = (sides[0], sides[1]), (own[0], own[1])
    model = CnnModel(parts, tuple(artifact.array(f"mlp.{i}") for i in range(settings["layers"])))
    with store.reading(artifact.folder):
        width: int | None = sum(len(own.b) for sides in parts.values() for own in sides)
        for i, layer in enumerate(model.layers):
            last = i + 1 == len(model.layers)
            finite("mlp", typed("mlp", layer, (np.float32,), width, 1 if last else None))
            width = layer.shape[1]
    return CnnFile(model, names, settings["fields"], *_asked(artifact))


def _filters(artifact: Artifact, name: str, n_names: int, longest: int) -> Filters:
    with store.reading(artifact.folder):
        vectors, w, b = (artifact.array(f"{name}.{key}") for key in ("vectors", "w", "b"))
        typed("b", b, (np.float32,), None)
        typed("vectors", vectors, (np.float32,), n_names, None)
        typed("w", w, (np.float32,), None, len(b))
        for array in (vectors, w, b):
            finite(name, array)
        if vectors.shape[1] < 1 or not len(w) or len(w) % vectors.shape[1]:
            raise Unsound(f"{name}.w does not fit the vectors")
        return Filters(vectors, w, b, setting_count({"longest": longest}, "longest", least=1))


def _asked(artifact: Artifact) -> tuple[Asked, Tuned]:
    settings = artifact.meta.settings
    try:
        first, tuned = msgspec.convert(settings["first"], Asked), msgspec.convert(settings["tuned"], Tuned)
        check_steps(tuned)
    except (KeyError, msgspec.ValidationError, InputError) as error:
        raise FileError(artifact.folder, None, f"is damaged ({error}): train it again") from None
    return first, tuned


def _reranked(
    name: str, holdings: Holdings, first: Input, read: tuple[CnnFile, Path], depth: int
) -> Reranked:
    file, folder = read
    readers = readers_of(holdings, file.names, file.fields)
    scorer = CnnScorer(name, holdings, file.model, readers, folder / ENCODINGS)
    return Reranked(name, holdings.index, first, scorer, depth)


def open_cnn(name: str, opening: Opening) -> IndexSystem:
    holdings, settings = opening.holdings, opening.settings
    read = _read(name, holdings, settings.model)
    [first] = opening.inputs([read[0].first])
    pure = settings.rerank == "pure"
    reranked = _reranked(opening.name if pure else name, holdings, first, read, settings.depth)
    if pure:
        return reranked
    return _weighted(opening, [first, Input(name, reranked, holdings.index)], read[0].tuned)


def open_stacked(opening: Opening) -> IndexSystem:
    """Without the first system's weight, `pure` still takes its documents."""
    holdings, settings = opening.holdings, opening.settings

    def read(folder: Path) -> tuple[list[str], Asked, Tuned]:
        artifact = check_analyzers(store.read(folder, WEIGHTS, VERSION), holdings)
        return artifact.meta.settings["models"], *_asked(artifact)

    models, asked, tuned = read_model(STACKED, holdings, settings.model, read)
    [first] = opening.inputs([asked])
    systems = [
        _reranked(name, holdings, first, _read(name, holdings, model), settings.depth)
        for name, model in zip(("cnn-text", "cnn-meta"), models, strict=True)
    ]
    inputs = [first, *(Input(each.name, each, holdings.index) for each in systems)]
    if settings.rerank == "pure":
        weights = tuned.steps[0].weights
        own = weights[1:] if any(weights[1:]) else (0.5, 0.5)
        step = msgspec.structs.replace(tuned.steps[0], weights=own, of=(0, 1))
        tuned = msgspec.structs.replace(tuned, runs=tuned.runs[1:], parts=tuned.parts[1:], steps=(step,))
        inputs = inputs[1:]
    return _weighted(opening, inputs, tuned)


def _weighted(opening: Opening, inputs: Sequence[Input], tuned: Tuned) -> Fused:
    fusion = msgspec.structs.replace(tuned.fusion, depth=opening.settings.depth)
    return Fused(opening.name, opening.holdings.index, inputs, msgspec.structs.replace(tuned, fusion=fusion))


def _trainer(name: str, summary: str, parts: Mapping[str, type[msgspec.Struct]]) -> Trainer:
    settings = combined("CnnTraining", f"Training settings of `{name}`.", First, *parts.values(), DevSettings)
    needs: Any = ("train judgments", "torch", "gensim", *(("metadata",) if "classes" in parts else ()))
    return Trainer(name, summary, settings, partial(train, name), turn=6, needs=needs, asked=True)


_NETWORK: dict[str, type[msgspec.Struct]] = {"vectors": WordVectorSettings, "network": CnnSettings}
_GRAPH: dict[str, type[msgspec.Struct]] = {"classes": ClassSettings, "walks": WalkSettings}
TRAINERS = (
    _trainer("cnn-text", "Learn a convolutional network over the words of queries and documents.", _NETWORK),
    _trainer(
        "cnn-meta", "Learn a network over the classes of queries and documents.", {**_NETWORK, **_GRAPH}
    ),
    _trainer("cnn-joint", "Learn one network over words and classes together.", {**_NETWORK, **_GRAPH}),
    Trainer(
        STACKED,
        "Find the weights of a trained cnn-text and a trained cnn-meta beside their first system.",
        combined("StackedTraining", f"Training settings of `{STACKED}`.", First, Models, DevSettings),
        train_stacked,
        turn=7,
        needs=("dev judgments",),
        asked=True,
    ),
)
SUMMARIES = {
    "cnn-text": "a convolutional network over words reranks the documents of another system",
    "cnn-meta": "a network over classes, with vectors from walks on the class graph, reranks those documents",
    "cnn-joint": "one network over words and classes reranks those documents",
    STACKED: "the scores of cnn-text and cnn-meta, added by weights",
}
SPECS = tuple(
    SystemSpec(
        trainer.name,
        "Rerank",
        SUMMARIES[trainer.name],
        _use(trainer.name),
        open_stacked if trainer.name == STACKED else partial(open_cnn, trainer.name),
        trainer=trainer,
        is_trained=has_model(trainer.name),
    )
    for trainer in TRAINERS
)
