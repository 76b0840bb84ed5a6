"""What tells two documents apart, against sets."""

import numpy as np
import pytest

from kakehashi.learn.instances import Instances, instances_of
from kakehashi.learn.vectors import Rows
from tests.learn.pairs import pair_block
from tests.learn.plain_boosting import random_block, random_texts

N_QUERY_WORDS = 9


def texts(*words: list[int]) -> Rows:
    starts = np.cumsum([0, *map(len, words)]).astype(np.int64)
    flat = np.array([word for text in words for word in text], np.int32)
    return Rows(starts, flat, np.ones(len(flat), np.float32))


def row(rows: Rows, r: int) -> set[int]:
    return set(rows.columns[rows.starts[r] : rows.starts[r + 1]].tolist())


def apart(found: Instances, g: int, i: int) -> tuple[set[int], set[int]]:
    """Words of the better, of the worse document alone."""
    words = found.words[found.word_starts[g] : found.word_starts[g + 1]]
    entries = found.entries[found.entry_starts[i] : found.entry_starts[i + 1]]
    assert np.all(np.diff(entries) > 0)
    better, worse = entries[entries % 2 == 0] // 2, entries[entries % 2 == 1] // 2
    return set(words[better].tolist()), set(words[worse].tolist())


@pytest.mark.parametrize("seed", range(6))
def test_differences_are_those_of_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    queries, documents = random_texts(rng, 8, N_QUERY_WORDS, 4), random_texts(rng, 12, 30, 12)
    block = random_block(rng, 25, 4, 8, 12)
    found = instances_of(block, queries, documents, N_QUERY_WORDS)
    assert found.starts.tolist() == block.starts.tolist()
    for g, query in enumerate(block.queries.tolist()):
        own = found.query_words[found.query_starts[g] : found.query_starts[g + 1]]
        assert own.tolist() == sorted(row(queries, query))
        union: set[int] = set()
        for i in range(block.starts[g], block.starts[g + 1]):
            better, worse = row(documents, block.positives[i]), row(documents, block.negatives[i])
            assert apart(found, g, i) == (better - worse, worse - better)
            union |= better ^ worse
        assert found.words[found.word_starts[g] : found.word_starts[g + 1]].tolist() == sorted(union)
    for word in range(N_QUERY_WORDS):
        met = found.met[found.met_starts[word] : found.met_starts[word + 1]].tolist()
        assert met == [g for g, query in enumerate(block.queries.tolist()) if word in row(queries, query)]


def test_equal_documents_and_empty_queries_hold_nothing() -> None:
    block = pair_block([0, 1, 0], [[(0, 0, 1.0), (0, 1, 1.0)], [(2, 3, 1.0)], []])
    found = instances_of(block, texts([], [2]), texts([1, 5], [1, 5], [], [0, 1]), N_QUERY_WORDS)
    assert found.entry_starts.tolist() == [0, 0, 0, 2]
    assert apart(found, 1, 2) == (set(), {0, 1})
    assert found.query_starts.tolist() == [0, 0, 1, 1]
    assert found.met.tolist() == [1]


def test_no_pairs_are_no_instances() -> None:
    found = instances_of(pair_block([], []), texts([1]), texts([1]), N_QUERY_WORDS)
    assert found.starts.tolist() == found.entry_starts.tolist() == [0]
