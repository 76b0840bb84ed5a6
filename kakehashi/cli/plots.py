"""Where plots are written, and in which format."""

from pathlib import Path
from typing import Any, Literal

from kakehashi.errors import InputError


def plot_kind(path: Path) -> Literal["png", "svg"]:
    if path.suffix.lower() == ".png":
        return "png"
    if path.suffix.lower() == ".svg":
        return "svg"
    raise InputError(f"{path}: plots are .png or .svg files")


def save_plot(path: Path, figure: Any, kind: Literal["png", "svg"]) -> None:
    from kakehashi.evaluation.plots import render
    from kakehashi.store import replace_file

    replace_file(path, render(figure, kind))
