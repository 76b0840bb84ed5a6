"""All twenty patent features over the full list: query-document pairs per second, by what they consist of.

2,000 queries times all documents of the world, two threads at most: nineteen features of metadata, the score of a
word-pair model as the twentieth, weights, and the 1,000 best. The limit is what a query's matrix costs to write.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from harness import world

from kakehashi.errors import InputError
from kakehashi.features.sets import SETS
from kakehashi.learn.linear import Weights, combine
from kakehashi.progress import Progress
from kakehashi.retrieve.inputs import Input
from kakehashi.retrieve.linear import Evidence, LinearRanker, open_evidence
from kakehashi.systems.registry import spec_of
from kakehashi.types import Text

QUERIES, THREADS, WANTED = 2000, 2, 2e6  # pairs per second
WARM_UP = 8


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    library = world(folder, documents, progress)
    if "independent" not in library.collection.info.fields:
        raise InputError(f"{library.folder} is of an older form: remove it, and it is built again")
    library.update_index(progress=progress)
    index = library.index
    if not spec_of("bilinear").is_trained(library):
        library.train("bilinear", {"epochs": 1, "dev_queries": 0}, progress=progress)
    queries = list(islice(library.collection.queries(), QUERIES))
    learned = Input("bilinear", library.system("bilinear"), index)
    features = open_evidence(library, [], "best", SETS["patents"], {})
    everything = open_evidence(library, [learned], "raw", SETS["patents"], {})
    ranker = LinearRanker("dense", everything, Weights(np.linspace(-1.0, 1.0, len(everything.names))))
    pairs = len(queries) * index.n_docs
    works: dict[str, Callable[[], object]] = {
        "features": lambda: _fill(features, queries),
        "features_and_score": lambda: _fill(everything, queries),
        "ranking": lambda: ranker.search(queries, 1000, threads=THREADS),
    }
    seconds = {}
    for name, work in works.items():
        ranker.search(queries[:WARM_UP], 10, threads=THREADS)
        start = time.perf_counter()
        work()
        seconds[name] = time.perf_counter() - start
    written = _written(len(everything.names), index.n_docs, len(queries))
    return {
        "figures": {
            "queries": len(queries),
            "documents": index.n_docs,
            "numbers_per_pair": len(everything.names),
            **{f"{name}_million_pairs_per_second": round(pairs / s / 1e6, 1) for name, s in seconds.items()},
            "written_only_million_pairs_per_second": round(pairs / written / 1e6, 1),
            **_one_query(everything, queries[0]),
        },
        "ratios": {
            "ranking_vs_2_million_pairs_per_second": round(pairs / seconds["ranking"] / WANTED, 1),
            "features_vs_writing_them": round(written / seconds["features"], 3),
        },
    }


def _fill(evidence: Evidence, queries: Sequence[Text]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in pool.map(evidence.rows, queries):
            pass


def _written(numbers: int, documents: int, queries: int) -> float:
    """Seconds of writing as many numbers and adding them up, nothing worked out."""
    weights = np.ones(numbers)

    def write(_: int) -> None:
        combine(weights, np.ones((numbers, documents), np.float32))

    write(0)
    start = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(write, range(queries)))
    return time.perf_counter() - start


def _one_query(evidence: Evidence, query: Text) -> dict[str, float]:
    start = time.perf_counter()
    for _ in range(20):
        evidence.rows(query)
    return {"one_query_ms": round((time.perf_counter() - start) / 20 * 1000, 2)}
