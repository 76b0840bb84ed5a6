"""The system `fused`: lists of other systems, combined by a rule with weights tuned on judged queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.evaluation.measures import parse, parse_all
from kakehashi.fuse.fused import Fused
from kakehashi.fuse.rules import Constant, Depth, Fusion, Missing, Negative, Normalise
from kakehashi.fuse.tuned import Tuned, check_steps
from kakehashi.fuse.tuning import held_out_run, tune
from kakehashi.index.holdings import Holdings
from kakehashi.learn.asked import Asked, parse_inputs
from kakehashi.settings import ModelName
from kakehashi.systems.models import check_analyzers, has_model, read_model
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.training.dev import SPLIT
from kakehashi.training.job import Job
from kakehashi.training.measuring import measure_run
from kakehashi.training.outcome import Outcome
from kakehashi.types import Run

MODEL, KIND, VERSION = "fused", "fused", 1


class FusedUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trained model to use."""

    model: ModelName = "fused"


class FusedTraining(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Training settings of `fused`."""

    inputs: Annotated[
        str,
        Meta(
            description="Systems whose lists are fused, two or more, such as `psq boosted(model=boosted-1g)`; "
            "`auto` takes those of `psq`, `psq-hmm`, `titles`, `bilinear`, `boosted`, `lowrank`, `topics`, `encoder` "
            "and `examples` that are trained under these names."
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
        bool,
        Meta(description="Fuse the inputs in pairs, in their order, and then the results in the same way."),
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


@dataclass(frozen=True)
class FusedModel:
    """Systems, and the weights tuned for them."""

    inputs: Sequence[Asked]
    tuned: Tuned
    analyzers: Mapping[str, str]  # those of the index it was tuned over

    def save(self, folder: Path, settings: Mapping[str, Any], made_from: Mapping[str, Any]) -> None:
        own = {
            "inputs": [msgspec.to_builtins(asked) for asked in self.inputs],
            "tuned": msgspec.to_builtins(self.tuned),
            "analyzers": dict(self.analyzers),
            "training": dict(settings),
        }
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.commit(own, made_from)


def train(job: Job) -> Outcome:
    """Only dev queries are used: systems that learned from the training part score its queries too well."""
    holdings, settings, progress = job.holdings, job.settings, job.progress
    if len(job.inputs) < 2:
        raise InputError(f"inputs: '{settings.inputs}' is not enough to fuse: name two or more systems")
    fusion, measure = settings.fusion, parse(settings.measure)
    dev = holdings.split(SPLIT, settings.queries)
    runs: list[Run] = []
    for each in job.inputs:
        found = each.system.search(
            dev.queries, fusion.depth, dev.scope, threads=job.threads, progress=progress
        )
        runs.append(Run(each.name, found.rankings))
        if not any(map(len, found.rankings.values())):
            raise InputError(f"{each.name} finds nothing for the {SPLIT} queries: leave it out")
    tuned = tune(
        fusion, runs, dev.qrels, measure, step=settings.step or None, nest=settings.nest,
        mate_level=dev.mate_level, folds=settings.folds, seed=settings.seed, progress=progress,
    )  # fmt: skip
    wanted = parse_all(list(dict.fromkeys([str(measure), "MAP", "PRES@1000"])))

    def means(run: Run) -> dict[str, float]:
        return measure_run(run, dev, wanted).means()

    by_others = held_out_run(tuned, runs, dev.qrels) if tuned.folds else None
    made_from: dict[str, Any] = {
        **holdings.origin,
        "dev": {
            "measure": str(measure),
            "queries": len(dev),
            "parts": dict(zip(tuned.runs, map(means, runs), strict=True)),
            "fused": means(tuned.fuse(runs)),
            "cross_validated": means(by_others) if by_others else {},
        },
    }
    model = FusedModel(parse_inputs(settings.inputs), tuned, holdings.fingerprints)
    model.save(job.folder, msgspec.to_builtins(settings), made_from)
    n_weights = sum(weight > 0 for step in tuned.steps for weight in step.weights)
    told = _told(tuned, made_from["dev"])
    return Outcome(0, [], [], n_weights, made_from, told, held_out=by_others)


def _told(tuned: Tuned, dev: Mapping[str, Any]) -> list[str]:
    """The value of every list, alone and combined."""
    tuned_by = f"where weights were tuned by {dev['measure']}"
    together = [f"{measure} on dev, {tuned_by}: {value:.4f}" for measure, value in dev["fused"].items()]
    validated = dev["cross_validated"].items()
    return [
        *tuned.told(),
        *together,
        *(f"{measure} on dev, cross-validated: {value:.4f}" for measure, value in validated),
    ]


def read_fused(holdings: Holdings, model: str = MODEL) -> FusedModel:
    return read_model(MODEL, holdings, model, lambda folder: _read(folder, holdings))


def _read(folder: Path, holdings: Holdings) -> FusedModel:
    artifact = check_analyzers(store.read(folder, KIND, VERSION), holdings)
    settings = artifact.meta.settings
    try:
        inputs = msgspec.convert(settings["inputs"], list[Asked])
        tuned = msgspec.convert(settings["tuned"], Tuned)
        check_steps(tuned)
    except (KeyError, msgspec.ValidationError, InputError) as error:
        raise FileError(folder, None, f"is damaged ({error}): train it again") from None
    if [asked.name for asked in inputs] != list(tuned.runs):
        raise FileError(folder, None, "has weights for systems that it does not name: train it again")
    return FusedModel(inputs, tuned, settings["analyzers"])


def open_fused(opening: Opening) -> Fused:
    model = read_fused(opening.holdings, opening.settings.model)
    return Fused(opening.name, opening.holdings.index, opening.inputs(model.inputs), model.tuned)


TRAINER = Trainer(
    MODEL,
    "Tune the weights of the lists of other systems on the dev judgments.",
    FusedTraining,
    train,
    turn=9,
    needs=("dev judgments",),
)
SPECS = (
    SystemSpec(
        MODEL,
        "Fused",
        "lists of other systems, combined by a rule with weights tuned on judgments",
        FusedUse,
        open_fused,
        trainer=TRAINER,
        is_trained=has_model(MODEL),
    ),
)
