"""The system `lowrank`: learned short vectors of both languages, (Uq)·(Vd)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi import store
from kakehashi.corpus.pairs import PairSettings
from kakehashi.errors import FileError, InputError
from kakehashi.learn.lowrank import UNSHARED, LowRank, LowRankSettings, joined, train_lowrank
from kakehashi.learn.vectors import Values, read_words, shared_words
from kakehashi.retrieve.document_vectors import document_vectors
from kakehashi.retrieve.projection import LowRankProjection, Projection
from kakehashi.retrieve.vector_search import VectorSearch
from kakehashi.settings import ModelName
from kakehashi.soundness import finite, typed, within
from kakehashi.store import Artifact
from kakehashi.systems.models import check_analyzers, has_model, read_model
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.training.data import TrainingData, WordSettings, prepare, training_judgments
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.hard import HardSettings, hard_negatives
from kakehashi.training.job import Job
from kakehashi.training.outcome import Outcome, outcome_of
from kakehashi.training.settings import combined, part
from kakehashi.types import Array, Qrels

MODEL, KIND, VERSION = "lowrank", "lowrank", 2
VECTORS = "vectors"  # the folder of document vectors inside the model's folder


class LowRankUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trained model to use."""

    model: ModelName = "lowrank"


class LowRankPairs(PairSettings, frozen=True, forbid_unknown_fields=True):
    """Steps are cheap, and a hard negative must be met often."""

    pairs: Annotated[
        int,
        Meta(
            description="Maximum number of pairs in each bag; sampling ends with the group that reaches it."
        ),
    ] = 1_000_000
    per_relevant: Annotated[
        int,
        Meta(
            description="Maximum number of pairs in each bag for one relevant document of the training judgments: few "
            "judgments do not teach more by being repeated."
        ),
    ] = 100
    bags: Annotated[
        int,
        Meta(
            description="How many models are trained, each from other values and on other pairs; the score is their "
            "mean. Several small ones are better than a large one and cost no more."
        ),
    ] = 3

    def __post_init__(self) -> None:
        PairSettings.__post_init__(self)
        for name in ("bags", "per_relevant"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}")

    def drawn(self, qrels: Qrels) -> PairSettings:
        """How all pairs of all bags are drawn."""
        relevant = sum(level > 0 for judged in qrels.values() for level in judged.values())
        n = self.bags * min(self.pairs, self.per_relevant * max(relevant, 1))
        return PairSettings(self.scheme, n, self.per_query, self.multipartite, self.margin, self.seed)


class LowRankWords(WordSettings, frozen=True, forbid_unknown_fields=True):
    """Dense vectors cost the same for any number of words, so all are used."""

    query_words: int = 0
    document_words: int = 0
    query_share: float = 0.5
    document_share: float = 0.5
    query_vectors: Values = "tfidf"
    document_vectors: Values = "tfidf"


class LowRankUseSettings(LowRankSettings, frozen=True, forbid_unknown_fields=True):
    """Defaults for two languages, and how vectors are compared."""

    rate: float = 0.05
    epochs: int = 2
    rank: Annotated[int, Meta(description="Length of the vectors of each bag.")] = 70
    noise: float = 1.0
    identity: bool = True
    cosine: Annotated[
        bool,
        Meta(
            description="Normalise vectors to equal length before comparing them in a search; training does not."
        ),
    ] = True


LowRankTraining = combined(
    "LowRankTraining",
    "Training settings of `lowrank`.",
    LowRankPairs,
    HardSettings,
    LowRankWords,
    LowRankUseSettings,
    DevSettings,
)


def train(job: Job) -> Outcome:
    """Sample, train, stop when the dev measure no longer improves; the pairs are kept next to the model.

    Threads are used only for measuring on dev: training steps are sequential.
    """
    holdings, settings, progress = job.holdings, job.settings, job.progress
    own = part(settings, LowRankSettings)
    words, pairs = part(settings, WordSettings), part(settings, LowRankPairs)
    data = prepare(
        holdings,
        words,
        pairs.drawn(training_judgments(holdings.collection)),
        job.folder,
        progress,
        one_vocabulary=own.tied,
        hard=lambda pool: hard_negatives(job, part(settings, HardSettings), pool),
    )
    dev = DevSet(holdings, part(settings, DevSettings))

    def measure(trained: LowRank) -> float:
        model = _model(data, trained, settings.cosine)
        return dev.measure(VectorSearch(MODEL, model, holdings.index), job.threads)

    shared = shared_words(data.query_words, data.document_words) if own.identity else UNSHARED

    def one(bag: int) -> LowRank:
        return train_lowrank(
            lambda: data.blocks(bag, settings.bags),
            data.queries,
            data.documents,
            len(data.query_words),
            len(data.document_words),
            own,
            np.random.default_rng([settings.seed, bag]),
            shared,
            measure if len(dev) else None,
            progress,
        )

    bags = [one(bag) for bag in range(settings.bags)]
    trained = joined(bags)
    n_weights = np.count_nonzero(trained.u) + (0 if own.tied else np.count_nonzero(trained.v))
    outcome = outcome_of(trained, int(n_weights), holdings, data, dev)
    if len(bags) > 1:
        outcome.made_from["bags"] = [{"epoch": bag.epoch, "by_epoch": bag.measures} for bag in bags]
        outcome = replace(outcome, told=_told(bags, settings.measure, measure(trained)) if len(dev) else ())
    kept = {"training": msgspec.to_builtins(settings), "analyzers": holdings.fingerprints}
    save_lowrank(job.folder, _model(data, trained, settings.cosine), kept, outcome.made_from, settings.seed)
    return outcome


def _told(bags: Sequence[LowRank], name: str, together: float) -> list[str]:
    each = [
        f"bag {number}: {name} on dev {max(bag.measures):.4f} after epoch {bag.epoch}"
        for number, bag in enumerate(bags, 1)
    ]
    return [*each, f"their mean: {name} on dev {together:.4f}"]


def _model(data: TrainingData, trained: LowRank, cosine: bool) -> LowRankProjection:
    words = data.query_words, data.document_words
    return LowRankProjection(*words, trained.u, trained.v, trained.shared, cosine)


def save_lowrank(
    folder: Path,
    model: LowRankProjection,
    settings: Mapping[str, Any],
    made_from: Mapping[str, Any],
    seed: int,
) -> None:
    """`settings` are those of the training, with the fingerprints of the analyzers."""
    with store.Writer(folder, KIND, VERSION) as writer:
        writer.put(projection_arrays(model))
        writer.commit({**projection_settings(model), **settings}, made_from, seed)


def projection_arrays(model: LowRankProjection) -> dict[str, Array]:
    arrays = {**model.query_words.arrays("query"), **model.document_words.arrays("document"), "u": model.u}
    return arrays | {"shared": model.shared} | ({} if model.v is model.u else {"v": model.v})


def projection_settings(model: LowRankProjection) -> dict[str, Any]:
    return {
        "query_words": model.query_words.settings(),
        "document_words": model.document_words.settings(),
        "cosine": model.cosine,
    }


def projection_of(artifact: Artifact) -> LowRankProjection:
    query_words, document_words = read_words(artifact, "query"), read_words(artifact, "document")
    u = artifact.array("u")
    v = artifact.array("v") if "v" in artifact else u
    if u.shape[:1] != (len(query_words),) or v.shape != (len(document_words), u.shape[1]):
        raise FileError(artifact.folder, None, "contains arrays that do not fit its words: train it again")
    for name, array in (("u", u), ("v", v)):
        finite(name, typed(name, array, (np.float32,), None, None))
    shared = artifact.array("shared")
    typed("shared", shared, (np.int32,), len(query_words) if len(shared) else 0)
    within("shared", shared, len(document_words), -1)
    cosine = msgspec.convert(artifact.meta.settings["cosine"], bool)
    return LowRankProjection(query_words, document_words, u, v, shared, cosine)


def open_lowrank(opening: Opening) -> VectorSearch:
    def read(folder: Path) -> LowRankProjection:
        artifact = check_analyzers(store.read(folder, KIND, VERSION), opening.holdings)
        artifact.map_all()
        return projection_of(artifact)

    return open_vectors(opening, read_model(MODEL, opening.holdings, opening.settings.model, read))


def open_vectors(opening: Opening, model: Projection) -> VectorSearch:
    """Document vectors are kept next to the model and recomputed when the index or the model has changed."""
    index, folder = opening.holdings.index, opening.holdings.model_folder(opening.settings.model)
    return VectorSearch(opening.name, model, index, document_vectors(index, model, folder / VECTORS))


TRAINER = Trainer(
    MODEL,
    "Learn short vectors for the words of both languages from the training judgments.",
    LowRankTraining,
    train,
    turn=3,
    needs=("train judgments",),
)
SPECS = (
    SystemSpec(
        MODEL,
        "Vectors",
        "learned short vectors: (Uq)·(Vd), trained on citations",
        LowRankUse,
        open_lowrank,
        trainer=TRAINER,
        is_trained=has_model(MODEL),
        quick=True,
    ),
)
