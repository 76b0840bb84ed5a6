"""The command `fuse`: one run of several, with weights given, tuned or read from a file."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from kakehashi.cli.evaluate import LEVEL, MATE_LEVEL
from kakehashi.cli.plots import plot_kind, save_plot
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.fuse.rules import Fusion
    from kakehashi.fuse.tuned import Tuned
    from kakehashi.types import Run

NAMED = 5  # queries named in a notice
RULE_OF = {"negative": "borda", "normalise": "linear", "constant": "rrf"}  # options that one rule alone has


class Negative(StrEnum):
    """What borda does with scores before it takes shares."""

    shift = "shift"
    floor = "floor"
    clip = "clip"
    softmax = "softmax"
    points = "points"


class Normalise(StrEnum):
    """What linear does with scores."""

    none = "none"
    min_max = "min-max"
    z = "z"


class Missing(StrEnum):
    """Contribution of a list to documents it does not contain."""

    zero = "zero"
    min = "min"


def fuse(
    rule: str = typer.Argument(
        ..., metavar="RULE", help="borda, rank-borda, linear, rrf, combsum or combmnz."
    ),
    runs: list[Path] = typer.Argument(..., metavar="RUN", help="TREC run files."),
    out: Path = typer.Option(..., "--out", help="The TREC run file to write."),
    k: int = typer.Option(1000, "-k", min=1, max=1_000_000, help="Documents per query."),
    weight: list[float] = typer.Option(
        [], "--weight", metavar="X", help="Weight of a run, in the order of the runs (repeatable)."
    ),
    weights: Path | None = typer.Option(
        None, "--weights", metavar="FILE", help="Weights and options written by --weights-out."
    ),
    tune: Path | None = typer.Option(
        None, "--tune", metavar="QRELS", help="Tune the weights on these judgments."
    ),
    measure: str = typer.Option("", "--measure", "-m", help="Measure that --tune maximises (default: MAP)."),
    step: float | None = typer.Option(
        None, "--step", help="Step of the weights tried (default: 0.01 for two lists, 0.05 for more)."
    ),
    nest: bool = typer.Option(False, "--nest", help="Tune and fuse in pairs: (a+b)+(c+d)."),
    folds: int = typer.Option(5, "--folds", min=0, help="Cross-validate over this many folds; 0 disables."),
    seed: int = typer.Option(1, "--seed", min=0, help="Random seed of the folds."),
    level: int = LEVEL,
    mate_level: int | None = MATE_LEVEL,
    weights_out: Path | None = typer.Option(
        None, "--weights-out", metavar="FILE", help="Write the tuned weights to this JSON file."
    ),
    plot: Path | None = typer.Option(
        None, "--plot", help="Plot the measure over the weight that --tune varies: FILE.png or FILE.svg."
    ),
    test: Path | None = typer.Option(
        None,
        "--test",
        metavar="QRELS",
        help="Judgments of other queries to add to the plot; not used for tuning.",
    ),
    test_runs: list[Path] = typer.Option(
        [], "--test-run", metavar="RUN", help="Runs for --test, in the same order (repeatable)."
    ),
    negative: Negative | None = typer.Option(
        None, "--negative", help="borda: how negative scores are handled (default: shift)."
    ),
    normalise: Normalise | None = typer.Option(
        None, "--normalise", help="linear: how scores are normalised per query (default: min-max)."
    ),
    missing: Missing | None = typer.Option(
        None,
        "--missing",
        help="Contribution of a list to documents it does not contain: zero (default) or that of its last document.",
    ),
    constant: float | None = typer.Option(None, "--constant", help="rrf: 1/(constant + rank) (default: 60)."),
    depth: int | None = typer.Option(None, "--depth", help="Documents used from each list (default: 1000)."),
) -> None:
    """Merge several runs into one."""
    from kakehashi.corpus import trec
    from kakehashi.fuse.rules import fuse_runs
    from kakehashi.fuse.tuned import read_tuned, write_tuned

    options = _given(negative=negative, normalise=normalise, missing=missing, constant=constant, depth=depth)
    _refuse_mixtures(
        (
            (tune is not None) + bool(weight) + (weights is not None) > 1,
            "use only one of --weight, --weights and --tune",
        ),
        (weights and options, f"--{min(options, default='')}: {weights} already defines this"),
        (
            not tune and (weights_out or plot or nest or step or measure),
            "--weights-out, --plot, --nest, --step and --measure need --tune QRELS",
        ),
        (
            bool(test) != bool(test_runs) or (test and not plot),
            "--test QRELS needs --test-run RUN for each run, and --plot",
        ),
        (folds == 1, "--folds 1 leaves nothing to tune on: use 2 or more, or 0 to disable cross-validation"),
    )
    kind = plot_kind(plot) if plot else None
    tuned = read_tuned(weights) if weights else None
    fusion = _fusion(rule, options, tuned, weights)
    read = [trec.read_run(path) for path in runs]
    _notices(fusion, runs, read)
    if tune:
        how = {"step": step, "nest": nest, "level": level, "mate_level": mate_level, "k": k}
        tuned = _tune(fusion, read, tune, measure or "MAP", {**how, "folds": folds, "seed": seed})
    elif tuned:
        _name_new(tuned, read)
    fused = tuned.fuse(read, k) if tuned else fuse_runs(fusion, read, weight or None, k)
    if tuned and tune and plot and kind:
        _draw(tuned, plot, kind, _elsewhere(tuned, tune, test, test_runs) if test else {})
    if tuned and weights_out:
        write_tuned(weights_out, tuned)
    trec.write_run(out, fused)
    say(f"{out}: {len(fused.rankings)} queries by {fused.system}")


def _given(**options: Any) -> dict[str, Any]:
    """Options that differ from their defaults."""
    return {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in options.items()
        if value is not None
    }


def _refuse_mixtures(*cases: tuple[Any, str]) -> None:
    for wrong, message in cases:
        if wrong:
            raise InputError(message)


def _fusion(rule: str, options: dict[str, Any], tuned: "Tuned | None", weights: Path | None) -> "Fusion":
    """The rule as requested, or as it was when the weights were tuned."""
    from kakehashi.fuse.rules import Fusion

    fusion = tuned.fusion if tuned else Fusion(rule, **options)
    if fusion.rule != rule:
        raise InputError(f"{weights} contains weights for {fusion.rule}, not for {rule}")
    for name in options:
        if RULE_OF.get(name, rule) != rule:
            raise InputError(f"--{name} is for {RULE_OF[name]} and has no effect on {rule}: leave it out")
    return fusion


def _notices(fusion: "Fusion", paths: Sequence[Path], runs: "Sequence[Run]") -> None:
    """Report surprises: queries that count as empty lists, and documents that gain by being missing."""
    from kakehashi.fuse.rules import unanswered

    for path, queries in zip(paths, unanswered(runs), strict=True):
        if queries:
            say(f"{path}: empty lists for {_some(queries, ' of other runs')}", file=sys.stderr)
    below = any((ranking.scores < 0).any() for run in runs for ranking in run.rankings.values())
    lifted = fusion.normalise == "z" or (fusion.normalise == "none" and below)
    if fusion.rule == "linear" and fusion.missing == "zero" and lifted:
        say(
            "documents missing from a list get 0, which is more than its last document: see --missing min",
            file=sys.stderr,
        )


def _some(queries: Sequence[str], which: str = "") -> str:
    named = ", ".join(queries[:NAMED]) + (", ..." if len(queries) > NAMED else "")
    return f"{len(queries)} {'query' if len(queries) == 1 else 'queries'}{which}: {named}"


def _name_new(tuned: "Tuned", runs: "Sequence[Run]") -> None:
    for name in tuned.check(runs):
        say(f"the weights are for {', '.join(tuned.runs)}; {name} is not one of them", file=sys.stderr)


def _tune(
    fusion: "Fusion", runs: "Sequence[Run]", qrels: Path, measure: str, options: dict[str, Any]
) -> "Tuned":
    from kakehashi.cli.judging import judgments
    from kakehashi.cli.progress import progress
    from kakehashi.evaluation.measures import parse
    from kakehashi.fuse.tuning import tune

    judged, mates = judgments(qrels, options["mate_level"])
    options = {**options, "mate_level": mates}
    lost = [query for query in judged if not any(query in run.rankings for run in runs)]
    if lost and len(lost) < len(judged):
        say(f"{qrels}: empty lists in all runs for {_some(lost)}", file=sys.stderr)
    tuned = tune(fusion, runs, judged, parse(measure), **options, progress=progress())
    for line in tuned.told():
        say(line)
    return tuned


def _elsewhere(
    tuned: "Tuned", tune: Path, test: Path, test_runs: Sequence[Path]
) -> "dict[str, Sequence[tuple[float, float]]]":
    """The curves of the tuning queries and of others, by the names of their judgments."""
    from kakehashi.cli.judging import judgments
    from kakehashi.corpus import trec
    from kakehashi.fuse.tuning import curve

    judged, mates = judgments(test, tuned.mate_level)
    other = curve(tuned, [trec.read_run(path) for path in test_runs], judged, mates)
    names = (tune.name, test.name) if tune.name != test.name else (str(tune), str(test))
    return dict(zip(names, (tuned.steps[0].curve, other), strict=True))


def _draw(
    tuned: "Tuned",
    path: Path,
    kind: Literal["png", "svg"],
    curves: "dict[str, Sequence[tuple[float, float]]]",
) -> None:
    """The given curves, otherwise that of every step."""
    from kakehashi.evaluation.plots import weight_plot

    names, of_steps = list(tuned.runs), {}
    for done in tuned.steps:
        if not done.curve:
            raise InputError(f"{len(done.of)} lists have no curve to plot: tune two, or use --nest")
        name = "+".join(names[i] for i in done.of)
        names.append(f"({name})")
        of_steps[name] = done.curve
    first = tuned.runs[0] if len(tuned.steps) == 1 else "the first of two"
    save_plot(path, weight_plot(tuned.measure, first, curves or of_steps), kind)
