"""Weights chosen on judged queries, kept as a small JSON file, and used again on other queries."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from kakehashi.corpus.lines import read_text, write_file
from kakehashi.errors import FileError, InputError
from kakehashi.evaluate.measures import Measure, parse
from kakehashi.fuse.grid import Found, best_weights
from kakehashi.fuse.judging import Judge
from kakehashi.fuse.rules import Fusion, checked_weights, fuse_runs
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Qrels, Run


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One fusion: of runs by their numbers, from 0, or of what an earlier step made, numbered after the runs."""

    of: tuple[int, ...]
    weights: tuple[float, ...]
    value: float
    points: int  # of the grid that were tried
    curve: tuple[tuple[float, float], ...] = ()  # (weight of the first, value), for two lists


class Tuned(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights, and all that says where they are from."""

    fusion: Fusion
    runs: tuple[str, ...]  # the systems, in order
    measure: str
    value: float
    parts: tuple[float, ...]  # the value of each run alone
    steps: tuple[Step, ...]  # one, or several that nest; the last makes the result
    step: float | None = None  # of the grid; unless given, 0.01 for two lists, 0.05 for more
    level: int = 1
    mate_level: int | None = None
    k: int = 1000  # documents in the lists that were measured

    def fuse(self, runs: Sequence[Run], k: int = 1000) -> Run:
        """Fuse other queries' runs of the same systems, in the same order."""
        return self.stages(runs, k)[-1]

    def stages(self, runs: Sequence[Run], k: int | None = None) -> list[Run]:
        """The runs and what every step makes of them; the last is the result, whole unless k is given."""
        self.check(runs)
        made = list(runs)
        for step in self.steps:
            is_last = step is self.steps[-1]
            cut = (k or len(runs) * self.fusion.depth) if is_last else self.fusion.depth
            made.append(fuse_runs(self.fusion, [made[i] for i in step.of], step.weights, cut))
        return made

    def told(self) -> Iterator[str]:
        """A line for every list alone, and for every step."""
        names = list(self.runs)
        for name, value in zip(names, self.parts, strict=True):
            yield f"{self.measure} {value:.4f}  {name}"
        for done in self.steps:
            parts = " + ".join(f"{w:g} {names[i]}" for w, i in zip(done.weights, done.of, strict=True))
            names.append(f"({parts})")
            yield f"{self.measure} {done.value:.4f}  {parts}, best of {done.points}"

    def check(self, runs: Sequence[Run]) -> list[str]:
        """Refuse another number or order of systems; returns the names that are new, which may be harmless."""
        names, tuned = [run.system for run in runs], ", ".join(self.runs)
        if len(names) != len(self.runs):
            raise InputError(f"the weights are for {len(self.runs)} runs ({tuned}), not {len(names)}")
        for name, known in zip(names, self.runs, strict=True):
            if name != known and name in self.runs:
                raise InputError(
                    f"the weights are for {tuned}, not for {', '.join(names)}: change the order of runs"
                )
        return [name for name in names if name not in self.runs]


def tune(
    rule: str | Fusion,
    runs: Sequence[Run],
    qrels: Qrels,
    measure: Measure,
    *,
    step: float | None = None,
    nest: bool = False,
    level: int = 1,
    mate_level: int | None = None,
    k: int = 1000,
    progress: Progress = SILENT,
) -> Tuned:
    """The weights of highest mean; `nest` fuses two and two, and the results in the same way.

    Every judged query counts, one that no run answers as 0.
    """
    fusion = Fusion(rule) if isinstance(rule, str) else rule
    if len(runs) < 2:
        raise InputError("fuse needs at least 2 runs: name another one")
    parts: list[float] = []
    steps: list[Step] = []
    made = list(runs)
    for of in _nesting(len(runs)) if nest else [tuple(range(len(runs)))]:
        lists = [made[i] for i in of]
        judge = Judge(fusion, lists, qrels, measure, level, mate_level, k, progress)
        parts += [part for i, part in zip(of, judge.parts, strict=True) if i < len(runs)]
        found = _search(judge, len(of), step, progress)
        steps.append(Step(of, found.weights, found.value, found.points, found.curve))
        if nest:
            made.append(fuse_runs(fusion, lists, found.weights, fusion.depth))
    order = [i for one in steps for i in one.of if i < len(runs)]
    return Tuned(
        fusion=fusion,
        runs=tuple(run.system for run in runs),
        measure=str(measure),
        value=steps[-1].value,
        parts=tuple(parts[order.index(i)] for i in range(len(runs))),
        steps=tuple(steps),
        step=step,
        level=level,
        mate_level=mate_level,
        k=k,
    )


def curve(
    tuned: Tuned, runs: Sequence[Run], qrels: Qrels, mate_level: int | None = None
) -> tuple[tuple[float, float], ...]:
    """The curve of a tuned pair on other queries: to look at, never to choose by."""
    tuned.check(runs)
    if len(runs) != 2:
        raise InputError(f"{len(runs)} runs have no curve: take two")
    judge = Judge(tuned.fusion, runs, qrels, parse(tuned.measure), tuned.level, mate_level, tuned.k)
    return tuple((kappa, judge.value((kappa, 1 - kappa))) for kappa, _ in tuned.steps[0].curve)


def _search(judge: Judge, n_lists: int, step: float | None, progress: Progress) -> Found:
    progress.start("tune", None)

    def value(weights: Sequence[float]) -> float:
        progress.advance()
        return judge.value(weights)

    try:
        return best_weights(value, n_lists, step)
    finally:
        progress.finish()


def _nesting(n_runs: int) -> list[tuple[int, int]]:
    """Neighbours two by two, then the results: ((0 1) (2 3)); an odd one waits for the next round."""
    waiting = list(range(n_runs))
    steps: list[tuple[int, int]] = []
    while len(waiting) > 1:
        pairs = list(zip(waiting[::2], waiting[1::2], strict=False))
        odd = waiting[2 * len(pairs) :]
        waiting = [n_runs + len(steps) + i for i in range(len(pairs))] + odd
        steps += pairs
    return steps


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
            path, None, f"is no file of weights as fuse --weights-out writes it: {error}"
        ) from None
    return tuned


def check_steps(tuned: Tuned) -> None:
    """That the steps can be gone: each takes what is there and not yet taken, and the last takes the rest."""
    parse(tuned.measure)
    waiting = set(range(len(tuned.runs)))
    for number, step in enumerate(tuned.steps, len(tuned.runs)):
        if len(step.of) < 2 or not set(step.of) <= waiting or len(set(step.of)) != len(step.of):
            raise InputError(f"step {list(step.of)} takes what is not there")
        checked_weights(tuned.fusion, step.weights, len(step.of))
        waiting = waiting - set(step.of) | {number}
    if len(waiting) != 1 or not tuned.steps:
        raise InputError("the steps leave runs over")
