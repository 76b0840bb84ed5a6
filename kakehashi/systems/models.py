"""Reads trained models, and rejects those that do not fit the index they are used with."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from kakehashi.errors import FileError, InputError, UnreadableError
from kakehashi.index.holdings import Holdings
from kakehashi.store import META, Artifact, reading

Model = TypeVar("Model")


def read_model(
    trainer: str, holdings: Holdings, name: str, read: Callable[[Path], Model], setting: str = ""
) -> Model:
    """What `read` finds in a model's folder; if it cannot, the message says how to train one."""
    folder = holdings.model_folder(name)
    try:
        with reading(folder):
            return read(folder)
    except UnreadableError:
        raise
    except FileError as error:
        own = "" if name == trainer else f" --name {name}"
        own += f" --set {setting}" if setting else ""
        raise InputError(f"{error} (kakehashi train {trainer} {holdings.folder}{own})") from None


def check_analyzers(artifact: Artifact, holdings: Holdings) -> Artifact:
    """Reject a model whose words come from other analyzers than those of the index."""
    trained: Mapping[str, str] = artifact.meta.settings["analyzers"]
    for side, name in holdings.fingerprints.items():
        if trained[side] != name:
            raise FileError(
                artifact.folder,
                None,
                f"was trained with the {side} analyzer {trained[side]}, the index has {name}: train it again",
            )
    return artifact


def has_model(name: str, part: str = "") -> Callable[[Holdings], bool]:
    """Whether a model of this name, or a part of it, exists next to the index."""
    return lambda holdings: (holdings.model_folder(name) / part / META).is_file()
