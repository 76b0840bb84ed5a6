"""LambdaMART against LightGBM's own predictions, and what no weights can learn."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.learn.lambdamart import TreeSettings, learn_trees
from kakehashi.learn.linear import LinearSettings, Lists, Weights, learn_weights
from kakehashi.learn.linear_model import KIND, VERSION, LinearModel, linear_of
from kakehashi.learn.trees import Trees
from kakehashi.soundness import Unsound
from kakehashi.store import read
from kakehashi.types import Array, Floats

SMALL = TreeSettings(trees=30, leaves=6, smallest=10, shrinkage=0.2)


def either_or(seed: int = 1, n_queries: int = 40, n_docs: int = 100) -> Lists:
    """Relevant is what has one of two features but not both; level 2 where a third is high. The fourth is noise."""
    rng = np.random.default_rng(seed)
    features = rng.uniform(size=(n_queries * n_docs, 4)).astype(np.float32)
    one, other = features[:, 0] > 0.8, features[:, 1] > 0.8
    levels = np.where(one != other, np.where(features[:, 2] > 0.5, 2, 1), 0).astype(np.int32)
    return Lists(np.arange(n_queries + 1) * n_docs, features, levels, np.ones(len(levels)))


@pytest.fixture(scope="module")
def trees() -> Trees:
    return learn_trees(either_or(), SMALL, seed=1)


def same(one: Trees, other: Trees) -> bool:
    return all(np.array_equal(array, other.arrays()[name]) for name, array in one.arrays().items())


def precision(lists: Lists, scores: Floats) -> float:
    """Mean share of relevant documents among as many of the best."""
    found = []
    for first, end in zip(lists.starts[:-1], lists.starts[1:], strict=True):
        relevant = lists.relevant[first:end]
        found.append(relevant[np.argsort(-scores[first:end])[: relevant.sum()]].mean())
    return float(np.mean(found))


class Spy:
    """LightGBM, whose trained booster is kept."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.booster: Any = None
        train = lightgbm.train

        def keeping(*given: Any, **named: Any) -> Any:
            self.booster = train(*given, **named)
            return self.booster

        monkeypatch.setattr(lightgbm, "train", keeping)


@pytest.mark.parametrize(
    "settings", [SMALL, TreeSettings(trees=20, leaves=32, smallest=2), TreeSettings(leaves=2)]
)
def test_scores_are_those_of_lightgbm(settings: TreeSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for numbers that equal a threshold, or are next to it."""
    spy = Spy(monkeypatch)
    trees = learn_trees(either_or(), settings, seed=1)
    rows = either_or(7, 10).features.copy()
    for feature in range(4):
        edges = trees.thresholds[trees.features == feature][:100]
        rows[: len(edges), feature] = edges
        above = np.nextafter(edges, np.float32(2.0))
        rows[100 : 100 + len(edges), feature] = above
    expected = spy.booster.predict(rows)
    np.testing.assert_allclose(trees.scores(np.ascontiguousarray(rows.T)), expected, rtol=1e-12, atol=1e-12)


def test_trees_learn_what_weights_cannot(trees: Trees) -> None:
    new = either_or(2)
    rows = np.ascontiguousarray(new.features.T)
    weights = Weights(learn_weights(either_or(), LinearSettings()))
    assert precision(new, trees.scores(rows)) > 0.95
    assert precision(new, weights.scores(rows)) < 0.8


def test_higher_level_comes_first(trees: Trees) -> None:
    new = either_or(2)
    scores = trees.scores(np.ascontiguousarray(new.features.T))
    assert scores[new.levels == 2].mean() > scores[new.levels == 1].mean() > scores[new.levels == 0].mean()


def test_shares_sum_to_the_score(trees: Trees) -> None:
    rows = np.ascontiguousarray(either_or(7, 1).features.T)
    for doc, score in enumerate(trees.scores(rows).tolist()):
        shares = trees.shares(rows[:, doc])
        assert len(shares) == 5
        assert shares.sum() == pytest.approx(score, abs=1e-9)


def test_noise_gains_little(trees: Trees) -> None:
    assert trees.each().sum() == pytest.approx(1.0)
    assert trees.each()[3] < 0.05 < trees.each()[:2].min()


def test_same_lists_give_the_same_trees(trees: Trees) -> None:
    assert same(learn_trees(either_or(), SMALL, seed=1), trees)
    assert not same(learn_trees(either_or(2), SMALL, seed=1), trees)


def test_feature_left_out_is_not_asked_for() -> None:
    """Nor any, where all are left out: then all documents are equal."""
    lists = either_or()
    less = learn_trees(lists.without(np.array([0])), SMALL, seed=1)
    rows = np.ascontiguousarray(lists.features.T)
    assert less.each()[0] == 0.0
    changed = rows.copy()
    changed[0] = 1.0 - changed[0]
    np.testing.assert_array_equal(less.scores(rows), less.scores(changed))
    nothing = learn_trees(lists.without(np.arange(4)), SMALL, seed=1)
    assert nothing.each().tolist() == [0.0] * 4
    assert len(np.unique(nothing.scores(rows))) == 1


def model_of(trees: Trees) -> LinearModel:
    return LinearModel([], "best", "any", ["a", "b", "c", "d"], trees, {}, {}, False)


def test_saved_trees_score_alike(trees: Trees, tmp_path: Path) -> None:
    model_of(trees).save(tmp_path / "model", {}, {}, seed=1)
    again = linear_of(read(tmp_path / "model", KIND, VERSION)).worth
    rows = np.ascontiguousarray(either_or(7, 3).features.T)
    np.testing.assert_array_equal(again.scores(rows), trees.scores(rows))
    np.testing.assert_array_equal(again.shares(rows[:, 5]), trees.shares(rows[:, 5]))
    np.testing.assert_array_equal(again.each(), trees.each())


def test_scores_do_not_depend_on_the_other_documents(trees: Trees) -> None:
    """Documents are scored in blocks."""
    rows = np.ascontiguousarray(either_or(7, 6).features.T)
    every = trees.scores(rows)
    for few in (slice(0, 1), slice(255, 257), slice(10, 590)):
        np.testing.assert_array_equal(trees.scores(np.ascontiguousarray(rows[:, few])), every[few])


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("features", lambda array: array + 4, "features has a number outside 0 to 3"),
        ("spans", lambda array: array - 40, "spans has a number outside 0 to 32"),
        ("leaf_starts", lambda array: array[::-1].copy(), "leaf_starts does not divide"),
        ("leaf_starts", lambda array: array[[0, *[-1] * (len(array) - 1)]], "leaves per tree has a number"),
        ("node_starts", lambda array: array * 2, "node_starts does not divide"),
        ("leaves", lambda array: array * np.inf, "leaves has a number beyond"),
        ("means", lambda array: array[:-1], "means has shape"),
        ("gains", lambda array: array[:-1], "gains has shape"),
    ],
)
def test_trees_that_do_not_hold_together_are_refused(
    trees: Trees, tmp_path: Path, name: str, change: Callable[[Array], Array], message: str
) -> None:
    """Checksums are right; whoever made the model, no number in it leads outside an array."""
    fields = {"leaves": "values"}
    damaged = replace(trees, **{fields.get(name, name): change(trees.arrays()[name])})
    model_of(damaged).save(tmp_path / "model", {}, {}, seed=1)
    with pytest.raises(Unsound, match=message):
        linear_of(read(tmp_path / "model", KIND, VERSION))


def test_what_lightgbm_cannot_take_is_refused() -> None:
    lists = either_or()
    with pytest.raises(InputError, match="levels up to 30, but the judgments have 62"):
        learn_trees(replace(lists, levels=lists.levels * 31), SMALL, seed=1)
    one = replace(either_or(1, 1, 10_001), starts=np.array([0, 10_001]))
    with pytest.raises(InputError, match="at most 10000 documents per query, not 10001: set best or random"):
        learn_trees(one, SMALL, seed=1)


def test_document_that_stands_for_many_weighs_as_many(trees: Trees) -> None:
    """One that is not relevant, alone in having a feature, sinks deeper the more it stands for."""
    lists = either_or()
    features = lists.features.copy()
    odd = np.flatnonzero(lists.levels == 0)[::50]
    features[:, 3] = 0.0
    features[odd, 3] = 1.0
    stands_for = np.ones(len(features))
    sunk = []
    for many in (1.0, 30.0):
        stands_for[odd] = many
        learned = learn_trees(replace(lists, features=features, stands_for=stands_for), SMALL, seed=1)
        alike = np.repeat(features[lists.levels == 2][:1], 2, axis=0)
        alike[:, 3] = [0.0, 1.0]
        sunk.append(np.diff(learned.scores(np.ascontiguousarray(alike.T)))[0])
    assert sunk[1] < sunk[0] <= 0.0


def test_query_without_documents_changes_nothing(trees: Trees) -> None:
    lists = either_or()
    starts = np.insert(lists.starts, 5, lists.starts[5])
    assert same(learn_trees(replace(lists, starts=starts), SMALL, seed=1), trees)
