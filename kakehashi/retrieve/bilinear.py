"""The system `bilinear`: a learned q'Wd over the inverted index."""

from pathlib import Path

import msgspec

from kakehashi import store
from kakehashi.index.index import Index
from kakehashi.learn.bilinear_model import KIND, VERSION, Bilinear, bilinear_of
from kakehashi.query.bilinear import Projected
from kakehashi.query.reading import Reading, open_reading
from kakehashi.retrieve.learned import Learned
from kakehashi.retrieve.models import check_analyzers, read_model
from kakehashi.retrieve.sparse import Scope, Sparse
from kakehashi.settings import ModelName


class BilinearUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which trained model answers."""

    model: ModelName = "bilinear"


def open_bilinear(name: str, index: Index, settings: BilinearUse, scope: Scope) -> Sparse:
    model, reading = read_model("bilinear", index, settings.model, read_with_index)
    return bilinear_system(name, reading, model, scope)


def bilinear_system(name: str, reading: Reading, model: Bilinear, scope: Scope) -> Sparse:
    index = reading.index
    weighting = Learned(model.document_words, model.document_words.from_index(index))
    return Sparse(name, Projected(model, reading), weighting, index, scope)


def read_with_index(folder: Path, index: Index) -> tuple[Bilinear, Reading]:
    """A model and how it reads, checked against the index."""
    artifact = store.read(folder, KIND, VERSION)
    check_analyzers(artifact, index)
    trained = artifact.meta.settings["training"]
    rewritten = bool(trained.get("query_cfh")), bool(trained.get("document_cfh"))
    return bilinear_of(artifact), open_reading(index, folder, *rewritten)
