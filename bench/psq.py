"""Structured queries over 100,000 abstracts: worked out beforehand, at query time, and as one sparse product.

45-word queries, one thread, top 10 and top 1,000; all rivals get the same compiled queries, tables and parameters. The
sparse product is how fast_psq scores: documents translated by T·TF in SciPy, a query times that matrix, then the best
k of the product; it is timed with and without that last step. Training of 50,000 sentence pairs, tables and decoder,
is timed before.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from harness import best_of, world

from kakehashi.corpus.collection import Collection
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.query.psq import Psq, grouped
from kakehashi.retrieve.indexed_psq import IndexedPsq
from kakehashi.retrieve.planning import plan_queries
from kakehashi.retrieve.source_index import row_query
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.systems.translated import PsqSettings
from kakehashi.systems.translation import read_table
from kakehashi.types import Ranking, TermQuery

N_QUERIES, N_WORDS, N_PAIRS, ROUNDS = 200, 45, 50_000, 5
DEPTHS = (10, 1000)
MODEL = "bench-psq"
LIMIT = 600.0  # seconds that training may take


class FirstPairs(Collection):
    """A collection with only its first N_PAIRS sentence pairs."""

    def parallel(self) -> Iterator[tuple[str, str]]:
        return islice(super().parallel(), N_PAIRS)


class Shortened(Library):
    @cached_property
    def collection(self) -> Collection:
        return FirstPairs(self.folder)


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    library = Shortened(world(folder, documents, progress).folder)
    library.update_index(progress=progress)
    index = library.index
    with tempfile.TemporaryDirectory(dir=folder) as place:
        start = time.perf_counter()
        _, outcome = library.train("translation", {"decoder": True}, model=MODEL, progress=progress)
        trained = time.perf_counter() - start
        cut = PsqSettings()
        psq = Psq(index, read_table(library, MODEL).pruned(cut.least, cut.mass))
        plain = Sparse("psq", psq, Bm25(), index)
        indexed = IndexedPsq(plain, psq, Path(place) / "indexed")
        start = time.perf_counter()
        stored = indexed.stored(progress)
        built = time.perf_counter() - start
        size = sum(path.stat().st_size for path in (Path(place) / "indexed").glob("*.npy"))
        own = sum(path.stat().st_size for path in index.folder.rglob("post.*.npy"))
        chosen = _queries(library.collection, psq)
        figures: dict[str, Any] = {
            "sentence_pairs": outcome.made_from["sentence_pairs"],
            "training_seconds": round(trained, 1),
            "documents": index.n_docs,
            "queries": len(chosen),
            "words_per_query": round(float(np.mean([len(counts) for counts in chosen])), 1),
            "postings_mib": round(own / 2**20),
            "source_postings_mib": round(size / 2**20),
            "source_indexing_seconds": round(built, 1),
        }
        ratios: dict[str, Any] = {"training_vs_limit": round(trained / LIMIT, 2)}
        _race(chosen, psq, plain, stored, figures, ratios)
    return {"figures": figures, "ratios": ratios}


def _queries(collection: Collection, psq: Psq) -> list[dict[int, float]]:
    """The first 45 groups of queries that have as many."""
    found = []
    for query in collection.queries():
        counts = dict(islice(psq.counts(query).items(), N_WORDS))
        if len(counts) == N_WORDS:
            found.append(counts)
        if len(found) == N_QUERIES:
            break
    return found


def _race(
    chosen: list[dict[int, float]],
    psq: Psq,
    plain: Sparse,
    stored: Sparse,
    figures: dict[str, Any],
    ratios: dict[str, Any],
) -> None:
    groups = [
        grouped([(psq.label(number), times, psq.group(number)) for number, times in counts.items()])
        for counts in chosen
    ]
    rows = [row_query(psq, counts) for counts in chosen]
    matrix = _translated_documents(psq, plain)
    asked = _sparse_queries(groups, rows, plain, matrix.shape[0])
    for k in DEPTHS:
        rivals: dict[str, Callable[[], Any]] = {
            "query_time": partial(_ranked, plain, groups, k),
            "index_time": partial(_ranked, stored, rows, k),
            "sparse_product": partial(_best_of_products, asked, matrix, k),
            "sparse_product_without_ranking": lambda: [query @ matrix for query in asked],
        }
        for work in rivals.values():
            work()  # compiles and warms up
        seconds = best_of(ROUNDS, rivals)
        for name, value in seconds.items():
            figures[f"{name}_top{k}_ms"] = round(1000 * value / len(chosen), 3)
        for name in ("query_time", "sparse_product", "sparse_product_without_ranking"):
            ratios[f"index_time_top{k}_vs_{name}"] = round(seconds[name] / seconds["index_time"], 1)
        ours, beforehand = rivals["query_time"](), rivals["index_time"]()
        figures[f"top{k}_rankings_equal_to_query_time"] = _share(map(_identical, ours, beforehand))
        theirs = rivals["sparse_product"]()
        figures[f"top{k}_scores_equal_to_sparse_product"] = _share(map(_near, beforehand, theirs))


def _translated_documents(psq: Psq, plain: Sparse) -> Any:
    """(groups, documents) what BM25 makes of translated frequencies, by SciPy alone."""
    index, bm25 = plain.index, Bm25()
    table, n_terms = psq.of_table(), len(index.vocabulary)
    shape = (len(psq.table), n_terms)
    translate = sp.csr_matrix((table.term_weights.astype(np.float32), table.terms, table.starts), shape)
    starts, terms, tfs = index.segments[0].forward
    documents = sp.csr_matrix((np.asarray(tfs, np.float32), terms, starts), (index.n_docs, n_terms)).T.tocsr()
    matrix = sp.vstack([translate @ documents, documents], format="csr")
    lengths = np.asarray(index.segments[0].lengths)[matrix.indices]
    factors = bm25.k1 * (1 - bm25.b + bm25.b * lengths / index.statistics.mean_length)
    matrix.data = (matrix.data / (matrix.data + factors)).astype(np.float32)
    return matrix


def _sparse_queries(groups: list[TermQuery], rows: list[TermQuery], plain: Sparse, width: int) -> list[Any]:
    """(1, groups) each: idf and query part of every group."""
    found = []
    for group, row in zip(groups, rows, strict=True):
        scales = plan_queries([group], Bm25(), plain.index.statistics, plain.index.longest).plan.scales
        shape = (1, width)
        found.append(sp.csr_matrix((scales.astype(np.float32), row.terms, [0, len(scales)]), shape))
    return found


def _ranked(system: Sparse, compiled: list[TermQuery], k: int) -> list[Ranking]:
    return list(system.rank_compiled(compiled, k, threads=1))


def _best_of_products(asked: list[Any], matrix: Any, k: int) -> list[tuple[Any, Any]]:
    return [_best(query @ matrix, k) for query in asked]


def _best(product: Any, k: int) -> tuple[Any, Any]:
    scores = product.data
    chosen = np.argpartition(-scores, min(k, len(scores)) - 1)[:k]
    chosen = chosen[np.argsort(-scores[chosen])]
    return product.indices[chosen], scores[chosen]


def _identical(one: Ranking, other: Ranking) -> bool:
    return list(one.docs) == list(other.docs) and one.scores.tobytes() == other.scores.tobytes()


def _near(ranking: Ranking, found: tuple[Any, Any]) -> bool:
    return bool(np.allclose(ranking.scores, found[1], rtol=2e-5, atol=1e-5))


def _share(answers: Any) -> float:
    return round(float(np.mean(list(answers))), 4)
