"""The state of a CNN training between two epochs, kept in the model's folder until the model is saved."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kakehashi import store
from kakehashi.learn.steps import Tick

if TYPE_CHECKING:  # PyTorch is imported by a training only
    from kakehashi.learn.cnn_training import State

FOLDER, KIND, VERSION = "checkpoint", "cnn-checkpoint", 1
_ARRAYS = ("weights", "first", "second", "best")


def save_state(folder: Path, state: "State", made_from: Mapping[str, Any]) -> None:
    with store.Writer(folder / FOLDER, KIND, VERSION) as writer:
        for kind in _ARRAYS:
            writer.put({f"{kind}.{name}": array for name, array in getattr(state, kind).items()})
        told = {
            "epoch": state.epoch,
            "steps": state.steps,
            "best_epoch": state.best_epoch,
            "measures": state.measures,
            "curve": [[tick.epoch, tick.pairs, tick.loss, tick.error] for tick in state.curve],
        }
        writer.commit(told, made_from)


def read_state(folder: Path, made_from: Mapping[str, Any]) -> "State | None":
    """None where nothing was begun with the same data and settings."""
    return store.read_kept(folder / FOLDER, KIND, VERSION, made_from, _state)


def _state(artifact: store.Artifact) -> "State":
    from kakehashi.learn.cnn_training import State

    artifact.verify()
    found: dict[str, dict[str, Any]] = {kind: {} for kind in _ARRAYS}
    for name in artifact.meta.arrays:
        kind, own = name.split(".", 1)
        found[kind][own] = np.array(artifact.array(name))
    told = artifact.meta.settings
    return State(
        found["weights"], found["first"], found["second"], told["steps"], told["epoch"], found["best"],
        told["best_epoch"], told["measures"], [Tick(*each) for each in told["curve"]],
    )  # fmt: skip


def drop_state(folder: Path) -> None:
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
