"""The systems `cnn-text`, `cnn-meta`, `cnn-joint` and `cnn-stacked`: a neural network reranks a first system's list."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from kakehashi.corpus.splits import Split
from kakehashi.errors import InputError
from kakehashi.fuse.fused import Fused
from kakehashi.fuse.tuned import Tuned
from kakehashi.index.holdings import Holdings
from kakehashi.learn.asked import parse_inputs
from kakehashi.learn.cnn_model import CnnModel
from kakehashi.learn.cnn_settings import CnnSettings, WordVectorSettings
from kakehashi.learn.walks import WalkSettings
from kakehashi.retrieve.cnn_parts import Reader
from kakehashi.retrieve.cnn_scorer import CnnScorer
from kakehashi.retrieve.cnn_windows import WindowScorer
from kakehashi.retrieve.inputs import Input
from kakehashi.retrieve.reranked import NumberScorer, Reranked
from kakehashi.retrieve.system import IndexSystem
from kakehashi.settings import ModelName
from kakehashi.systems.cnn_files import STACKED, CnnFile, read_cnn, read_stacked, save_cnn, save_stacked
from kakehashi.systems.models import has_model
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.training.cnn import (
    CLASSES,
    DEPTH,
    TEXT,
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
from kakehashi.types import EVERYTHING, Run

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


class Epochs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an epoch is measured on."""

    candidates: Annotated[
        int, Meta(description="How many documents are reranked when an epoch is measured on dev.", ge=1)
    ] = 200
    measured_on: Annotated[
        Literal["found", "drawn"],
        Meta(
            description="Which documents an epoch is measured on: those that the first system finds, or, as in the "
            "paper, all relevant documents and `candidates` others drawn at random (`drawn`)."
        ),
    ] = "found"


class Models(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is stacked."""

    text: Annotated[str, Meta(description="The model of `cnn-text`, trained before.")] = "cnn-text"
    meta: Annotated[str, Meta(description="The model of `cnn-meta`, trained before.")] = "cnn-meta"


def train(name: str, job: Job) -> Outcome:
    """Learn a network, then its weight beside the first system."""
    if not job.inputs:
        raise InputError("first: name a system whose documents are reranked")
    learned = learn_cnn(job, PARTS[name], job.settings.candidates)
    scorer = scorer_of(name, job.holdings, learned.model, learned.readers(job.holdings))
    reranked = Reranked(name, job.holdings.index, job.inputs[0], scorer, DEPTH)
    tuned = _tuned(job, [job.inputs[0], Input(name, reranked, job.holdings.index)])
    first = parse_inputs(job.settings.first)[0]
    save_cnn(job.folder, learned, first, tuned, job.settings, job.holdings)
    forget_checkpoint(job.folder)
    n_weights = sum(int(layer.size) for layer in learned.model.layers)
    n_weights += sum(int(own.w.size) for sides in learned.model.parts.values() for own in sides)
    told = [*learned.told, *tuned.told()] if tuned.value else learned.told
    return Outcome(learned.epoch, learned.curve, learned.measures, n_weights, learned.made_from, told)


def train_unweighted(name: str, job: Job) -> None:
    """The network alone, for tables that compare networks: beside a first system it would count half."""
    learned = learn_cnn(job, PARTS[name], job.settings.candidates)
    first = parse_inputs(job.settings.first)[0]
    nothing = Split("dev", [], {}, EVERYTHING, None)
    even = tuned_weights(job.holdings, [Run(first.name, {}), Run(name, {})], nothing, "MAP", job.progress)
    save_cnn(job.folder, learned, first, even, job.settings, job.holdings)
    forget_checkpoint(job.folder)


def read_scorer(name: str, holdings: Holdings, model: str) -> NumberScorer:
    """A trained network by itself, for any documents."""
    return _scorer(name, holdings, *read_cnn(name, holdings, model))


def train_stacked(job: Job) -> Outcome:
    """Find the weights of both networks and of the first system."""
    settings, holdings = job.settings, job.holdings
    systems = [
        _reranked(name, holdings, job.inputs[0], read_cnn(name, holdings, getattr(settings, side)), DEPTH)
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


def _reranked(
    name: str, holdings: Holdings, first: Input, read: tuple[CnnFile, Path], depth: int
) -> Reranked:
    return Reranked(name, holdings.index, first, _scorer(name, holdings, *read), depth)


def _scorer(name: str, holdings: Holdings, file: CnnFile, folder: Path) -> NumberScorer:
    readers = readers_of(holdings, file.names, file.fields, file.model.subwords)
    return scorer_of(name, holdings, file.model, readers, folder / ENCODINGS)


def scorer_of(
    name: str, holdings: Holdings, model: CnnModel, readers: Mapping[str, Reader], kept: Path | None = None
) -> NumberScorer:
    if model.match == "maxsim":
        return WindowScorer(name, holdings, model, readers)
    return CnnScorer(name, holdings, model, readers, kept)


def open_cnn(name: str, opening: Opening) -> IndexSystem:
    holdings, settings = opening.holdings, opening.settings
    read = read_cnn(name, holdings, settings.model)
    [first] = opening.inputs([read[0].first])
    pure = settings.rerank == "pure"
    reranked = _reranked(opening.name if pure else name, holdings, first, read, settings.depth)
    if pure:
        return reranked
    return _weighted(opening, [first, Input(name, reranked, holdings.index)], read[0].tuned)


def open_stacked(opening: Opening) -> IndexSystem:
    """Without the first system's weight, `pure` still takes its documents."""
    holdings, settings = opening.holdings, opening.settings
    models, asked, tuned = read_stacked(holdings, settings.model)
    [first] = opening.inputs([asked])
    systems = [
        _reranked(name, holdings, first, read_cnn(name, holdings, model), settings.depth)
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
    told = f"Training settings of `{name}`."
    settings = combined("CnnTraining", told, First, Epochs, *parts.values(), DevSettings)
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
