"""Measures a system on a split for tables: scores by query, with the names of measures."""

from collections.abc import Sequence

from kakehashi.corpus.splits import Split
from kakehashi.evaluation.measures import parse_all
from kakehashi.library import Library
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.system import IndexSystem
from kakehashi.training.measuring import DEPTH, measure_system


def scored(
    system: IndexSystem,
    split: Split,
    measures: Sequence[str],
    progress: Progress = SILENT,
    depth: int = DEPTH,
    threads: int = 0,
) -> dict[str, dict[str, float]]:
    """measure -> query -> score"""
    wanted = parse_all(measures)
    scores = measure_system(system, split, wanted, depth, threads, progress)
    return {name: scores.of(measure) for name, measure in zip(measures, wanted, strict=True)}


def scored_on(
    system: IndexSystem,
    library: Library,
    splits: Sequence[str],
    measures: Sequence[str],
    progress: Progress = SILENT,
) -> dict[str, dict[str, float]]:
    """`MAP, dev` -> query -> score, for every measure and split"""
    found = {split: scored(system, library.split(split), measures, progress) for split in splits}
    return {f"{name}, {split}": one for split in splits for name, one in found[split].items()}
