"""The network against its formula, its training against itself; scoring without PyTorch against PyTorch."""

from copy import deepcopy

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from kakehashi.learn.cnn import Network, Part, Shape, Texts, encoded, scored  # noqa: E402
from kakehashi.learn.cnn_draws import Drawing, Judged, Lists, draw_epoch, lists_of  # noqa: E402
from kakehashi.learn.cnn_maxsim import Matched, Windows, matched, mean_of, unit_windows  # noqa: E402
from kakehashi.learn.cnn_training import State, Steps, fresh, train_cnn  # noqa: E402
from kakehashi.learn.cnn_windows import network_of  # noqa: E402
from kakehashi.training.cnn import model_of  # noqa: E402

N_QUERIES, N_DOCS = 40, 120
SHAPES = [Shape(16, 2, 0.5), Shape(12, 4, 0.3), Shape(16, 2, 0.5, near=True)]
MAXSIM = Shape(0, 1, 0.0, match="maxsim")
DRAWING = Drawing(batch=8, shared=16, hard=0.0)


def texts(rng: np.random.Generator, n: int, longest: int, n_words: int) -> Texts:
    """Some are empty, some shorter than a window, some longer than is read."""
    sizes = rng.integers(0, longest, n)
    sizes[:4] = 0, 1, 3, longest
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    return Texts(starts, rng.integers(0, n_words, int(starts[-1])).astype(np.int32))


@pytest.fixture(scope="module")
def parts() -> list[Part]:
    rng = np.random.default_rng(3)

    def part(name: str, window: int, filters: int, k: int, longest: int) -> Part:
        vectors = [rng.standard_normal((n, k), dtype=np.float32) for n in (30, 50)]
        both = texts(rng, N_QUERIES, 14, 30), texts(rng, N_DOCS, 18, 50)
        return Part(name, window, filters, (vectors[0], vectors[1]), both, (longest, longest - 1))

    return [part("text", 4, 7, 6, 10), part("classes", 1, 3, 4, 12)]


@pytest.fixture(scope="module")
def judged() -> Judged:
    """Two or three relevant documents each, some of a lower level."""
    rng = np.random.default_rng(4)
    rows = [rng.choice(N_DOCS, 2 + q % 2, replace=False) for q in range(N_QUERIES)]
    levels = np.concatenate([[2, 1, 2][: len(row)] for row in rows])
    hard = lists_of([rng.choice(np.setdiff1d(np.arange(N_DOCS), row), 5) for row in rows])
    return Judged(lists_of(rows), levels, hard, N_DOCS)


def by_hand(part: Part, side: int, text: int, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    """c of one text, window by window, in float64."""
    own = part.texts[side]
    words = own.words[own.starts[text] : own.starts[text + 1]][: part.longest[side]]
    if not len(words):
        return np.zeros(len(b))
    x = part.vectors[side][words].astype(np.float64)
    x = np.concatenate([x, np.zeros((max(part.window - len(x), 0), x.shape[1]))])
    windows = [x[i : i + part.window].ravel() for i in range(len(x) - part.window + 1)]
    return np.mean([np.tanh(window @ w.astype(np.float64) + b) for window in windows], axis=0)


@pytest.mark.parametrize("by_word", [True, False])
def test_encoding_is_the_mean_over_windows_and_ignores_padding(parts: list[Part], by_word: bool) -> None:
    weights = fresh(parts, SHAPES[0], 1).weights
    weights["text.query.b"] += 0.3  # padding must not count, though tanh(b) is not 0
    network = Network(parts, SHAPES[0], weights, "cpu", by_word)
    for side, name in enumerate(("query", "document")):
        n = len(parts[0].texts[side].starts) - 1
        found = encoded(network, name, np.arange(n))
        for text in range(n):
            expected = [
                by_hand(p, side, text, weights[f"{p.name}.{name}.w"], weights[f"{p.name}.{name}.b"])
                for p in parts
            ]
            assert found[text] == pytest.approx(np.concatenate(expected), abs=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_numpy_scores_as_torch_does(parts: list[Part], shape: Shape) -> None:
    weights = fresh(parts, shape, 5).weights
    network, model = Network(parts, shape, weights, "cpu"), model_of(parts, weights, shape.layers)
    of_torch = [
        encoded(network, side, np.arange(n)) for side, n in (("query", N_QUERIES), ("document", N_DOCS))
    ]
    ours = [
        np.concatenate([model.parts[part.name][i].encode(*part.texts[i]) for part in parts], axis=1)
        for i in (0, 1)
    ]
    for mine, theirs in zip(ours, of_torch, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-5)
    halves = model.half("document", ours[1])
    for q in range(N_QUERIES):
        rows = np.full(N_DOCS, q), np.arange(N_DOCS)
        scores = model.scores(model.half("query", ours[0][q : q + 1]), halves)
        assert scores == pytest.approx(scored(network, *of_torch, *rows), abs=1e-5)


def test_score_does_not_depend_on_what_is_scored_beside_it(parts: list[Part]) -> None:
    model = model_of(parts, fresh(parts, SHAPES[1], 6).weights, SHAPES[1].layers)
    rng = np.random.default_rng(1)
    halves, query = (
        model.half(side, rng.standard_normal((n, 10))) for side, n in (("document", 700), ("query", 1))
    )
    whole = model.scores(query, halves)
    for some in (slice(3, 4), slice(0, 513), slice(100, 700)):
        assert model.scores(query, halves[some]).tobytes() == whole[some].tobytes()


def test_gradients_are_those_of_differences(parts: list[Part]) -> None:
    """By central differences in float64."""
    weights = {name: 2 * array for name, array in fresh(parts, SHAPES[1], 7).weights.items()}
    queries, docs = np.arange(6), np.arange(9)
    rows = np.arange(6), np.arange(3, 9)
    weighing = torch.linspace(-1.0, 1.0, 6, dtype=torch.float64)

    def value(network: Network) -> torch.Tensor:
        scores = network.scores(network.encode("query", queries), network.encode("document", docs), *rows)
        return (scores * weighing).sum()

    network = Network(parts, SHAPES[1], weights, "cpu")
    value(network).backward()  # type: ignore[no-untyped-call]
    rng = np.random.default_rng(2)
    for name, tensor in network.weights.items():
        place = np.unravel_index(rng.integers(tensor.numel()), tensor.shape)
        sums = []
        for step in (1e-2, -1e-2):
            moved = {key: array.copy() for key, array in weights.items()}
            moved[name][place] += step
            sums.append(value(Network(parts, SHAPES[1], moved, "cpu")).item())
        assert tensor.grad is not None
        assert float(tensor.grad[place]) == pytest.approx((sums[0] - sums[1]) / 2e-2, abs=2e-3)


def by_every_window(parts: list[Part], weights: dict[str, np.ndarray], query: int, doc: int) -> float:
    """Late interaction of two texts, window by window, in float64."""
    total = 0.0
    for i, part in enumerate(parts):
        sides = []
        for side, text in enumerate((query, doc)):
            name, own = ("query", "document")[side], part.texts[side]
            w, b = weights[f"{part.name}.{name}.w"], weights[f"{part.name}.{name}.b"]
            words = own.words[own.starts[text] : own.starts[text + 1]][: part.longest[side]]
            x = part.vectors[side][words].astype(np.float64)
            x = np.concatenate([x, np.zeros((max(part.window - len(x), 0), x.shape[1]))])
            n = len(x) - part.window + 1 if len(words) else 0
            sides.append([np.tanh(x[j : j + part.window].ravel() @ w + b) for j in range(n)])
        best = [
            max([0.0, *(p @ q / (np.linalg.norm(p) * np.linalg.norm(q)) for q in sides[1])]) for p in sides[0]
        ]
        total += abs(float(weights["mlp.0"][i, 0])) * (sum(best) / len(best) if best else 0.0)
    return float(np.tanh(total))


def test_late_interaction_is_the_mean_of_best_matches(parts: list[Part]) -> None:
    """By hand, with PyTorch and with NumPy; empty and short texts are among them."""
    weights = fresh(parts, MAXSIM, 5).weights
    weights["mlp.0"][:, 0] = 0.8, -1.1
    network = network_of(parts, MAXSIM, weights, "cpu")
    queries = encoded(network, "query", np.arange(N_QUERIES))
    docs = encoded(network, "document", np.arange(N_DOCS))
    model = model_of(parts, weights, 1, "maxsim")
    windows = [[unit_windows(model.parts[part.name][i], *part.texts[i]) for part in parts] for i in (0, 1)]
    for q in (0, 1, 2, 3, 17):
        rows = np.full(N_DOCS, q), np.arange(N_DOCS)
        by_hand = [by_every_window(parts, weights, q, d) for d in range(N_DOCS)]
        assert scored(network, queries, docs, *rows) == pytest.approx(by_hand, abs=1e-5)
        asked = [of_text(own, q) for own in windows[0]]
        means = [mean_of(matched(one, other)) for one, other in zip(asked, windows[1], strict=True)]
        assert np.tanh(0.8 * means[0] + 1.1 * means[1]) == pytest.approx(by_hand, abs=1e-5)
    assert len(set(by_hand)) > N_DOCS // 2


def of_text(windows: Windows, text: int) -> Windows:
    some = slice(windows.starts[text], windows.starts[text + 1])
    units = type(windows.units)(windows.units.numbers[some], windows.units.scales[some])
    return Windows(np.array([0, some.stop - some.start]), units)


def test_a_match_does_not_depend_on_the_documents_beside_it(parts: list[Part]) -> None:
    filters = model_of(parts, fresh(parts, MAXSIM, 6).weights, 1, "maxsim").parts["text"]
    queries, docs = (unit_windows(filters[i], *parts[0].texts[i]) for i in (0, 1))
    whole = [matched(of_text(queries, q), docs) for q in (3, 9)]
    for d in range(N_DOCS):
        for q, together in zip((3, 9), whole, strict=True):
            alone: Matched = matched(of_text(queries, q), of_text(docs, d))
            assert alone.values[:, 0].tobytes() == together.values[:, d].tobytes()
            assert mean_of(alone).tobytes() == mean_of(together)[d : d + 1].tobytes()


def test_late_interaction_learns_and_resumes(parts: list[Part], judged: Judged) -> None:
    states: list[State] = []
    whole = trained(parts, judged, 8, save=states, shape=MAXSIM)
    assert whole.curve[-1].loss < whole.curve[0].loss - 0.03
    assert whole.curve[-1].error < whole.curve[0].error - 0.03
    resumed = trained(parts, judged, 8, start=states[3], shape=MAXSIM)
    assert {name: array.tobytes() for name, array in resumed.weights.items()} == {
        name: array.tobytes() for name, array in whole.weights.items()
    }


def trained(
    parts: list[Part],
    judged: Judged,
    epochs: int,
    start: State | None = None,
    save: list[State] | None = None,
    shape: Shape = SHAPES[0],
):
    kept = [] if save is None else save
    return train_cnn(
        parts, judged, shape, DRAWING, Steps(1e-2, epochs, epochs, 3), start=start,
        save=lambda state: kept.append(deepcopy(state)), threads=1,
    )  # fmt: skip


def test_training_orders_the_training_pairs(parts: list[Part], judged: Judged) -> None:
    curve = trained(parts, judged, 12).curve
    assert curve[-1].error < curve[0].error - 0.05
    assert curve[-1].loss < curve[0].loss - 0.08


def test_stopped_training_goes_on_to_the_same_bits(parts: list[Part], judged: Judged) -> None:
    states: list[State] = []
    whole = trained(parts, judged, 4, save=states)
    resumed = trained(parts, judged, 4, start=states[1])
    assert resumed.curve == whole.curve
    assert {name: array.tobytes() for name, array in resumed.weights.items()} == {
        name: array.tobytes() for name, array in whole.weights.items()
    }


def test_the_epoch_that_is_best_on_dev_is_kept(parts: list[Part], judged: Judged) -> None:
    values, seen = iter([0.2, 0.7, 0.3, 0.1]), []

    def measure(network: Network) -> float:
        seen.append(network.arrays())
        return next(values)

    steps = Steps(1e-2, 10, 2, 3)
    found = train_cnn(parts, judged, SHAPES[0], DRAWING, steps, measure=measure, threads=1)
    assert (found.epoch, found.measures) == (2, [0.2, 0.7, 0.3, 0.1])
    assert np.array_equal(found.weights["mlp.0"], seen[1]["mlp.0"])


def test_instances_are_five_for_a_highest_document_and_one_for_a_lower(judged: Judged) -> None:
    drawing = Drawing(batch=7, hard=0.0, shared=0)
    batches = list(draw_epoch(judged, drawing, np.random.default_rng(1)))
    high, low = int((judged.levels == 2).sum()), int((judged.levels == 1).sum())
    assert sum(len(batch.query_of) for batch in batches) == 5 * high + low
    assert sorted(np.concatenate([batch.queries for batch in batches]).tolist()) == list(range(N_QUERIES))


@pytest.mark.parametrize(
    "drawing", [DRAWING, Drawing(batch=7, hard=0.5), Drawing(batch=7, hard=1.0, shared=0)]
)
def test_pairs_put_higher_levels_before_lower_and_before_none(judged: Judged, drawing: Drawing) -> None:
    kinds = set()
    for batch in draw_epoch(judged, drawing, np.random.default_rng(2)):
        for better, worse in zip(batch.better.tolist(), batch.worse.tolist(), strict=True):
            assert batch.query_of[better] == batch.query_of[worse]
            query = batch.queries[batch.query_of[better]]
            own = slice(judged.relevant.starts[query], judged.relevant.starts[query + 1])
            levels = dict(zip(judged.relevant.values[own].tolist(), judged.levels[own].tolist(), strict=True))
            one, other = (levels.get(int(batch.docs[batch.doc_of[i]]), 0) for i in (better, worse))
            assert one > other
            kinds.add((one, other))
    assert kinds == {(2, 0), (2, 1), (1, 0)}


def test_a_query_to_which_almost_all_is_relevant_ends_the_drawing() -> None:
    judged = Judged(
        Lists(np.array([0, 5]), np.arange(5)),
        np.full(5, 2),
        Lists(np.zeros(2, np.int64), np.zeros(0, np.int64)),
        6,
    )
    [batch] = draw_epoch(judged, Drawing(shared=0), np.random.default_rng(1))
    assert set(batch.docs[batch.doc_of[batch.worse]].tolist()) <= {5}
