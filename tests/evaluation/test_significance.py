from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kakehashi.errors import InputError
from kakehashi.evaluation import significance
from kakehashi.evaluation.significance import (
    exact_p,
    holm,
    mean_interval,
    randomization_p,
    sampled_p,
    t_test_p,
)
from kakehashi.types import Floats

differences = st.integers(1, 9).flatmap(
    lambda n: arrays(np.float64, n, elements=st.integers(-8, 8).map(lambda value: value / 8))
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def enumerated(values: Floats) -> float:
    """All labellings, one by one, in exact eighths."""
    observed = abs(values.sum())
    signs = list(product((-1, 1), repeat=len(values)))
    return sum(abs(np.dot(sign, values)) >= observed for sign in signs) / len(signs)


@given(differences)
def test_small_sets_are_enumerated(values: Floats) -> None:
    assert randomization_p(values, np.zeros(len(values)), rng()) == enumerated(values)


@given(differences)
def test_swapping_the_systems_leaves_p(values: Floats) -> None:
    zeros = np.zeros(len(values))
    assert randomization_p(values, zeros, rng()) == randomization_p(zeros, values, rng())


def test_sampling_agrees_with_enumeration_within_its_error() -> None:
    values = rng(3).normal(0.3, 1, size=12)
    rounds = 200_000
    assert sampled_p(values, rng(), rounds) == pytest.approx(exact_p(values), abs=4 / (2 * np.sqrt(rounds)))


def test_sampling_agrees_with_scipy_beyond_enumeration() -> None:
    a, b = rng(1).random(60), rng(2).random(60)
    peer = scipy.stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=50_000, rng=rng(9)
    )
    assert randomization_p(a, b, rng(), 50_000) == pytest.approx(peer.pvalue, abs=0.01)


def test_enumeration_agrees_with_scipy() -> None:
    a, b = rng(1).random(10), rng(2).random(10)
    peer = scipy.stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
    )
    assert randomization_p(a, b, rng()) == pytest.approx(peer.pvalue)


@pytest.mark.parametrize("n", [1, 5, 500])
def test_a_system_does_not_differ_from_itself(n: int) -> None:
    scores = rng().random(n)
    assert randomization_p(scores, scores, rng()) == 1
    if n > 1:
        assert t_test_p(scores, scores) == 1


def test_p_is_never_zero() -> None:
    a = np.ones(100)
    assert randomization_p(a, np.zeros(100), rng(), rounds=999) == 1 / 1000


def test_equal_seeds_give_equal_p() -> None:
    a, b = rng(1).random(50), rng(2).random(50)
    assert randomization_p(a, b, rng(7), 5000) == randomization_p(a, b, rng(7), 5000)
    assert len({randomization_p(a, b, rng(seed), 5000) for seed in range(5)}) > 1


@pytest.mark.parametrize("block", [1, 17, 1000, 1 << 22])
def test_p_does_not_depend_on_the_block(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = rng(4).normal(0.1, 1, size=75)
    expected = sampled_p(values, rng(), 3000)
    monkeypatch.setattr(significance, "_BLOCK", block)
    assert sampled_p(values, rng(), 3000) == expected


def test_every_labelling_is_drawn_equally_often() -> None:
    # for one query of weight 2 among ones, the sums 4, 2, 0, -2, -4 have known chances
    values = np.array([2.0, 1.0, 1.0])
    assert sampled_p(values, rng(), 100_000) == pytest.approx(2 / 8, abs=0.006)
    assert exact_p(values) == 2 / 8


def test_under_no_difference_p_is_uniform() -> None:
    p = [sampled_p(rng(seed).normal(size=40), rng(1000 + seed), 400) for seed in range(400)]
    assert scipy.stats.kstest(p, "uniform").pvalue > 0.001


def test_a_million_rounds_reach_a_millionth() -> None:
    a = rng(1).random(1000)
    assert randomization_p(a + 0.1, a, rng(), 1_000_001) == 1 / 1_000_002


@pytest.mark.parametrize("n", [2, 3, 10, 300])
def test_t_test_agrees_with_scipy(n: int) -> None:
    a, b = rng(n).random(n), rng(n + 1).random(n)
    assert t_test_p(a, b) == pytest.approx(scipy.stats.ttest_rel(a, b).pvalue, rel=1e-9)


def test_t_test_of_a_constant_difference() -> None:
    assert t_test_p(np.full(4, 0.5), np.full(4, 0.25)) == 0


def test_holm_by_hand() -> None:
    # sorted .005 .01 .03 .04 times 4 3 2 1 is .02 .03 .06 .04; no corrected p may fall below the one before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_never_lowers_a_p_and_keeps_their_order(p: list[float]) -> None:
    corrected = holm(p)
    assert all(after >= before for before, after in zip(p, corrected, strict=True))
    assert sorted(corrected) == [corrected[i] for i in np.argsort(p, kind="stable")]


def test_interval_of_a_mean_agrees_with_scipy() -> None:
    values = rng().random(25)
    expected = scipy.stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert mean_interval(values) == pytest.approx((expected.low, expected.high))
    assert np.isnan(mean_interval(values[:1])).all()
    with pytest.raises(InputError, match="confidence"):
        mean_interval(values, 95)


@pytest.mark.parametrize("test", [lambda a, b: randomization_p(a, b, rng()), t_test_p])
def test_unpaired_scores_are_refused(test: object) -> None:
    assert callable(test)
    with pytest.raises(InputError, match="same queries"):
        test(np.ones(3), np.ones(4))
    with pytest.raises(InputError, match="at least one"):
        test(np.ones(0), np.ones(0))
    with pytest.raises(InputError, match="not a number"):
        test(np.array([1.0, np.nan]), np.ones(2))


def test_too_little_for_a_test_is_refused() -> None:
    with pytest.raises(InputError, match="at least 2"):
        t_test_p(np.ones(1), np.zeros(1))
    with pytest.raises(InputError, match="at least 1"):
        sampled_p(np.ones(30), rng(), 0)
