"""A pair of words takes k places, the p-th target of one with the p-th of the other."""

import numpy as np

from kakehashi.lexicon.company import CfhSettings
from kakehashi.lexicon.correlated import correlate_texts
from kakehashi.lexicon.pair_positions import pair_positions

F, K = 7, 3


def test_positions_are_those_of_the_formula() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, F, K, dtype=np.int32), rng.integers(0, F, K, dtype=np.int32)
    positions, weight = pair_positions(left, right, F)
    from_one = [(int(s) + 1 - 1) * F + (int(t) + 1) for s, t in zip(left, right, strict=True)]
    assert (positions + 1).tolist() == from_one
    assert weight == 1.0


def test_different_pairs_of_targets_never_share_a_place() -> None:
    left, right = np.meshgrid(np.arange(F), np.arange(F), indexing="ij")
    positions, _ = pair_positions(left.reshape(-1, 1), right.reshape(-1, 1), F)
    assert sorted(positions.ravel().tolist()) == list(range(F * F))


def test_scaled_positions_of_a_pair_weigh_one_in_all() -> None:
    positions, weight = pair_positions(np.array([0, 1, 2, 3]), np.array([3, 2, 1, 0]), F, scaled=True)
    assert len(positions) * weight == 1.0


def test_missing_targets_have_no_place() -> None:
    positions, _ = pair_positions(np.array([[2, -1, 4]]), np.array([[1, 5, -1]]), F)
    assert positions.tolist() == [[2 * F + 1, -1, -1]]


def test_places_of_many_words_do_not_overflow() -> None:
    last = np.array([999_999], dtype=np.int32)
    assert pair_positions(last, last, 1_000_000)[0].tolist() == [10**12 - 1]


def test_frequent_words_take_their_own_place_first() -> None:
    found = correlate_texts([["a", "b"], ["a", "c"], ["b", "b", "a"]], CfhSettings(words=3, k=2))
    a, c = found.numbers["a"], found.numbers["c"]
    positions, _ = pair_positions(found.targets[a], found.targets[c], len(found.target_words))
    assert positions[0] == a * 3 + c
