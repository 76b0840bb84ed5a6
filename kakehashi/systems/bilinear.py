"""The system `bilinear`: a learned q'Wd over the inverted index."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi import store
from kakehashi.corpus.pairs import PairSettings
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.learn.bilinear import BilinearSettings, train_bilinear
from kakehashi.learn.bilinear_model import KIND, VERSION, Bilinear, Places, bilinear_of, weights_of
from kakehashi.learn.diagonal import train_diagonal
from kakehashi.learn.epochs import OnEpoch, Trained
from kakehashi.learn.pair_form import positions_of, train_pair_form
from kakehashi.learn.reverse import read_backwards
from kakehashi.learn.vectors import shared_words
from kakehashi.lexicon.correlated import position_of
from kakehashi.progress import Progress
from kakehashi.query.bilinear import Projected
from kakehashi.query.reading import SOURCE, TARGET, Reading, keep_reading, open_reading
from kakehashi.retrieve.learned import Learned
from kakehashi.retrieve.sparse import Sparse
from kakehashi.settings import ModelName
from kakehashi.systems.models import check_analyzers, has_model, read_model
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.training.data import CorrelatedSettings, TrainingData, WordSettings, prepare
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.job import Job
from kakehashi.training.outcome import Outcome, outcome_of
from kakehashi.training.settings import combined, part

MODEL = "bilinear"


class BilinearUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trained model to use."""

    model: ModelName = "bilinear"


class BilinearPairs(PairSettings, frozen=True, forbid_unknown_fields=True):
    """Also pairs between levels: they raised dev measures by a tenth."""

    pairs: int = 200_000
    multipartite: bool = True


class BilinearSteps(BilinearSettings, frozen=True, forbid_unknown_fields=True):
    """Penalties and epochs that were best on the dev splits of the available collections."""

    l1: float = 2e-6
    epochs: int = 6


class PathSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search for the best l1, in log space."""

    l1_steps: Annotated[
        int,
        Meta(
            description="Search for the best `l1` on dev with this many values, from `l1_high` down to `l1_low` in "
            "equal steps of the logarithm, and keep the best. 0 uses `l1` as given."
        ),
    ] = 0
    l1_runs: Annotated[
        Literal["separate", "warm"],
        Meta(
            description="`l1_steps`: `separate` learns from zero with every value; `warm` starts from the weights of "
            "the stronger one before, which is faster and may end lower."
        ),
    ] = "separate"
    l1_low: Annotated[float, Meta(description="Smallest `l1` of the search.")] = 1e-8
    l1_high: Annotated[float, Meta(description="Largest `l1` of the search, with which it starts.")] = 1e-4


class ReverseSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hashed weights, and how they can be read."""

    readable: Annotated[
        int,
        Meta(
            description="Hashed layouts: how many of the strongest weights are kept together with the pairs of "
            "words they stand for, so that `show pairs` can name them; 0 keeps none."
        ),
    ] = 100_000


class PathStep(msgspec.Struct, frozen=True):
    """The result of one penalty."""

    l1: float
    measure: float
    nonzero_weights: int
    epoch: int

    def told(self, measure: str) -> str:
        kept = f"{self.nonzero_weights} weights after epoch {self.epoch}"
        return f"l1 {self.l1:.3g}: {measure} on dev {self.measure:.4f}, {kept}"


BilinearTraining = combined(
    "BilinearTraining",
    "Training settings of `bilinear`.",
    BilinearPairs,
    WordSettings,
    CorrelatedSettings,
    BilinearSteps,
    DevSettings,
    PathSettings,
    ReverseSettings,
)


def train(job: Job) -> Outcome:
    """Sample, train, stop when the dev measure no longer improves; the pairs are kept next to the model."""
    holdings, folder, settings, progress = job.holdings, job.folder, job.settings, job.progress
    words, pairs = part(settings, WordSettings), part(settings, PairSettings)
    if words.document_vectors != "binary" and not words.unit:
        raise InputError("unit=false needs binary document vectors, because others have no largest value")
    correlated = part(settings, CorrelatedSettings)
    data = prepare(holdings, words, pairs, folder, progress, correlated=correlated)
    dev = DevSet(holdings, part(settings, DevSettings))

    def measure(trained: Trained) -> float:
        return dev.measure(bilinear_system(MODEL, data.reading, _model(data, trained, holdings)))

    own = part(settings, BilinearSettings)
    judge = measure if len(dev) else None
    path: list[PathStep] = []
    if settings.l1_steps:
        trained, path = follow_path(data, own, part(settings, PathSettings), judge, job.threads, progress)
    else:
        trained = learn(data, own, judge, job.threads, progress)
    outcome = outcome_of(trained, trained.n_nonzero, holdings, data, dev)
    outcome.made_from["nonzero_by_epoch"] = trained.sizes
    outcome.made_from["l1_path"] = [msgspec.to_builtins(step) for step in path]
    keep_reading(folder, data.reading)
    model = _model(data, trained, holdings)
    if settings.readable and isinstance(model.weights, Places):
        collisions, reverse = read_backwards(
            data.blocks, data.queries, data.documents, trained, settings.readable, progress
        )
        model = replace(model, collisions=collisions, reverse=reverse)
    model.save(folder, msgspec.to_builtins(settings), outcome.made_from, settings.seed)
    return replace(outcome, told=[step.told(settings.measure) for step in path])


def learn(
    data: TrainingData,
    settings: BilinearSettings,
    judge: OnEpoch | None,
    threads: int,
    progress: Progress,
    start: Trained | None = None,
) -> Trained:
    sizes = len(data.query_words), len(data.document_words)
    if data.reading.by_position:
        sides = data.query_words, data.document_words
        positions = positions_of(sides[0].terms, position_of), positions_of(sides[1].terms, position_of)
        return train_pair_form(
            data.blocks, data.queries, data.documents, positions, settings, judge, progress
        )
    if settings.shape == "diagonal":
        same = shared_words(data.query_words, data.document_words)
        return train_diagonal(
            data.blocks, data.queries, data.documents, same, sizes[1], settings, judge, progress
        )
    return train_bilinear(
        data.blocks, data.queries, data.documents, *sizes, settings, judge, threads, progress, start
    )


def follow_path(
    data: TrainingData,
    settings: BilinearSettings,
    path: PathSettings,
    judge: OnEpoch | None,
    threads: int,
    progress: Progress,
) -> tuple[Trained, list[PathStep]]:
    """Penalties from strong to weak, each learned from zero or from the weights before; the best on dev is kept."""
    if judge is None:
        raise InputError("the search for l1 needs dev judgments: add qrels/dev.tsv or set l1_steps=0")
    best: Trained | None = None
    start: Trained | None = None
    steps: list[PathStep] = []
    for l1 in np.geomspace(path.l1_high, path.l1_low, path.l1_steps).tolist():
        found = learn(data, msgspec.structs.replace(settings, l1=l1), judge, threads, progress, start)
        steps.append(PathStep(l1, max(found.measures), found.n_nonzero, found.epoch))
        if best is None or max(found.measures) > max(best.measures):
            best = found
        start = found if path.l1_runs == "warm" else None
    assert best is not None
    return best, steps


def _model(data: TrainingData, trained: Trained, holdings: Holdings) -> Bilinear:
    weights = weights_of(trained, len(data.document_words))
    return Bilinear(data.query_words, data.document_words, weights, holdings.fingerprints)


def open_bilinear(opening: Opening) -> Sparse:
    model, reading = read_with_reading(opening.holdings, opening.settings.model)
    return bilinear_system(opening.name, reading, model)


def bilinear_system(name: str, reading: Reading, model: Bilinear) -> Sparse:
    index = reading.index
    weighting = Learned(model.document_words, model.document_words.from_index(index))
    return Sparse(name, Projected(model, reading), weighting, index)


def read_with_reading(holdings: Holdings, model: str = MODEL) -> tuple[Bilinear, Reading]:
    """A model and how it reads texts, checked against the index."""

    def read(folder: Path) -> tuple[Bilinear, Reading]:
        artifact = check_analyzers(store.read(folder, KIND, VERSION), holdings)
        trained = artifact.meta.settings["training"]
        rewritten = bool(trained.get("query_cfh")), bool(trained.get("document_cfh"))
        return bilinear_of(artifact), open_reading(holdings.index, folder, *rewritten)

    return read_model(MODEL, holdings, model, read)


def read_bilinear(holdings: Holdings, model: str = MODEL) -> Bilinear:
    """A model alone, independent of the index."""
    return read_model(MODEL, holdings, model, lambda folder: bilinear_of(store.read(folder, KIND, VERSION)))


TRAINER = Trainer(
    MODEL,
    "Learn weights for pairs of query and document words from the training judgments.",
    BilinearTraining,
    train,
    turn=2,
    parts=("", SOURCE, TARGET),
    needs=("train judgments",),
)
SPECS = (
    SystemSpec(
        MODEL,
        "Sparse",
        "learned weights of word pairs, q'Wd, trained on citations",
        BilinearUse,
        open_bilinear,
        trainer=TRAINER,
        is_trained=has_model(MODEL),
        quick=True,
    ),
)
