"""Pruning skips work, and only work that cannot matter."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.retrieve import exhaustive, topk
from kakehashi.retrieve.planning import bind, plan_queries, segment_arrays
from kakehashi.retrieve.weighting import Bm25, Lm, Presence, Weighting
from tests.index.building import build, texts_of
from tests.retrieve.comparing import term_query
from tests.retrieve.formulas import Query

N_DOCS = 30_000
RARE, FREQUENT = [f"r{i}" for i in range(12)], [f"f{i}" for i in range(40)]
EVERYTHING = np.zeros(0, dtype=bool)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Every document holds half of the frequent words; twenty of them hold all rare ones besides."""
    rng = np.random.default_rng(0)
    held = rng.random((N_DOCS, len(FREQUENT))) < 0.5
    documents = {
        f"d{i:05}": " ".join(
            [*(FREQUENT[j] for j in np.flatnonzero(held[i])), *(RARE if i % 1500 == 0 else [])]
        )
        for i in range(N_DOCS)
    }
    return build(tmp_path_factory.mktemp("skewed") / "index", texts_of(documents))


def test_postings_of_frequent_words_are_left_unread_where_rare_words_decide(index: Index) -> None:
    """Poison shows it: were all of them read, most postings would give their share to document 0."""
    segment, weighting, statistics = index.segments[0], Bm25(), index.statistics
    query: Query = [(1.0, [(word, 1.0)]) for word in RARE + FREQUENT]
    longest = int(segment.lengths.max())
    planned = plan_queries([term_query(index, query)], weighting, statistics, longest)
    batch = bind(planned, segment, weighting, statistics)
    data = segment_arrays(segment, weighting, statistics)
    docs, quanta = topk.search_one(10, 0, EVERYTHING, data, batch, weighting.form)
    assert all(int(segment.ids[doc][1:]) % 1500 == 0 for doc in docs.tolist())

    unread = 0
    for word in FREQUENT:
        entry = batch.terms.tolist().index(index.vocabulary.number(word))
        poisoned = data.docs.copy()
        poisoned[batch.post_starts[entry] : batch.post_ends[entry]] = 0
        poisoned.flags.writeable = False  # as the mapped one is: another type would be compiled anew
        again, same = topk.search_one(10, 0, EVERYTHING, data._replace(docs=poisoned), batch, weighting.form)
        unread += again.tolist() == docs.tolist() and same.tolist() == quanta.tolist()
    assert unread > len(FREQUENT) / 2


def blocked_and_pruned(index: Index, queries: list[Query], weighting: Weighting, k: int) -> tuple[list, list]:
    segment, statistics = index.segments[0], index.statistics
    longest = int(segment.lengths.max())
    planned = plan_queries([term_query(index, query) for query in queries], weighting, statistics, longest)
    batch = bind(planned, segment, weighting, statistics)
    data = segment_arrays(segment, weighting, statistics)
    slots = np.zeros(len(index.vocabulary), dtype=np.int32)
    blocked = exhaustive.search(k, EVERYTHING, data, batch, weighting.form, 1, slots)
    pruned = [topk.search_one(k, q, EVERYTHING, data, batch, weighting.form) for q in range(len(queries))]
    return [[part.tolist() for part in one] for one in blocked], [
        [part.tolist() for part in one] for one in pruned
    ]


def test_weights_that_cancel_are_treated_alike_by_blocked_and_pruned_search(tmp_path: Path) -> None:
    words = ["a b c"] * 50 + ["a"] * 10 + ["n"] * 40
    index = build(tmp_path / "index", texts_of({f"d{i:03}": text for i, text in enumerate(words)}))
    query: Query = [(0.1, [("a", 1.0)]), (0.2, [("b", 1.0)]), (-0.3, [("c", 1.0)]), (-1.0, [("n", 1.0)])]
    blocked, pruned = blocked_and_pruned(index, [query] * 40, Presence(), 90)
    assert blocked == pruned


def test_large_priors_do_not_cost_blocked_search_a_candidate(tmp_path: Path) -> None:
    """Long queries over long documents of like length: the prior is large, its differences are not."""
    rng = np.random.default_rng(1)
    terms, lengths = rng.integers(3000, size=5000).tolist(), rng.integers(1000, 1101, size=5000).tolist()
    documents = {
        f"d{i}": f"w{term} " * length for i, (term, length) in enumerate(zip(terms, lengths, strict=True))
    }
    index = build(tmp_path / "index", texts_of(documents))
    queries: list[Query] = [
        [
            (float(weight), [(f"w{t}", 1.0)])
            for t, weight in enumerate(rng.integers(1, 100, size=3000).tolist())
        ]
        for _ in range(60)
    ]
    blocked, pruned = blocked_and_pruned(index, queries, Lm(mu=0.01), 200)
    assert blocked == pruned
