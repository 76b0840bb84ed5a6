"""Trains `fused`: other systems rank the dev queries, and weights of their lists are tuned on the judgments."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.errors import InputError
from kakehashi.evaluate.measures import parse, parse_all
from kakehashi.evaluate.scores import evaluate
from kakehashi.fuse.fused import FusedModel, open_inputs
from kakehashi.fuse.rules import Constant, Depth, Fusion, Missing, Negative, Normalise
from kakehashi.fuse.tuning import held_out_run, tune
from kakehashi.index.index import Index
from kakehashi.learn.linear_model import Asked
from kakehashi.progress import SILENT, Progress
from kakehashi.registry import build, making, spec_of
from kakehashi.retrieve.inputs import parse_inputs
from kakehashi.retrieve.models import fingerprints
from kakehashi.training.dev import SPLIT, evenly_chosen, split_scope
from kakehashi.training.inputs import chosen_inputs
from kakehashi.training.outcome import Outcome
from kakehashi.types import Run

QUERIES = "queries.jsonl"


class FusedTraining(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `train fused` can be told."""

    inputs: Annotated[
        str,
        Meta(
            description="Systems whose lists are fused, two or more, such as `psq boosted(model=boosted-1g)`; "
            "`auto` takes those of `psq`, `psq-hmm`, `bilinear`, `boosted`, `lowrank` and `topics` that "
            "are trained under these names."
        ),
    ] = "auto"
    rule: Annotated[
        Literal["borda", "rank-borda", "linear", "rrf", "combsum", "combmnz"],
        Meta(description="Rule that combines the lists, as in `kakehashi fuse`."),
    ] = "borda"
    negative: Negative = "shift"
    normalise: Normalise = "min-max"
    missing: Missing = "zero"
    constant: Constant = 60.0
    depth: Depth = 1000
    nest: Annotated[
        bool, Meta(description="Fuse the inputs two by two, in their order, and the results in the same way.")
    ] = False
    step: Annotated[
        float, Meta(description="Step of the grid of weights; 0 means 0.01 for two lists, 0.05 for more.")
    ] = 0.0
    measure: Annotated[
        str, Meta(description="Measure that the weights are tuned for, such as `MAP` or `PRES@1000`.")
    ] = "MAP"
    queries: Annotated[int, Meta(description="Maximum number of dev queries, evenly chosen.")] = 1000
    folds: Annotated[
        int,
        Meta(
            description="Folds of the cross-validation that estimates how good the weights are; 0 disables it."
        ),
    ] = 5
    seed: Annotated[int, Meta(description="Random seed for the folds.")] = 1

    def __post_init__(self) -> None:
        if self.queries < 1:
            raise InputError(f"queries must be at least 1, not {self.queries}")
        if self.folds < 0 or self.folds == 1:
            raise InputError(f"folds must be 0 or at least 2, not {self.folds}")

    @property
    def fusion(self) -> Fusion:
        options = {field.name: getattr(self, field.name) for field in msgspec.structs.fields(Fusion)}
        return Fusion(**options)


def train(
    collection: Collection,
    index: Index,
    folder: Path,
    settings: FusedTraining,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Outcome:
    """Dev queries alone are looked at; systems that learned from the training part know its queries too well."""
    settings = msgspec.structs.replace(settings, inputs=chosen_inputs(settings.inputs, index))
    asked, fusion, measure = inputs_of(settings.inputs), settings.fusion, parse(settings.measure)
    queries, qrels = evenly_chosen(collection.split_queries(SPLIT), settings.queries), collection.qrels(SPLIT)
    judged = {query.id: qrels[query.id] for query in queries}
    runs: list[Run] = []
    with making("fused", folder.name):
        systems = open_inputs(index, asked, split_scope(collection, SPLIT), build)
    for system in systems:
        system.threads, system.progress = threads, progress
        runs.append(Run(system.name, system.search(queries, fusion.depth).rankings))
        if not any(map(len, runs[-1].rankings.values())):
            raise InputError(f"{system.name} finds nothing for the {SPLIT} queries: leave it out")
    mates = collection.info.mate_level
    tuned = tune(
        fusion, runs, judged, measure, step=settings.step or None, nest=settings.nest, mate_level=mates,
        folds=settings.folds, seed=settings.seed, progress=progress,
    )  # fmt: skip
    wanted = parse_all(list(dict.fromkeys([str(measure), "MAP", "PRES@1000"])))

    def means(run: Run) -> dict[str, float]:
        return evaluate(judged, run, wanted, mate_level=mates).means()

    made_from: dict[str, Any] = {
        "collection": collection.info.name,
        "index_generation": index.artifact.meta.generation,
        "dev": {
            "measure": str(measure),
            "queries": len(queries),
            "parts": dict(zip(tuned.runs, map(means, runs), strict=True)),
            "fused": means(tuned.fuse(runs)),
            "cross_validated": means(held_out_run(tuned, runs, judged)) if tuned.folds else {},
        },
    }
    FusedModel(asked, tuned, fingerprints(index)).save(folder, msgspec.to_builtins(settings), made_from)
    n_weights = sum(weight > 0 for step in tuned.steps for weight in step.weights)
    return Outcome(0, [], [], n_weights, made_from)


def inputs_of(text: str) -> list[Asked]:
    """Two systems or more that the collection's queries can be put to."""
    asked = parse_inputs(text)
    if len(asked) < 2:
        raise InputError(f"inputs: '{text}' is nothing to fuse: name two systems or more")
    for one in asked:
        spec = spec_of(one.system)
        if spec.queries != QUERIES:
            raise InputError(f"inputs: {one.system} asks with {spec.queries}, a fusion with {QUERIES}")
    return asked
