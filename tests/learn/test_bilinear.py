"""The learner against the formulas, its layouts against each other, its threads against one."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn.bilinear import BilinearSettings, _chosen, train_bilinear
from kakehashi.learn.bilinear_model import Places, SparseRows, weights_of
from kakehashi.learn.epochs import Trained
from kakehashi.learn.vectors import Rows
from tests.learn.plain_bilinear import dense, plain_sgd, random_problem

N_QUERY_WORDS, N_DOCUMENT_WORDS = 15, 20


def learned(block: PairBlock, queries: Rows, documents: Rows, threads: int = 1, **settings: Any) -> Trained:
    half = len(block.queries) // 2

    def blocks() -> Iterator[PairBlock]:  # in two parts: a stream has no other way to come
        cut = int(block.starts[half])
        yield PairBlock(
            block.queries[:half], block.starts[: half + 1], block.positives[:cut], block.negatives[:cut],
            block.margins[:cut],
        )  # fmt: skip
        yield PairBlock(
            block.queries[half:], block.starts[half:] - cut, block.positives[cut:], block.negatives[cut:],
            block.margins[cut:],
        )  # fmt: skip

    chosen = BilinearSettings(**settings)
    return train_bilinear(
        blocks, queries, documents, N_QUERY_WORDS, N_DOCUMENT_WORDS, chosen, threads=threads
    )


def matrix(trained: Trained) -> Any:
    return np.stack(list(weights_of(trained, N_DOCUMENT_WORDS).rows()))


@pytest.mark.parametrize("group_size", [1, 5])
@pytest.mark.parametrize(("rates", "power"), [("fixed", 0.0), ("schedule", 0.5)])
@pytest.mark.parametrize("layout", ["rows", "blocks"])
def test_going_group_by_group_is_going_pair_by_pair(
    group_size: int, rates: str, power: float, layout: str
) -> None:
    block, queries, documents = random_problem(np.random.default_rng(1), group_size)
    trained = learned(
        block, queries, documents, rates=rates, rate=0.3, epochs=3, batch=1, layout=layout, bits=12
    )
    expected = plain_sgd(block, dense(queries, 15), dense(documents, 20), 3, 0.3, power)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(matrix(trained), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("l1", "l2"), [(0.02, 0.0), (0.0, 0.05), (0.01, 0.05)])
def test_penalties_taken_off_late_are_those_taken_off_at_once(l1: float, l2: float) -> None:
    block, queries, documents = random_problem(np.random.default_rng(2), 1, groups=120)
    trained = learned(block, queries, documents, rates="fixed", rate=0.2, epochs=2, batch=1, l1=l1, l2=l2)
    expected = plain_sgd(block, dense(queries, 15), dense(documents, 20), 2, 0.2, 0.0, l1, l2)
    free = plain_sgd(block, dense(queries, 15), dense(documents, 20), 2, 0.2, 0.0)
    assert np.abs(free - expected).max() > 0.05  # the penalty did something
    found = matrix(trained)
    assert (l1 == 0.0) or (0.0 < (found == 0.0).mean() < 1.0)
    if l1 and l2:  # both at once are taken off in another order than pair by pair: close, not equal
        assert np.corrcoef(found.ravel(), expected.ravel())[0, 1] > 0.98
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-4)


def test_adaptive_rates_follow_their_formula() -> None:
    block, queries, documents = random_problem(np.random.default_rng(3), 1, groups=80)
    q, d = dense(queries, 15), dense(documents, 20)
    first = 2.0 * np.square(queries.values).mean() * np.square(documents.values).mean()
    w, squares = np.zeros((15, 20)), np.zeros((15, 20))
    for g in range(80):
        x = d[block.positives[g]] - d[block.negatives[g]]
        up_down = np.square(d[block.positives[g]]) + np.square(d[block.negatives[g]])
        query = q[block.queries[g]]
        if query @ w @ x < block.margins[g]:
            w += 0.3 * np.outer(query, x) / np.sqrt(first + squares)
            squares += np.outer(np.square(query), up_down)
    trained = learned(block, queries, documents, rates="adaptive", rate=0.3, epochs=1, batch=1)
    np.testing.assert_allclose(matrix(trained), w, rtol=1e-3, atol=1e-4)


def test_average_is_the_mean_of_the_weights_over_the_steps() -> None:
    block, queries, documents = random_problem(np.random.default_rng(4), 1, groups=60)
    q, d = dense(queries, 15), dense(documents, 20)
    w, total = np.zeros((15, 20)), np.zeros((15, 20))
    for g in range(60):
        x = d[block.positives[g]] - d[block.negatives[g]]
        if q[block.queries[g]] @ w @ x < block.margins[g]:
            w += 0.3 * np.outer(q[block.queries[g]], x)
        total += w
    trained = learned(block, queries, documents, rates="fixed", rate=0.3, epochs=1, batch=1, average=True)
    np.testing.assert_allclose(matrix(trained), total / 60, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("layout", ["rows", "blocks", "scattered"])
@pytest.mark.parametrize("extra", [{}, {"l1": 1e-3}, {"rates": "adaptive"}, {"average": True}])
@pytest.mark.parametrize("batch", [1, 16, 1000])
def test_more_threads_give_the_same_bytes(layout: str, extra: dict[str, Any], batch: int) -> None:
    block, queries, documents = random_problem(np.random.default_rng(5), 3)
    settings = {
        "rates": "fixed",
        "rate": 0.3,
        "epochs": 2,
        "layout": layout,
        "bits": 8,
        "batch": batch,
        **extra,
    }
    one = learned(block, queries, documents, 1, **settings)
    for threads in (2, 3):
        more = learned(block, queries, documents, threads, **settings)
        assert more.weights.tobytes() == one.weights.tobytes()
        assert more.curve == one.curve


@pytest.mark.parametrize("layout", ["blocks", "scattered"])
@pytest.mark.parametrize(("signed", "copies"), [(True, 1), (False, 2), (True, 3)])
def test_hashing_with_room_enough_ranks_as_exact_weights_do(layout: str, signed: bool, copies: int) -> None:
    block, queries, documents = random_problem(np.random.default_rng(6), 4)
    exact = learned(block, queries, documents, rates="fixed", rate=0.3, epochs=2, batch=1)
    settings = {"layout": layout, "bits": 20, "signed": signed, "copies": copies}
    found = learned(block, queries, documents, rates="fixed", rate=0.3, epochs=2, batch=1, **settings)
    np.testing.assert_allclose(matrix(found), matrix(exact), rtol=1e-3, atol=1e-4)


def test_crowded_hashing_shares_weights() -> None:
    block, queries, documents = random_problem(np.random.default_rng(7), 4)
    found = learned(block, queries, documents, rates="fixed", rate=0.3, layout="scattered", bits=6)
    assert len(found.weights) == 64
    assert len(np.unique(matrix(found))) <= 64 < 15 * 20


def test_error_falls_and_the_order_is_learned() -> None:
    rng = np.random.default_rng(8)
    block, queries, documents = random_problem(rng, 4, groups=400)
    hidden = rng.standard_normal((15, 20))
    scores = dense(queries, 15) @ hidden @ dense(documents, 20).T
    for g in range(400):
        for p in range(4 * g, 4 * g + 4):
            up, down = block.positives[p], block.negatives[p]
            if scores[block.queries[g], up] < scores[block.queries[g], down]:
                block.positives[p], block.negatives[p] = down, up
    block.margins[:] = 1.0
    trained = learned(block, queries, documents, rates="fixed", rate=0.1, epochs=20, batch=64)
    assert trained.curve[0].error > 0.2
    assert trained.curve[-1].error < 0.06
    assert trained.curve[-1].loss < trained.curve[0].loss
    assert [tick.pairs for tick in trained.curve[:3]] == [800, 1600, 2400]


def test_the_epoch_with_the_best_measure_is_kept_and_training_stops_after_it() -> None:
    block, queries, documents = random_problem(np.random.default_rng(9), 4)
    seen: list[bytes] = []
    measures = iter([0.1, 0.3, 0.2, 0.25, 0.9])

    def measure(trained: Trained) -> float:
        seen.append(trained.weights.tobytes())
        return next(measures)

    settings = BilinearSettings(epochs=5, patience=2, rates="fixed")
    best = train_bilinear(lambda: [block], queries, documents, 15, 20, settings, measure, threads=1)
    assert (best.epoch, best.measures) == (2, [0.1, 0.3, 0.2, 0.25])
    assert best.weights.tobytes() == seen[1]


def test_larger_penalties_leave_fewer_weights() -> None:
    block, queries, documents = random_problem(np.random.default_rng(10), 4, groups=200)
    sizes = [
        learned(block, queries, documents, rates="fixed", rate=0.1, epochs=3, l1=l1).n_nonzero
        for l1 in (0.0, 1e-3, 1e-2, 1e-1)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > 0


def test_kept_forms_of_weights_agree_with_what_was_learned() -> None:
    block, queries, documents = random_problem(np.random.default_rng(11), 4)
    rows = weights_of(learned(block, queries, documents, rates="fixed"), 20)
    places = weights_of(learned(block, queries, documents, rates="fixed", layout="scattered", bits=20), 20)
    assert isinstance(rows, SparseRows)
    assert isinstance(places, Places)
    words, values = queries.columns[:4], queries.values[:4]
    expected = sum(x * row for x, row in zip(values, (list(rows.rows())[i] for i in words), strict=True))
    np.testing.assert_allclose(rows.project(words, values), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(places.project(words, values), expected, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"l1": 0.1, "average": True}, "average cannot be combined with l1 or l2"),
        ({"rate": 0.0}, "rate must be positive"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"l1": -1.0}, "must not be negative"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BilinearSettings(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layout": "rows", "copies": 2}, "copies and signed are for hashed layouts"),
        ({"layout": "blocks", "bits": 31}, "bits must be 4 to 30"),
        ({"layout": "blocks", "bits": 5}, "15 query words do not fit into 2\\^5 weights"),
    ],
)
def test_layouts_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    block, queries, documents = random_problem(np.random.default_rng(12), 2)
    with pytest.raises(InputError, match=message):
        learned(block, queries, documents, **settings)


@pytest.mark.parametrize(
    ("n_pairs", "more", "expected"),
    [
        (1 << 26, {}, ("rows", 24)),
        ((1 << 26) + 1, {}, ("blocks", 25)),
        ((1 << 26) + 1, {"bits": 28}, ("blocks", 28)),
        (100, {"signed": True}, ("blocks", 25)),
        (1 << 40, {"layout": "rows"}, ("rows", 24)),
    ],
)
def test_large_vocabularies_are_hashed_unless_told_otherwise(
    n_pairs: int, more: dict[str, Any], expected: tuple[str, int]
) -> None:
    assert _chosen(n_pairs, BilinearSettings(**more)) == expected
