"""The trained models of a collection: where they lie, and whether they fit the index they are used with."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from kakehashi.errors import FileError, InputError
from kakehashi.index.index import Index
from kakehashi.store import Artifact

Model = TypeVar("Model")


def model_folder(index: Index, name: str) -> Path:
    """Beside the index."""
    if not name or Path(name).name != name or name.startswith("."):
        raise InputError(f"'{name}' is no name for a model: use letters, digits and hyphens")
    return index.folder.parent / "models" / name


def read_model(system: str, index: Index, name: str, read: Callable[[Path, Index], Model]) -> Model:
    """What `read` finds in a model's folder; if it cannot, the message says how to train one."""
    try:
        return read(model_folder(index, name), index)
    except FileError as error:
        own = "" if name == system else f" --name {name}"
        raise InputError(f"{error} (kakehashi train {system} {index.folder.parent}{own})") from None


def fingerprints(index: Index) -> dict[str, str]:
    """What a model's artifact says of the analyzers it was trained with."""
    return {"query": index.source_analyzer.fingerprint, "document": index.analyzer.fingerprint}


def check_analyzers(artifact: Artifact, index: Index) -> None:
    """Refuse a model whose words were made otherwise than those of the index."""
    trained: Mapping[str, str] = artifact.meta.settings["analyzers"]
    for side, name in fingerprints(index).items():
        if trained[side] != name:
            raise FileError(
                artifact.folder,
                None,
                f"was trained with the {side} analyzer {trained[side]}, the index has {name}: train it again",
            )
