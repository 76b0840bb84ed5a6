"""Trains a CNN ranker: vectors, network, and its weight beside the first system's scores."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kakehashi.corpus.splits import Split
from kakehashi.errors import InputError, MissingDependency
from kakehashi.evaluation.measures import parse
from kakehashi.fuse.rules import Fusion
from kakehashi.fuse.tuned import Step, Tuned
from kakehashi.fuse.tuning import tune
from kakehashi.index.holdings import Holdings
from kakehashi.learn.cnn_draws import Drawing
from kakehashi.learn.cnn_model import CnnModel, Filters
from kakehashi.learn.cnn_settings import CnnSettings, Match, WordVectorSettings, has_torch
from kakehashi.learn.steps import Tick
from kakehashi.learn.subwords import Subwords, fit_subwords
from kakehashi.learn.walks import WalkSettings
from kakehashi.lexicon.translations import read_translations
from kakehashi.retrieve.cnn_parts import ClassReader, Reader, WordReader
from kakehashi.store import META
from kakehashi.training.cnn_checkpoint import drop_state, read_state, save_state
from kakehashi.training.cnn_data import Material, material
from kakehashi.training.cnn_vectors import (
    ClassSettings,
    Named,
    class_fields,
    translated,
    vectors_of_classes,
    word_vectors,
)
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.job import Job
from kakehashi.training.settings import part
from kakehashi.types import Run

TEXT, CLASSES = "text", "classes"
WORDS = "cnn-words"  # the folder of word vectors, which all models share
TRANSLATION, TABLE = "translation", "table"  # the model, and the folder of p(e | f) inside it
DEPTH = 1000


class Learned(NamedTuple):
    """A network with what it reads, and how it was learned."""

    model: CnnModel
    names: dict[str, tuple[Sequence[str], Sequence[str]]]  # of the rows of its parts
    fields: list[str]
    epoch: int
    curve: list[Tick]
    measures: list[float]
    told: list[str]
    made_from: dict[str, Any]

    def readers(self, holdings: Holdings) -> dict[str, Reader]:
        return readers_of(holdings, self.names, self.fields, self.model.subwords)


def readers_of(
    holdings: Holdings,
    names: Mapping[str, tuple[Sequence[str], Sequence[str]]],
    fields: Sequence[str],
    subwords: tuple[Subwords, Subwords] | None,
) -> dict[str, Reader]:
    return {
        part: WordReader(holdings, own, subwords)
        if part == TEXT
        else ClassReader(holdings.index, own, fields)
        for part, own in names.items()
    }


def learn_cnn(job: Job, parts: Sequence[str], candidates: int) -> Learned:
    """The network that is best on dev; a training that was interrupted goes on after its last epoch."""
    if not has_torch():
        raise MissingDependency("torch", "neural")
    holdings, settings = job.holdings, part(job.settings, CnnSettings)
    dev = DevSet(holdings, part(job.settings, DevSettings))
    named, fields = _vectors(job, parts, dev.split)
    names = {name: own.names for name, own in named.items()}
    subwords = _subwords(job, named)
    readers = readers_of(holdings, names, fields, subwords)
    measure = parse(job.settings.measure)
    found = material(job, settings, named, readers, dev.split, candidates, measure)
    weights, epoch, curve, measures = _train(job, settings, found)
    parts_alone = [each._replace(vectors=named[each.name].vectors) for each in found.parts]
    model = model_of(parts_alone, weights, settings.n_layers, settings.match, subwords)
    sizes = ", ".join(
        f"{len(own[0]):,} {name} of queries, {len(own[1]):,} of documents" for name, own in names.items()
    )
    told = [f"vectors: {sizes}"]
    if subwords:
        told.append(f"n-grams for other words: {len(subwords[0].grams):,} and {len(subwords[1].grams):,}")
    made_from = {
        **holdings.origin,
        "queries": found.first_dev,
        "relevant": len(found.judged.relevant.values),
        "epoch": epoch,
        "dev": {"measure": str(measure), "queries": len(dev.split), "by_epoch": measures},
        "curve": [[tick.epoch, tick.pairs, tick.loss, tick.error] for tick in curve],
    }
    return Learned(model, names, fields, epoch, curve, measures, told, made_from)


def _vectors(job: Job, parts: Sequence[str], dev: Split) -> tuple[dict[str, Named], list[str]]:
    holdings, words = job.holdings, part(job.settings, WordVectorSettings)
    named: dict[str, Named] = {}
    fields: list[str] = []
    if TEXT in parts:
        named[TEXT] = word_vectors(holdings, words, holdings.model_folder(WORDS), job.progress)
        table = holdings.model_folder(TRANSLATION) / TABLE
        if words.vectors == "translated" and (table / META).is_file():
            named[TEXT] = translated(named[TEXT], read_translations(table))
    if CLASSES in parts:
        fields = class_fields(holdings, part(job.settings, ClassSettings).classes)
        if not fields:
            raise InputError(
                f"no field of {holdings.folder} holds classes: name fields with --set classes=NAME, or train cnn-text"
            )
        walks = part(job.settings, WalkSettings)
        queries = holdings.collection.split_queries("train")
        named[CLASSES] = vectors_of_classes(holdings, fields, queries, walks, words.word_seed, job.progress)
    return named, fields


def _subwords(job: Job, named: Mapping[str, Named]) -> tuple[Subwords, Subwords] | None:
    if TEXT not in named or part(job.settings, WordVectorSettings).unseen == "dropped":
        return None
    queries, documents = zip(named[TEXT].names, named[TEXT].vectors, strict=True)
    return fit_subwords(*queries), fit_subwords(*documents)


def _train(
    job: Job, settings: CnnSettings, found: Material
) -> tuple[dict[str, Any], int, list[Tick], list[float]]:
    from kakehashi.learn import cnn, cnn_training

    near = settings.start == "near"
    shape = cnn.Shape(settings.n_hidden, settings.n_layers, settings.dropout, near, settings.match)
    steps = cnn_training.Steps(settings.rate, settings.epochs, settings.patience, settings.seed)
    drawing = Drawing(
        settings.batch, settings.per_query, settings.irrelevant, settings.hard, shared=settings.shared
    )
    device = ("cuda" if cnn.has_cuda() else "cpu") if settings.device == "auto" else settings.device
    if device == "cuda" and not cnn.has_cuda():
        raise InputError("device=cuda: PyTorch finds no GPU here: set device=cpu")
    begun = {"settings": msgspec.to_builtins(job.settings), "device": device, "data": found.digest()}
    trained = cnn_training.train_cnn(
        found.parts,
        found.judged,
        shape,
        drawing,
        steps,
        device,
        found.measured if len(found.dev) else None,
        read_state(job.folder, begun),
        lambda state: save_state(job.folder, state, begun),
        job.progress,
        job.threads,
    )
    return trained.weights, trained.epoch, trained.curve, trained.measures


def forget_checkpoint(folder: Path) -> None:
    """When the model itself is saved."""
    drop_state(folder)


def model_of(
    parts: Sequence[Any],
    weights: Mapping[str, Any],
    n_layers: int,
    match: Match = "mean",
    subwords: tuple[Subwords, Subwords] | None = None,
) -> CnnModel:
    """What scores without PyTorch, from a trained network's parts and weights."""
    made = {}
    for each in parts:
        sides = [
            Filters(
                each.vectors[i],
                weights[f"{each.name}.{side}.w"],
                weights[f"{each.name}.{side}.b"],
                each.longest[i],
            )
            for i, side in enumerate(("query", "document"))
        ]
        made[each.name] = (sides[0], sides[1])
    layers = tuple(np.asarray(weights[f"mlp.{i}"], np.float32) for i in range(n_layers))
    return CnnModel(made, layers, match, subwords)


def tuned_weights(holdings: Holdings, runs: Sequence[Run], dev: Split, measure: str, progress: Any) -> Tuned:
    """How much each list counts, by grid on dev: never worse there than the best of them alone; even without dev."""
    names, fusion = tuple(run.system for run in runs), Fusion("linear", normalise="min-max", depth=DEPTH)
    if not len(dev):
        even = tuple(1.0 / len(runs) for _ in runs)
        step = Step(tuple(range(len(runs))), even, 0.0, 0)
        return Tuned(fusion, names, measure, 0.0, tuple(0.0 for _ in runs), (step,))
    return tune(fusion, runs, dev.qrels, parse(measure), mate_level=dev.mate_level, progress=progress)
