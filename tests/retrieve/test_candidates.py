"""What `dense` finds by candidates is what scoring every document gives."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.features.sets import SETS
from kakehashi.features.table import FeatureTable
from kakehashi.index.holdings import Holdings
from kakehashi.learn.asked import Asked
from kakehashi.learn.linear import Weights, combine
from kakehashi.query.edits import parse_edit, with_edits
from kakehashi.retrieve import linear, question
from kakehashi.retrieve.inputs import Input
from kakehashi.retrieve.linear import LinearRanker, citations_of, open_evidence
from kakehashi.retrieve.question import best_of
from kakehashi.systems.opening import open_inputs, open_system
from kakehashi.types import EVERYTHING, Condition, Ranking, Scope, Text
from tests.contracts.models import FEATURES, put_models
from tests.index.building import build, build_in_parts, dealt, holdings_of, texts_of, zipfian
from tests.retrieve.comparing import same

N_DOCS = 900
SCOPES = [
    EVERYTHING,
    Scope((Condition("tags", "=", "w2"),)),
    Scope(expression="w1 OR w3", not_itself=True),
]


def tagged(id: str, lang: str, text: str) -> Text:
    return Text(id, lang, text, meta={"tags": text.split()})


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    return [
        tagged(text.id, text.lang, text.text) for text in texts_of(zipfian(np.random.default_rng(31), N_DOCS))
    ]


@pytest.fixture(scope="module")
def holdings(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Holdings:
    found = holdings_of(build(tmp_path_factory.mktemp("candidates") / "index", texts, {"tags": "keyword"}))
    put_models(found, found.index.vocabulary.all_terms())
    return found


@pytest.fixture(scope="module")
def queries() -> list[Text]:
    documents = zipfian(np.random.default_rng(32), 25, mean_length=15)
    return [tagged(f"d{i}", "de", text) for i, text in enumerate(documents.values())]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few candidates that this small index has more documents, scaled by few documents."""
    monkeypatch.setattr(linear, "MARGIN", 60)
    monkeypatch.setattr(question, "BEST", 20)
    monkeypatch.setattr(question, "SPREAD", 30)


def both(holdings: Holdings, name: str = "dense") -> tuple[LinearRanker, LinearRanker]:
    """(by candidates, full)"""
    fast, full = (open_system(name, holdings, {"full": full}) for full in (False, True))
    assert isinstance(fast, LinearRanker)
    assert isinstance(full, LinearRanker)
    assert (fast.full, full.full) == (False, True)
    return fast, full


def rankings(
    system: LinearRanker, queries: list[Text], k: int, scope: Scope = EVERYTHING
) -> dict[str, Ranking]:
    return system.search(queries, k, scope).rankings


@pytest.mark.parametrize("name", ["dense", "knowledge"])
@pytest.mark.parametrize("scope", SCOPES)
def test_small_collection_is_scored_in_full(
    name: str, scope: Scope, holdings: Holdings, queries: list[Text]
) -> None:
    fast, full = both(holdings, name)
    for k in (5, 100, 2 * N_DOCS):
        same(rankings(fast, queries, k, scope), rankings(full, queries, k, scope))
    for query in queries[:5]:
        assert fast.score_all(query).tobytes() == full.score_all(query).tobytes()
        docs = ["d0", "d17", "nobody", "d3"]
        assert fast.score(query, docs).tobytes() == full.score(query, docs).tobytes()
        assert fast.explain(query, docs[:2]) == full.explain(query, docs[:2])


@pytest.mark.parametrize("scope", SCOPES)
def test_candidates_hold_the_best_where_every_input_is_summed(
    scope: Scope, holdings: Holdings, queries: list[Text], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "PAYS", 0.0)
    fast, full = both(holdings)
    same(rankings(fast, queries, 20, scope), rankings(full, queries, 20, scope))
    for query in queries[:5]:
        docs = list(rankings(fast, [query], 4, scope)[query.id].docs)
        assert fast.explain(query, docs) == full.explain(query, docs)
        assert fast.score_all(query).tobytes() == full.score_all(query).tobytes()


def test_candidates_hold_most_of_the_best_where_one_of_three_unrelated_inputs_is_summed(
    holdings: Holdings, queries: list[Text], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "PAYS", 1e9)
    fast, full = both(holdings)
    found, expected = rankings(fast, queries, 20), rankings(full, queries, 20)
    shares = [len({*found[query.id].docs} & {*expected[query.id].docs}) / 20 for query in queries]
    assert np.mean(shares) > 0.8  # of 900 documents, 80 are candidates


def test_estimated_extents_lie_within_the_true_ones(
    holdings: Holdings, queries: list[Text], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "PAYS", 1e9)
    fast, _ = both(holdings)
    exact = 0
    for query in queries:
        extents = fast.evidence.ask(query, fast._screen(query)).measured.extents
        for each, extent in zip(fast.evidence.inputs, extents, strict=True):
            scores = each.scores(query)
            lowest, highest = float(np.nanmin(scores)), float(np.nanmax(scores))
            assert extent is not None
            assert lowest <= extent[0] <= extent[1] <= highest
            exact += (lowest, highest) == extent
    assert exact >= len(queries)  # the input in the sum is scaled exactly


def test_scores_do_not_depend_on_which_documents_are_asked_for(
    holdings: Holdings, queries: list[Text], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "PAYS", 1e9)
    fast, _ = both(holdings)
    for query in queries[:8]:
        ranking = rankings(fast, [query], 30)[query.id]
        assert fast.score(query, ranking.docs).tobytes() == ranking.scores.tobytes()
        again = tagged(query.id, query.lang, query.text)  # an equal query that nothing is remembered of
        assert fast.score(again, ranking.docs).tobytes() == ranking.scores.tobytes()
        whole = dict(zip(holdings.index.numbering.ids, fast.score_all(query).tolist(), strict=True))
        assert [whole[doc] for doc in ranking.docs] == ranking.scores.tolist()
        inside = rankings(fast, [query], 10, SCOPES[1])[query.id]
        assert fast.score(again, inside.docs).tobytes() == inside.scores.tobytes()
        scores = [one.score for one in fast.explain(query, ranking.docs[:5])]
        assert scores == ranking.scores[:5].tolist()


def test_threads_and_segments_change_no_candidate(
    holdings: Holdings, texts: list[Text], queries: list[Text], few: None, tmp_path: Path
) -> None:
    fast, _ = both(holdings)
    one = rankings(fast, queries, 20)
    same(fast.search(queries, 20, threads=4).rankings, one)
    four = holdings_of(build_in_parts(tmp_path / "index", dealt(texts, 4), {"tags": "keyword"}))
    put_models(four, four.index.vocabulary.all_terms())
    same(rankings(both(four)[0], queries, 20), one)


def test_edited_queries_find_what_full_scoring_finds(
    holdings: Holdings, queries: list[Text], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "PAYS", 0.0)
    fast, full = both(holdings)
    edits = [parse_edit("add", "w5=w30 w2 w17"), parse_edit("boost", "w5=w2:3")]
    edited = [with_edits(query, edits) for query in queries]
    same(rankings(fast, edited, 20), rankings(full, edited, 20))


@pytest.mark.parametrize("scaling", ["found", "best", "range", "raw"])
def test_every_scaling_gives_what_full_scoring_gives(
    scaling: str, holdings: Holdings, queries: list[Text], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "PAYS", 0.0)
    inputs: list[Input] = open_inputs([Asked("psq-hmm"), Asked("bilinear"), Asked("lowrank")], holdings)
    evidence = open_evidence(holdings, inputs, scaling, SETS[FEATURES], {})
    worth = Weights(np.array([2.0, 1.5, -0.3, 0.7, 0.2, 0.1]))
    fast, full = (LinearRanker("x", evidence, worth, full) for full in (False, True))
    same(rankings(fast, queries, 20), rankings(full, queries, 20))


def test_columns_of_some_documents_are_those_of_all(holdings: Holdings, queries: list[Text]) -> None:
    full = both(holdings)[1]
    docs = np.array([3, 4, 90, 555, N_DOCS - 1])
    for query in queries[:8]:
        rows = full.evidence.rows(query)
        assert rows is not None
        screen = LinearRanker("x", full.evidence, full.worth, full=False)._screen(query)
        columns = full.evidence.ask(query, screen).columns(docs)
        assert columns.tobytes() == np.ascontiguousarray(rows[:, docs]).tobytes()


def test_weighted_sum_of_features_is_that_of_their_rows(holdings: Holdings, queries: list[Text]) -> None:
    table = FeatureTable(holdings, SETS[FEATURES], citations_of(holdings.index, {"d5": 3.0}))
    weights = np.array([0.7, -0.2, 0.3])
    for query in queries:
        rows, common = table.rows(query)
        sums = np.zeros(N_DOCS)
        assert table.add(query, weights, sums) == common
        assert sums == pytest.approx(combine(weights, rows), abs=1e-5)


def test_citations_count_as_far_as_the_inputs_find_the_document(
    holdings: Holdings, queries: list[Text]
) -> None:
    cited = {"d5": 3.0, "d7": 1.0, "d800": 9.0}
    plain, related = (
        open_evidence(
            holdings, open_inputs([Asked("bm25"), Asked("lm")], holdings), "found", SETS["any"], cited, how
        )
        for how in (False, True)
    )
    assert plain.priors.tolist() == [False, False, False, True]
    for query in queries[:8]:
        given, counted = plain.rows(query), related.rows(query)
        assert given is not None
        assert counted is not None
        mean = np.maximum((given[0].astype(np.float64) + given[1]) / 2, 0.0)
        assert counted[3] == pytest.approx(given[3] * mean, rel=1e-6, abs=1e-7)
        assert np.array_equal(counted[:3], given[:3])
        assert (counted[3] > 0).any()


def test_popular_document_on_another_subject_does_not_outrank_a_new_one_on_the_subject(
    holdings: Holdings, queries: list[Text]
) -> None:
    index = holdings.index
    weights = Weights(np.array([1.0, 0.0, 5.0]))  # bm25, length, citations
    for query in queries[:8]:
        bm25 = open_inputs([Asked("bm25")], holdings)[0]
        scores = np.nan_to_num(bm25.scores(query), nan=0.0)
        if not scores.min() < scores.max():
            continue
        best, unrelated = index.numbering.id(int(scores.argmax())), index.numbering.id(int(scores.argmin()))
        cited = {unrelated: 50.0}

        def first(related: bool, cited: dict[str, float] = cited, query: Text = query) -> str:
            inputs = open_inputs([Asked("bm25")], holdings)
            evidence = open_evidence(holdings, inputs, "found", SETS["any"], cited, related)
            return LinearRanker("x", evidence, weights).search([query], 1).rankings[query.id].docs[0]

        assert first(related=False) == unrelated
        assert scores.min() > 0.0 or first(related=True) == best


def test_equal_documents_are_cut_by_id(holdings: Holdings) -> None:
    numbering = holdings.index.numbering
    values = np.zeros(N_DOCS)
    values[[5, 700]] = 1.0
    chosen = best_of(values, np.arange(N_DOCS), 6, numbering)
    ids = sorted(numbering.ids, reverse=True)
    highest = [doc for doc in ids if numbering.of([doc])[0] not in (5, 700)][:4]
    assert {numbering.id(n) for n in chosen.tolist()} == {numbering.id(5), numbering.id(700), *highest}
