"""Retrofitting against the linear system whose solution it iterates to."""

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.learn.retrofit import retrofit
from kakehashi.lexicon.neighbours import Related, arranged

N = 30


def some_pairs(seed: int, n: int, equal: bool = False) -> Related:
    """Between words 0..24; the last five are related to none."""
    rng = np.random.default_rng(seed)
    pairs = {tuple(sorted(pair)) for pair in rng.integers(N - 5, size=(n, 2)).tolist() if pair[0] != pair[1]}
    one, other = np.array(sorted(pairs)).T
    similarities = np.ones(len(one)) if equal else rng.uniform(0.5, 1.0, len(one))
    return arranged(one, other, similarities.astype(np.float32), N, both=True)


def betas(related: Related) -> np.ndarray:
    matrix = np.zeros((N, N))
    for word in range(N):
        words, similarities = related.row(word)
        for other, similarity in zip(words, similarities, strict=True):
            matrix[word, other] = similarity / float(similarities.astype(np.float64).sum())
    return matrix


def solved(vectors: np.ndarray, pull: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """(whole + 1)·v - pull·v = v̂, solved at once; words that nothing pulls keep their vectors."""
    system = np.diag(whole + 1.0) - pull
    still = pull.sum(axis=1) == 0
    system[still] = np.eye(N)[still]
    return np.linalg.solve(system, vectors.astype(np.float64))


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    drawn = np.random.default_rng(1).standard_normal((N, 6))
    return (drawn / np.sqrt((drawn**2).sum(axis=1, keepdims=True))).astype(np.float32)


@pytest.mark.parametrize("equal", [True, False], ids=["lexicon", "similarities"])
def test_one_resource_converges_to_the_closed_form(vectors: np.ndarray, equal: bool) -> None:
    related = some_pairs(2, 40, equal)
    b = betas(related)
    expected = solved(vectors, b, b.sum(axis=1))
    np.testing.assert_allclose(retrofit(vectors, [related]), expected, atol=1e-5)
    assert np.abs(expected - vectors).max() > 0.1


@pytest.mark.parametrize("gamma", [0.5, 0.2])
@pytest.mark.parametrize("form", ["consistent", "printed"])
def test_two_resources_converge_to_the_closed_form(vectors: np.ndarray, gamma: float, form: str) -> None:
    one, other = some_pairs(3, 30), some_pairs(4, 15, equal=True)
    b1, b2 = betas(one), betas(other)
    masses = b1.sum(axis=1), b2.sum(axis=1)
    counted = (gamma, 1 - gamma) if form == "consistent" else (1.0, 1.0)
    expected = solved(vectors, gamma * b1 + (1 - gamma) * b2, counted[0] * masses[0] + counted[1] * masses[1])
    found = retrofit(vectors, [one, other], gamma, form)  # type: ignore[arg-type]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_whole_weight_on_the_first_resource_is_that_resource_alone(vectors: np.ndarray) -> None:
    one, other = some_pairs(5, 40), some_pairs(6, 20)
    alone, both = retrofit(vectors, [one]), retrofit(vectors, [one, other], 1.0)
    pulled = np.diff(one.starts) > 0
    np.testing.assert_allclose(both[pulled], alone[pulled], atol=1e-6)


def test_the_printed_form_shortens_vectors(vectors: np.ndarray) -> None:
    one, other = some_pairs(7, 60), some_pairs(8, 60)
    lengths = [
        np.linalg.norm(retrofit(vectors, [one, other], form=form), axis=1)
        for form in ("printed", "consistent")
    ]
    both = (np.diff(one.starts) > 0) & (np.diff(other.starts) > 0)
    assert (lengths[0][both] < lengths[1][both]).all()


def test_words_move_towards_the_words_related_to_them(vectors: np.ndarray) -> None:
    related = some_pairs(9, 40)
    moved = retrofit(vectors, [related])
    before, after = [], []
    for word in np.flatnonzero(np.diff(related.starts)):
        words, _ = related.row(int(word))
        before.append(np.linalg.norm(vectors[word] - vectors[words].mean(axis=0)))
        after.append(np.linalg.norm(moved[word] - moved[words].mean(axis=0)))
    assert np.mean(after) < 0.6 * np.mean(before)


def test_words_without_related_words_keep_their_vectors(vectors: np.ndarray) -> None:
    assert retrofit(vectors, [some_pairs(2, 40)])[-5:].tobytes() == vectors[-5:].tobytes()


def test_three_resources_are_refused(vectors: np.ndarray) -> None:
    with pytest.raises(InputError, match="one resource, or two"):
        retrofit(vectors, [some_pairs(2, 9)] * 3)
