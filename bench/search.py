"""Queries per second over 100,000 abstracts: 45-term queries, top 10 and top 1,000, one thread, against peers.

All rivals get the same terms from the same analyzer and the same parameters (k1 1.2, b 0.75, Lucene's idf).
bm25s and kakehashi then compute the same formula, and their rankings are compared; tantivy rounds document
lengths, so its scores differ. kakehashi and bm25s return document ids, tantivy its internal numbers.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import tantivy
from harness import best_of, first_distinct, world

from kakehashi.index.index import Index
from kakehashi.progress import Progress
from kakehashi.query.terms import Untranslated, one_group_each
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.types import TermQuery

N_QUERIES, N_TERMS = 1000, 45
DEPTHS = (10, 1000)


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    library = world(folder, documents, progress)
    library.update_index(progress=progress)
    index = library.index
    queries = _queries(library.collection, index)
    compiled = [one_group_each(index, terms) for terms in queries]
    ours = Sparse("bm25", Untranslated(index), Bm25(k3=0.0), index)
    peer = _bm25s(index)
    searcher, parsed = _tantivy(index, queries)
    ids = np.array(list(index.segments[0].ids))
    asked = [query.terms.tolist() for query in compiled]
    figures: dict[str, Any] = {
        "documents": index.n_docs,
        "vocabulary": len(index.vocabulary),
        "queries": len(queries),
        "terms_per_query": round(float(np.mean([len(query) for query in compiled])), 1),
        "postings_per_query": round(_postings(index, compiled)),
    }
    ratios = {}
    for k in DEPTHS:
        rivals: dict[str, Callable[[], Any]] = {
            "kakehashi": lambda k=k: list(ours.rank_compiled(compiled, k, threads=1)),  # type: ignore[misc]
            "bm25s": partial(peer.retrieve, asked, corpus=ids, k=k, n_threads=1, show_progress=False),
            "tantivy": lambda k=k: [searcher.search(query, limit=k, count=False) for query in parsed],  # type: ignore[misc]
        }
        for work in rivals.values():
            work()  # compiles and warms up
        seconds = best_of(5, rivals)
        for name, value in seconds.items():
            figures[f"{name}_top{k}_queries_per_second"] = round(len(queries) / value)
        ratios[f"search_top{k}_vs_bm25s"] = round(seconds["bm25s"] / seconds["kakehashi"], 2)
        ratios[f"search_top{k}_vs_tantivy"] = round(seconds["tantivy"] / seconds["kakehashi"], 2)
        figures[f"top{k}_rankings_equal_to_bm25s"] = _agreement(ours, compiled, peer, asked, k, index)
    return {"figures": figures, "ratios": ratios}


def _queries(collection: Any, index: Index) -> list[list[str]]:
    """The first 45 distinct known terms of English originals that have as many."""
    queries = []
    for text in collection.originals():
        terms = (term for term in index.analyzer.terms(text.content) if index.vocabulary.number(term) >= 0)
        distinct = first_distinct(terms, N_TERMS)
        if len(distinct) == N_TERMS:
            queries.append(distinct)
        if len(queries) == N_QUERIES:
            break
    return queries


def _postings(index: Index, compiled: list[TermQuery]) -> float:
    return float(np.mean([index.statistics.df[query.terms].sum() for query in compiled]))


def _documents(index: Index) -> list[list[int]]:
    """Every document as a bag of term numbers, in the index's order."""
    starts, terms, tfs = index.segments[0].forward
    rows = np.repeat(terms, tfs)
    ends = np.append(0, np.cumsum(tfs, dtype=np.int64))[starts]
    return [rows[ends[d] : ends[d + 1]].tolist() for d in range(index.n_docs)]


def _bm25s(index: Index) -> Any:
    vocabulary = {term: number for number, term in enumerate(index.vocabulary.all_terms())}
    peer = bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend="numba")
    peer.index(bm25s.tokenization.Tokenized(ids=_documents(index), vocab=vocabulary), show_progress=False)
    return peer


def _tantivy(index: Index, queries: list[list[str]]) -> tuple[Any, list[Any]]:
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("body", stored=False, tokenizer_name="whitespace")
    built = tantivy.Index(schema.build())
    writer = built.writer(heap_size=256_000_000, num_threads=1)
    terms = index.vocabulary.all_terms()
    for document in _documents(index):
        writer.add_document(tantivy.Document(body=" ".join(terms[number] for number in document)))
    writer.commit()
    writer.wait_merging_threads()
    built.reload()
    parsed = [
        tantivy.Query.boolean_query(
            [(tantivy.Occur.Should, tantivy.Query.term_query(built.schema, "body", term)) for term in query]
        )
        for query in queries
    ]
    return built.searcher(), parsed


def _agreement(
    ours: Sparse, compiled: list[TermQuery], peer: Any, asked: list[list[int]], k: int, index: Index
) -> float:
    """Share of queries whose two score lists are equal to float32 precision, rank by rank."""
    their_scores = peer.retrieve(asked, k=k, n_threads=1, show_progress=False).scores
    constant = Bm25().k1 + 1  # bm25s leaves the constant factor out
    equal = 0
    for ranking, scores in zip(ours.rank_compiled(compiled, k), their_scores, strict=True):
        known = scores[: len(ranking)]
        equal += bool(np.allclose(ranking.scores / constant, known, rtol=2e-5, atol=1e-5))
    return round(equal / len(compiled), 4)
