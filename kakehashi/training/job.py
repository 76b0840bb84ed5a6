"""The input of a trainer: data, output name and settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kakehashi.index.holdings import Holdings
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.inputs import Input


@dataclass(frozen=True)
class Job:
    """One training; the result does not depend on threads or progress."""

    holdings: Holdings
    folder: Path  # of the model
    settings: Any  # the trainer's own
    inputs: Sequence[Input] = ()  # systems that are inputs of the model, opened
    parallel: Sequence[str] = ()  # files of parallel text in addition to the collection's own
    threads: int = 0  # 0: one per core
    progress: Progress = SILENT
