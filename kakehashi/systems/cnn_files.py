"""Models of the CNN rankers on disk: a network with its weight beside the first system, or the weights of several."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.fuse.tuned import Tuned, check_steps
from kakehashi.index.holdings import Holdings
from kakehashi.learn.asked import Asked
from kakehashi.learn.cnn_model import CnnModel, Filters
from kakehashi.learn.cnn_settings import SIDES
from kakehashi.learn.subwords import Subwords
from kakehashi.soundness import Unsound, finite, setting_count, typed
from kakehashi.store import Artifact
from kakehashi.systems.models import check_analyzers, read_model
from kakehashi.training.cnn import TEXT, Learned

KIND, WEIGHTS, VERSION = "cnn", "stacking", 2  # a network; the weights of several
STACKED = "cnn-stacked"


class CnnFile(NamedTuple):
    """A trained network as it lies on disk."""

    model: CnnModel
    names: dict[str, tuple[Sequence[str], Sequence[str]]]
    fields: list[str]
    first: Asked
    tuned: Tuned


def save_cnn(
    folder: Path, learned: Learned, first: Asked, tuned: Tuned, settings: msgspec.Struct, holdings: Holdings
) -> None:
    told = {
        "longest": {
            name: [filters.longest for filters in sides] for name, sides in learned.model.parts.items()
        },
        "layers": len(learned.model.layers),
        "match": learned.model.match,
        "subwords": learned.model.subwords is not None,
        "fields": learned.fields,
        "first": msgspec.to_builtins(first),
        "tuned": msgspec.to_builtins(tuned),
        "analyzers": holdings.fingerprints,
        "training": msgspec.to_builtins(settings),
    }
    with store.Writer(folder, KIND, VERSION) as writer:
        for name, sides in learned.model.parts.items():
            for side, filters, names in zip(SIDES, sides, learned.names[name], strict=True):
                writer.put(
                    {f"{name}.{side}.{key}": getattr(filters, key) for key in ("vectors", "w", "b")}
                    | store.strings_arrays(f"{name}.{side}.names", names)
                )
        for side, own in zip(SIDES, learned.model.subwords or (), strict=False):
            writer.put(
                {f"{side}.gram_vectors": own.vectors} | store.strings_arrays(f"{side}.grams", own.grams)
            )
        writer.put({f"mlp.{i}": layer for i, layer in enumerate(learned.model.layers)})
        writer.commit(told, learned.made_from, getattr(settings, "seed", None))


def save_stacked(
    folder: Path,
    models: Sequence[str],
    first: Asked,
    tuned: Tuned,
    settings: msgspec.Struct,
    holdings: Holdings,
    made_from: Mapping[str, Any],
) -> None:
    own = {
        "models": list(models),
        "first": msgspec.to_builtins(first),
        "tuned": msgspec.to_builtins(tuned),
        "analyzers": holdings.fingerprints,
        "training": msgspec.to_builtins(settings),
    }
    with store.Writer(folder, WEIGHTS, VERSION) as writer:
        writer.commit(own, made_from)


def read_cnn(trainer: str, holdings: Holdings, model: str) -> tuple[CnnFile, Path]:
    def read(folder: Path) -> CnnFile:
        artifact = check_analyzers(store.read(folder, KIND, VERSION), holdings)
        artifact.map_all()
        return _file_of(artifact)

    return read_model(trainer, holdings, model, read), holdings.model_folder(model)


def _file_of(artifact: Artifact) -> CnnFile:
    settings = artifact.meta.settings
    parts: dict[str, tuple[Filters, Filters]] = {}
    names: dict[str, tuple[Sequence[str], Sequence[str]]] = {}
    for name, longest in settings["longest"].items():
        sides, own = [], []
        for side, n in zip(SIDES, longest, strict=True):
            own.append(list(artifact.strings(f"{name}.{side}.names")))
            sides.append(_filters(artifact, f"{name}.{side}", len(own[-1]), n))
        parts[name], names[name] = (sides[0], sides[1]), (own[0], own[1])
    layers = tuple(artifact.array(f"mlp.{i}") for i in range(settings["layers"]))
    model = CnnModel(parts, layers, settings["match"], _subwords(artifact, parts))
    with store.reading(artifact.folder):
        width: int | None = sum(len(own.b) for sides in parts.values() for own in sides)
        if model.match == "maxsim":
            width = len(parts)  # a weight each
        elif model.match != "mean":
            raise Unsound(f"match is {model.match!r}")
        for i, layer in enumerate(model.layers):
            last = i + 1 == len(model.layers)
            finite("mlp", typed("mlp", layer, (np.float32,), width, 1 if last else None))
            width = layer.shape[1]
    return CnnFile(model, names, settings["fields"], *_asked(artifact))


def _subwords(
    artifact: Artifact, parts: dict[str, tuple[Filters, Filters]]
) -> tuple[Subwords, Subwords] | None:
    if not artifact.meta.settings["subwords"]:
        return None
    found = []
    with store.reading(artifact.folder):
        for side, filters in zip(SIDES, parts[TEXT], strict=True):
            grams, vectors = list(artifact.strings(f"{side}.grams")), artifact.array(f"{side}.gram_vectors")
            typed("gram_vectors", vectors, (np.float32,), len(grams), filters.vectors.shape[1])
            found.append(Subwords(grams, finite("gram_vectors", vectors)))
    return found[0], found[1]


def _filters(artifact: Artifact, name: str, n_names: int, longest: int) -> Filters:
    with store.reading(artifact.folder):
        vectors, w, b = (artifact.array(f"{name}.{key}") for key in ("vectors", "w", "b"))
        typed("b", b, (np.float32,), None)
        typed("vectors", vectors, (np.float32,), n_names, None)
        typed("w", w, (np.float32,), None, len(b))
        for array in (vectors, w, b):
            finite(name, array)
        if vectors.shape[1] < 1 or not len(w) or len(w) % vectors.shape[1]:
            raise Unsound(f"{name}.w does not fit the vectors")
        return Filters(vectors, w, b, setting_count({"longest": longest}, "longest", least=1))


def _asked(artifact: Artifact) -> tuple[Asked, Tuned]:
    settings = artifact.meta.settings
    try:
        first, tuned = msgspec.convert(settings["first"], Asked), msgspec.convert(settings["tuned"], Tuned)
        check_steps(tuned)
    except (KeyError, msgspec.ValidationError, InputError) as error:
        raise FileError(artifact.folder, None, f"is damaged ({error}): train it again") from None
    return first, tuned


def read_stacked(holdings: Holdings, model: str) -> tuple[list[str], Asked, Tuned]:
    """The models that are stacked, what they rerank, and the weights."""

    def read(folder: Path) -> tuple[list[str], Asked, Tuned]:
        artifact = check_analyzers(store.read(folder, WEIGHTS, VERSION), holdings)
        return artifact.meta.settings["models"], *_asked(artifact)

    return read_model(STACKED, holdings, model, read)
