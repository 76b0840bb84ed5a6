"""Tuned weights, their origin, and how they fuse the lists of other queries; stored in a small JSON file."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from kakehashi.corpus.lines import read_text, write_file
from kakehashi.errors import FileError, InputError
from kakehashi.evaluation.measures import parse
from kakehashi.fuse.rules import Fusion, checked_weights, fuse_runs
from kakehashi.types import Run


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One fusion of runs, numbered from 0, or of the results of earlier steps, numbered after the runs."""

    of: tuple[int, ...]
    weights: tuple[float, ...]
    value: float
    points: int  # number of grid points tried
    curve: tuple[tuple[float, float], ...] = ()  # (weight of the first, value), for two lists


class Tuned(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights and their origin."""

    fusion: Fusion
    runs: tuple[str, ...]  # the systems, in order
    measure: str
    value: float
    parts: tuple[float, ...]  # the value of each run alone
    steps: tuple[Step, ...]  # one, or several that nest; the last makes the result
    step: float | None = None  # of the grid; unless given, 0.01 for two lists, 0.05 for more
    level: int = 1
    mate_level: int | None = None
    k: int = 1000  # documents in the measured lists
    held_out: float | None = None  # the value with each query fused by weights tuned without it
    folds: tuple[tuple[tuple[float, ...], ...], ...] = ()  # the weights of each step, tuned without one fold
    seed: int = 1  # of the folds

    def fuse(self, runs: Sequence[Run], k: int = 1000) -> Run:
        """Fuse other queries' runs of the same systems, in the same order."""
        return self.stages(runs, k)[-1]

    def stages(self, runs: Sequence[Run], k: int | None = None) -> list[Run]:
        """The runs and the result of every step; the last is the final result, complete unless k is given."""
        self.check(runs)
        made = list(runs)
        for step in self.steps:
            is_last = step is self.steps[-1]
            cut = (k or len(runs) * self.fusion.depth) if is_last else self.fusion.depth
            made.append(fuse_runs(self.fusion, [made[i] for i in step.of], step.weights, cut))
        return made

    def told(self) -> Iterator[str]:
        """One line for every list alone, and for every step."""
        names = list(self.runs)
        for name, value in zip(names, self.parts, strict=True):
            yield f"{self.measure} {value:.4f}  {name}"
        for done in self.steps:
            parts = " + ".join(f"{w:g} {names[i]}" for w, i in zip(done.weights, done.of, strict=True))
            names.append(f"({parts})")
            yield f"{self.measure} {done.value:.4f}  {parts}, best of {done.points}"
        if self.held_out is not None:
            yield f"{self.measure} {self.held_out:.4f}  cross-validated in {len(self.folds)} folds: {self._spread()}"

    def _spread(self) -> str:
        """The range of the weights that were found without one fold each."""
        names, told = list(self.runs), []
        for step, *by_fold in zip(self.steps, *self.folds, strict=True):
            names.append(f"({' + '.join(names[i] for i in step.of)})")
            for i, weights in zip(step.of, zip(*by_fold, strict=True), strict=True):
                low, high = min(weights), max(weights)
                told.append(f"{low:g} {names[i]}" if low == high else f"{low:g} to {high:g} {names[i]}")
        return ", ".join(told)

    def check(self, runs: Sequence[Run]) -> list[str]:
        """Reject a different number or order of systems; returns the names that are new, which may be harmless."""
        names, tuned = [run.system for run in runs], ", ".join(self.runs)
        if len(names) != len(self.runs):
            raise InputError(f"the weights are for {len(self.runs)} runs ({tuned}), not {len(names)}")
        for name, known in zip(names, self.runs, strict=True):
            if name != known and name in self.runs:
                raise InputError(
                    f"the weights are for {tuned}, not for {', '.join(names)}: change the order of runs"
                )
        return [name for name in names if name not in self.runs]


def write_tuned(path: Path, tuned: Tuned) -> None:
    with write_file(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(tuned), indent=1) + b"\n")


def read_tuned(path: Path) -> Tuned:
    try:
        tuned = msgspec.json.decode(read_text(path), type=Tuned)
        check_steps(tuned)
    except (msgspec.DecodeError, InputError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(
            path, None, f"is not a file of weights written by fuse --weights-out: {error}"
        ) from None
    return tuned


def check_steps(tuned: Tuned) -> None:
    """Check that each step uses existing lists that are not used yet, and that the last uses the rest."""
    parse(tuned.measure)
    waiting = set(range(len(tuned.runs)))
    for number, step in enumerate(tuned.steps, len(tuned.runs)):
        if len(step.of) < 2 or not set(step.of) <= waiting or len(set(step.of)) != len(step.of):
            raise InputError(f"step {list(step.of)} refers to a list that does not exist")
        checked_weights(tuned.fusion, step.weights, len(step.of))
        waiting = waiting - set(step.of) | {number}
    if len(waiting) != 1 or not tuned.steps:
        raise InputError("the steps do not use all runs")
    shape = [len(step.of) for step in tuned.steps]
    if any([len(weights) for weights in fold] != shape for fold in tuned.folds):
        raise InputError("a fold has weights for other steps")
