"""The commands `evaluate` and `compare`: measures of run files, and significance between them."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kakehashi.cli.judging import MEASURES, By, Judging
from kakehashi.cli.options import JSON
from kakehashi.cli.plots import plot_kind, save_plot
from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.evaluation.measures import Measure
    from kakehashi.evaluation.scores import Scores
    from kakehashi.types import Run

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
TRAINED_ON = typer.Option(
    None,
    "--trained-on",
    metavar="QRELS",
    help="Training judgments: documents relevant there count as cited before. Default: train.tsv beside QRELS.",
)
BY = typer.Option(
    None,
    "--by",
    help="Print results by group: documents cited before and never cited (mates are left out), or length of queries.",
)
QUERIES = typer.Option(
    None,
    "--queries",
    metavar="FILE",
    help="The queries, whose words --by length counts. Default: those of the collection that QRELS is in.",
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
        help="Measures, separated by commas: NAME, NAME@k, NAME-mate, NAME:cited, NAME:new. "
        f"Default: {MEASURES}, some of them also by suffix where mates and training judgments are known.",
    ),
    per_query: bool = typer.Option(False, "--per-query", help="Also print the scores of every query."),
    by: By | None = BY,
    level: int = LEVEL,
    mate_level: int | None = MATE_LEVEL,
    trained_on: Path | None = TRAINED_ON,
    queries: Path | None = QUERIES,
    answered_only: bool = ANSWERED,
    plot: Path | None = typer.Option(
        None, "--plot", help="Plot precision-recall curves: FILE.png or FILE.svg."
    ),
    as_json: bool = JSON,
) -> None:
    """Measure runs against judgments."""
    from kakehashi.cli import evaluate_output as output
    from kakehashi.evaluation.curves import precision_at_recall
    from kakehashi.evaluation.groups import ALL
    from kakehashi.evaluation.measures import parse_all

    kind = plot_kind(plot) if plot else None
    judging = Judging(qrels, level, mate_level, trained_on, queries, answered_only)
    wanted = parse_all(measures or judging.default_measures(by))
    groups, curves = [], {}
    for run in _read(runs):
        groups.append(judging.groups(by, run, wanted) if by else {ALL: judging.measure(run, wanted)})
        if kind:
            curves[run.system] = precision_at_recall(judging.qrels, run, level, answered_only=answered_only)
    scores = [one[ALL] for one in groups]
    output.notices(scores, answered_only)
    if plot and kind:
        from kakehashi.evaluation.plots import precision_recall_plot

        save_plot(plot, precision_recall_plot(curves), kind)
    if as_json:
        output.json_scores(scores, per_query, groups if by else ())
    elif by:
        output.table_of_groups(groups, by is By.cited and judging.mates is not None, per_query)
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
    by: By | None = BY,
    level: int = LEVEL,
    mate_level: int | None = MATE_LEVEL,
    trained_on: Path | None = TRAINED_ON,
    queries: Path | None = QUERIES,
    answered_only: bool = ANSWERED,
    plot: Path | None = typer.Option(
        None, "--plot", help="Plot per-query differences (two runs) or means (more): FILE.png or FILE.svg."
    ),
    as_json: bool = JSON,
) -> None:
    """Test whether runs differ significantly, with Holm's correction for several pairs."""
    from kakehashi.cli import evaluate_output as output
    from kakehashi.cli.progress import progress
    from kakehashi.evaluation.comparison import compare_groups
    from kakehashi.evaluation.groups import ALL
    from kakehashi.evaluation.measures import parse

    kind, wanted = plot_kind(plot) if plot else None, parse(measure)
    if len(runs) < 2:
        raise InputError("compare needs at least 2 runs: add another one")
    judging = Judging(qrels, level, mate_level, trained_on, queries, answered_only)
    groups = [
        judging.groups(by, run, [wanted]) if by else {ALL: judging.measure(run, [wanted])}
        for run in _read(runs)
    ]
    scores = [one[ALL] for one in groups]
    [wanted] = scores[0].measures  # groups of documents are named by themselves, not by a suffix
    output.notices(scores, answered_only)
    together = {name: [one[name] for one in groups if name in one] for name in groups[0]}
    pairs = compare_groups(together, wanted, test.value, rounds, seed, against_first, progress())
    if plot and kind:
        save_plot(plot, _comparison_plot(scores, wanted), kind)
    if as_json:
        output.json_pairs(wanted, pairs)
    else:
        output.table_of_pairs(wanted, pairs, groups, test.value)


def _comparison_plot(scores: "Sequence[Scores]", measure: "Measure") -> Any:
    from kakehashi.evaluation.comparison import paired
    from kakehashi.evaluation.plots import differences_plot, means_plot

    if len(scores) > 2:
        return means_plot(scores, measure)
    a, b = paired(scores[0], scores[1], measure)
    return differences_plot(scores[0].system, scores[1].system, measure, a - b)


def _read(paths: list[Path]) -> "Iterator[Run]":
    """The runs one by one, named by their files: by the last part of the path if it is unique."""
    from kakehashi.cli.progress import progress
    from kakehashi.corpus import trec
    from kakehashi.progress import track
    from kakehashi.types import Run

    short = len({path.name for path in paths}) == len(set(paths))
    for path in track(paths, "reading and measuring", len(paths), progress()):
        yield Run(path.name if short else str(path), trec.read_run(path).rankings)
