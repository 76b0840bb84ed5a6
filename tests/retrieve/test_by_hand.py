"""Scores on the toy collection that a person can follow with a calculator.

Twelve documents, 49 words. Of the words used here, `lithium` is in d01 alone, `electrode` twice in d01
and once in d04, `battery` in d01, d02 and d03. d01 has 4 words, d04 has 5.
"""

from math import log, sqrt

import pytest

from kakehashi.index.index import Index
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Presence
from kakehashi.systems.opening import open_system
from kakehashi.types import Ranking, Text
from tests.index.building import build, holdings_of, texts_of
from tests.retrieve.comparing import Given, rank
from tests.retrieve.formulas import Query

QUERY = Text("q", "en", "A lithium electrode")


def search(index: Index, system: str, query: Text = QUERY, **settings: object) -> Ranking:
    return open_system(system, holdings_of(index), settings).search([query]).rankings[query.id]


def test_bm25_of_a_calculator(toy_index: Index) -> None:
    ranking = search(toy_index, "bm25")
    # d01: K = 1.2 (0.25 + 0.75 * 4 / (49/12)) = 1.181633
    #   lithium    ln(1 + 11.5/1.5) = 2.159484, times 2.2 * 1 / (1 + K) = 1.008419
    #   electrode  ln(1 + 10.5/2.5) = 1.648659, times 2.2 * 2 / (2 + K) = 1.382938
    # d04: K = 1.402041, electrode 1.648659 * 2.2 * 1 / (1 + K) = 1.509987
    assert ranking.docs == ["d01", "d04"]
    assert ranking.scores.tolist() == pytest.approx([4.457658, 1.509987], abs=2e-6)


def test_repeated_query_word_counts_by_k3(toy_index: Index) -> None:
    twice = Text("q", "en", "lithium lithium")
    single = 2.159484 * 1.008419
    for k3, factor in [(2.0, 3 * 2 / (2 + 2)), (0.0, 1.0), (1000.0, 1001 * 2 / 1002), ("inf", 2.0)]:
        ranking = search(toy_index, "bm25", twice, k3=k3)
        assert ranking.scores.tolist() == pytest.approx([single * factor], abs=4e-6)


def test_saturations_and_idfs_of_a_calculator(toy_index: Index) -> None:
    lithium = Text("q", "en", "lithium")
    k = 1.181633
    odds = 11.5 / 1.5
    for settings, score in [
        ({"saturation": "classic"}, log(1 + odds) / (1 + k)),
        ({"saturation": "double"}, log(1 + odds) * 2.2 / (2 + k)),
        ({"idf": "rsj_clamped"}, log(odds) * 2.2 / (1 + k)),
        ({"idf": "log"}, log(12) * 2.2 / (1 + k)),
    ]:
        assert search(toy_index, "bm25", lithium, **settings).scores.tolist() == pytest.approx(
            [score], abs=2e-6
        )


def test_log_likelihood_of_a_calculator(toy_index: Index) -> None:
    ranking = search(toy_index, "lm", mu=10)
    # mu cf/C: lithium 10 * 1/49, electrode 10 * 3/49
    d01 = log((1 + 10 / 49) / 14) + log((2 + 30 / 49) / 14)
    d04 = log((0 + 10 / 49) / 15) + log((1 + 30 / 49) / 15)
    assert ranking.docs == ["d01", "d04"]
    assert ranking.scores.tolist() == pytest.approx([d01, d04], rel=1e-7)
    assert (d01, d04) == pytest.approx((-4.132188, -6.527708), abs=1e-6)


def test_cosine_of_a_calculator(toy_index: Index) -> None:
    ranking = search(toy_index, "tfidf", idf="log")
    lithium, electrode, battery = log(12 / 1), log(12 / 2), log(12 / 3)
    fuel, cell = log(12 / 3), log(12 / 1)
    norm = sqrt(lithium**2 + electrode**2)
    d01 = (lithium**2 + 2 * electrode**2) / norm / sqrt(lithium**2 + (2 * electrode) ** 2 + battery**2)
    d04 = electrode**2 / norm / sqrt(electrode**2 + (2 * fuel) ** 2 + (2 * cell) ** 2)
    assert ranking.docs == ["d01", "d04"]
    assert ranking.scores.tolist() == pytest.approx([d01, d04], rel=1e-6)
    assert (d01, d04) == pytest.approx((0.898519, 0.175644), abs=1e-6)


def test_identical_texts_have_cosine_one(toy_index: Index) -> None:
    ranking = search(toy_index, "tfidf", Text("q", "en", "electrode lithium battery electrode"), idf="lucene")
    assert ranking.docs[0] == "d01"
    assert ranking.scores[0] == pytest.approx(1.0, abs=1e-6)


def test_presence_of_a_calculator(toy_index: Index) -> None:
    number = toy_index.vocabulary.number
    stem = {word: toy_index.analyzer.terms(word)[0] for word in ("battery", "electrode", "film", "lens")}
    assert all(number(term) >= 0 for term in stem.values())
    queries: dict[str, Query] = {
        "q": [
            (2.0, [(stem["battery"], 1.0)]),
            (-0.5, [(stem["electrode"], 1.0), (stem["film"], 0.1)]),
            (-3.0, [(stem["lens"], 1.0)]),
        ]
    }
    found = rank(Sparse("x", Given(toy_index, queries), Presence(), toy_index), queries, 20)["q"]
    # d03 battery alone; d01 and d02 lose a half; d04 has electrode alone, d05 lens alone, d08 both
    assert found.docs == ["d03", "d02", "d01", "d04", "d05", "d08"]
    assert found.scores.tolist() == pytest.approx([2.0, 1.5, 1.5, -0.5, -3.0, -3.5], rel=1e-6)


def test_equal_scores_come_in_descending_order_of_ids(toy_index: Index) -> None:
    ranking = search(toy_index, "bm25", Text("q", "en", "engine"))
    assert ranking.docs == ["d10", "d09", "d11"]  # by length 3, 4, 5
    ranking = search(toy_index, "bm25", Text("q", "en", "battery"))
    assert ranking.docs == ["d03", "d02", "d01"]
    assert len(set(ranking.scores.tolist())) == 1


def test_word_in_most_documents_vanishes_only_where_idf_is_clamped(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    documents = texts_of({"a": "x y", "b": "x", "c": "x", "d": "y"})
    index = build(tmp_path_factory.mktemp("half") / "index", documents)
    for idf, found in [("lucene", ["c", "b", "a"]), ("rsj_clamped", []), ("log", ["c", "b", "a"])]:
        assert list(search(index, "bm25", Text("q", "en", "x"), idf=idf).docs) == found
