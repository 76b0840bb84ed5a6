"""What `import kakehashi as kk` offers: open a collection, measure runs, compare them."""

from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.library import Library
from kakehashi.types import Qrels, Run

if TYPE_CHECKING:
    from kakehashi.evaluation.comparison import Comparisons
    from kakehashi.evaluation.scores import Scores


def open(folder: Path | str) -> Library:
    """Open a collection folder; the index and models in it are read when they are first needed."""
    library = Library(folder)
    library.collection  # noqa: B018  a folder that is not a collection is refused here, not at the first search
    return library


def evaluate(
    qrels: Qrels,
    run: Run,
    *measures: str,
    level: int = 1,
    mate_level: int | None = None,
    trained_on: Qrels | None = None,
) -> "Scores":
    """Measure a run: `evaluate(library.qrels("test"), run, "MAP", "PRES@1000")`.

    Documents judged at `level` or higher are relevant; those of `mate_level` are left out by `-mate` measures.
    `:cited` and `:new` measures take from `trained_on`, usually `library.qrels("train")`, what was cited before.
    """
    from kakehashi.corpus.splits import citations_received
    from kakehashi.evaluation.measures import parse_all
    from kakehashi.evaluation.scores import evaluate as measure_run

    cited = None if trained_on is None else citations_received(trained_on, mate_level).keys()
    wanted = parse_all(measures or ["MAP"])
    return measure_run(qrels, run, wanted, level=level, mate_level=mate_level, cited=cited)


def compare(
    qrels: Qrels,
    *runs: Run,
    measure: str = "MAP",
    seed: int = 0,
    level: int = 1,
    mate_level: int | None = None,
    trained_on: Qrels | None = None,
) -> "Comparisons":
    """Test whether runs differ: paired randomization tests of every pair, with Holm's correction."""
    from kakehashi.evaluation.comparison import compare as compare_scores
    from kakehashi.evaluation.measures import parse

    scores = [
        evaluate(qrels, run, measure, level=level, mate_level=mate_level, trained_on=trained_on)
        for run in runs
    ]
    return compare_scores(scores, parse(measure), seed=seed)
