"""Preselection by k-means against the exact search of a bilinear model: how much faster, how much is missed.

Both answer the same queries one at a time on one thread, top 10 and top 1,000, over 100,000 abstracts. Exact
search is our own pruned and exhaustive top-k. A document outside the chosen clusters is missed, so the share of
the exact top k that is still found stands beside every ratio.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np
from harness import best_of, world

from kakehashi.learn.clusters import cluster
from kakehashi.progress import Progress
from kakehashi.retrieve.clusters import Preselected
from kakehashi.retrieve.sparse import Sparse
from kakehashi.systems.bilinear import bilinear_system, read_with_reading
from kakehashi.types import Text

N_QUERIES, ROUNDS = 100, 3
DEPTHS = (10, 1000)
CLUSTERS = (100, 300)
BEST = (2, 5, 10, 30)
MODEL = "bench-clusters"
TRAINING = {"pairs": 100_000, "epochs": 2, "dev_queries": 0}


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    library = world(folder, documents, progress)
    library.update_index(progress=progress)
    index = library.index
    library.train("bilinear", TRAINING, model=MODEL, progress=progress)
    model, reading = read_with_reading(library, MODEL)
    queries = library.split_queries("test")[:N_QUERIES]
    exact = bilinear_system("exact", reading, model)
    figures: dict[str, Any] = {"documents": index.n_docs, "queries": len(queries)}
    ratios: dict[str, Any] = {}
    rows = model.document_words.document_rows(index)
    for n_clusters in CLUSTERS:
        start = time.perf_counter()
        clusters = cluster(rows, len(model.document_words), n_clusters, np.random.default_rng(1))
        figures[f"clustering_{n_clusters}_seconds"] = round(time.perf_counter() - start, 1)
        for best in BEST:
            some = Preselected(exact, model, reading, clusters, best)
            for k in DEPTHS:
                _compare(exact, some, queries, k, f"{best}_of_{n_clusters}_top{k}", figures, ratios)
    return {"figures": figures, "ratios": ratios}


def _compare(
    exact: Sparse,
    some: Preselected,
    queries: list[Text],
    k: int,
    name: str,
    figures: dict[str, Any],
    ratios: dict[str, Any],
) -> None:
    wanted, found = exact.search(queries, k, threads=1).rankings, some.search(queries, k).rankings
    rivals = {
        "exact": lambda: [exact.search([query], k, threads=1) for query in queries],
        "clusters": lambda: [some.search([query], k) for query in queries],
    }
    seconds = best_of(ROUNDS, rivals)
    figures[f"exact_top{k}_ms"] = round(1000 * seconds["exact"] / len(queries), 2)
    figures[f"{name}_ms"] = round(1000 * seconds["clusters"] / len(queries), 2)
    ratios[f"{name}_speed_vs_exact"] = round(seconds["exact"] / seconds["clusters"], 2)
    kept = [
        len({*found[id].docs} & {*ranking.docs}) / len(ranking)
        for id, ranking in wanted.items()
        if ranking.docs
    ]
    ratios[f"{name}_found_of_exact"] = round(float(np.mean(kept)), 3)
