"""The system `boosted`: weights of bilingual n-grams, chosen by bagged boosting, over the inverted index."""

import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kakehashi import store
from kakehashi.corpus import judged_pool, pair_draws
from kakehashi.corpus.pairs import PairSettings
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.ngrams import index_ngrams
from kakehashi.learn.boosted_model import KIND, VERSION, BoostedModel, average, boosted_of
from kakehashi.learn.boosting import BoostingSettings, Rounds
from kakehashi.learn.vectors import take
from kakehashi.progress import SILENT, Progress
from kakehashi.query.boosted import BoostedQuery
from kakehashi.retrieve.learned import Learned
from kakehashi.retrieve.sparse import Sparse
from kakehashi.settings import ModelName
from kakehashi.systems.models import check_analyzers, has_model, read_model
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.training.boosting_jobs import SAMPLES, boost_samples, put_work, work_key
from kakehashi.training.data import Vectors, WordSettings, make_vectors, pool_of, training_judgments
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.job import Job
from kakehashi.training.outcome import Outcome
from kakehashi.training.settings import combined, part

MODEL, NGRAMS = "boosted", "ngrams-{}"
MOST_INSTANCES = 100_000  # default size of a sample
MOST_IN_MEMORY = 10_000_000


class BoostedUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trained model to use."""

    model: ModelName = "boosted"
    beta: Annotated[
        float,
        Meta(
            description="Weight of a word that query and document share; below 0, the value found in "
            "training."
        ),
    ] = -1.0


class BaggingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Number, size and kind of samples."""

    ngrams: Annotated[
        int,
        Meta(
            description="Longest n-grams on either side, 1 to 5: 1 uses single words, 2 also pairs of neighbouring "
            "words."
        ),
    ] = 2
    samples: Annotated[
        int,
        Meta(description="Number of models that are averaged, each trained on its own sample; 1 to 1000."),
    ] = 20
    instances: Annotated[
        int,
        Meta(description="Size of a sample; 0 means `per_query` for each training query, at most 100,000."),
    ] = 0
    per_query: Annotated[int, Meta(description="Instances each time a query is drawn, 1 to 1000.")] = 10
    multipartite: Annotated[
        bool,
        Meta(
            description="Draw the lower document of an instance equally often from every relevance level below the "
            "positive's. If false, it is any document of a lower level, nearly always an irrelevant "
            "one."
        ),
    ] = True
    seed: Annotated[int, Meta(description="Random seed for all samples.")] = 1

    def __post_init__(self) -> None:
        if not 1 <= self.ngrams <= 5:
            raise InputError(f"ngrams must be 1 to 5, not {self.ngrams}")
        if not 1 <= self.samples <= 1000:
            raise InputError(f"samples must be 1 to 1000, not {self.samples}")
        if not 0 <= self.instances <= MOST_IN_MEMORY:
            raise InputError(f"instances must be 0 to {MOST_IN_MEMORY:,}, not {self.instances}")
        if not 1 <= self.per_query <= 1000:
            raise InputError(f"per_query must be 1 to 1000, not {self.per_query}")
        if self.seed < 0:
            raise InputError(f"seed must be 0 or more, not {self.seed}")


class GramSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which words and n-grams a model may choose."""

    query_words: Annotated[
        int, Meta(description="How many of the most frequent n-grams of the queries are used; 0 uses all.")
    ] = 30_000
    document_words: Annotated[
        int, Meta(description="How many of the most frequent n-grams of the documents are used; 0 uses all.")
    ] = 30_000
    query_share: Annotated[
        float, Meta(description="Leave out n-grams that occur in more than this share of the queries.")
    ] = 0.5
    document_share: Annotated[
        float, Meta(description="Leave out n-grams that occur in more than this share of the documents.")
    ] = 0.5

    def __post_init__(self) -> None:
        for name in ("query_words", "document_words", "query_share", "document_share"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(f"{name} must not be negative")


class PassThroughSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weight β of words that both languages share."""

    beta: Annotated[
        float,
        Meta(
            description="Weight of a word that query and document share; below 0, the best of `betas` on dev, "
            "or 0 if there are no dev queries."
        ),
    ] = -1.0
    betas: Annotated[str, Meta(description="Values of `beta` to try on dev, separated by spaces.")] = (
        "0 0.05 0.1 0.2 0.3 0.5 0.8 1.2 1.6 2.4 3.6 5"
    )

    def __post_init__(self) -> None:
        if not math.isfinite(self.beta):
            raise InputError(f"beta must be a number, not {self.beta}")
        self.choices()

    def choices(self) -> list[float]:
        try:
            found = [float(each) for each in self.betas.split()]
        except ValueError:
            found = []
        if not found or not all(0.0 <= each < math.inf for each in found):
            raise InputError(f"betas must be numbers of at least 0, separated by spaces, not '{self.betas}'")
        return found


PARTS = (BaggingSettings, GramSettings, BoostingSettings, PassThroughSettings, DevSettings)
BoostedTraining = combined("BoostedTraining", "Training settings of `boosted`.", *PARTS)


def train(job: Job) -> Outcome:
    """Boost each sample, average them, tune β on dev; samples are kept next to the model for the next training."""
    for kind in PARTS:
        part(job.settings, kind)  # checks itself before anything slow
    training_judgments(job.holdings.collection)
    dev = DevSet(job.holdings, part(job.settings, DevSettings))
    with store.locked(job.folder / SAMPLES):  # the model's own folder is locked when it is saved
        return _train(job, dev)


def _train(job: Job, dev: DevSet) -> Outcome:
    holdings, folder, settings, progress = job.holdings, job.folder, job.settings, job.progress
    grams = gram_index(holdings, folder, settings.ngrams, progress)
    vectors = put_jobs(holdings.over(grams), folder, settings, progress)
    samples = boost_samples(folder, range(settings.samples), job.threads, progress)
    model = average(samples, vectors.query_words, vectors.document_words, holdings.fingerprints)
    curve = pass_through_curve(model, grams, dev, part(settings, PassThroughSettings))
    beta = max(curve, key=lambda each: curve[each]) if curve else max(0.0, settings.beta)
    model = replace(model, beta=beta)
    outcome = _outcome(model, samples, work_key(folder), holdings, dev, curve)
    if not outcome.n_weights:
        raise InputError("nothing was learned: no feature distinguishes a document from a less relevant one")
    model.save(folder, msgspec.to_builtins(settings), outcome.made_from, settings.seed)
    forget_other_ngrams(folder, settings.ngrams)
    return outcome


def put_jobs(holdings: Holdings, folder: Path, settings: Any, progress: Progress = SILENT) -> Vectors:
    """Write what the jobs of a training need; the index of the holdings is that of the n-grams."""
    judged = training_judgments(holdings.collection)
    pool, places = pool_of(holdings, "train")
    pairs = _pairs(settings, 1)
    ids = sorted(judged)
    judgments = judged_pool.read_judgments(judged, ids, pool, pairs.negatives != pair_draws.UNLISTED)
    usable = [ids[i] for i in judgments.usable.tolist()]
    if not usable:
        raise InputError(
            "no training query has a relevant document among those of the pool: check qrels/train.tsv"
        )
    chosen = part(settings, GramSettings)
    words = WordSettings(
        chosen.query_words, chosen.document_words, chosen.query_share, chosen.document_share, unit=False
    )
    vectors = make_vectors(holdings, usable, words, folder, progress)
    put_work(
        folder,
        vectors.query_words,
        vectors.document_words,
        vectors.queries,
        take(vectors.documents, places),
        judgments,
        _pairs(settings, len(usable)),
        part(settings, BoostingSettings),
    )
    return vectors


def _pairs(settings: Any, n_queries: int) -> PairSettings:
    wanted = settings.instances or min(MOST_INSTANCES, settings.per_query * n_queries)
    return PairSettings("bootstrap", wanted, settings.per_query, settings.multipartite, seed=settings.seed)


def pass_through_curve(
    model: BoostedModel, grams: Index, dev: DevSet, settings: PassThroughSettings
) -> dict[float, float]:
    """β -> the measure on dev; empty if β is given or there is nothing to measure on."""
    if settings.beta >= 0.0 or not len(dev):
        return {}
    return {beta: dev.measure(boosted_system(MODEL, grams, model, beta)) for beta in settings.choices()}


def _outcome(
    model: BoostedModel,
    samples: list[Rounds],
    work: str,
    holdings: Holdings,
    dev: DevSet,
    curve: dict[float, float],
) -> Outcome:
    made_from = {
        **holdings.origin,
        "work": work,
        "samples": len(samples),
        "rounds": [len(sample) for sample in samples],
        "losses": [_losses(sample) for sample in samples],
        "features": len(model.rounds),
        "dev": {
            "measure": dev.settings.measure,
            "queries": len(dev),
            "by_beta": [[beta, value] for beta, value in curve.items()],
        },
    }
    return Outcome(0, [], [], len(model.rounds), made_from, _told(samples, dev, curve))


def _told(samples: list[Rounds], dev: DevSet, curve: dict[float, float]) -> list[str]:
    """The losses of the samples, and how β was chosen."""
    lines = [
        f"sample {number}: {len(sample)} rounds, "
        f"loss {' to '.join(f'{loss:.6g}' for loss in _losses(sample)) or 'unchanged'}"
        for number, sample in enumerate(samples, 1)
    ]
    if not curve:
        return [*lines, "beta was not tuned: it was given, or there are no dev queries"]
    measure = dev.settings.measure
    return lines + [f"beta {beta:g}: {measure} on dev {value:.4f}" for beta, value in curve.items()]


def _losses(sample: Rounds) -> list[float]:
    """Before the first round and before the last one; empty if there was none."""
    return [float(sample.totals[0]), float(sample.totals[-1])] if len(sample) else []


def open_boosted(opening: Opening) -> Sparse:
    model, grams = read_with_grams(opening.holdings, opening.settings.model)
    beta = opening.settings.beta if opening.settings.beta >= 0.0 else model.beta
    return boosted_system(opening.name, grams, model, beta)


def boosted_system(name: str, index: Index, model: BoostedModel, beta: float) -> Sparse:
    """Over an index that has the model's n-grams."""
    words = model.pairs.document_words
    weighting = Learned(words, words.from_index(index))
    return Sparse(name, BoostedQuery(model, index, beta), weighting, index)


def read_with_grams(holdings: Holdings, model: str = MODEL) -> tuple[BoostedModel, Index]:
    """A model and the index in its n-grams, checked against the collection's index."""

    def read(folder: Path) -> tuple[BoostedModel, Index]:
        artifact = check_analyzers(store.read(folder, KIND, VERSION), holdings)
        ngrams = artifact.meta.settings["training"].get("ngrams", 1)
        return boosted_of(artifact), gram_index(holdings, folder, ngrams)

    return read_model(MODEL, holdings, model, read)


def read_boosted(holdings: Holdings, model: str = MODEL) -> BoostedModel:
    """A model alone, independent of the index."""
    return read_model(MODEL, holdings, model, lambda folder: boosted_of(store.read(folder, KIND, VERSION)))


def gram_index(holdings: Holdings, folder: Path, n: int, progress: Progress = SILENT) -> Index:
    """The collection's index with n-grams, kept next to the model; the index itself if it has them."""
    return index_ngrams(holdings, n, folder / NGRAMS.format(n), progress)


def forget_other_ngrams(folder: Path, n: int) -> None:
    """Remove the index of an earlier model with other n-grams."""
    for found in folder.glob(NGRAMS.format("*")):
        if found.name != NGRAMS.format(n):
            shutil.rmtree(found, ignore_errors=True)


TRAINER = Trainer(
    MODEL,
    "Choose pairs of n-grams by boosting on samples of the training judgments; rerun to resume.",
    BoostedTraining,
    train,
    turn=6,
    needs=("train judgments",),
)
SPECS = (
    SystemSpec(
        MODEL,
        "Sparse",
        "learned pairs of n-grams, chosen by bagged boosting on citations",
        BoostedUse,
        open_boosted,
        trainer=TRAINER,
        is_trained=has_model(MODEL),
        quick=True,
    ),
)
