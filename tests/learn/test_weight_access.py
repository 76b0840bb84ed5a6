"""Where word pairs lie: blocks too small for all document words fold them, the frequent ones without collisions."""

import numpy as np
import pytest

from kakehashi.learn.bilinear_model import Places
from kakehashi.learn.layout import Layout, LayoutName, hashed_layout, row_key
from kakehashi.learn.weight_access import folded
from kakehashi.types import Array

N_WORDS = 1000


def places(i: int, bits: int) -> Array:
    """(document words,) of query word i."""
    key = np.uint64(row_key(i, 0))  # called from Python, a compiled function returns an int
    return np.array([int(folded(key, bits, j)) for j in range(N_WORDS)])


@pytest.mark.parametrize("bits", [4, 7, 9])
def test_words_of_one_layer_have_places_of_their_own(bits: int) -> None:
    size = 1 << bits
    found = places(5, bits)
    assert found.min() >= 0
    assert found.max() < size
    for first in range(0, N_WORDS - size, size):
        assert len(set(found[first : first + size].tolist())) == size


def test_different_words_meet_in_different_blocks() -> None:
    def partner(i: int) -> int:
        found = places(i, 9)
        return int(np.flatnonzero(found[512:] == found[0])[0]) if (found[512:] == found[0]).any() else -1

    assert len({partner(i) for i in range(200)}) > 100


def test_a_folded_weight_is_read_where_it_lies() -> None:
    layout = hashed_layout("blocks", 11, np.array([10.0, 50.0, 1e3, 1e6]), N_WORDS)
    assert layout.folded
    assert (layout.bits >= 0).any()
    weights = np.random.default_rng(1).normal(size=layout.n_weights).astype(np.float32)
    for i in range(4):
        row = Places(layout, weights).project(np.array([i], np.int32), np.ones(1, np.float32))
        np.testing.assert_array_equal(row, weights[layout.offsets[i] + expected_places(layout, i)])


def expected_places(layout: Layout, i: int) -> Array:
    bits = int(layout.bits[i])
    return np.arange(N_WORDS) if bits < 0 else places(i, bits)


@pytest.mark.parametrize(
    ("name", "copies", "signed"), [("blocks", 2, False), ("blocks", 1, True), ("scattered", 1, False)]
)
def test_several_places_signs_and_scattered_pairs_are_hashed(
    name: LayoutName, copies: int, signed: bool
) -> None:
    assert not hashed_layout(name, 11, np.full(4, 1e6), N_WORDS, copies, signed).folded
