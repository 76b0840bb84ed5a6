"""Tuning of a decoder's weights: BLEU from its definition, a search that finds what can be found."""

import math

import numpy as np
import pytest

from kakehashi.lexicon.alignment import Pair
from kakehashi.lexicon.tuning import bleu, counts_of, tune
from kakehashi.types import Floats

PAIRS = [Pair(["x"], f"a{i} b{i} c{i} d{i} e{i}".split()) for i in range(30)]


def test_bleu_of_the_reference_itself_is_one() -> None:
    assert bleu(counts_of([*"abcde"], [*"abcde"])) == pytest.approx(1.0)


def test_bleu_by_hand() -> None:
    """4 of 5 words, 3 of 4 pairs, 2 of 3 triples, 1 of 2 quadruples; pairs and longer smoothed; one word too short."""
    counts = counts_of([*"abcdx"], [*"abcdef"])
    precisions = [4 / 5, (3 + 1) / (4 + 1), (2 + 1) / (3 + 1), (1 + 1) / (2 + 1)]
    expected = math.exp(1 - 6 / 5) * math.prod(precisions) ** 0.25
    assert bleu(counts) == pytest.approx(expected)


def test_repeated_words_match_no_more_often_than_the_reference_has_them() -> None:
    assert counts_of(["a"] * 5, ["a", "b"])[0] == 1.0


def lister(good: int) -> object:
    """Two translations a sentence: a perfect one, liked by feature `good`, and a bad one, by the others."""

    def lists(weights: Floats) -> list[list[tuple[list[str], list[float]]]]:
        found = []
        for pair in PAIRS:
            right, wrong = [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]
            right[good], wrong[good] = 1.0, 0.0
            both = [(list(pair.target), right), (["no", "such", "words"], wrong)]
            found.append(sorted(both, key=lambda each: -float(np.dot(each[1], weights))))
        return found

    return lists


@pytest.mark.parametrize("good", [0, 1, 2])
def test_feature_that_knows_gets_the_weight(good: int) -> None:
    tuned = tune(lister(good), PAIRS, np.ones(3), seed=1)  # type: ignore[arg-type]
    assert tuned.before < 0.1
    assert tuned.after == pytest.approx(1.0)
    assert tuned.weights[good] > tuned.weights.sum() - tuned.weights[good]


def test_weights_stay_where_nothing_is_better() -> None:
    given = np.array([3.0, 0.5, 0.5])
    tuned = tune(lister(0), PAIRS, given, seed=1)  # type: ignore[arg-type]
    assert tuned.before == tuned.after == pytest.approx(1.0)
    assert tuned.weights.tolist() == given.tolist()


def test_same_seed_same_weights() -> None:
    one, other = (tune(lister(1), PAIRS, np.ones(3), seed=4) for _ in range(2))  # type: ignore[arg-type]
    assert one.weights.tolist() == other.weights.tolist()
