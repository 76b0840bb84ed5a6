"""Sampled pairs are those the judgments allow, as likely as they should be."""

from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.stats import chi2, chisquare

from kakehashi.corpus.pair_draws import Hard
from kakehashi.corpus.pairs import Pairs, PairSettings, sample_pairs
from kakehashi.errors import InputError
from kakehashi.types import Qrels
from tests.corpus.pair_reference import allowed, groups, level, listed
from tests.toy import DOCUMENTS, QRELS

SCHEMES = ["1", "2", "3", "bootstrap"]
ALL_SCHEMES = [*SCHEMES, "4", "graded"]
KINDS = list(product(SCHEMES, [False, True]))
POOL = [f"d{i}" for i in range(30)]
TOY_POOL = [document[0] for document in DOCUMENTS]


def judged(seed: int = 0, queries: int = 25) -> Qrels:
    """Levels 0 to 3 of all kinds of documents: in the pool, outside it, the query itself (d0, d1, ...)."""
    rng = np.random.default_rng(seed)
    documents = [*POOL, "x1", "x2"]
    return {
        f"d{q}": {
            documents[d]: int(rng.integers(0, 4))
            for d in rng.choice(len(documents), rng.integers(1, 12), replace=False)
        }
        for q in range(queries)
    }


def settings_of(scheme: str, multipartite: bool = False, **others: object) -> PairSettings:
    values: dict[str, Any] = {"scheme": scheme, "multipartite": multipartite, "pairs": 3000, **others}
    return PairSettings(**values)


@pytest.mark.parametrize(("scheme", "multipartite"), KINDS)
def test_every_pair_is_allowed_by_the_judgments_and_none_is_left_out(
    tmp_path: Path, scheme: str, multipartite: bool
) -> None:
    qrels, settings = judged(queries=8), settings_of(scheme, multipartite, pairs=100_000)
    pairs = sample_pairs(tmp_path, qrels, POOL, settings)
    assert set(listed(pairs)) == set(allowed(qrels, POOL, settings))
    for query, members in groups(pairs):
        for positive, negative, margin in members:
            assert margin == level(qrels, query, positive) - level(qrels, query, negative) > 0
            assert query not in (positive, negative)


@pytest.mark.parametrize("scheme", ["1", "2", "3"])
def test_negative_is_never_relevant_unless_multipartite(tmp_path: Path, scheme: str) -> None:
    qrels = judged()
    pairs = sample_pairs(tmp_path, qrels, POOL, settings_of(scheme))
    assert {level(qrels, query, negative) for query, _, negative in listed(pairs)} == {0}


def distance(pairs: Pairs, qrels: Qrels, pool: list[str], settings: PairSettings) -> float:
    """p of the negatives, each given its query and positive, under the chances `settings` promises."""
    seen = Counter(listed(pairs))
    drawn = Counter((query, positive) for query, positive, _ in seen.elements())
    statistic, cells = 0.0, 0
    for (query, positive, negative), chance in allowed(qrels, pool, settings).items():
        expected = float(chance) * drawn[query, positive]
        statistic += (seen[query, positive, negative] - expected) ** 2 / expected
        cells += 1
    return float(chi2.sf(statistic, cells - len(drawn)))


@pytest.mark.parametrize(("scheme", "multipartite"), KINDS)
def test_negatives_are_as_likely_as_promised(tmp_path: Path, scheme: str, multipartite: bool) -> None:
    settings = settings_of(scheme, multipartite, pairs=40_000)
    pairs = sample_pairs(tmp_path, QRELS["train"], TOY_POOL, settings)
    assert distance(pairs, QRELS["train"], TOY_POOL, settings) > 0.001


def test_distance_sees_that_levels_and_documents_are_drawn_differently(tmp_path: Path) -> None:
    settings = settings_of("bootstrap", pairs=40_000)
    pairs = sample_pairs(tmp_path, QRELS["train"], TOY_POOL, settings)
    other = settings_of("bootstrap", multipartite=True)
    assert distance(pairs, QRELS["train"], TOY_POOL, other) < 1e-9


@pytest.mark.parametrize("scheme", ["1", "2", "bootstrap"])
def test_queries_and_their_positives_are_drawn_uniformly(tmp_path: Path, scheme: str) -> None:
    qrels = QRELS["train"]  # 3, 3 and 4 relevant documents
    pairs = sample_pairs(tmp_path, qrels, TOY_POOL, settings_of(scheme, pairs=60_000))
    queries = Counter(query for query, _ in groups(pairs))
    assert chisquare([queries[query] for query in qrels]).pvalue > 0.001
    drawn = Counter((query, positive) for query, positive, _ in listed(pairs))
    for query in qrels:
        assert chisquare([drawn[query, document] for document in qrels[query]]).pvalue > 0.001


def test_share_of_the_negatives_is_hard(tmp_path: Path) -> None:
    """Only what is hard for the query itself, each equally often; queries without any keep random negatives."""
    qrels, pool = QRELS["train"], [*TOY_POOL, *(f"more-{n}" for n in range(40))]
    first, second, _ = sorted(qrels)
    hard = {first: np.array([len(TOY_POOL) + 3, len(TOY_POOL) + 5]), second: np.array([len(TOY_POOL) + 7])}
    pairs = sample_pairs(tmp_path, qrels, pool, settings_of("2", pairs=30_000), hard=Hard(0.5, hard))
    seen = Counter((query, negative) for query, _, negative in listed(pairs))
    total = Counter(query for query, _, _ in listed(pairs))
    often = {(first, "more-3"): 0.25, (first, "more-5"): 0.25, (second, "more-7"): 0.5}
    for (query, negative), n in seen.items():
        expected = often.get((query, negative), 0.0)
        assert n / total[query] == pytest.approx(expected, abs=0.06), (query, negative)


def test_hard_negatives_need_pairs_that_compare_with_what_is_not_relevant(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hard=0"):
        sample_pairs(tmp_path, QRELS["train"], TOY_POOL, settings_of("bootstrap"), hard=Hard(0.5, {}))


def test_parts_of_the_pairs_are_all_of_them_once(tmp_path: Path) -> None:
    pairs = sample_pairs(tmp_path, judged(), POOL, settings_of("3", pairs=700))
    parts = [block for part in range(3) for block in pairs.blocks(16, part, 3)]
    for name in ("queries", "positives", "negatives", "margins"):
        found = np.concatenate([getattr(block, name) for block in parts])
        assert np.array_equal(found, np.concatenate([getattr(block, name) for block in pairs.blocks()])), name


def test_scheme_3_pairs_each_relevant_document_of_a_drawn_query_once(tmp_path: Path) -> None:
    qrels = judged()
    for query, members in groups(sample_pairs(tmp_path, qrels, POOL, settings_of("3"))):
        relevant = {d for d, level in qrels[query].items() if level > 0 and d in POOL and d != query}
        assert sorted(positive for positive, _, _ in members) == sorted(relevant)


def test_scheme_3_takes_every_query_once_before_any_comes_again(tmp_path: Path) -> None:
    pairs = sample_pairs(tmp_path, judged(), POOL, settings_of("3"))
    drawn, n = [query for query, _ in groups(pairs)], len(pairs.query_ids)
    passes = [drawn[i : i + n] for i in range(0, len(drawn), n)]
    assert len(passes) > 10
    assert all(sorted(one) == sorted(pairs.query_ids) for one in passes[:-1])
    assert len(set(passes[-1])) == len(passes[-1])
    assert all(one != other for one, other in pairwise(passes))


def test_scheme_3_ends_with_the_group_that_reaches_the_number(tmp_path: Path) -> None:
    sizes = [len(members) for _, members in groups(sample_pairs(tmp_path, judged(), POOL, settings_of("3")))]
    assert sum(sizes[:-1]) < 3000 <= sum(sizes)


@pytest.mark.parametrize(("scheme", "size", "n_groups"), [("1", 1, 25), ("2", 10, 3), ("bootstrap", 10, 3)])
def test_groups_have_their_size(tmp_path: Path, scheme: str, size: int, n_groups: int) -> None:
    pairs = sample_pairs(tmp_path, judged(), POOL, settings_of(scheme, pairs=25))
    assert [len(members) for _, members in groups(pairs)] == [size] * n_groups
    assert (pairs.n_groups, pairs.n_pairs) == (n_groups, n_groups * size)


@pytest.mark.parametrize("multipartite", [False, True])
def test_scheme_4_pairs_everything_a_drawn_query_allows_once(tmp_path: Path, multipartite: bool) -> None:
    qrels, settings = judged(), settings_of("4", multipartite, pairs=6000)
    possible = allowed(qrels, POOL, settings)
    seen = set()
    for query, members in groups(sample_pairs(tmp_path, qrels, POOL, settings)):
        pairs = [(query, positive, negative) for positive, negative, _ in members]
        assert sorted(pairs) == sorted(pair for pair in possible if pair[0] == query)
        assert {margin for *_, margin in members} == {
            level(qrels, q, positive) - level(qrels, q, negative) for q, positive, negative in pairs
        }
        seen.add(query)
    assert seen == {query for query, _, _ in possible}


@pytest.mark.parametrize("irrelevant", [1, 4])
def test_graded_pairs_some_that_are_not_relevant_and_all_of_lower_levels(
    tmp_path: Path, irrelevant: int
) -> None:
    qrels = judged()
    drawn: Counter[tuple[str, str]] = Counter()
    for query, members in groups(
        sample_pairs(tmp_path, qrels, POOL, settings_of("graded", irrelevant=irrelevant))
    ):
        relevant = [d for d, given in qrels[query].items() if given > 0 and d in POOL and d != query]
        levels = {d: level(qrels, query, d) for d in POOL}
        lower = sorted((p, n) for p in relevant for n in relevant if levels[n] < levels[p])
        assert sorted((p, n) for p, n, _ in members if levels[n] > 0) == lower
        rest = [(p, n) for p, n, _ in members if levels[n] == 0]
        assert Counter(p for p, _ in rest) == dict.fromkeys(relevant, irrelevant)
        assert all(n != query for _, n in rest)
        assert all(margin == levels[p] - levels[n] for p, n, margin in members)
        drawn.update((query, n) for _, n in rest)
    for query in qrels:
        counts = [n for (q, _), n in drawn.items() if q == query]
        expected = [d for d in POOL if d != query and level(qrels, query, d) == 0]
        assert not counts or chisquare(counts + [0] * (len(expected) - len(counts))).pvalue > 1e-4


def test_group_larger_than_a_block_is_whole(tmp_path: Path) -> None:
    pool = [str(i) for i in range(300_000)]
    qrels = {"q": dict.fromkeys(pool[:-1], 1)}
    for settings in (settings_of("3", pairs=2), settings_of("2", pairs=2, per_query=400_000)):
        pairs = sample_pairs(tmp_path, qrels, pool, settings)
        (block,) = pairs.blocks()
        assert block.starts.tolist() == [0, settings.group_size or 299_999]
        assert set(block.negatives.tolist()) == {299_999}  # the only one, found without searching for it


def test_margin_one_forgets_the_levels(tmp_path: Path) -> None:
    for margin, expected in (("one", {1.0}), ("levels", {1.0, 2.0, 3.0})):
        pairs = sample_pairs(tmp_path, QRELS["train"], TOY_POOL, settings_of("3", margin=margin))
        assert {margin for _, members in groups(pairs) for *_, margin in members} == expected


def test_multipartite_pairs_any_two_levels_equally_often(tmp_path: Path) -> None:
    qrels = QRELS["train"]
    pairs = sample_pairs(tmp_path, qrels, TOY_POOL, settings_of("3", multipartite=True, pairs=30_000))
    seen = Counter((level(qrels, q, p), level(qrels, q, n)) for q, p, n in listed(pairs))
    assert set(seen) == {(1, 0), (2, 1), (2, 0), (3, 2), (3, 1), (3, 0)}
    assert chisquare([seen[3, lower] for lower in (0, 1, 2)]).pvalue > 0.001
    assert chisquare([seen[2, lower] for lower in (0, 1)]).pvalue > 0.001


def test_without_irrelevant_documents_only_levels_can_be_paired(tmp_path: Path) -> None:
    qrels = {"q": {"a": 2, "b": 1, "c": 1}}
    with pytest.raises(InputError, match=r"0 have no relevant document .* and 1 no less relevant one"):
        sample_pairs(tmp_path, qrels, ["a", "b", "c"], settings_of("3"))
    for scheme, multipartite in (("3", True), ("bootstrap", False), ("bootstrap", True)):
        pairs = sample_pairs(tmp_path, qrels, ["a", "b", "c"], settings_of(scheme, multipartite, pairs=50))
        assert set(listed(pairs)) == {("q", "a", "b"), ("q", "a", "c")}


def test_order_of_judgments_makes_no_difference(tmp_path: Path) -> None:
    qrels = judged()
    turned = {q: dict(reversed(row.items())) for q, row in reversed(qrels.items())}
    one, other = (
        listed(sample_pairs(tmp_path / str(i), judgments, POOL, settings_of("3")))
        for i, judgments in enumerate((qrels, turned))
    )
    assert one == other


def test_what_was_skipped_is_counted(tmp_path: Path) -> None:
    qrels = {
        "a": {"a": 3, "b": 1, "x": 2},  # itself, and one outside the pool
        "none": {"b": 0, "c": -1},
        "outside": {"x": 1, "y": 1},
        "every": {"a": 1, "b": 2, "c": 3},
    }
    pairs = sample_pairs(tmp_path, qrels, ["a", "b", "c"], settings_of("1", pairs=5))
    assert set(listed(pairs)) == {("a", "b", "c")}
    assert pairs.counts == {
        "queries": 4,
        "queries_used": 1,
        "queries_without_positive": 2,
        "queries_without_negative": 1,
        "documents": 3,
        "relevant_outside_pool": 3,
        "relevant_to_themselves": 1,
    }


IDS = st.sampled_from("abcdef")
JUDGMENTS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 3), max_size=6), max_size=5)


@given(
    JUDGMENTS,
    st.lists(IDS, unique=True),
    st.sampled_from(ALL_SCHEMES),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
@hypothesis_settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_any_judgments_give_allowed_pairs_or_one_line(
    tmp_path: Path, qrels: Qrels, pool: list[str], scheme: str, multipartite: bool, seed: int
) -> None:
    settings = settings_of(scheme, multipartite, pairs=40, seed=seed)
    possible = allowed(qrels, pool, settings)
    if not possible:
        with pytest.raises(InputError, match="no pair can be sampled"):
            sample_pairs(tmp_path, qrels, pool, settings)
        return
    pairs = sample_pairs(tmp_path, qrels, pool, settings)
    assert pairs.n_pairs >= 40
    assert set(listed(pairs)) <= set(possible)
    assert list(pairs.query_ids) == sorted({query for query, _, _ in possible})
    for query, members in groups(pairs):
        if scheme in ("3", "4", "graded"):
            assert {p for p, _, _ in members} == {p for q, p, _ in possible if q == query}
