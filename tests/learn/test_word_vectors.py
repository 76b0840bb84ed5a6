"""LSI and skip-gram word vectors."""

import math

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.learn import skipgram
from kakehashi.learn.skipgram import SkipGramSettings, Texts, train_skipgram
from kakehashi.learn.vectors import Rows
from kakehashi.learn.word_vectors import LsiSettings, lsi_vectors, weighted


def counted(matrix: np.ndarray) -> Rows:
    rows, columns = np.nonzero(matrix)
    starts = np.append(0, np.cumsum((matrix > 0).sum(axis=1))).astype(np.int64)
    return Rows(starts, columns.astype(np.int32), matrix[rows, columns].astype(np.float32))


@pytest.fixture(scope="module")
def matrix() -> np.ndarray:
    """(40 documents, 12 words) of two subjects; words 0..5 belong to the one, 6..11 to the other."""
    rng = np.random.default_rng(4)
    chances = np.where((np.arange(40) % 2)[:, None] == (np.arange(12) >= 6), 1.5, 0.15)
    return rng.poisson(chances)


def test_log_entropy_by_hand() -> None:
    counts = np.array([[2, 1], [2, 0], [0, 0], [0, 3]])
    found = weighted(counted(counts), 2, "log-entropy")
    even = 1 + 2 * (0.5 * math.log(0.5)) / math.log(4)
    uneven = 1 + (0.25 * math.log(0.25) + 0.75 * math.log(0.75)) / math.log(4)
    expected = [math.log(3) * even, math.log(2) * uneven, math.log(3) * even, math.log(4) * uneven]
    np.testing.assert_allclose(found, expected)


def test_tfidf_by_hand() -> None:
    found = weighted(counted(np.array([[2, 1], [2, 0], [0, 0], [0, 0]])), 2, "tfidf")
    np.testing.assert_allclose(found, [2 * math.log(2), math.log(4), 2 * math.log(2)])


@pytest.mark.parametrize("weighting", ["tfidf", "log-entropy"])
def test_words_of_one_subject_are_near_each_other(matrix: np.ndarray, weighting: str) -> None:
    settings = LsiSettings(lsi_dimensions=2, lsi_weighting=weighting)  # type: ignore[arg-type]
    vectors = lsi_vectors(counted(matrix), 12, settings, np.random.default_rng(1))
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = units @ units.T
    subject = np.arange(12) >= 6
    same = subject[:, None] == subject[None, :]
    assert cosines[same].min() > cosines[~same].max()


def test_all_dimensions_give_the_similarities_of_the_matrix_itself(matrix: np.ndarray) -> None:
    """Σ_d of two columns is the product of their vectors, if no direction is cut off but the weakest."""
    own = np.zeros(matrix.shape)
    rows, columns = np.nonzero(matrix)
    own[rows, columns] = weighted(counted(matrix), 12, "tfidf")
    settings = LsiSettings(lsi_dimensions=300, lsi_weighting="tfidf")  # as many as there are
    vectors = lsi_vectors(counted(matrix), 12, settings, np.random.default_rng(1)).astype(np.float64)
    assert vectors.shape == (12, 11)
    weakest = np.linalg.svd(own)[1][-1]
    assert np.abs(vectors @ vectors.T - own.T @ own).max() <= weakest**2 + 1e-4


def texts() -> Texts:
    rng = np.random.default_rng(5)
    terms = [f"w{i}" for i in range(20)]
    pieces = [rng.choice(10, 12) + 10 * (i % 2) for i in range(300)]
    return Texts(terms, np.concatenate(pieces).astype(np.int32), np.cumsum([12] * 300).astype(np.int64))


def test_long_texts_are_cut_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skipgram, "LONGEST", 5)
    pieces = list(texts())
    assert [len(piece) for piece in pieces[:4]] == [5, 5, 2, 5]
    assert sum(map(len, pieces)) == 3600


def test_skipgram_without_gensim_names_the_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "gensim.models", None)
    with pytest.raises(InputError, match=r"pip install 'kakehashi\[related\]'"):
        train_skipgram(texts(), ("w1", "w2"), SkipGramSettings(), 1)


def test_skipgram_honours_its_settings_and_its_seed() -> None:
    pytest.importorskip("gensim")
    terms = tuple(f"w{i}" for i in (3, 0, 1, 2, *range(4, 19)))  # w19 is dropped from the text
    settings = SkipGramSettings(dimensions=16, sample=0, epochs=15)
    one, same, other = (train_skipgram(texts(), terms, settings, seed) for seed in (1, 1, 2))
    assert one.shape == (19, 16)
    assert one.tobytes() == same.tobytes() != other.tobytes()
    units = one / np.linalg.norm(one, axis=1, keepdims=True)
    subject = np.array([int(term[1:]) >= 10 for term in terms])
    alike = subject[:, None] == subject[None, :]
    assert (units @ units.T)[alike].mean() > 0.2 + (units @ units.T)[~alike].mean()
    assert (SkipGramSettings().dimensions, SkipGramSettings().window, SkipGramSettings().negative) == (
        300,
        5,
        10,
    )
    assert SkipGramSettings().epochs == 20
