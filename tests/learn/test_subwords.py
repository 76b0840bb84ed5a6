"""Vectors of words that were never seen, from their n-grams of characters."""

import numpy as np

from kakehashi.learn.subwords import fit_subwords, grams_of

STEMS = ("batter", "camer", "engin", "polym", "sensor", "valv")
ENDINGS = ("y", "ies", "a", "as", "e", "es", "ous", "ing")


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def test_n_grams_know_the_ends_of_a_word() -> None:
    assert grams_of("ab") == ["<ab", "ab>", "<ab>"]
    assert grams_of("電") == ["<電>"]
    assert [gram for gram in grams_of("abc") if len(gram) == 4] == ["<abc", "abc>"]


def test_unseen_words_are_near_those_of_their_stem() -> None:
    rng = np.random.default_rng(1)
    stems = rng.standard_normal((len(STEMS), 12))
    seen = [(s, ending) for s in range(len(STEMS)) for ending in ENDINGS[:6]]
    vectors = np.array([stems[s] for s, _ in seen]) + 0.1 * rng.standard_normal((len(seen), 12))
    subwords = fit_subwords([STEMS[s] + ending for s, ending in seen], vectors.astype(np.float32))
    for s, stem in enumerate(STEMS):
        for ending in ENDINGS[6:]:
            found = subwords.vector(stem + ending)
            assert found is not None
            others = [cosine(found, other) for i, other in enumerate(stems) if i != s]
            assert cosine(found, stems[s]) > max(0.8, *others)


def test_fit_is_that_of_the_normal_equations() -> None:
    """Against NumPy's own solution, and the same again."""
    rng = np.random.default_rng(2)
    words = ["".join(rng.choice(list("abc"), 6)) for _ in range(80)]
    words = sorted({*words})
    vectors = rng.standard_normal((len(words), 3)).astype(np.float32)
    found = fit_subwords(words, vectors)
    a = np.array([[grams_of(word).count(g) / len(grams_of(word)) for g in found.grams] for word in words])
    exact = np.linalg.solve(a.T @ a + 1e-3 * np.eye(a.shape[1]), a.T @ vectors)
    assert np.abs(a @ found.vectors - a @ exact).max() < 0.01
    assert fit_subwords(words, vectors).vectors.tobytes() == found.vectors.tobytes()


def test_a_word_of_which_nothing_is_known_has_no_vector() -> None:
    subwords = fit_subwords(["valve", "valves"], np.ones((2, 4), np.float32))
    assert subwords.vector("xyz") is None
    short = subwords.vector("valuation")
    assert short is not None
    full = subwords.vector("valves")
    assert full is not None
    assert np.linalg.norm(short) < np.linalg.norm(full)
