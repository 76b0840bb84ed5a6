"""Measures a system on a split, some queries at a time: at full depth a whole run would not fit in memory."""

from collections.abc import Sequence

from kakehashi.corpus.collection import Collection
from kakehashi.evaluate.measures import parse_all
from kakehashi.evaluate.scores import evaluate
from kakehashi.progress import SILENT, Progress
from kakehashi.training.dev import evenly_chosen
from kakehashi.types import System

CHUNK = 256


def score_split(
    system: System,
    collection: Collection,
    split: str,
    measures: Sequence[str],
    k: int = 1000,
    progress: Progress = SILENT,
    queries_file: str = "queries.jsonl",
    most: int | None = None,
) -> dict[str, dict[str, float]]:
    """measure -> query -> score; of `most` queries, evenly chosen, where there are more."""
    qrels, wanted = collection.qrels(split), parse_all(measures)
    queries = collection.split_queries(split, queries_file)
    if most is not None:
        queries = evenly_chosen(queries, most)
    scores: dict[str, dict[str, float]] = {measure: {} for measure in measures}
    progress.start(f"measuring {system.name}", len(queries))
    try:
        for start in range(0, len(queries), CHUNK):
            some = queries[start : start + CHUNK]
            judged = {query.id: qrels[query.id] for query in some}
            mate = collection.info.mate_level
            found = evaluate(judged, system.search(some, k), wanted, mate_level=mate)
            for name, measure in zip(measures, wanted, strict=True):
                scores[name] |= found.of(measure)
            progress.advance(len(some))
    finally:
        progress.finish()
    return scores
