"""Weights and trees together, against their parts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kakehashi.learn.blend import Blend, blended
from kakehashi.learn.lambdamart import TreeSettings, learn_trees
from kakehashi.learn.linear import LinearSettings, Lists, Weights, learn
from kakehashi.learn.linear_model import KIND, VERSION, LinearModel, linear_of
from kakehashi.soundness import Unsound
from kakehashi.store import read
from tests.learn.test_trees import either_or

SMALL = TreeSettings(trees=30, leaves=6, smallest=10, shrinkage=0.2)


@pytest.fixture(scope="module")
def lists() -> Lists:
    """With queries of two lengths, so that weights have slopes."""
    plain = either_or()
    return replace(plain, amounts=np.where(np.arange(len(plain.starts) - 1) % 2, 0.0, -1.0))


@pytest.fixture(scope="module")
def blend(lists: Lists) -> Blend:
    return blended(learn(lists, LinearSettings()), learn_trees(lists, SMALL, seed=1), lists)


def test_score_is_the_sum_of_both_parts_by_their_spreads(blend: Blend) -> None:
    rows = np.ascontiguousarray(either_or(5, 2).features.T)
    for said in (0.0, -1.0, -0.3):
        by_weights, by_trees = blend.weights.at(said).scores(rows), blend.trees.scores(rows)
        expected = by_weights / blend.spreads[0] + by_trees / blend.spreads[1]
        np.testing.assert_allclose(blend.at(said).scores(rows), expected, rtol=1e-12)


def test_spread_is_that_of_the_best_scores_of_a_query(lists: Lists, blend: Blend) -> None:
    """Every list has fewer documents than count as the best."""
    found = [
        blend.trees.scores(np.ascontiguousarray(lists.features[first:end].T)).std()
        for first, end in zip(lists.starts[:-1], lists.starts[1:], strict=True)
    ]
    assert blend.spreads[1] == pytest.approx(np.mean(found))


def test_shares_sum_to_the_score(blend: Blend) -> None:
    rows = np.ascontiguousarray(either_or(5, 1).features.T)
    own = blend.at(-0.5)
    for doc, score in enumerate(own.scores(rows).tolist()):
        assert own.shares(rows[:, doc]).sum() == pytest.approx(score)


def test_parts_that_say_nothing_change_nothing(lists: Lists, blend: Blend) -> None:
    """Weights that are all 0 have no spread."""
    nothing = blended(Weights(np.zeros(4)), blend.trees, lists)
    rows = np.ascontiguousarray(either_or(5, 1).features.T)
    np.testing.assert_allclose(nothing.scores(rows), blend.trees.scores(rows) / nothing.spreads[1])


def test_saved_blend_scores_alike(blend: Blend, tmp_path: Path) -> None:
    model = LinearModel([], "best", "any", ["a", "b", "c", "d"], blend, {}, {}, False)
    model.save(tmp_path / "model", {}, {}, seed=1)
    again = linear_of(read(tmp_path / "model", KIND, VERSION)).worth
    rows = np.ascontiguousarray(either_or(5, 2).features.T)
    np.testing.assert_array_equal(again.at(-0.7).scores(rows), blend.at(-0.7).scores(rows))


def test_blend_of_no_spread_is_refused(blend: Blend, tmp_path: Path) -> None:
    """A part would be divided by nothing."""
    damaged = replace(blend, spreads=(1.0, 0.0))
    LinearModel([], "best", "any", ["a", "b", "c", "d"], damaged, {}, {}, False).save(
        tmp_path / "model", {}, {}, seed=1
    )
    with pytest.raises(Unsound, match="spreads has a number that is not positive"):
        linear_of(read(tmp_path / "model", KIND, VERSION))


def test_rising_feature_never_lowers_a_score() -> None:
    """The first feature is bad news above 0.8 where the second is high, too; trees that must rise ignore that."""
    plain = either_or()
    rows = np.tile(np.array([[0.5, 0.9, 0.9, 0.5]], np.float32), (50, 1)).T.copy()
    rows[0] = np.linspace(0.0, 1.0, 50)
    free = learn_trees(plain, SMALL, seed=1).scores(rows)
    risen = learn_trees(plain, SMALL, seed=1, rising=np.array([True, False, False, False])).scores(rows)
    assert (np.diff(free) < 0).any()
    assert (np.diff(risen) >= 0).all()
