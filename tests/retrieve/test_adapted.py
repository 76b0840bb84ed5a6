"""A searcher from outside, made a system: filtered, scored, and held to what it may say."""

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.errors import InputError, KakehashiError, Notice
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.retrieve.adapted import Adapted, adapted
from kakehashi.retrieve.inputs import Input
from kakehashi.systems.contracts import FIELD, check_system, small_holdings
from kakehashi.systems.opening import open_system
from kakehashi.types import Explanation, Ranking, Run, Scope, Share, Text
from tests.index.building import holdings_of
from tests.outside import Given, Scoring

NUMBERS: Any = [7]  # no ids of documents

QUERY = Text("q", "de", "light")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return small_holdings(tmp_path_factory.mktemp("adapted")).index


def falling(n: int = 60) -> dict[str, float]:
    return {f"d{i:02}": float(n - i) for i in range(n)}


def test_list_goes_as_deep_as_the_filter_makes_it(index: Index) -> None:
    """The first thirty documents are out of scope, so a longer list is asked for, and a longer one still."""
    order = sorted(falling(), key=lambda doc: (int(doc[1:]) % 2, doc))
    searcher = Given({"q": {doc: float(100 - i) for i, doc in enumerate(order)}})
    scope = Scope((parse_condition(f"{FIELD}=left"),))
    system = Adapted("given", searcher, index)
    assert system.search([QUERY], 3, scope).rankings["q"].docs == ["d01", "d03", "d05"]
    assert searcher.asked == 3  # for 3, 12, 48
    assert len(system.search([QUERY], 1000, scope).rankings["q"]) == 30
    assert len(system.search([QUERY], 1000).rankings["q"]) == 60  # the scope was that of those searches


def test_query_is_not_its_own_answer_where_the_scope_says_so(index: Index) -> None:
    system = Adapted("given", Given({"d00": falling()}), index)
    found = system.search([Text("d00", "de", "light")], 2, Scope(not_itself=True)).rankings["d00"]
    assert found.docs == ["d01", "d02"]


@pytest.mark.parametrize("kind", [Given, Scoring])
def test_scores_are_those_of_the_list_and_nothing_elsewhere(kind: type[Given], index: Index) -> None:
    system = Adapted("given", kind({"q": {"d03": 2.0, "d01": -1.0, "gone": 9.0}}), index)
    with pytest.warns(Notice, match="given lists 1 document not in the index: skipped"):
        found = system.search([QUERY])
    assert found.rankings["q"].docs == ["d03", "d01"]
    with pytest.warns(Notice):
        whole = dict(zip(index.numbering.ids, system.score_all(QUERY).tolist(), strict=True))
    scores = system.score(QUERY, ["d01", "d02", "nobody", "d03", "gone"])
    np.testing.assert_array_equal(scores, [-1.0, np.nan, np.nan, 2.0, np.nan])
    assert {doc: score for doc, score in whole.items() if not np.isnan(score)} == {"d03": 2.0, "d01": -1.0}


def test_searcher_without_reasons_says_so(index: Index) -> None:
    system = Adapted("given", Given({"q": {"d03": 2.0}}), index)
    listed, missed = system.explain(QUERY, ["d03", "d04"])
    assert listed.shares == [Share("given gives no reasons", "", 2.0)]
    assert missed.shares == []
    with pytest.raises(InputError, match="there is no document 'nobody' in the index"):
        system.explain(QUERY, ["d03", "nobody"])


def test_queries_without_a_list_are_named_once(index: Index) -> None:
    system = Adapted("given", Given({"q": falling()}), index)
    others = [Text(f"other{i}", "de", "light") for i in range(5)]
    with pytest.warns(Notice, match="given has no list for 5 queries: other0, other1, other2 and 2 more"):
        found = system.search([*others, QUERY], 5).rankings
    with warnings.catch_warnings():
        warnings.simplefilter("error", Notice)
        system.search(others, 5)
    assert [len(found[query.id]) for query in (*others, QUERY)] == [0, 0, 0, 0, 0, 5]


class Answering:
    def __init__(self, answer: Any):
        self.answer = answer

    def search(self, queries: Sequence[Text], k: int = 1000) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (RuntimeError("out of\nmemory"), "given: its search failed: RuntimeError: out of memory$"),
        (InputError("say it in German"), "^say it in German$"),
        ({"q": []}, "given: its search failed: AttributeError"),
        (Run("x", {"q": Ranking(["d00"], np.array([np.nan]))}), "query 'q' has a score that is not a number"),
        (Run("x", {"q": Ranking(["d00", "d00"], np.ones(2))}), "query 'q' lists a document twice"),
        (Run("x", {"q": Ranking(["d00", "d01"], np.ones(1))}), "2 documents and scores of shape .1,"),
        (Run("x", {"q": Ranking(["d00"], np.ones(2))}), "1 documents and scores of shape .2,"),
        (Run("x", {"q": Ranking(["d00"], np.ones((1, 1)))}), "1 documents and scores of shape .1, 1"),
        (Run("x", {"q": Ranking(NUMBERS, np.ones(1))}), "query 'q' lists 7, a int: ids are strings"),
        (SystemExit(0), "given: its search failed: SystemExit: 0"),
    ],
)
def test_nonsense_is_refused_with_one_line(answer: Any, message: str, index: Index) -> None:
    with pytest.raises(KakehashiError, match=message):
        Adapted("given", Answering(answer), index).search([QUERY])


def test_ties_are_put_in_order(index: Index) -> None:
    answer = Run("x", {"q": Ranking(["d01", "d03", "d02"], np.array([1.0, 1.0, 2.0]))})
    found = Adapted("given", Answering(answer), index).search([QUERY]).rankings["q"]
    assert found.docs == ["d02", "d03", "d01"]


def test_searcher_is_asked_by_one_thread_at_a_time(index: Index) -> None:
    class Jealous(Given):
        inside = 0

        def search(self, queries: Sequence[Text], k: int = 1000) -> Run:
            self.inside += 1
            assert self.inside == 1
            found = super().search(queries, k)
            self.inside -= 1
            return found

    lists = {f"q{i}": falling() for i in range(200)}
    system = Adapted("given", Jealous(lists), index)
    queries = [Text(id, "de", "light") for id in lists]
    with ThreadPoolExecutor(8) as pool:
        assert all(
            len(run.rankings) == 1 for run in pool.map(lambda query: system.search([query], 3), queries)
        )


def test_complete_system_is_left_as_it_is(index: Index) -> None:
    whole = open_system("bm25", holdings_of(index))
    assert adapted("bm25", whole, index) is whole
    with pytest.raises(
        InputError, match=r"mine is not a system: int has neither search\(queries, k\) nor score\("
    ):
        adapted("mine", 7, index)


def test_searcher_joins_a_fusion_from_python(index: Index, tmp_path: Path) -> None:
    from kakehashi.evaluation.measures import parse
    from kakehashi.fuse.fused import Fused
    from kakehashi.fuse.tuning import tune

    mine = Adapted("mine", Given({"q": {"d07": 1.0}}), index)
    systems = [open_system("bm25", holdings_of(index)), mine]
    tuned = tune("rrf", [system.search([QUERY]) for system in systems], {"q": {"d07": 1}}, parse("MAP"))
    fused = Fused("both", index, [Input(system.name, system, index) for system in systems], tuned)
    assert fused.search([QUERY], 1).rankings["q"].docs == ["d07"]


class Marks:
    """Can score and nothing else: documents of even number by that number, the others not at all."""

    def __init__(self, wrong: Any = None):
        self.wrong = wrong

    def score(self, query: Text, doc_ids: Sequence[str]) -> Any:
        if self.wrong is not None:
            return self.wrong
        return [float(doc[1:]) if query.text.strip() and int(doc[1:]) % 2 == 0 else np.nan for doc in doc_ids]


def test_what_can_only_score_is_a_system(index: Index) -> None:
    system = adapted("marks", Marks(), index)
    found = system.search([QUERY], 3).rankings["q"]
    assert list(found.docs) == ["d58", "d56", "d54"]
    assert system.score(QUERY, ["d04", "d05", "nobody"]).tolist() == pytest.approx(
        [4, np.nan, np.nan], nan_ok=True
    )
    assert np.isfinite(system.score_all(QUERY)).sum() == 30
    left, right = (Scope((parse_condition(f"shelf={side}"),)) for side in ("left", "right"))
    assert len(system.search([QUERY], 3, left).rankings["q"]) == 0  # the odd ones are on the left
    found = system.search([QUERY], 60, right).rankings["q"]
    assert list(found.docs) == [f"d{i:02}" for i in range(58, -1, -2)]
    check_system(lambda name, holdings, settings: Marks())


@pytest.mark.parametrize("wrong", [1.0, [1.0], np.ones((60, 1)), "text", [np.inf] * 60])
def test_scores_that_are_none_are_refused(wrong: Any, index: Index) -> None:
    system = adapted("marks", Marks(wrong), index)
    with pytest.raises(KakehashiError, match="marks: "):
        system.search([QUERY], 3)
    with pytest.raises(KakehashiError, match="marks: "):
        system.score(QUERY, [f"d{i:02}" for i in range(60)])


def test_reasons_that_are_none_are_refused(index: Index) -> None:
    class Reasoning(Given):
        def explain(self, query: Text, doc_ids: Sequence[str]) -> Any:
            return [{"because": 1.0} for _ in doc_ids]

    system = Adapted("given", Reasoning({"q": falling()}), index)
    with pytest.raises(KakehashiError, match="given: explain returns dict, not an Explanation for each"):
        system.explain(QUERY, ["d01"])


@pytest.mark.parametrize(("n", "kinds"), [(1, "Explanation"), (0, "nothing")])
def test_fewer_reasons_than_documents_are_refused(n: int, kinds: str, index: Index) -> None:
    class Reasoning(Given):
        def explain(self, query: Text, doc_ids: Sequence[str]) -> list[Explanation]:
            return [Explanation(1.0, [Share("light", "", 1.0)])] * n

    system = Adapted("given", Reasoning({"q": falling()}), index)
    with pytest.raises(KakehashiError, match=f"given: explain returns {kinds}, not an Explanation for each"):
        system.explain(QUERY, ["d01", "d02"])
