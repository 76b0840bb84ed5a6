"""Rankings, judgments and slow reference measures for the tests of evaluation."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from kakehashi.types import Qrels, Ranking, Run


def ranking(*docs: str) -> Ranking:
    """Documents best first, with scores that fall."""
    return Ranking(list(docs), np.arange(len(docs), 0, -1, dtype=np.float64))


def ranked_at(ranks: Sequence[int], depth: int) -> Ranking:
    """A list of `depth` documents with r1, r2, ... at the given ranks."""
    docs = [f"x{rank}" for rank in range(1, depth + 1)]
    for number, rank in enumerate(ranks, 1):
        docs[rank - 1] = f"r{number}"
    return ranking(*docs)


def random_case(rng: np.random.Generator, queries: int = 30, pool: int = 60) -> tuple[Qrels, Run]:
    """Graded judgments and a run with many ties, missing queries and unjudged documents."""
    qrels: Qrels = {}
    rankings = {}
    docs = [f"d{i}" for i in range(pool)]
    for number in range(queries):
        query = f"q{number}"
        judged = rng.choice(pool, size=rng.integers(1, pool // 2), replace=False)
        qrels[query] = {docs[i]: int(rng.integers(0, 4)) for i in judged}
        if rng.random() < 0.85:
            found = rng.choice(pool, size=rng.integers(1, pool), replace=False)
            scores = rng.integers(0, 6, size=len(found)) / 3  # a third is no exact float32
            rankings[query] = Ranking([docs[i] for i in found], scores)
    rankings["unjudged"] = ranking("d1", "d2")
    return qrels, Run("random", rankings)


def levels_by_rank(found: Ranking, judged: Mapping[str, int]) -> list[int]:
    """trec_eval's order, spelled out."""
    rows = sorted(zip(np.float32(found.scores), found.docs, strict=True), reverse=True)
    return [judged.get(doc, 0) for _, doc in rows]


def slow_score(
    name: str, depth: int | None, levels: list[int], judged: Mapping[str, int], level: int = 1
) -> float:
    """Every measure from its definition, one document at a time."""
    n = sum(value >= level for value in judged.values())
    size = len(levels) if depth is None else depth
    top = levels[:size]
    hits = [rank for rank, value in enumerate(top, 1) if value >= level]
    if name == "NDCG":
        best = sorted(judged.values(), reverse=True)
        best = best if depth is None else best[:depth]
        ideal = sum(max(value, 0) / math.log2(rank + 1) for rank, value in enumerate(best, 1))
        return (
            sum(max(value, 0) / math.log2(rank + 1) for rank, value in enumerate(top, 1)) / ideal
            if ideal
            else 0.0
        )
    if n == 0:
        return 0.0
    if name == "MAP":
        return sum(sum(value >= level for value in top[:rank]) / rank for rank in hits) / n
    if name == "P":
        return len(hits) / size if size else 0.0
    if name == "R":
        return len(hits) / n
    if name == "MRR":
        return 1 / hits[0] if hits else 0.0
    assert name == "PRES"
    ranks = [*hits, *(size + number for number in range(len(hits) + 1, n + 1))]
    return 1 - (sum(ranks) / n - (n + 1) / 2) / size


# a list of levels by rank, and how many relevant documents of each level were not found
levels_and_missing = st.tuples(
    st.lists(st.integers(0, 3), min_size=1, max_size=40), st.lists(st.integers(1, 3), max_size=5)
)


def case_of(levels: Sequence[int], missing: Sequence[int]) -> tuple[Ranking, dict[str, int]]:
    """The ranking and judgments behind a list of levels; every other 0 was not judged at all."""
    docs = [f"d{i:03d}" for i in range(len(levels))]
    judged = {doc: level for i, (doc, level) in enumerate(zip(docs, levels, strict=True)) if level or i % 2}
    judged |= {f"missing{i}": level for i, level in enumerate(missing)}
    return ranking(*docs), judged
