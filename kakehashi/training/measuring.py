"""The one way to measure a system or a run on the judged queries of a split."""

from collections.abc import Iterator, Sequence

from kakehashi.corpus.splits import Split
from kakehashi.evaluation.measures import Measure
from kakehashi.evaluation.scores import Scores, evaluate, evaluate_parts
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.system import IndexSystem
from kakehashi.types import Run

DEPTH = 1000  # documents per query, unless a measure needs more
CHUNK = 256  # queries whose lists are in memory together: at full depth a whole run would not fit


def depth_of(measures: Sequence[Measure], least: int = DEPTH) -> int:
    """How long lists must be for all these measures."""
    return max([least, *(measure.cutoff for measure in measures if measure.cutoff is not None)])


def measure_run(run: Run, split: Split, measures: Sequence[Measure]) -> Scores:
    return evaluate(split.qrels, run, measures, mate_level=split.mate_level, cited=_cited(split, measures))


def measure_system(
    system: IndexSystem,
    split: Split,
    measures: Sequence[Measure],
    depth: int = DEPTH,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Scores:
    """Search with the split's queries to the depth the measures need, and measure."""
    k = depth_of(measures, depth)

    def runs() -> Iterator[Run]:
        progress.start(f"measuring {system.name}", len(split))
        try:
            for start in range(0, len(split), CHUNK):
                some = split.queries[start : start + CHUNK]
                yield system.search(some, k, split.scope, threads=threads)
                progress.advance(len(some))
        finally:
            progress.finish()

    cited = _cited(split, measures)
    return evaluate_parts(split.qrels, runs(), measures, mate_level=split.mate_level, cited=cited)


def _cited(split: Split, measures: Sequence[Measure]) -> frozenset[str] | None:
    """Read only for measures that ask for it."""
    return split.cited if any(measure.subset in (":cited", ":new") for measure in measures) else None
