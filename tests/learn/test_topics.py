"""Topic vectors against numpy's SVD and planted topics; W against the pairs that rule it."""

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.learn.steps import StepSettings
from kakehashi.learn.topics import as_rows, fold_in, lda, lsi, train_topic_matrix, unit_length
from kakehashi.learn.vectors import Rows
from kakehashi.types import Array
from tests.learn.pairs import dense, ordered_pairs, random_rows

N_WORDS, N_TOPICS = 60, 4


def test_lsi_equals_the_singular_vectors_up_to_sign() -> None:
    rows = random_rows(np.random.default_rng(1), 80, 30)
    found = lsi(rows, 30, 7, np.random.default_rng(2))
    _, _, expected = np.linalg.svd(dense(rows, 30))
    signs = np.sign((found * expected[:7].T).sum(axis=0))
    assert found == pytest.approx(expected[:7].T * signs, abs=1e-5)
    assert (found[np.abs(found).argmax(axis=0), np.arange(7)] > 0).all()


def test_lsi_refuses_more_topics_than_there_can_be() -> None:
    with pytest.raises(InputError, match="fewer than 30 topics"):
        lsi(random_rows(np.random.default_rng(1), 80, 30), 30, 30, np.random.default_rng(2))


def mixed_texts(seed: int, n: int, length: int = 60) -> tuple[Rows, Array, Array]:
    """Texts drawn from four topics of fifteen words each: counts, true mixtures, true topics (words, topics)."""
    rng = np.random.default_rng(seed)
    topics = np.zeros((N_WORDS, N_TOPICS))
    for k in range(N_TOPICS):
        topics[15 * k : 15 * k + 15, k] = np.random.default_rng(k).dirichlet(np.ones(15))
    mixtures = rng.dirichlet(np.full(N_TOPICS, 0.2), n)
    counts = np.stack([rng.multinomial(length, topics @ mixture) for mixture in mixtures])
    owners, columns = counts.nonzero()
    starts = np.append(0, np.cumsum(np.bincount(owners, minlength=n))).astype(np.int64)
    return (
        Rows(starts, columns.astype(np.int32), counts[owners, columns].astype(np.float32)),
        mixtures,
        topics,
    )


def matching(found: Array, topics: Array) -> list[int]:
    """Which found topic is which true one."""
    order = [int(found[15 * k : 15 * k + 15].sum(axis=0).argmax()) for k in range(N_TOPICS)]
    assert sorted(order) == list(range(N_TOPICS))
    return order


def test_lda_finds_planted_topics_and_folds_in_new_texts() -> None:
    rows, _, topics = mixed_texts(1, 300)
    found = lda(rows, N_WORDS, N_TOPICS, np.random.default_rng(3), rounds=60)
    order = matching(found, topics)
    assert found.sum(axis=0) == pytest.approx(np.ones(N_TOPICS), abs=1e-5)
    assert np.abs(found[:, order] - topics).sum(axis=0).max() < 0.15
    unseen, mixtures, _ = mixed_texts(2, 100)
    folded = fold_in(unseen, found)[:, order]
    assert folded.sum(axis=1) == pytest.approx(np.ones(100), abs=1e-5)
    assert np.abs(folded - mixtures).sum(axis=1).mean() < 0.12


def test_folded_in_mixture_depends_on_the_text_alone() -> None:
    rows, _, topics = mixed_texts(1, 20)
    together = fold_in(rows, topics.astype(np.float32))
    for r in (0, 7, 19):
        start, end = rows.starts[r], rows.starts[r + 1]
        alone = Rows(np.array([0, end - start]), rows.columns[start:end], rows.values[start:end])
        assert fold_in(alone, topics.astype(np.float32)).tobytes() == together[r].tobytes()


def test_text_without_words_folds_in_as_evenly_mixed() -> None:
    nothing = Rows(np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
    assert fold_in(nothing, np.ones((3, 4), np.float32)).tolist() == [[0.25] * 4]


def test_lda_is_the_same_for_the_same_seed() -> None:
    rows, _, _ = mixed_texts(1, 50)
    first, again, other = (
        lda(rows, N_WORDS, N_TOPICS, np.random.default_rng(seed), rounds=5).tobytes() for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_matrix_links_topics_of_two_sides() -> None:
    """The truth pairs query topic i with document topic (i + 1) mod 4."""
    rng = np.random.default_rng(5)
    queries = rng.dirichlet(np.full(4, 0.3), 200).astype(np.float32)
    documents = rng.dirichlet(np.full(4, 0.3), 300).astype(np.float32)
    truth = np.roll(np.eye(4), 1, axis=1)
    blocks = ordered_pairs(queries @ truth @ documents.T, 20_000, seed=3, gap=0.1)
    trained = train_topic_matrix(blocks, queries, documents, StepSettings(rate=0.1, epochs=1))
    assert trained.u.argmax(axis=1).tolist() == truth.argmax(axis=1).tolist()
    assert trained.v.tolist() == np.eye(4).tolist()


def test_matrix_of_equal_topics_starts_as_the_identity() -> None:
    vectors = unit_length(np.random.default_rng(1).uniform(size=(6, 3)).astype(np.float32))
    assert train_topic_matrix(list, vectors, vectors, None, same_topics=True).u.tolist() == np.eye(3).tolist()
    assert not train_topic_matrix(list, vectors, vectors, None).u.any()
    with pytest.raises(InputError, match="3 and 2 topics cannot be tied"):
        train_topic_matrix(list, vectors, vectors[:, :2], None, same_topics=True)


def test_dense_vectors_in_sparse_shape_are_the_same_vectors() -> None:
    matrix = np.random.default_rng(1).uniform(size=(5, 3)).astype(np.float32)
    assert dense(as_rows(matrix), 3) == pytest.approx(matrix)
    assert np.linalg.norm(unit_length(matrix), axis=1) == pytest.approx(np.ones(5))
    assert unit_length(np.zeros((1, 2), np.float32)).tolist() == [[0.0, 0.0]]
