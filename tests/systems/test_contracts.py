"""The contract that authors of systems can check: every system here keeps it, every broken one is told how."""

from collections.abc import Callable, Sequence
from time import sleep
from typing import Any

import numpy as np
import pytest

from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.systems.contracts import PROMISES, BrokenPromises, check_system, small_holdings, small_queries
from kakehashi.systems.opening import open_system
from kakehashi.systems.registry import SYSTEMS
from kakehashi.types import EVERYTHING, Explanation, Floats, Ranking, Run, Scope, Share, Text
from tests.contracts.models import put_models
from tests.docs.pages import read
from tests.index.building import holdings_of


@pytest.fixture(scope="module")
def holdings(tmp_path_factory: pytest.TempPathFactory) -> Holdings:
    found = small_holdings(tmp_path_factory.mktemp("contract"))
    put_models(found, found.index.vocabulary.all_terms())
    return found


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_keeps_the_contract(name: str, holdings: Holdings) -> None:
    check_system(name, holdings)


def test_small_holdings_are_made_where_none_are_given() -> None:
    check_system("bm25", settings={"k1": 0.5})
    check_system(SYSTEMS["lm"])


def test_small_queries_find_ties(holdings: Holdings) -> None:
    """Else the promise about equal scores would be kept by chance."""
    rankings = open_system("bm25", holdings).search(small_queries(), 60).rankings.values()
    assert sum(len(ranking) > len({*ranking.scores.tolist()}) for ranking in rankings) > 6


class Wrapped:
    """BM25, and what a subclass spoils."""

    made = 0

    def __init__(self, holdings: Holdings):
        self.inner = open_system("bm25", holdings)
        self.n = 0
        Wrapped.made += 1

    def search(self, queries: Sequence[Text], k: int = 1000) -> Run:
        self.n += 1
        found = self.inner.search(queries, k).rankings
        return Run("x", {query.id: self.spoil(query, found[query.id], k) for query in queries})

    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        return ranking


class Unordered(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        order = sorted(range(len(ranking)), key=lambda i: (-ranking.scores[i], ranking.docs[i]))
        return Ranking([ranking.docs[i] for i in order], ranking.scores[order])


class Endless(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        return self.inner.search([query], k + 1).rankings[query.id]


class Moody(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        return Ranking(ranking.docs, ranking.scores + self.n)


class Forgetful(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        """What is asked for last gets more than its due: the order of questions matters."""
        self.last = getattr(self, "last", 0) + len(query.text)
        return Ranking(ranking.docs, ranking.scores * (1 + self.last))


class Anew(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        return Ranking(ranking.docs, ranking.scores + Wrapped.made)


class DepthMatters(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        return Ranking(ranking.docs, ranking.scores + 1 / k)


class Inventive(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        return Ranking([*ranking.docs[: k - 1], "zz"], np.append(ranking.scores[: k - 1], 0.0))


class NotANumber(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        return Ranking(ranking.docs, ranking.scores * np.inf)


class Repetitive(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        docs = [ranking.docs[0]] * len(ranking)
        return Ranking(docs, ranking.scores)


class Choosy(Wrapped):
    def search(self, queries: Sequence[Text], k: int = 1000) -> Run:
        run = super().search(queries, k)
        return Run("x", {query: ranking for query, ranking in run.rankings.items() if len(ranking)})


class Proud(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        assert query.text.strip(), "an empty query"
        return ranking


class Chatty(Wrapped):
    def spoil(self, query: Text, ranking: Ranking, k: int) -> Ranking:
        return ranking if len(ranking) else Ranking(["d00"], np.ones(1))


class Plain(Wrapped):
    def search(self, queries: Sequence[Text], k: int = 1000) -> Any:
        return super().search(queries, k).rankings


class OtherScores(Wrapped):
    def score(self, query: Text, doc_ids: Sequence[str]) -> Floats:
        return self.inner.score(query, doc_ids) + 0.001


class KnowsNobody(Wrapped):
    def score(self, query: Text, doc_ids: Sequence[str]) -> Floats:
        return np.nan_to_num(self.inner.score(query, doc_ids))


class LooseReasons(Wrapped):
    def explain(self, query: Text, doc_ids: Sequence[str]) -> list[Explanation]:
        scores = self.inner.score(query, doc_ids).tolist()
        return [Explanation(score, [Share("light", "light", score / 2)]) for score in scores]


class OneReason(Wrapped):
    def explain(self, query: Text, doc_ids: Sequence[str]) -> list[Explanation]:
        return self.inner.explain(query, doc_ids[:1])


class Complete(Wrapped):
    """All that is asked of a system, so that kakehashi leaves it alone; it hears of no scope."""

    name = "complete"

    def __init__(self, holdings: Holdings):
        super().__init__(holdings)
        self.index = holdings.index

    def search(self, queries: Sequence[Text], k: int = 1000, scope: Scope = EVERYTHING, **_: Any) -> Run:
        return self.inner.search(queries, k)

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        return self.inner.score(query, doc_ids)

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        return self.inner.score_all(query)

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        return self.inner.explain(query, doc_ids)


class Sticky(Complete):
    """Keeps the question on itself, where another thread's question takes its place."""

    def search(self, queries: Sequence[Text], k: int = 1000, scope: Scope = EVERYTHING, **_: Any) -> Run:
        self.scope = scope
        sleep(0.001)
        return self.inner.search(queries, k, self.scope)


BROKEN: list[tuple[type[Wrapped], str, str]] = [
    (Unordered, "lists are ordered by score", "where d.* belongs"),
    (Endless, "no list is longer than k", "gets 2 documents for k = 1"),
    (Moody, "the same query gets the same answer", "a different answer when repeated"),
    (Forgetful, "the same query gets the same answer", "a different answer when"),
    (
        Anew,
        "the same query gets the same answer",
        "a different answer when answered by a newly opened system",
    ),
    (DepthMatters, "a short list is the beginning of a long one", "5 documents are not the first 5 of 60"),
    (Inventive, "lists contain documents of the index", "lists zz, which is not in the index"),
    (NotANumber, "lists contain documents of the index", "has a score that is not a number"),
    (Repetitive, "lists contain documents of the index", "lists a document twice"),
    (Choosy, "any text is a valid query", "gets no list: return an empty one"),
    (Proud, "any text is a valid query", "it raised AssertionError: an empty query"),
    (Chatty, "any text is a valid query", "the empty query finds d00"),
    (Plain, "every query gets a list", "search returns a dict, not a Run"),
    (OtherScores, "score returns the scores of the ranking", "score and search return different numbers"),
    (KnowsNobody, "score returns the scores of the ranking", "must have the score NaN"),
    (LooseReasons, "the shares of an explanation sum to the score", "the shares of d.* sum to"),
    (OneReason, "the shares of an explanation sum to the score", "5 documents, 1 explanations"),
    (Complete, "documents outside the scope are not listed", "lists d.*, which the filter excludes"),
    (Sticky, "many threads with different scopes", "gets a different answer while other queries run"),
]


@pytest.mark.filterwarnings("ignore::kakehashi.errors.Notice")
@pytest.mark.parametrize(("kind", "promise", "fault"), BROKEN, ids=[kind.__name__ for kind, *_ in BROKEN])
def test_broken_promise_is_named(kind: type[Wrapped], promise: str, fault: str, holdings: Holdings) -> None:
    with pytest.raises(BrokenPromises, match=rf"(?m)^{promise}.*: .*{fault}"):
        check_system(lambda name, holdings, settings: kind(holdings), holdings)


def test_searcher_that_cannot_filter_is_filtered_and_one_that_says_it_can_is_not(holdings: Holdings) -> None:
    check_system(lambda name, holdings, settings: Wrapped(holdings), holdings)
    with pytest.raises(BrokenPromises) as told:
        check_system(lambda name, holdings, settings: Complete(holdings), holdings)
    [line] = told.value.broken
    assert line.startswith("documents outside the scope are not listed: query q")


def test_promises_are_in_the_guide() -> None:
    page = read("docs/plugins.md")
    assert [promise for promise in PROMISES if f"- {promise[0].upper()}{promise[1:]}" not in page] == []


def test_settings_reach_a_callable(holdings: Holdings) -> None:
    seen: list[dict[str, Any]] = []

    def make(name: str, holdings: Holdings, settings: dict[str, Any]) -> Wrapped:
        seen.append(settings)
        return Wrapped(holdings)

    given: Callable[..., Any] = make
    check_system(given, holdings, settings={"power": "2"})
    assert seen[0] == {"power": "2"}
    assert all(one == seen[0] for one in seen)


def test_holdings_of_its_own_can_be_given(toy_index: Index) -> None:
    check_system(
        "bm25", holdings_of(toy_index), [Text("q", "en", "battery electrode"), Text("r", "en", "lens film")]
    )
