"""What `import kakehashi as kk` offers: open a collection, measure runs, compare them."""

from pathlib import Path

from kakehashi.evaluate.comparison import Comparisons
from kakehashi.evaluate.comparison import compare as compare_scores
from kakehashi.evaluate.measures import parse
from kakehashi.evaluate.scores import evaluate_named as evaluate
from kakehashi.library import Library
from kakehashi.types import Qrels, Run

__all__ = ["compare", "evaluate", "open"]


def open(folder: Path | str) -> Library:
    """Open a collection folder; the index and models in it are read when they are first needed."""
    library = Library(folder)
    library.collection  # noqa: B018  a folder that is not a collection is refused here, not at the first search
    return library


def compare(
    qrels: Qrels,
    *runs: Run,
    measure: str = "MAP",
    seed: int = 0,
    level: int = 1,
    mate_level: int | None = None,
) -> Comparisons:
    """Test whether runs differ: paired randomization tests of every pair, with Holm's correction."""
    scores = [evaluate(qrels, run, measure, level=level, mate_level=mate_level) for run in runs]
    return compare_scores(scores, parse(measure), seed=seed)
