"""The commands `evaluate` and `compare`: measures of run files, and significance between them."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kakehashi.cli.options import JSON
from kakehashi.cli.plots import plot_kind, save_plot
from kakehashi.errors import FileError, InputError

if TYPE_CHECKING:
    from kakehashi.evaluation.measures import Measure
    from kakehashi.evaluation.scores import Scores
    from kakehashi.types import Qrels, Run

MEASURES = "MAP, NDCG, PRES@1000, R@1000, P@10, MRR"
MATE_MEASURES = "MAP-mate, PRES@1000-mate"

QRELS = typer.Argument(
    ..., metavar="QRELS", help="Judgments (query 0 document level): TREC or TSV, .gz or .zst."
)
RUNS = typer.Argument(..., metavar="RUN", help="TREC run files, optionally .gz or .zst.")
LEVEL = typer.Option(1, "--level", min=1, help="Documents judged at this level or higher are relevant.")
MATE_LEVEL = typer.Option(
    None,
    "--mate-level",
    min=1,
    help="Level of a query's own translations, left out by -mate measures; a collection defines its own.",
)
ANSWERED = typer.Option(
    False, "--answered-only", help="Leave out queries missing from a run instead of counting 0."
)


class Test(StrEnum):
    """Paired significance tests, both two-sided."""

    randomization = "randomization"
    t = "t"


def evaluate(
    qrels: Path = QRELS,
    runs: list[Path] = RUNS,
    measures: list[str] = typer.Option(
        [],
        "--measures",
        "-m",
        help=f"Measures, separated by commas: NAME, NAME@k, NAME-mate. Default: {MEASURES}.",
    ),
    per_query: bool = typer.Option(False, "--per-query", help="Also print the scores of every query."),
    level: int = LEVEL,
    mate_level: int | None = MATE_LEVEL,
    answered_only: bool = ANSWERED,
    plot: Path | None = typer.Option(
        None, "--plot", help="Plot precision-recall curves: FILE.png or FILE.svg."
    ),
    as_json: bool = JSON,
) -> None:
    """Measure runs against judgments."""
    from kakehashi.cli import evaluate_output as output
    from kakehashi.evaluation.curves import precision_at_recall
    from kakehashi.evaluation.measures import parse_all
    from kakehashi.evaluation.scores import evaluate as measure_run

    kind = plot_kind(plot) if plot else None
    judged, mates = judgments(qrels, mate_level)
    wanted = parse_all(measures or _default_measures(judged, level, mates))
    scores, curves = [], {}
    for run in _read(runs):
        scores.append(
            measure_run(judged, run, wanted, level=level, mate_level=mates, answered_only=answered_only)
        )
        if kind:
            curves[run.system] = precision_at_recall(judged, run, level, answered_only=answered_only)
    output.notices(scores, answered_only)
    if plot and kind:
        from kakehashi.evaluation.plots import precision_recall_plot

        save_plot(plot, precision_recall_plot(curves), kind)
    if as_json:
        output.json_scores(scores, per_query)
    else:
        output.table_of_scores(scores, per_query)


def compare(
    qrels: Path = QRELS,
    runs: list[Path] = RUNS,
    measure: str = typer.Option(
        "MAP", "--measure", "-m", help="Measure to compare: MAP, PRES@1000, NDCG@10-mate, ..."
    ),
    test: Test = typer.Option(Test.randomization, "--test", help="Paired, two-sided."),
    rounds: int = typer.Option(
        100_000,
        "--rounds",
        min=1,
        max=10**9,
        help="Rounds of the randomization test; p is never below 1 / (rounds + 1).",
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Random seed of the randomization test."),
    against_first: bool = typer.Option(
        False, "--against-first", help="Compare the first run with each other one, not every pair."
    ),
    level: int = LEVEL,
    mate_level: int | None = MATE_LEVEL,
    answered_only: bool = ANSWERED,
    plot: Path | None = typer.Option(
        None, "--plot", help="Plot per-query differences (two runs) or means (more): FILE.png or FILE.svg."
    ),
    as_json: bool = JSON,
) -> None:
    """Test whether runs differ significantly, with Holm's correction for several pairs."""
    from kakehashi.cli import evaluate_output as output
    from kakehashi.cli.progress import progress
    from kakehashi.evaluation.comparison import compare as compare_scores
    from kakehashi.evaluation.measures import parse
    from kakehashi.evaluation.scores import evaluate as measure_run

    kind, wanted = plot_kind(plot) if plot else None, parse(measure)
    if len(runs) < 2:
        raise InputError("compare needs at least 2 runs: add another one")
    judged, mates = judgments(qrels, mate_level)
    scores = [
        measure_run(judged, run, [wanted], level=level, mate_level=mates, answered_only=answered_only)
        for run in _read(runs)
    ]
    output.notices(scores, answered_only)
    pairs = compare_scores(scores, wanted, test.value, rounds, seed, against_first, progress())
    if plot and kind:
        save_plot(plot, _comparison_plot(scores, wanted), kind)
    if as_json:
        output.json_pairs(wanted, pairs)
    else:
        output.table_of_pairs(wanted, pairs, scores, test.value)


def _default_measures(qrels: "Qrels", level: int, mates: int | None) -> list[str]:
    """With and without mates if both are known: finding a mate is easy, and the only task of some queries."""
    levels = {judged for query in qrels.values() for judged in query.values()}
    others = any(level <= judged != mates for judged in levels)
    return [MEASURES, MATE_MEASURES] if mates in levels and others else [MEASURES]


def _comparison_plot(scores: "Sequence[Scores]", measure: "Measure") -> Any:
    from kakehashi.evaluation.comparison import paired
    from kakehashi.evaluation.plots import differences_plot, means_plot

    if len(scores) > 2:
        return means_plot(scores, measure)
    a, b = paired(scores[0], scores[1], measure)
    return differences_plot(scores[0].system, scores[1].system, measure, a - b)


def judgments(path: Path, mate_level: int | None) -> "tuple[Qrels, int | None]":
    """The judgments, and the mate level as given or as defined by their collection."""
    from kakehashi.corpus import collection, trec

    if path.is_dir():
        found = sorted(str(file) for file in path.glob("qrels/*"))
        raise FileError(
            path, None, f"is a folder: give a file of judgments{', such as ' + found[0] if found else ''}"
        )
    folder = path.absolute().parent.parent
    if mate_level is None and path.absolute().parent.name == "qrels" and (folder / collection.INFO).is_file():
        mate_level = collection.read_info(folder).mate_level
    return trec.read_qrels(path), mate_level


def _read(paths: list[Path]) -> "Iterator[Run]":
    """The runs one by one, named by their files: by the last part of the path if it is unique."""
    from kakehashi.cli.progress import progress
    from kakehashi.corpus import trec
    from kakehashi.progress import track
    from kakehashi.types import Run

    short = len({path.name for path in paths}) == len(set(paths))
    for path in track(paths, "reading and measuring", len(paths), progress()):
        yield Run(path.name if short else str(path), trec.read_run(path).rankings)
