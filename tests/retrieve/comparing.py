"""Whether a ranking is right: scores near the reference, order equal but for what the reference ties."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kakehashi.index.index import Index
from kakehashi.retrieve.sparse import Sparse
from kakehashi.types import EVERYTHING, Compiler, Ranking, Scope, TermQuery, Text
from tests.retrieve.formulas import Query

RELATIVE = 1e-6


def term_query(index: Index, query: Query) -> TermQuery:
    """The groups over one index; what it does not know is left out, as every compiler does."""
    groups = []
    for weight, group in query:
        known = [
            (index.vocabulary.number(term), w) for term, w in group if index.vocabulary.number(term) >= 0
        ]
        if known:
            groups.append((weight, known, group[0][0]))
    return TermQuery(
        weights=np.array([weight for weight, _, _ in groups], dtype=np.float64),
        starts=np.cumsum([0, *(len(known) for _, known, _ in groups)], dtype=np.int64),
        terms=np.array([number for _, known, _ in groups for number, _ in known], dtype=np.int32),
        term_weights=np.array([w for _, known, _ in groups for _, w in known], dtype=np.float64),
        labels=tuple(label for _, _, label in groups),
    )


@dataclass(frozen=True)
class Given(Compiler):
    """A compiler that looks its grouped queries up by the query's id."""

    index: Index
    queries: Mapping[str, Query]

    def compile(self, query: Text) -> TermQuery:
        return term_query(self.index, self.queries[query.id])


def asked(queries: Mapping[str, Query]) -> list[Text]:
    return [Text(id, "en", "") for id in queries]


def words(text: str) -> Query:
    """A query of single words, each as often as it stands there."""
    split = text.split()
    return [(float(split.count(word)), [(word, 1.0)]) for word in dict.fromkeys(split)]


def rank(
    system: Sparse, queries: Mapping[str, Query], k: int, scope: Scope = EVERYTHING, threads: int = 0
) -> dict[str, Ranking]:
    return system.search(asked(queries), k, scope, threads=threads).rankings


def assert_right(ranking: Ranking, reference: Mapping[str, float], k: int, slack: float = 0.0) -> None:
    """`slack` is an absolute error allowed besides the relative one.

    Documents the reference puts at zero within the slack may be there or not: their parts cancel out.
    """

    def near(a: float, b: float) -> bool:
        return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=slack)

    docs, scores = list(ranking.docs), ranking.scores.tolist()
    sure = [doc for doc, value in reference.items() if abs(value) > slack]
    assert len(set(docs)) == len(docs)
    assert min(k, len(sure)) <= len(docs) <= min(k, len(reference))
    for doc, score in zip(docs, scores, strict=True):
        assert near(score, reference[doc]), (doc, score, reference[doc])
    assert_order(docs, scores)
    if docs and len(docs) == k:  # whoever is left out must not be clearly better than the last one
        left_out = max((value for doc, value in reference.items() if doc not in set(docs)), default=-math.inf)
        assert left_out <= scores[-1] or near(left_out, scores[-1])


def assert_order(docs: Sequence[str], scores: Sequence[float]) -> None:
    """Best first; exact ties by descending document id, as trec_eval sorts."""
    keys = list(zip(scores, docs, strict=True))
    assert keys == sorted(keys, reverse=True)


def same(a: Mapping[str, Ranking], b: Mapping[str, Ranking]) -> None:
    """Bit for bit."""
    assert list(a) == list(b)
    for id in a:
        assert list(a[id].docs) == list(b[id].docs), id
        assert a[id].scores.tobytes() == b[id].scores.tobytes(), id
