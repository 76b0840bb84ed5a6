"""The system `lowrank`: trained U and V, kept as an artifact and opened over an index."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.errors import FileError
from kakehashi.index.index import Index
from kakehashi.learn.vectors import read_words
from kakehashi.retrieve.dense import Dense
from kakehashi.retrieve.document_vectors import document_vectors
from kakehashi.retrieve.models import check_analyzers, model_folder, read_model
from kakehashi.retrieve.projection import Linear, Projection
from kakehashi.retrieve.sparse import Scope
from kakehashi.settings import ModelName
from kakehashi.store import Array, Artifact

KIND, VERSION = "lowrank", 2
VECTORS = "vectors"  # the folder of document vectors inside that of the model


class LowRankUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which trained model answers."""

    model: ModelName = "lowrank"


def open_lowrank(name: str, index: Index, settings: LowRankUse, scope: Scope) -> Dense:
    model = read_model("lowrank", index, settings.model, _read)
    return open_dense(name, index, model, settings.model, scope)


def open_dense(name: str, index: Index, model: Projection, folder: str, scope: Scope) -> Dense:
    """Document vectors are kept beside the model and made anew when index or model have changed."""
    vectors = document_vectors(index, model, model_folder(index, folder) / VECTORS)
    return Dense(name, model, index, scope, vectors)


def save_lowrank(
    folder: Path, model: Linear, settings: Mapping[str, Any], made_from: Mapping[str, Any], seed: int
) -> None:
    """`settings` are the training's and the fingerprints of the analyzers."""
    with store.Writer(folder, KIND, VERSION) as writer:
        writer.put(linear_arrays(model))
        writer.commit({**linear_settings(model), **settings}, made_from, seed)


def linear_arrays(model: Linear) -> dict[str, Array]:
    arrays = {**model.query_words.arrays("query"), **model.document_words.arrays("document"), "u": model.u}
    return arrays | {"shared": model.shared} | ({} if model.v is model.u else {"v": model.v})


def linear_settings(model: Linear) -> dict[str, Any]:
    return {
        "query_words": model.query_words.settings(),
        "document_words": model.document_words.settings(),
        "cosine": model.cosine,
    }


def linear_of(artifact: Artifact) -> Linear:
    query_words, document_words = read_words(artifact, "query"), read_words(artifact, "document")
    u = artifact.array("u")
    v = artifact.array("v") if "v" in artifact else u
    if u.shape[:1] != (len(query_words),) or v.shape != (len(document_words), u.shape[1]):
        raise FileError(artifact.folder, None, "holds arrays that do not fit its words: train it again")
    shared = np.asarray(artifact.array("shared"))
    return Linear(query_words, document_words, u, v, shared, artifact.meta.settings["cosine"])


def _read(folder: Path, index: Index) -> Linear:
    artifact = store.read(folder, KIND, VERSION)
    check_analyzers(artifact, index)
    artifact.map_all()
    return linear_of(artifact)
