"""Correlated words by position against the formula with its hash h_p(m, n) = (S_p(m) - 1)·F + S_p(n)."""

from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn.bilinear import BilinearSettings
from kakehashi.learn.bilinear_model import weights_of
from kakehashi.learn.epochs import Trained
from kakehashi.learn.pair_form import positions_of, train_pair_form
from kakehashi.learn.vectors import Rows
from kakehashi.lexicon.correlated import position_of, positioned
from kakehashi.types import Floats
from tests.learn.plain_bilinear import dense, random_problem, steps

K, F = 3, 5
NAMES = [positioned(p, f"t{t}") for p in range(K) for t in range(F)]  # the words of both sides


def problem(seed: int) -> tuple[list[str], list[str], PairBlock, Rows, Rows]:
    """Pairs over words by position, which are numbered in any order."""
    rng = np.random.default_rng(seed)
    block, queries, documents = random_problem(
        rng, 2, n_query_words=len(NAMES), n_document_words=len(NAMES), groups=60
    )
    orders = [[NAMES[i] for i in rng.permutation(len(NAMES))] for _ in range(2)]
    return *orders, block, queries, documents  # type: ignore[return-value]


def learned(seed: int, **settings: Any) -> Trained:
    query_names, document_names, block, queries, documents = problem(seed)
    positions = positions_of(query_names, position_of), positions_of(document_names, position_of)
    chosen = BilinearSettings(rates="fixed", rate=0.2, epochs=2, **settings)
    return train_pair_form(lambda: [block], queries, documents, positions, chosen)


def features(query_names: list[str], document_names: list[str], q: Floats, d: Floats) -> Floats:
    """(F·F,) φ_j = Σ_p Σ over (s, t) with h_p(s, t) = j of q_s·d_t"""
    phi = np.zeros(F * F)
    for s, x in zip(query_names, q, strict=True):
        for t, y in zip(document_names, d, strict=True):
            (p, m), (r, n) = position_of(s), position_of(t)
            if p == r:
                phi[int(m[1:]) * F + int(n[1:])] += x * y
    return phi


@pytest.mark.parametrize("layout", ["auto", "scattered"])
def test_learned_scores_are_those_of_the_formula(layout: str) -> None:
    query_names, document_names, block, queries, documents = problem(1)
    q, d, w = dense(queries, len(NAMES)), dense(documents, len(NAMES)), np.zeros(F * F)
    phi = {
        (i, j): features(query_names, document_names, q[i], d[j])
        for i in range(len(q))
        for j in range(len(d))
    }
    for query, up, down, margin in steps(block) * 2:
        x = phi[query, up] - phi[query, down]
        if w @ x < margin:
            w += 0.2 * x
    weights = weights_of(learned(1, layout=layout, bits=20), len(NAMES))
    found = np.stack(list(weights.rows()))
    expected = np.array([[w @ phi[i, j] for j in range(len(d))] for i in range(len(q))])
    assert np.abs(expected).max() > 0.5
    np.testing.assert_allclose(q @ found @ d.T, expected, rtol=1e-3, atol=1e-4)
    for i, j in np.argwhere(found):  # words of two positions never meet
        assert position_of(query_names[i])[0] == position_of(document_names[j])[0]


def test_every_position_of_two_targets_has_the_same_weight() -> None:
    query_names, document_names, *_ = problem(2)
    found = np.stack(list(weights_of(learned(2), len(NAMES)).rows()))
    at = np.ix_([query_names.index(name) for name in NAMES], [document_names.index(name) for name in NAMES])
    blocks = found[at].reshape(K, F, K, F)
    for p in range(1, K):
        np.testing.assert_array_equal(blocks[p, :, p], blocks[0, :, 0])


@pytest.mark.parametrize("setting", [{"l1": 1e-6}, {"l2": 0.1}, {"layout": "blocks"}, {"signed": True}])
def test_what_it_cannot_do_is_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="cfh_form=pairs needs"):
        learned(3, **setting)
