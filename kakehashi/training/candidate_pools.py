"""Candidate pools: a query's relevant documents and n that are not, drawn at random or found by another system.

Systems that only rerank are compared on such pools, whatever a first system would have found.
"""

from collections.abc import Mapping

import numpy as np
import xxhash

from kakehashi.corpus.splits import Split
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN
from kakehashi.retrieve.system import IndexSystem
from kakehashi.types import Longs, Text

Pools = Mapping[str, Longs]  # query -> numbers of documents across all segments, the relevant ones first


def relevant_numbers(index: Index, split: Split, query: Text) -> Longs:
    """Those that the split is ranked against."""
    allowed = index.numbering.allowed(split.scope.where)
    docs = [doc for doc, level in split.qrels[query.id].items() if level > 0 and doc != query.id]
    found = index.numbering.of(docs)
    found = found[found != UNKNOWN]
    return np.unique(found[allowed[found]])


def random_pools(index: Index, split: Split, n: int, seed: int) -> Pools:
    """What is drawn for a query depends on the seed and its id; more documents include fewer."""
    numbering = index.numbering
    known = np.flatnonzero(numbering.allowed(split.scope.where) & numbering.live)
    pools = {}
    for query in split.queries:
        relevant = relevant_numbers(index, split, query)
        rng = np.random.default_rng([seed, xxhash.xxh3_64_intdigest(query.id.encode())])
        drawn = rng.permutation(known)
        own = numbering.of([query.id])
        others = drawn[~np.isin(drawn, np.concatenate([relevant, own]))]
        pools[query.id] = np.concatenate([relevant, others[:n]])
    return pools


def found_pools(index: Index, split: Split, n: int, system: IndexSystem, threads: int = 0) -> Pools:
    """The best documents of a system instead; fewer where it finds fewer."""
    relevant = {query.id: relevant_numbers(index, split, query) for query in split.queries}
    most = max((len(numbers) for numbers in relevant.values()), default=0)
    run = system.search(split.queries, n + most + 1, split.scope, threads=threads)
    pools = {}
    for query in split.queries:
        judged = {doc for doc, level in split.qrels[query.id].items() if level > 0} | {query.id}
        docs = [doc for doc in run.rankings[query.id].docs if doc not in judged][:n]
        others = index.numbering.of(docs)
        pools[query.id] = np.concatenate([relevant[query.id], others[others != UNKNOWN]])
    return pools
