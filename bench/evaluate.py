"""Exhaustive scoring: 2,000 queries of thousands of weighted terms against 100,000 documents, in pairs per second.

Queries as a learned word-pair ranker makes them: each is projected to 2,000 target terms with random weights,
frequent terms more likely, scored over binary document vectors. The published figure for this task is 167,000
pairs per second on 240 cores. The result is computed a second time in other parts and must be the same.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from harness import world

from kakehashi.index.index import Index
from kakehashi.progress import Progress
from kakehashi.query.terms import Untranslated
from kakehashi.retrieve.sparse import Sparse, cores
from kakehashi.retrieve.weighting import Presence
from kakehashi.types import Ranking, TermQuery

N_QUERIES, N_TERMS, DEPTH, SEED = 2000, 2000, 1000, 7
PUBLISHED_PAIRS_PER_SECOND = 167_000


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    library = world(folder, documents, progress)
    library.update_index(progress=progress)
    index = library.index
    queries = _projected(index)
    system = Sparse("projected", Untranslated(index), Presence(), index)
    list(system.rank_compiled(queries[:64], DEPTH))  # compiles
    seconds = []
    rankings: list[Ranking] = []
    for _ in range(2):
        start = time.perf_counter()
        rankings = list(system.rank_compiled(queries, DEPTH))
        seconds.append(time.perf_counter() - start)
    parts = [
        list(system.rank_compiled(queries[start : start + 40], DEPTH, threads=1))
        for start in range(0, 200, 40)
    ]
    same = all(
        a.docs == b.docs and np.array_equal(a.scores, b.scores)
        for a, b in zip(rankings[:200], [r for part in parts for r in part], strict=True)
    )
    pairs = len(queries) * index.n_docs
    peer = _scipy_pairs_per_second(index, queries[:128])
    rate = pairs / min(seconds)
    return {
        "figures": {
            "queries": len(queries),
            "terms_per_query": N_TERMS,
            "documents": index.n_docs,
            "threads": cores(),
            "seconds": round(min(seconds), 2),
            "million_pairs_per_second": round(rate / 1e6, 1),
            "scipy_sparse_times_dense_million_pairs_per_second": round(peer / 1e6, 1),
            "same_result_in_other_parts": same,
            "published_pairs_per_second_on_240_cores": PUBLISHED_PAIRS_PER_SECOND,
        },
        "ratios": {
            "evaluate_vs_30_million_pairs": round(rate / 30e6, 2),
            "evaluate_vs_scipy": round(rate / peer, 2),
        },
    }


def _projected(index: Index) -> list[TermQuery]:
    rng = np.random.default_rng(SEED)
    share = np.asarray(index.statistics.df, dtype=np.float64) ** 0.5
    share /= share.sum()
    n = min(N_TERMS, len(share))
    return [
        TermQuery(
            weights=rng.normal(size=n),
            starts=np.arange(n + 1, dtype=np.int64),
            terms=rng.choice(len(share), size=n, replace=False, p=share).astype(np.int32),
            term_weights=np.ones(n),
            labels=("",) * n,
        )
        for _ in range(N_QUERIES)
    ]


def _scipy_pairs_per_second(index: Index, queries: list[TermQuery]) -> float:
    """The same scores by one sparse x dense product, without finding the best: one thread."""
    starts, terms, _ = index.segments[0].forward
    ones = np.ones(len(terms), dtype=np.float32)
    documents = scipy.sparse.csr_matrix((ones, terms, starts), shape=(index.n_docs, len(index.vocabulary)))
    dense = np.zeros((len(index.vocabulary), len(queries)), dtype=np.float32)
    for q, query in enumerate(queries):
        dense[query.terms, q] = query.weights
    start = time.perf_counter()
    documents @ dense
    return len(queries) * index.n_docs / (time.perf_counter() - start)
