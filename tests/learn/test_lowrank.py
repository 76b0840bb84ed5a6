"""Training of U and V against finite differences, formulas written out, and a planted truth."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn.lowrank import LowRank, LowRankSettings, fresh, joined, train_lowrank
from kakehashi.learn.vectors import Rows
from kakehashi.types import Array
from tests.learn.pairs import dense, ordered_pairs, pair_block, random_rows

Q, D, N_QUERIES, N_DOCS = 15, 20, 10, 12
PLAIN = LowRankSettings(rank=4, rate=1.0, rates="fixed", noise=2.0, epochs=1)
SHARED = np.where(np.arange(Q) % 3 == 0, np.arange(Q)[::-1] + 2, -1).astype(np.int32)


@pytest.fixture
def sides() -> tuple[Rows, Rows]:
    rng = np.random.default_rng(5)
    return random_rows(rng, N_QUERIES, Q), random_rows(rng, N_DOCS, D)


def with_settings(**changes: Any) -> LowRankSettings:
    values = {name: getattr(PLAIN, name) for name in PLAIN.__struct_fields__}
    return LowRankSettings(**(values | changes))


def train(block: PairBlock, sides: tuple[Rows, Rows], settings: LowRankSettings) -> LowRank:
    n_words = D if settings.tied else Q
    return train_lowrank(lambda: [block], *sides, n_words, D, settings, np.random.default_rng(9), SHARED)


def start(settings: LowRankSettings) -> tuple[Array, Array]:
    u, v = fresh(D if settings.tied else Q, D, settings, np.random.default_rng(9))
    return u.astype(np.float64), v.astype(np.float64)


def hinge(u: Array, v: Array, identity: bool, q: Array, x: Array, margin: float) -> float:
    score = (q @ u) @ (x @ v)
    if identity:
        score += sum(q[i] * x[j] for i, j in enumerate(SHARED) if j >= 0)
    return max(0.0, margin - float(score))


def slope(loss: Callable[[], float], weights: Array) -> Array:
    """Central differences of loss() over every weight, changed in place."""
    out, step = np.zeros_like(weights), 1e-5
    for place in np.ndindex(weights.shape):
        old = weights[place]
        weights[place] = old + step
        up = loss()
        weights[place] = old - step
        down = loss()
        weights[place] = old
        out[place] = (up - down) / (2 * step)
    return out


@pytest.mark.parametrize(("identity", "tied"), [(False, False), (True, False), (False, True)])
def test_steps_are_the_negative_gradient_of_the_summed_hinge(
    sides: tuple[Rows, Rows], identity: bool, tied: bool
) -> None:
    """Each pair's step from one start; their sum must be the slope of the sum, pairs without a loss included."""
    settings = with_settings(identity=identity, tied=tied)
    if tied:
        sides = (random_rows(np.random.default_rng(6), N_QUERIES, D), sides[1])
    pairs = [
        (q, (3 * q + 1) % N_DOCS, (5 * q + 2) % N_DOCS, 1.0 if q % 2 else 0.05) for q in range(N_QUERIES)
    ]
    u, v = start(settings)
    if tied:
        v = u
    queries, documents = dense(sides[0], len(u)), dense(sides[1], D)

    def loss() -> float:
        return sum(
            hinge(u, v, identity, queries[q], documents[a] - documents[b], margin)
            for q, a, b, margin in pairs
        )

    step_u, step_v, moved = np.zeros_like(u), np.zeros_like(v), 0
    for q, a, b, margin in pairs:
        model = train(pair_block([q], [[(a, b, margin)]]), sides, settings)
        step_u += model.u - u
        step_v += model.v - v
        moved += bool((model.u != u).any())
    assert 0 < moved < len(pairs)
    assert step_u == pytest.approx(-slope(loss, u), abs=2e-4)
    assert step_v == pytest.approx(-slope(loss, v), abs=2e-4)


def test_simultaneous_and_sequential_steps_follow_their_formulas(sides: tuple[Rows, Rows]) -> None:
    block = pair_block([3], [[(1, 2, 5.0), (4, 5, 5.0)]])
    q, documents = dense(sides[0], Q)[3], dense(sides[1], D)
    found = {}
    for sequential in (False, True):
        settings = with_settings(sequential=sequential, rate=0.3)
        u, v = start(settings)
        for a, b in ((1, 2), (4, 5)):
            x = documents[a] - documents[b]
            old = u.copy()
            u = u + 0.3 * np.outer(q, x @ v)
            v = v + 0.3 * np.outer(x, q @ (u if sequential else old))
        model = train(block, sides, settings)
        assert model.u == pytest.approx(u, abs=1e-5)
        assert model.v == pytest.approx(v, abs=1e-5)
        found[sequential] = model
    assert found[True].v != pytest.approx(found[False].v, abs=1e-3)


def test_rate_falls_as_equation_4_1_says(sides: tuple[Rows, Rows]) -> None:
    settings = with_settings(rates="schedule", rate=0.4, power=0.5, t0=2.0, decay=0.5, epochs=2)
    q, x = dense(sides[0], Q)[0], np.subtract(*dense(sides[1], D)[:2])
    u, v = start(settings)
    for t in range(4):
        rate = 0.4 * 0.5 ** (t // 2) * (2.0 / (2.0 + t)) ** 0.5
        u, v = u + rate * np.outer(q, x @ v), v + rate * np.outer(x, q @ u)
    model = train(pair_block([0], [[(0, 1, 50.0)] * 2]), sides, settings)
    assert model.u == pytest.approx(u, rel=1e-4, abs=1e-5)
    assert model.v == pytest.approx(v, rel=1e-4, abs=1e-5)


def test_adaptive_rate_divides_each_step_by_the_root_of_its_squares(sides: tuple[Rows, Rows]) -> None:
    settings = with_settings(rates="adaptive", rate=0.1, l2=0.3)
    q, x = dense(sides[0], Q)[0], np.subtract(*dense(sides[1], D)[:2])
    u, v = start(settings)
    squares_u, squares_v = np.full_like(u, 1e-8), np.full_like(v, 1e-8)
    for _ in range(3):
        touched_u, touched_v = (q != 0)[:, None], (x != 0)[:, None]
        slope_u = touched_u * (np.outer(q, x @ v) - 0.3 * u)
        slope_v = touched_v * (np.outer(x, q @ u) - 0.3 * v)
        squares_u, squares_v = squares_u + slope_u**2, squares_v + slope_v**2
        u, v = u + 0.1 * slope_u / np.sqrt(squares_u), v + 0.1 * slope_v / np.sqrt(squares_v)
    model = train(pair_block([0], [[(0, 1, 50.0)] * 3]), sides, settings)
    assert model.u == pytest.approx(u, abs=1e-4)
    assert model.v == pytest.approx(v, abs=1e-4)


def planted(seed: int, n_queries: int = 300, n_docs: int = 400) -> tuple[Rows, Rows, Array]:
    """Texts of 60 words per side, and the scores of a rank-3 truth."""
    rng = np.random.default_rng(seed)
    queries, documents = random_rows(rng, n_queries, 60, 8), random_rows(rng, n_docs, 60, 8)
    left, right = rng.standard_normal((60, 3)), rng.standard_normal((60, 3))
    return queries, documents, (dense(queries, 60) @ left) @ (dense(documents, 60) @ right).T


@pytest.mark.parametrize("rates", ["adaptive", "fixed"])
def test_planted_ranking_is_recovered_for_unseen_queries(rates: Any) -> None:
    queries, documents, scores = planted(1)
    settings = LowRankSettings(rank=6, rates=rates, rate=0.1, epochs=1, report_every=4000)
    blocks = ordered_pairs(scores[:200], 60_000, seed=2, gap=0.5)
    model = train_lowrank(blocks, queries, documents, 60, 60, settings, np.random.default_rng(3))
    assert model.curve[-1].loss < 0.35 * model.curve[0].loss
    assert model.curve[-1].error < 0.1
    learned = (dense(queries, 60)[200:] @ model.u) @ (dense(documents, 60) @ model.v).T
    agreement = [
        np.corrcoef(np.argsort(np.argsort(a)), np.argsort(np.argsort(b)))[0, 1]
        for a, b in zip(learned, scores[200:], strict=True)
    ]
    assert np.mean(agreement) > 0.85


def test_progressive_validation_judges_before_the_step() -> None:
    queries, documents, scores = planted(1)
    settings = LowRankSettings(rank=3, report_every=4000, noise=1e-6, epochs=1)
    blocks = ordered_pairs(scores, 8000, seed=2)
    model = train_lowrank(blocks, queries, documents, 60, 60, settings, np.random.default_rng(3))
    assert [(tick.epoch, tick.pairs) for tick in model.curve] == [(1, 4000), (1, 8000)]
    only_one = pair_block([0], [[(0, 1, 0.7)]])
    model = train_lowrank(lambda: [only_one], queries, documents, 60, 60, settings, np.random.default_rng(3))
    assert [tick.loss for tick in model.curve] == pytest.approx([0.7], abs=1e-6)


def test_same_seed_gives_the_same_bytes() -> None:
    queries, documents, scores = planted(4)
    settings = LowRankSettings(rank=5, epochs=1)

    def run(seed: int) -> bytes:
        blocks = ordered_pairs(scores, 8000, seed=2)
        model = train_lowrank(blocks, queries, documents, 60, 60, settings, np.random.default_rng(seed))
        return model.u.tobytes() + model.v.tobytes()

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_blocks_cut_otherwise_train_alike() -> None:
    queries, documents, scores = planted(4)
    whole = next(ordered_pairs(scores, 4000, seed=2)())
    parts = [
        PairBlock(
            whole.queries[g : g + 100],
            whole.starts[g : g + 101] - whole.starts[g],
            *(array[whole.starts[g] : whole.starts[g + 100]] for array in whole[2:]),
        )
        for g in range(0, len(whole.queries), 100)
    ]
    models = [
        train_lowrank(
            lambda given=given: given, queries, documents, 60, 60,
            LowRankSettings(rank=5, epochs=1, report_every=every), np.random.default_rng(1),
        )
        for given, every in (([whole], 10**6), (parts, 10**6), ([whole], 7))
    ]  # fmt: skip
    assert len({model.u.tobytes() + model.v.tobytes() for model in models}) == 1


def test_best_epoch_is_kept_and_training_stops_after_it() -> None:
    queries, documents, scores = planted(4)
    values, seen = [0.1, 0.5, 0.4, 0.3, 0.9], []

    def judge(model: LowRank) -> float:
        seen.append(model.u.copy())
        return values[model.epoch - 1]

    settings = LowRankSettings(rank=5, epochs=5, patience=2)
    blocks = ordered_pairs(scores, 4000, seed=2)
    model = train_lowrank(
        blocks, queries, documents, 60, 60, settings, np.random.default_rng(1), on_epoch=judge
    )
    assert len(seen) == 4
    assert (model.epoch, model.measures) == (2, values[:4])
    assert model.u.tobytes() == seen[1].tobytes()


def test_words_of_no_pair_keep_their_noise(sides: tuple[Rows, Rows]) -> None:
    model = train(pair_block([0], [[(0, 1, 9.0)]]), sides, PLAIN)
    u, v = start(PLAIN)
    untouched = dense(sides[1], D)[:2].sum(axis=0) == 0
    assert untouched.any()
    assert (model.v[untouched] == v[untouched]).all()
    assert (model.u[dense(sides[0], Q)[0] == 0] == u[dense(sides[0], Q)[0] == 0]).all()


def test_diverging_training_is_refused_with_the_fix(sides: tuple[Rows, Rows]) -> None:
    block = pair_block([0], [[(a, b, 1e30) for a in range(6) for b in range(6, 12)] * 20])
    with pytest.raises(InputError, match="lower the rate"), np.errstate(all="ignore"):
        train(block, sides, with_settings(rate=1e6))


@pytest.mark.parametrize(
    "name", ["rank", "rate", "epochs", "patience", "t0", "decay", "noise", "report_every"]
)
def test_settings_that_must_be_positive_are_refused_at_zero(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} must be .*, not 0"):
        LowRankSettings(**{name: 0})


@pytest.mark.parametrize("name", ["l2", "power"])
def test_negative_settings_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="l2 and power must not be negative"):
        LowRankSettings(**{name: -1.0})


def test_tied_model_needs_one_vocabulary(sides: tuple[Rows, Rows]) -> None:
    with pytest.raises(InputError, match="one vocabulary, not 15 and 20"):
        train_lowrank(list, *sides, Q, D, with_settings(tied=True), np.random.default_rng(1))


@pytest.mark.parametrize("tied", [False, True])
def test_joined_models_score_the_mean_of_their_scores(tied: bool) -> None:
    rng = np.random.default_rng(8)
    models = []
    for _ in range(3):
        u = rng.standard_normal((5, 4)).astype(np.float32)
        v = u if tied else rng.standard_normal((5, 4)).astype(np.float32)
        models.append(LowRank(u, v, SHARED, 2, [], [0.5, 0.6]))
    one = joined(models)
    assert (one.v is one.u) == tied
    expected = np.mean([model.u @ model.v.T for model in models], axis=0)
    np.testing.assert_allclose(one.u @ one.v.T, expected, rtol=1e-5, atol=1e-6)
