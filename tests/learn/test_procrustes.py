"""Mapping of vectors: a rotation that is known must be found, and none may be better."""

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.learn.procrustes import centred, mapped, rotation


def turned(rng: np.random.Generator, dimensions: int) -> np.ndarray:
    """Any orthogonal matrix."""
    return np.linalg.qr(rng.standard_normal((dimensions, dimensions)))[0]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def test_a_known_rotation_is_recovered(rng: np.random.Generator) -> None:
    source, known = rng.standard_normal((80, 12)).astype(np.float32), turned(rng, 12)
    found = rotation(source, (source @ known).astype(np.float32))
    np.testing.assert_allclose(found, known, atol=1e-5)


def test_it_is_orthogonal_and_no_other_rotation_comes_closer(rng: np.random.Generator) -> None:
    source, target = rng.standard_normal((2, 40, 6)).astype(np.float32)
    found = rotation(source, target)
    np.testing.assert_allclose(found @ found.T, np.eye(6), atol=1e-10)
    error = np.linalg.norm(source @ found - target)
    for _ in range(200):
        assert error <= np.linalg.norm(source @ turned(rng, 6) - target)
    near = np.linalg.qr(found + 0.02 * rng.standard_normal((6, 6)))
    assert error < np.linalg.norm(source @ (near[0] * np.sign(np.diag(near[1]))) - target)


def test_words_that_were_not_given_are_mapped_too(rng: np.random.Generator) -> None:
    """Of 300 words 60 are known; lengths, a common shift and noise differ between the languages."""
    source = rng.standard_normal((300, 20)).astype(np.float32)
    lengths = rng.uniform(0.5, 3.0, (300, 1))
    noise = 0.1 * rng.standard_normal((300, 20))
    target = ((source @ turned(rng, 20) + noise) * lengths).astype(np.float32)
    order = rng.permutation(300)
    known = np.arange(60)
    one, other = mapped(source, target[order], (known, np.argsort(order)[known]))
    cosines = centred(one) @ centred(other).T
    right = order[cosines.argmax(axis=1)] == np.arange(300)
    assert right[60:].mean() > 0.95


def test_a_word_without_a_vector_has_none_afterwards(rng: np.random.Generator) -> None:
    source = rng.standard_normal((30, 5)).astype(np.float32)
    source[7] = 0.0
    one, _ = mapped(source, source, (np.arange(20), np.arange(20)))
    assert not one[7].any()
    assert np.abs(centred(source)[[*range(7), *range(8, 30)]].mean(axis=0)).max() < 1e-6


def test_vectors_of_other_lengths_cannot_be_mapped() -> None:
    with pytest.raises(InputError, match="3 and of 4 dimensions"):
        rotation(np.ones((5, 3), np.float32), np.ones((5, 4), np.float32))
