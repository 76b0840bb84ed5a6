"""The system `boosted`: weights of bilingual n-grams, chosen by boosting, over the inverted index."""

import shutil
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from kakehashi import store
from kakehashi.index.index import Index
from kakehashi.index.ngrams import index_ngrams
from kakehashi.learn.boosted_model import KIND, VERSION, BoostedModel, boosted_of
from kakehashi.progress import SILENT, Progress
from kakehashi.query.boosted import BoostedQuery
from kakehashi.retrieve.learned import Learned
from kakehashi.retrieve.models import check_analyzers, read_model
from kakehashi.retrieve.sparse import Scope, Sparse
from kakehashi.settings import ModelName

NGRAMS = "ngrams-{}"


class BoostedUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which trained model answers."""

    model: ModelName = "boosted"
    beta: Annotated[
        float,
        Meta(
            description="Weight of a word that query and document spell alike; below 0, the value found in "
            "training."
        ),
    ] = -1.0


def open_boosted(name: str, index: Index, settings: BoostedUse, scope: Scope) -> Sparse:
    model, grams = read_model("boosted", index, settings.model, read_with_index)
    return boosted_system(name, grams, model, scope, settings.beta if settings.beta >= 0.0 else model.beta)


def boosted_system(name: str, index: Index, model: BoostedModel, scope: Scope, beta: float) -> Sparse:
    """Over an index that has the model's n-grams."""
    words = model.pairs.document_words
    weighting = Learned(words, words.from_index(index))
    return Sparse(name, BoostedQuery(model, index, beta), weighting, index, scope)


def read_with_index(folder: Path, index: Index) -> tuple[BoostedModel, Index]:
    """A model and the index in its n-grams, checked against the collection's index."""
    artifact = store.read(folder, KIND, VERSION)
    check_analyzers(artifact, index)
    return boosted_of(artifact), gram_index(
        index, folder, artifact.meta.settings["training"].get("ngrams", 1)
    )


def read_boosted(folder: Path) -> BoostedModel:
    return boosted_of(store.read(folder, KIND, VERSION))


def gram_index(index: Index, folder: Path, n: int, progress: Progress = SILENT) -> Index:
    """The collection's index in n-grams, kept beside the model; the index itself if it has them."""
    return index_ngrams(index, n, folder / NGRAMS.format(n), progress)


def forget_other_ngrams(folder: Path, n: int) -> None:
    """Remove what an earlier model of other n-grams has left."""
    for found in folder.glob(NGRAMS.format("*")):
        if found.name != NGRAMS.format(n):
            shutil.rmtree(found, ignore_errors=True)
