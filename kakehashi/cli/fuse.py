"""The command `fuse`: one run of several, with weights given, tuned or read from a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.fuse.rules import Fusion
    from kakehashi.fuse.tuning import Tuned
    from kakehashi.types import Run

NAMED = 5  # queries named in a notice


def fuse(
    rule: str = typer.Argument(
        ..., metavar="RULE", help="borda, rank-borda, linear, rrf, combsum or combmnz."
    ),
    runs: list[Path] = typer.Argument(..., metavar="RUN", help="TREC run files."),
    out: Path = typer.Option(..., "--out", help="The TREC run file to write."),
    k: int = typer.Option(1000, "-k", min=1, max=1_000_000, help="Documents per query."),
    weight: list[float] = typer.Option(
        [], "--weight", metavar="X", help="A run's weight, in the order of the runs (repeatable)."
    ),
    weights: Path | None = typer.Option(
        None, "--weights", metavar="FILE", help="Weights and options as --weights-out wrote them."
    ),
    tune: Path | None = typer.Option(
        None, "--tune", metavar="QRELS", help="Choose the weights that are best by these judgments."
    ),
    measure: str = typer.Option("MAP", "--measure", "-m", help="What --tune looks at."),
    step: float | None = typer.Option(
        None, "--step", help="Of the weights tried. Default: 0.01 for two lists, 0.05 for more."
    ),
    nest: bool = typer.Option(False, "--nest", help="Tune and fuse two and two: (a+b)+(c+d)."),
    level: int = typer.Option(1, "--level", min=1, help="Judged at this level or higher is relevant."),
    mate_level: int | None = typer.Option(
        None, "--mate-level", min=1, help="Level of a query's own translations; a collection knows its own."
    ),
    weights_out: Path | None = typer.Option(
        None, "--weights-out", metavar="FILE", help="Keep what --tune found, as JSON."
    ),
    plot: Path | None = typer.Option(
        None, "--plot", help="Draw the measure over the weight that --tune varies: FILE.png or FILE.svg."
    ),
    test: Path | None = typer.Option(
        None, "--test", metavar="QRELS", help="Judgments of other queries, drawn beside; not tuned by."
    ),
    test_runs: list[Path] = typer.Option(
        [], "--test-run", metavar="RUN", help="Their runs, in the same order (repeatable)."
    ),
    negative: str | None = typer.Option(
        None, "--negative", help="borda, scores below 0: shift (default), floor, clip, softmax or points."
    ),
    normalise: str | None = typer.Option(
        None, "--normalise", help="linear: none, min-max (default) or z, per query."
    ),
    missing: str | None = typer.Option(
        None, "--missing", help="What a list gives documents not in it: zero (default) or min, its lowest."
    ),
    constant: float | None = typer.Option(None, "--constant", help="rrf: 1/(constant + rank). Default: 60."),
    depth: int | None = typer.Option(None, "--depth", help="So many of each list enter. Default: 1000."),
) -> None:
    """Make one run of several."""
    from kakehashi.cli.evaluate import plot_kind
    from kakehashi.corpus import trec
    from kakehashi.fuse.rules import fuse_runs
    from kakehashi.fuse.tuning import read_tuned, write_tuned

    options = {"negative": negative, "normalise": normalise, "missing": missing, "constant": constant}
    given = {name: value for name, value in (options | {"depth": depth}).items() if value is not None}
    _refuse_mixtures(tune, weight, weights, given, weights_out or plot, nest, test, test_runs, plot)
    kind = plot_kind(plot) if plot else None
    fusion = _fusion(rule, given)
    tuned = read_tuned(weights) if weights else None
    if tuned and tuned.fusion.rule != rule:
        raise InputError(f"{weights} holds weights of {tuned.fusion.rule}, not of {rule}")
    read = [trec.read_run(path) for path in runs]
    notices(runs, read)
    if tune:
        tuned = _tune(fusion, read, tune, measure, step, nest, level, mate_level, k)
    fused = tuned.fuse(read, k) if tuned else fuse_runs(fusion, read, weight or None, k)
    if tuned and weights:
        for name in tuned.check(read):
            typer.echo(f"{weights} was tuned for {', '.join(tuned.runs)}; {name} is new to it", err=True)
    if tuned and weights_out:
        write_tuned(weights_out, tuned)
    if tuned and plot and kind:
        _draw(tuned, plot, kind, test, test_runs)
    trec.write_run(out, fused)
    print(f"{out}: {len(fused.rankings)} queries by {fused.system}")


def _refuse_mixtures(
    tune: Path | None,
    weight: Sequence[float],
    weights: Path | None,
    options: dict[str, Any],
    for_tuned: Path | None,
    nest: bool,
    test: Path | None,
    test_runs: Sequence[Path],
    plot: Path | None,
) -> None:
    if sum((tune is not None, bool(weight), weights is not None)) > 1:
        raise InputError("weights come from --weight, --weights or --tune: one of the three")
    if weights and options:
        raise InputError(
            f"--{min(options)}: {weights} says this already, for weights hold with their options"
        )
    if tune is None and (for_tuned or nest):
        raise InputError("--weights-out, --plot and --nest need --tune QRELS")
    if (test is None) != (not test_runs) or (test and not plot):
        raise InputError("--test QRELS, --test-run RUN (one for each) and --plot go together")


def _fusion(rule: str, options: dict[str, Any]) -> "Fusion":
    import msgspec

    from kakehashi.fuse.rules import Fusion

    try:
        return msgspec.convert({"rule": rule, **options}, Fusion)
    except msgspec.ValidationError as error:
        raise InputError(str(error)) from None


def notices(paths: Sequence[Path], runs: "Sequence[Run]") -> None:
    """Name the queries that count as an empty list."""
    from kakehashi.fuse.rules import unanswered

    for path, queries in zip(paths, unanswered(runs), strict=True):
        if queries:
            named = ", ".join(queries[:NAMED]) + (", ..." if len(queries) > NAMED else "")
            typer.echo(f"{path}: no documents for {len(queries)} queries of the others: {named}", err=True)


def _tune(
    fusion: "Fusion",
    runs: "Sequence[Run]",
    qrels: Path,
    measure: str,
    step: float | None,
    nest: bool,
    level: int,
    mate_level: int | None,
    k: int,
) -> "Tuned":
    from kakehashi.cli.evaluate import judgments
    from kakehashi.cli.progress import progress
    from kakehashi.evaluate.measures import parse
    from kakehashi.fuse.tuning import tune

    judged, mates = judgments(qrels, mate_level)
    tuned = tune(
        fusion, runs, judged, parse(measure),
        step=step, nest=nest, level=level, mate_level=mates, k=k, progress=progress(),
    )  # fmt: skip
    for name, value in zip(tuned.runs, tuned.parts, strict=True):
        print(f"{tuned.measure} {value:.4f}  {name}")
    names = list(tuned.runs)
    for done in tuned.steps:
        parts = [f"{w:g} {names[i]}" for w, i in zip(done.weights, done.of, strict=True)]
        names.append(f"({' + '.join(parts)})")
        print(f"{tuned.measure} {done.value:.4f}  {' + '.join(parts)}, best of {done.points}")
    return tuned


def _draw(tuned: "Tuned", path: Path, kind: Any, test: Path | None, test_runs: Sequence[Path]) -> None:
    from kakehashi.cli.evaluate import judgments, save_plot
    from kakehashi.corpus import trec
    from kakehashi.evaluate.plots import weight_plot
    from kakehashi.fuse.tuning import curve

    names = list(tuned.runs)
    curves = {}
    for done in tuned.steps:
        names.append(f"({'+'.join(names[i] for i in done.of)})")
        if not done.curve:
            raise InputError(f"{len(done.of)} lists have no curve to draw: tune two, or with --nest")
        curves["+".join(names[i] for i in done.of)] = done.curve
    if test:
        judged, mates = judgments(test, tuned.mate_level)
        other = curve(tuned, [trec.read_run(one) for one in test_runs], judged, mates)
        curves = {"tuned on": tuned.steps[0].curve, "other queries": other}
    first = names[tuned.steps[0].of[0]] if len(tuned.steps) == 1 else "the first list"
    save_plot(path, weight_plot(tuned.measure, first, curves), kind)
