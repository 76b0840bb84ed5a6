"""Reranking with a scorer that is no network: the candidates are the first system's, the order is the scorer's."""

from dataclasses import dataclass

import numpy as np
import pytest

from kakehashi.corpus.collection import Collection
from kakehashi.library import Library
from kakehashi.retrieve.inputs import Input
from kakehashi.retrieve.reranked import Reranked
from kakehashi.types import Condition, Floats, Longs, Scope, Share, Text

QUERY = Text("q", "ja", "battery electrode film sensor")  # words both languages write alike


@dataclass
class ByNumber:
    """The later a document was indexed, the better; even ones share their score with the next."""

    calls: int = 0

    def scores(self, query: Text, documents: Longs) -> Floats:
        self.calls += 1
        return (documents // 2).astype(np.float64)

    def shares(self, query: Text, document: int, score: float) -> list[Share]:
        return [Share(query.text.split()[0], "", score, "by number")]


@pytest.fixture
def library(indexed_toy: Collection) -> Library:
    return Library(indexed_toy.folder)


def reranked(library: Library, depth: int) -> Reranked:
    first = Input("bm25", library.system("bm25"), library.index)
    return Reranked("later", library.index, first, ByNumber(), depth)


@pytest.mark.parametrize("depth", [3, 1000])
def test_candidates_are_those_of_the_first_system_in_the_scorers_order(library: Library, depth: int) -> None:
    first = library.system("bm25").search([QUERY], depth).rankings["q"]
    found = reranked(library, depth).search([QUERY], 1000).rankings["q"]
    numbers = dict(zip(first.docs, library.index.numbering.of(first.docs).tolist(), strict=True))
    # ties stand by descending id
    expected = sorted(first.docs, key=lambda doc: (numbers[doc] // 2, doc), reverse=True)
    assert list(found.docs) == expected
    assert found.scores.tolist() == [numbers[doc] // 2 for doc in expected]
    assert list(found.docs) != list(first.docs)


def test_a_short_list_is_cut_after_scoring(library: Library) -> None:
    system = reranked(library, 1000)
    whole = system.search([QUERY], 1000).rankings["q"]
    assert system.search([QUERY], 2).rankings["q"].docs == whole.docs[:2]


def test_a_scope_limits_the_candidates(library: Library) -> None:
    scope = Scope((Condition("applicant", "=", "Denchi Works"),))
    found = reranked(library, 1000).search([QUERY], 10, scope).rankings["q"]
    assert {*found.docs} <= {"d01", "d02"}
    assert len(found) > 0


def test_scores_and_reasons_are_those_of_the_list_and_others_have_none(library: Library) -> None:
    system = reranked(library, 3)
    ranking = system.search([QUERY], 10).rankings["q"]
    others = [f"d{i:02}" for i in range(1, 13) if f"d{i:02}" not in ranking.docs]
    assert system.score(QUERY, ranking.docs).tolist() == ranking.scores.tolist()
    assert np.isnan(system.score(QUERY, others)).all()
    every = system.score_all(QUERY)
    assert np.count_nonzero(~np.isnan(every)) == len(ranking)
    for doc, score, reason in zip(
        ranking.docs, ranking.scores.tolist(), system.explain(QUERY, ranking.docs), strict=True
    ):
        assert (reason.score, [share.part for share in reason.shares]) == (score, ["by number"]), doc
    assert [(one.score, one.shares) for one in system.explain(QUERY, others[:1])] == [(0.0, [])]
