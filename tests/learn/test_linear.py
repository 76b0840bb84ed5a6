import sys
from typing import Literal

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from kakehashi.errors import InputError
from kakehashi.learn.lambdamart import TreeSettings, learn_trees
from kakehashi.learn.linear import LinearSettings, Lists, amount, learn, learn_weights
from kakehashi.learn.softmax import by_softmax, softmax_curvature, softmax_loss
from kakehashi.types import Floats

TRUE = np.array([2.0, -1.0, 0.0, 0.5])


def some_lists(
    seed: int = 1, n_queries: int = 60, n_docs: int = 200, n_relevant: int = 5, last: float = 20.0
) -> Lists:
    """The best of each list by the true weights and some noise are relevant; `last` spreads the last feature."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_queries, n_docs, len(TRUE))) * [1.0, 1.0, 1.0, last]
    worth = features @ (TRUE / [1.0, 1.0, 1.0, last]) + 0.1 * rng.gumbel(size=(n_queries, n_docs))
    relevant = np.zeros((n_queries, n_docs), bool)
    np.put_along_axis(relevant, np.argsort(-worth, axis=1)[:, :n_relevant], True, axis=1)
    starts = np.arange(n_queries + 1) * n_docs
    flat = features.reshape(-1, len(TRUE)).astype(np.float32)
    return Lists(starts, flat, relevant.ravel(), np.ones(len(flat)))


def precision(lists: Lists, weights: Floats) -> float:
    scores = lists.features @ weights
    found = []
    for first, end in zip(lists.starts[:-1], lists.starts[1:], strict=True):
        best = np.argsort(-scores[first:end])[: lists.relevant[first:end].sum()]
        found.append(lists.relevant[first:end][best].mean())
    return float(np.mean(found))


@pytest.mark.parametrize(("loss", "last"), [("softmax", 20.0), ("softmax", 1.0), ("margin", 1.0)])
def test_order_of_unseen_queries_is_learned(loss: Literal["softmax", "margin"], last: float) -> None:
    """Whatever the spread of a feature by softmax; the perceptron takes features as they are."""
    weights = learn_weights(some_lists(1, last=last), LinearSettings(loss=loss))
    assert precision(some_lists(2, last=last), weights) > 0.8
    assert precision(some_lists(2, last=last), np.ones(4)) < 0.6
    per_spread = weights * [1.0, 1.0, 1.0, last]
    np.testing.assert_allclose(per_spread / per_spread[0], TRUE / 2.0, atol=0.12)


def test_weights_follow_how_much_a_query_says() -> None:
    """In short queries the first number decides, in long ones the second; in between both do."""
    rng = np.random.default_rng(8)
    n_queries, n_docs = 300, 100
    amounts = rng.uniform(-2.0, 2.0, n_queries)
    features = rng.normal(size=(n_queries, n_docs, 2))
    true = np.stack([1.0 - 0.5 * amounts, 1.0 + 0.5 * amounts], axis=1)  # (queries, 2)
    worth = np.einsum("qdf,qf->qd", features, true) + 0.1 * rng.gumbel(size=(n_queries, n_docs))
    relevant = np.zeros((n_queries, n_docs), bool)
    np.put_along_axis(relevant, np.argsort(-worth, axis=1)[:, :5], True, axis=1)
    flat = features.reshape(-1, 2).astype(np.float32)
    lists = Lists(np.arange(n_queries + 1) * n_docs, flat, relevant.ravel(), np.ones(len(flat)), amounts)
    weights = learn(lists, LinearSettings())
    for said in (-1.5, 0.0, 1.5):
        first, second = weights.at(said).values
        assert first / second == pytest.approx((1.0 - 0.5 * said) / (1.0 + 0.5 * said), rel=0.15, abs=0.05)
    assert np.array_equal(weights.at(9.0).values, weights.at(float(amounts.max())).values)


def test_without_amounts_weights_are_the_same_for_every_query() -> None:
    weights = learn(some_lists(1), LinearSettings())
    assert weights.slopes is None
    assert weights.at(-3.0) is weights
    assert amount(50) == 0.0


def test_gradient_is_that_of_the_loss() -> None:
    lists = some_lists(3, n_queries=4, n_docs=12, n_relevant=3)
    logs = np.log(np.random.default_rng(4).uniform(1.0, 30.0, 48))
    weights = np.array([0.3, -0.2, 0.1, 0.02])

    def loss(at: Floats) -> float:
        by_query = np.tile(at, (4, 1))
        return float(softmax_loss(lists.starts, lists.features, lists.relevant, logs, by_query)[0])

    by_query = np.tile(weights, (4, 1))
    gradient = softmax_loss(lists.starts, lists.features, lists.relevant, logs, by_query)[1].sum(axis=0)
    np.testing.assert_allclose(gradient, approx_fprime(weights, loss, 1e-7), rtol=1e-4, atol=1e-6)


def test_curvature_is_how_the_gradient_changes() -> None:
    lists = some_lists(3, n_queries=4, n_docs=12, n_relevant=3)
    logs = np.log(np.random.default_rng(4).uniform(1.0, 30.0, 48))
    says = np.array([[1.0, 0.5], [1.0, -2.0], [1.0, 0.0], [1.0, 1.3]])
    weights = np.array([[0.3, -0.2, 0.1, 0.02], [0.1, 0.0, -0.1, 0.2]])

    def gradient(at: Floats) -> Floats:
        by_query = says @ at.reshape(2, 4)
        _, found = softmax_loss(lists.starts, lists.features, lists.relevant, logs, by_query)
        return np.asarray((says.T @ found).ravel())

    curved = softmax_curvature(lists.starts, lists.features, lists.relevant, logs, says @ weights, says)
    flat, step = weights.ravel(), 1e-6
    expected = [(gradient(flat + step * one) - gradient(flat - step * one)) / (2 * step) for one in np.eye(8)]
    # documents with next to no share are left out
    np.testing.assert_allclose(curved, np.array(expected), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("l2", [0.0, 0.001, 1.0])
def test_weights_are_where_another_optimiser_finds_the_loss_lowest(l2: float) -> None:
    lists = some_lists(3, n_queries=30, n_docs=40, n_relevant=3)
    says = np.stack([np.ones(30), np.linspace(-1.0, 1.0, 30)], 1)
    features = lists.features.astype(np.float64)
    spread = np.stack([(features * np.repeat(part, 40)[:, None]).std(axis=0) for part in says.T])

    def loss(flat: Floats) -> float:
        """In plain words: minus the logarithm of each relevant document's share, once for each query."""
        weights, total = flat.reshape(2, 4), 0.0
        for q in range(30):
            rows = slice(lists.starts[q], lists.starts[q + 1])
            scores = features[rows] @ (says[q] @ weights)
            relevant = lists.relevant[rows]
            for own in scores[relevant]:
                total += np.log(np.exp(scores[~relevant]).sum() + np.exp(own)) - own
        return float(total / (30 * 3) + 0.5 * l2 * ((weights * spread) ** 2).sum())

    found = by_softmax(lists.starts, lists.features, lists.relevant, np.zeros(len(features)), says, l2)
    expected = minimize(loss, np.zeros(8), method="BFGS", options={"gtol": 1e-7})
    assert loss(found.ravel()) <= expected.fun + 1e-8
    np.testing.assert_allclose(found.ravel(), expected.x, atol=1e-2)


def test_scores_that_hardly_differ_weigh_the_same_wherever_they_lie() -> None:
    """Cosines of an encoder lie close together: what all documents share says nothing, and must not stop the steps.

    Long lists, most of whose documents have next to no share.
    """
    rng = np.random.default_rng(9)
    n_queries, n_docs = 60, 400
    starts = np.arange(n_queries + 1, dtype=np.int64) * n_docs
    relevant = np.zeros(n_queries * n_docs, bool)
    relevant[starts[:-1] + rng.integers(n_docs, size=n_queries)] = True
    sharp = rng.exponential(0.1, len(relevant)) + 0.5 * relevant
    close = 0.02 * (rng.standard_normal(len(relevant)) + relevant)
    logs, says = np.log(rng.integers(1, 40, len(relevant)).astype(np.float64)), np.ones((n_queries, 1))
    weights = [
        by_softmax(starts, np.stack([sharp, close + offset], axis=1), relevant, logs, says, 0.03)
        for offset in (0.0, 0.85)
    ]
    assert weights[1] == pytest.approx(weights[0], rel=1e-3)


def test_document_that_stands_for_many_counts_as_many() -> None:
    """A list with ten copies of a document gives the weights of one with a document that stands for ten."""
    lists = some_lists(5, n_queries=10, n_docs=20, n_relevant=2)
    keep = ~lists.relevant
    repeats = np.where(keep, 10, 1)
    copied = Lists(
        np.append(0, np.cumsum(repeats))[lists.starts].astype(np.int64),
        np.repeat(lists.features, repeats, axis=0),
        np.repeat(lists.relevant, repeats),
        np.ones(int(repeats.sum())),
    )
    weighed = Lists(lists.starts, lists.features, lists.relevant, repeats.astype(float))
    logs = [np.log(each.stands_for) for each in (copied, weighed)]
    losses = [
        softmax_loss(
            each.starts, each.features, each.relevant, log, np.tile(TRUE, (len(each.starts) - 1, 1))
        )[0]
        for each, log in zip((copied, weighed), logs, strict=True)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-9)


@pytest.mark.parametrize("loss", ["softmax", "margin"])
def test_feature_left_out_gets_no_weight_and_the_rest_is_learned(loss: str) -> None:
    lists = some_lists(1)
    weights = learn_weights(lists.without(np.array([0])), LinearSettings(loss=loss))
    assert weights[0] == 0.0
    assert weights[1] < 0.0
    assert precision(some_lists(2), weights) < precision(
        some_lists(2), learn_weights(lists, LinearSettings(loss=loss))
    )


def test_same_seed_same_weights() -> None:
    settings = LinearSettings(loss="margin", epochs=3)
    one, again = (learn_weights(some_lists(1), settings) for _ in range(2))
    assert one.tobytes() == again.tobytes()


def test_lists_without_relevant_documents_are_refused() -> None:
    lists = some_lists(1, n_queries=3)
    nothing = Lists(lists.starts, lists.features, np.zeros_like(lists.relevant), lists.stands_for)
    with pytest.raises(InputError, match="nothing to learn from"):
        learn_weights(nothing, LinearSettings())


def test_what_to_do_without_lightgbm_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(
        InputError, match=r"LightGBM cannot be loaded .*: install what is missing .*loss=softmax"
    ):
        learn_trees(some_lists(1, n_queries=3), TreeSettings(), seed=1)


def test_weights_are_not_learned_by_the_loss_of_trees() -> None:
    with pytest.raises(InputError, match="lambdamart learns trees, not weights"):
        learn_weights(some_lists(1, n_queries=3), LinearSettings(loss="lambdamart"))


@pytest.mark.parametrize(
    ("name", "value"), [("trees", 0), ("leaves", 1), ("smallest", 0), ("depth", 0), ("shrinkage", 1.5)]
)
def test_senseless_settings_of_trees_are_refused(name: str, value: float) -> None:
    with pytest.raises(InputError, match=f"{name} must"):
        TreeSettings(**{name: value})


@pytest.mark.parametrize(("name", "value"), [("l2", -1.0), ("rate", 0.0), ("margin", 0.0), ("epochs", 0)])
def test_senseless_settings_are_refused(name: str, value: float) -> None:
    with pytest.raises(InputError, match=f"{name} must"):
        LinearSettings(**{name: value})
