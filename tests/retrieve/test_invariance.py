"""Scores and ranks do not depend on how the work was done: pruned or not, cut up or not, in what order."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.index.update import MAX_SEGMENTS
from kakehashi.retrieve import exhaustive, topk
from kakehashi.retrieve.planning import bind, plan_queries, segment_arrays
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25, Lm, Presence, TfIdf, Weighting
from kakehashi.types import Ranking, Scope, Text
from tests.index.building import build, build_in_parts, dealt, zipfian
from tests.retrieve.comparing import Given, assert_order, rank, same, term_query
from tests.retrieve.formulas import Query

FIELDS = {"color": "keyword"}
WEIGHTINGS = [Bm25(), Bm25(idf="rsj_clamped", b=0.3), Lm(), Lm(mu=3.0), TfIdf(), TfIdf("lucene"), Presence()]
N_DOCS = 20_000

weightings = pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    """Short documents, a strong Zipf: the frequent words are in most of them."""
    documents = zipfian(np.random.default_rng(11), N_DOCS, n_terms=3000, mean_length=9, skew=1.0)
    colors = ["red", "green", "blue"]
    return [Text(id, "en", text, meta={"color": colors[len(text) % 3]}) for id, text in documents.items()]


@pytest.fixture(scope="module")
def index(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(tmp_path_factory.mktemp("one") / "index", texts, FIELDS)


@pytest.fixture(scope="module")
def four_segments(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Index:
    found = build_in_parts(tmp_path_factory.mktemp("four") / "index", dealt(texts, 4), FIELDS)
    assert len(found.segments) == 4
    return found


def make_queries(
    seed: int, n: int = 40, n_terms: int = 3000, signs: tuple[float, ...] = (1.0,)
) -> dict[str, Query]:
    """From one word to hundreds; every other query has groups of several terms."""
    rng = np.random.default_rng(seed)
    queries: dict[str, Query] = {"empty": []}
    for i in range(n):
        groups = []
        for _ in range(int(rng.choice([1, 3, 10, 40, 200]))):
            size = int(rng.integers(1, 5)) if i % 2 else 1
            numbers = np.minimum(rng.zipf(1.2, size), n_terms) - 1
            terms = [f"w{number}" for number in dict.fromkeys(numbers.tolist())]
            shares = rng.dirichlet(np.ones(len(terms))).tolist()
            weight = float(rng.integers(1, 4) * rng.choice(signs))
            groups.append((weight, list(zip(terms, shares if i % 2 else [1.0] * len(terms), strict=True))))
        queries[f"q{i}"] = groups
    return queries


def signed(weighting: Weighting) -> tuple[float, ...]:
    """Learned weights may be negative; counts may not."""
    return (1.0, 1.0, -0.7) if isinstance(weighting, Presence) else (1.0,)


@weightings
def test_pruned_search_equals_forward_scoring(index: Index, weighting: Weighting) -> None:
    """What was ranked, and as many drawn from the rest, scored document by document."""
    queries = make_queries(1, n=12, signs=signed(weighting))
    system = Sparse("x", Given(index, queries), weighting, index)
    rankings = {k: rank(system, queries, k) for k in (1, 10, 500)}
    every, rng = list(index.segments[0].ids), np.random.default_rng(1)
    for id in queries:
        drawn = [every[i] for i in rng.integers(len(every), size=500).tolist()]
        docs = sorted({*rankings[500][id].docs, *drawn}, reverse=True)
        forward = system.score(Text(id, "en", ""), docs)
        best = sorted((-forward[i], i) for i in np.flatnonzero(~np.isnan(forward)).tolist())
        for k in rankings:
            assert list(rankings[k][id].docs) == [docs[i] for _, i in best[:k]]
            assert rankings[k][id].scores.tolist() == [-score for score, _ in best[:k]]


@weightings
@pytest.mark.parametrize("k", [1, 300])
def test_blocked_search_equals_pruned_search(index: Index, weighting: Weighting, k: int) -> None:
    queries = [
        q for q in make_queries(2, n=60, signs=signed(weighting)).values() if all(len(g) == 1 for _, g in q)
    ]
    statistics, segment = index.statistics, index.segments[0]
    longest = int(segment.lengths.max())
    planned = plan_queries([term_query(index, query) for query in queries], weighting, statistics, longest)
    batch = bind(planned, segment, weighting, statistics)
    data = segment_arrays(segment, weighting, statistics)
    everything = np.zeros(0, dtype=bool)
    half = np.arange(segment.n_docs) % 2 == 0
    for allowed, workers in itertools.product((everything, half), (1, 3)):
        slots = np.zeros(len(index.vocabulary), dtype=np.int32)
        blocked = exhaustive.search(k, allowed, data, batch, weighting.form, workers, slots)
        assert not slots.any()
        for q, (docs, quanta) in enumerate(blocked):
            expected_docs, expected = topk.search_one(k, q, allowed, data, batch, weighting.form)
            assert docs.tolist() == expected_docs.tolist()
            assert quanta.tolist() == expected.tolist()


def long_queries() -> dict[str, Query]:
    rng = np.random.default_rng(3)
    return {
        f"q{i}": [
            (float(rng.integers(1, 3)), [(f"w{t}", 1.0)]) for t in rng.permutation(3000)[:1500].tolist()
        ]
        for i in range(64)
    }


@pytest.mark.parametrize("weighting", [Bm25(), Lm(), TfIdf(), Presence()], ids=str)
def test_long_queries_are_ranked_alike_whether_blocks_pay_or_not(
    index: Index, weighting: Weighting, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = long_queries()
    system = Sparse("x", Given(index, queries), weighting, index)
    rankings = []
    for pays in (True, False):
        monkeypatch.setattr(exhaustive, "pays", lambda *arguments, pays=pays: pays)
        rankings.append(rank(system, queries, 30))
    same(*rankings)


@pytest.mark.parametrize("weighting", [Bm25(), Lm(), TfIdf(), Presence()], ids=str)
def test_any_batch_of_queries_gives_the_same_rankings(index: Index, weighting: Weighting) -> None:
    queries = long_queries() | make_queries(4, signs=signed(weighting))
    system = Sparse("x", Given(index, queries), weighting, index)
    together = rank(system, queries, 30)
    ids = list(queries)
    for size in (1, 7):
        apart: dict[str, Ranking] = {}
        for start in range(0, len(ids), size):
            apart |= rank(system, {id: queries[id] for id in ids[start : start + size]}, 30)
        same(apart, together)


@weightings
def test_any_number_of_threads_gives_the_same_rankings(index: Index, weighting: Weighting) -> None:
    queries = make_queries(5, signs=signed(weighting)) | (long_queries() if weighting == Bm25() else {})
    system = Sparse("x", Given(index, queries), weighting, index)
    alone = rank(system, queries, 50, threads=1)
    for threads in (2, 5):
        same(rank(system, queries, 50, threads=threads), alone)


def test_one_system_serves_many_threads_at_once(index: Index) -> None:
    queries = make_queries(10, n=60)
    system = Sparse("x", Given(index, queries), Bm25(), index)
    alone = rank(system, queries, 50, threads=1)
    with ThreadPoolExecutor(8) as pool:
        asked_at_once = [
            pool.submit(rank, system, {id: queries[id]}, 50, threads=1) for id in list(queries) * 4
        ]
        for id, future in zip(list(queries) * 4, asked_at_once, strict=True):
            same(future.result(timeout=60), {id: alone[id]})


@weightings
@pytest.mark.parametrize("k", [1, 10, 1000])
def test_four_segments_rank_like_one(
    index: Index, four_segments: Index, weighting: Weighting, k: int
) -> None:
    queries = make_queries(6, signs=signed(weighting))
    found = [
        rank(Sparse("x", Given(some, queries), weighting, some), queries, k)
        for some in (index, four_segments)
    ]
    same(*found)


def test_merged_segments_rank_like_one(index: Index, texts: list[Text], tmp_path: Path) -> None:
    merged = build_in_parts(tmp_path / "index", dealt(texts, MAX_SEGMENTS + 1), FIELDS)
    assert len(merged.segments) == 1
    queries = make_queries(7)
    for weighting in (Bm25(), Lm(), TfIdf()):
        found = [
            rank(Sparse("x", Given(some, queries), weighting, some), queries, 100) for some in (index, merged)
        ]
        same(*found)


@weightings
def test_shorter_list_is_the_beginning_of_the_longer_one(four_segments: Index, weighting: Weighting) -> None:
    queries = make_queries(8, signs=signed(weighting))
    system = Sparse("x", Given(four_segments, queries), weighting, four_segments)
    longest = rank(system, queries, N_DOCS)
    for k in (1, 10, 100, 1000):
        shorter = rank(system, queries, k)
        for id, ranking in longest.items():
            assert list(shorter[id].docs) == list(ranking.docs[:k])
            assert shorter[id].scores.tobytes() == ranking.scores[:k].tobytes()


@weightings
def test_filter_keeps_exactly_what_matches_of_the_full_ranking(
    four_segments: Index, texts: list[Text], weighting: Weighting
) -> None:
    queries = make_queries(9, n=20, signs=signed(weighting))
    red = {text.id for text in texts if text.meta["color"] == "red"}
    with_w3 = {text.id for text in texts if "w3" in text.text.split()}
    scopes = {
        Scope((parse_condition("color=red"),)): red,
        Scope((parse_condition("color!=red"),), "w3"): {text.id for text in texts} - red & with_w3,
        Scope((), "NOT w3"): {text.id for text in texts} - with_w3,
    }
    system = Sparse("x", Given(four_segments, queries), weighting, four_segments)
    full = rank(system, queries, N_DOCS)
    for scope, kept in scopes.items():
        kept = {text.id for text in texts if text.id in kept}
        for k in (10, 500):
            for id, ranking in rank(system, queries, k, scope).items():
                wanted = [i for i, doc in enumerate(full[id].docs) if doc in kept][:k]
                assert list(ranking.docs) == [full[id].docs[i] for i in wanted]
                assert ranking.scores.tolist() == full[id].scores[wanted].tolist()


def test_query_is_not_its_own_answer_where_that_is_asked(index: Index, texts: list[Text]) -> None:
    some = texts[:50]
    queries: dict[str, Query] = {
        text.id: [(1.0, [(word, 1.0)]) for word in dict.fromkeys(text.text.split())] for text in some
    }
    system = Sparse("x", Given(index, queries), Bm25(), index)
    full, others = rank(system, queries, 30), rank(system, queries, 20, Scope(not_itself=True))
    for id, ranking in others.items():
        kept = [i for i, doc in enumerate(full[id].docs) if doc != id][:20]
        assert list(ranking.docs) == [full[id].docs[i] for i in kept]
        assert ranking.scores.tolist() == full[id].scores[kept].tolist()


def test_ties_by_the_hundred_come_in_descending_order_of_ids(tmp_path: Path) -> None:
    texts = [Text(f"{i * 7919 % 1000}", "en", "x y" if i % 2 else "x") for i in range(1000)]
    queries: dict[str, Query] = {"q": [(1.0, [("x", 1.0)])]}
    for found in (build(tmp_path / "one", texts), build_in_parts(tmp_path / "three", dealt(texts, 3))):
        system = Sparse("x", Given(found, queries), Bm25(), found)
        for k in (1, 10, 499, 500, 501, 1000, 2000):
            ranking = rank(system, queries, k)["q"]
            expected = sorted((text.id for text in texts if text.text == "x"), reverse=True)
            expected += sorted((text.id for text in texts if text.text != "x"), reverse=True)
            assert list(ranking.docs) == expected[:k]
            assert_order(list(ranking.docs), ranking.scores.tolist())
