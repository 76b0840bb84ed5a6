"""Sums over terms are made in the order of a fresh index, whatever numbers the terms have."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.index.numbering import Numbering
from kakehashi.index.segment import Segment
from kakehashi.index.statistics import Statistics
from kakehashi.retrieve.norms import squared_lengths
from kakehashi.retrieve.planning import by_rank
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25, Hmm, TfIdf, Weighting
from kakehashi.types import TermQuery, Text
from tests.index.building import add, build, build_in_parts, texts_of, zipfian
from tests.retrieve.comparing import Given, asked, same
from tests.retrieve.formulas import Query

N_DOCS = 150


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    return texts_of(zipfian(np.random.default_rng(41), N_DOCS, n_terms=200, mean_length=60, skew=0.6))


@pytest.fixture(scope="module")
def fresh(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(tmp_path_factory.mktemp("order") / "fresh", texts)


@pytest.fixture(scope="module")
def updated(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The first segment was full of rare words, and nothing of it lives."""
    folder = tmp_path_factory.mktemp("order") / "updated"
    early = [msgspec.structs.replace(text, text=f"w{(7 * i) % 200} " * 3) for i, text in enumerate(texts)]
    return build_in_parts(folder, [early, texts[:70], texts[70:]])


def lengths_by_id(index: Index, dtype: type) -> dict[str, bytes]:
    statistics = index.statistics
    weights = np.log(1 + 1000 / np.maximum(statistics.df, 1)).astype(dtype)
    parts = [squared_lengths(segment, weights, statistics) for segment in index.segments]
    numbering = Numbering(index)
    found = np.concatenate(parts)
    return {numbering.id(n): found[n].tobytes() for n in np.flatnonzero(numbering.live).tolist()}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lengths_of_vectors_are_equal_to_the_bit(fresh: Index, updated: Index, dtype: type) -> None:
    assert lengths_by_id(updated, dtype) == lengths_by_id(fresh, dtype)


def test_length_is_the_sum_of_squares_in_the_given_order(updated: Index) -> None:
    segment, statistics = updated.segments[-1], updated.statistics
    weights = np.linspace(0.1, 3.0, len(statistics.df))
    expected = []
    for doc in range(segment.n_docs):
        terms, tfs = segment.document_terms(doc)
        total = 0.0
        for i in np.argsort(statistics.ranks[terms]).tolist():
            total += (float(tfs[i]) * float(weights[terms[i]])) ** 2
        expected.append(total)
    assert squared_lengths(segment, weights, statistics).tolist() == expected


def test_frequent_word_in_another_document_does_not_change_a_length(tmp_path: Path) -> None:
    """It makes the frequencies of its segment wider on disk."""
    plain, beside = Text("a", "en", "x y y z z z"), Text("b", "en", "x " * 300)
    alone = build(tmp_path / "alone", [plain]).segments[0]
    together = build(tmp_path / "together", [plain, beside]).segments[0]
    assert alone.forward[2].dtype != together.forward[2].dtype
    weights = {"x": 0.1, "y": 0.3, "z": 0.7}

    def length(segment: Segment) -> float:
        own = np.array([weights[term] for term in segment.artifact.strings("terms")], np.float32)
        statistics = Statistics(1, 6, own, own)
        return float(squared_lengths(segment, own, statistics)[segment.number("a")])

    # x is the last term of one vocabulary and the first of the other, so sums may differ in their last bit
    assert length(alone) == pytest.approx(length(together), rel=1e-15)


def test_entries_of_a_group_are_put_in_the_order_of_ranks() -> None:
    query = TermQuery(np.ones(2), np.array([0, 3, 5]), np.array([4, 0, 2, 3, 1]), np.arange(5.0), ("a", "b"))
    nothing = np.zeros(5)
    plain = by_rank(query, Statistics(0, 0, nothing, nothing))
    assert plain.terms.tolist() == [0, 2, 4, 1, 3]
    ranked = by_rank(query, Statistics(0, 0, nothing, nothing, np.array([1, 4, 0, 3, 2], np.int32)))
    assert ranked.terms.tolist() == [2, 0, 4, 3, 1]
    assert ranked.term_weights.tolist() == [2.0, 1.0, 0.0, 3.0, 4.0]


def grouped_queries() -> dict[str, Query]:
    rng = np.random.default_rng(42)
    found: dict[str, Query] = {}
    for q in range(20):
        groups = []
        for _ in range(4):
            terms = [f"w{term}" for term in rng.choice(200, 12, replace=False).tolist()]
            groups.append((1.0, list(zip(terms, rng.uniform(0.01, 1.0, 12).tolist(), strict=True))))
        found[f"q{q}"] = groups
    return found


@pytest.mark.parametrize("weighting", [Bm25(), Hmm(), TfIdf("lucene")], ids=lambda each: type(each).__name__)
def test_groups_score_alike_by_postings_and_by_forward_rows(
    weighting: Weighting, fresh: Index, updated: Index
) -> None:
    queries = grouped_queries()
    systems = [Sparse("x", Given(index, queries), weighting, index) for index in (fresh, updated)]
    rankings = [system.search(asked(queries), N_DOCS).rankings for system in systems]
    same(*rankings)
    for query in asked(queries):
        docs = rankings[0][query.id].docs
        for system in systems:
            assert system.score(query, docs).tobytes() == rankings[0][query.id].scores.tobytes()
        for doc, score in zip(docs[:2], rankings[0][query.id].scores.tolist(), strict=False):
            assert systems[1].explain(query, [doc])[0].score == score


def test_injected_statistics_leave_the_order_to_the_index(fresh: Index, updated: Index) -> None:
    queries = grouped_queries()
    rankings = []
    for index in (fresh, updated):
        own = index.statistics
        injected = Statistics(own.n_docs, own.total_length, own.df, own.cf)
        system = Sparse("x", Given(index, queries), Hmm(), index, statistics=injected)
        rankings.append(system.search(asked(queries), N_DOCS).rankings)
    same(*rankings)


def test_terms_without_weight_take_nothing_from_their_group(tmp_path: Path) -> None:
    """`all` is in every document and so weighs nothing; its group has more entries than there are groups."""
    words = ["all one", "all two", "all three", "all four"]
    add(tmp_path, [Text(f"d{i}", "en", f"every {text}") for i, text in enumerate(words)])
    index = Index(tmp_path)
    queries: dict[str, Query] = {"q": [(1.0, [("all", 0.05), ("every", 0.05), ("one", 0.9)])]}
    system = Sparse("x", Given(index, queries), TfIdf(), index)
    query = Text("q", "en", "")
    ranking = system.search([query], 5).rankings["q"]
    assert list(ranking.docs) == ["d0"]
    [explanation] = system.explain(query, ["d0"])
    assert explanation.score == ranking.scores[0]
    assert sum(share.share for share in explanation.shares) == ranking.scores[0]
