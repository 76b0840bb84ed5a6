"""Neighbours above a threshold, against all pairs computed one by one."""

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.lexicon.neighbours import Related, arranged, nearest, neighbours

Pairs = dict[int, list[tuple[int, float]]]


def slow(vectors: np.ndarray, least: float) -> Pairs:
    """Word by word, in float64."""
    found: Pairs = {}
    for i, one in enumerate(vectors.astype(np.float64)):
        row = []
        for j, other in enumerate(vectors.astype(np.float64)):
            norm = np.sqrt(one @ one) * np.sqrt(other @ other)
            if i != j and norm > 0 and one @ other / norm >= least:
                row.append((j, float(one @ other / norm)))
        found[i] = sorted(row, key=lambda pair: -pair[1])
    return found


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    rng = np.random.default_rng(3)
    centres = rng.standard_normal((8, 12))
    drawn = centres[rng.integers(8, size=90)] + 0.6 * rng.standard_normal((90, 12))
    drawn[17] = 0.0  # a word without a vector
    return drawn.astype(np.float32)


@pytest.mark.parametrize("block", [1, 7, 32, 1000])
def test_every_pair_from_the_threshold_on_is_found(vectors: np.ndarray, block: int) -> None:
    found = neighbours(vectors, 0.6, block=block)
    assert found.n_entries > 200
    for word, expected in slow(vectors, 0.6).items():
        words, similarities = found.row(word)
        assert {*words.tolist()} == {other for other, _ in expected}
        np.testing.assert_allclose(similarities, [value for _, value in expected], rtol=1e-5)


def test_blocks_and_threads_change_no_bit(vectors: np.ndarray) -> None:
    whole = neighbours(vectors, 0.4, block=1000)
    for block, threads in ((3, 1), (16, 2)):
        other = neighbours(vectors, 0.4, block=block, threads=threads)
        assert whole.words.tobytes() == other.words.tobytes()
        assert whole.similarities.tobytes() == other.similarities.tobytes()


def test_asked_rows_are_those_of_the_whole(vectors: np.ndarray) -> None:
    whole, some = neighbours(vectors, 0.5), neighbours(vectors, 0.5, rows=[4, 80, 17], block=2)
    for word in range(len(vectors)):
        expected = whole.row(word) if word in (4, 80) else (whole.words[:0], whole.similarities[:0])
        assert some.row(word)[0].tolist() == expected[0].tolist()
        assert some.row(word)[1].tobytes() == expected[1].tobytes()


def test_a_threshold_must_be_above_zero(vectors: np.ndarray) -> None:
    with pytest.raises(InputError, match="above 0"):
        neighbours(vectors, 0.0)


@pytest.mark.parametrize("most", [1, 4, 1000])
def test_the_nearest_of_another_language_are_found(vectors: np.ndarray, most: int) -> None:
    sources, targets = vectors[:40], vectors[30:]
    found = nearest(sources, targets, 0.3, most, block=7)
    assert len(found) == len(sources)
    own, others = (each.astype(np.float64) for each in (sources, targets))
    for word, one in enumerate(own):
        with np.errstate(invalid="ignore"):
            cosines = others @ one / np.linalg.norm(others, axis=1) / np.linalg.norm(one)
        wanted = [j for j in np.argsort(-cosines).tolist() if cosines[j] >= 0.3][:most]
        words, similarities = found.row(word)
        assert words.tolist() == wanted
        np.testing.assert_allclose(similarities, cosines[wanted], rtol=1e-5)
    assert len(found.row(17)[0]) == 0


def test_blocks_and_threads_change_nothing_that_is_nearest(vectors: np.ndarray) -> None:
    whole = nearest(vectors[:40], vectors[30:], 0.2, 3, block=1000)
    for block, threads in ((3, 1), (16, 2)):
        other = nearest(vectors[:40], vectors[30:], 0.2, 3, block=block, threads=threads)
        assert whole.words.tobytes() == other.words.tobytes()
        assert whole.similarities.tobytes() == other.similarities.tobytes()


def related(*pairs: tuple[int, int, float]) -> Related:
    one, other, value = zip(*pairs, strict=True)
    return arranged(np.array(one), np.array(other), np.array(value, np.float32), 5, both=True)


def test_higher_thresholds_keep_the_beginning_of_rows() -> None:
    found = related((0, 1, 0.7), (0, 2, 0.9), (2, 3, 0.6))
    assert found.row(0)[0].tolist() == [2, 1]
    assert found.row(0, 0.8)[0].tolist() == [2]
    assert found.above(0.7).row(0)[0].tolist() == [2, 1]
    assert found.above(0.7).row(3)[0].tolist() == []


def test_filtering_keeps_what_both_relate_with_the_first_similarities() -> None:
    first = related((0, 1, 0.7), (0, 2, 0.9), (2, 3, 0.6), (3, 4, 0.8))
    second = related((0, 1, 0.95), (0, 2, 0.5), (3, 4, 0.8), (1, 4, 1.0))
    found = first.within(second, 0.8)
    assert [found.row(word)[0].tolist() for word in range(5)] == [[1], [0], [], [4], [3]]
    assert found.row(0)[1].tolist() == [np.float32(0.7)]
    assert first.similarity_in(second)[first.starts[2] : first.starts[3]].tolist() == [np.float32(0.5), -1.0]
