"""Boosting against the formulas made anew in every round; what is kept up against what is made from scratch."""

from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn.boosting import NO_ROUNDS, Boosted, BoostingSettings, Rounds, _Learner, boost
from kakehashi.learn.boosting_table import ASLEEP
from kakehashi.learn.instances import Instances, instances_of
from kakehashi.learn.vectors import Rows
from kakehashi.types import Floats
from tests.learn.pairs import pair_block
from tests.learn.plain_boosting import (
    PlainBoosting,
    hashed_places,
    plain,
    random_block,
    random_texts,
    twinned,
)

ROOM = 22  # bits enough for the words below: no two features share a place
CLOSE = 1e-5  # gains nearer than this are equal in single precision
SEEDS = range(4)


class Problem:
    """Pairs drawn at random, each once more the other way round if sums shall never be zero."""

    def __init__(
        self, seed: int, groups: int = 60, twins: bool = False, whole: bool = True, both_ways: bool = False
    ):
        rng = np.random.default_rng(seed)
        self.queries, self.documents = random_texts(rng, 12, 10, 5), random_texts(rng, 30, 25, 12)
        self.block: PairBlock = random_block(rng, groups, 4, 12, 30)
        if not whole:
            margins = rng.uniform(0.5, 3.0, len(self.block.margins)).astype(np.float32)
            self.block = self.block._replace(margins=margins)
        if both_ways:
            self.block = _and_reversed(self.block)
        if twins:
            self.queries, self.documents = twinned(self.queries), twinned(self.documents)
        times = 2 if twins else 1
        self.query_words = [f"frage{'語' * (i % 4)}{i}" for i in range(10 * times)]
        self.document_words = [f"word{'é' * (j % 5)}{j}" for j in range(25 * times)]

    @property
    def instances(self) -> Instances:
        return instances_of(self.block, self.queries, self.documents, len(self.query_words))

    @property
    def start(self) -> Boosted:
        return Boosted(NO_ROUNDS, self.block.margins.astype(np.float64))

    def boost(self, start: Boosted | None = None, on_refresh: Any = None, **settings: Any) -> Boosted:
        words = self.query_words, self.document_words
        chosen = BoostingSettings(**{"bits": 16, **settings})
        return boost(self.instances, *words, chosen, start or self.start, on_refresh)

    def learner(self, **settings: Any) -> _Learner:
        chosen = BoostingSettings(**{"bits": 16, **settings})
        return _Learner(self.instances, self.query_words, self.document_words, chosen, self.start)

    def plain(self, bits: int = 0, **settings: Any) -> PlainBoosting:
        n_words = len(self.query_words), len(self.document_words)
        found = plain(self.block, self.queries, self.documents, n_words)
        places = hashed_places(self.query_words, self.document_words, bits) if bits else None
        return PlainBoosting(found.queries, found.signs, found.weights, places=places, **settings)


def _and_reversed(block: PairBlock) -> PairBlock:
    return PairBlock(
        np.tile(block.queries, 2),
        np.append(block.starts, block.starts[1:] + block.starts[-1]),
        np.append(block.positives, block.negatives),
        np.append(block.negatives, block.positives),
        np.append(block.margins, block.margins[::-1] / 2),
    )


def _frequent_words_first(problem: Problem) -> PairBlock:
    """The better document is that with the words of low numbers: a lesson that lets rare words sleep."""
    texts = np.split(problem.documents.columns, problem.documents.starts[1:-1])
    lowest = np.array([text.min(initial=99) for text in texts])
    ups, downs = problem.block.positives, problem.block.negatives
    swapped = lowest[ups] > lowest[downs]
    return problem.block._replace(
        positives=np.where(swapped, downs, ups), negatives=np.where(swapped, ups, downs)
    )


def features(rounds: Rounds) -> list[list[int]]:
    bounds = zip(rounds.starts[:-1], rounds.starts[1:], strict=True)
    return [rounds.features[first:end].tolist() for first, end in bounds]


def check_in_step(found: Boosted, reference: PlainBoosting, least_clear: float = 0.5) -> None:
    """Every choice is the reference's own, or as good as that in single precision: then it is followed."""
    clear = 0
    rounds = found.rounds
    for t, chosen in enumerate(features(rounds)):
        gains = reference.gains()
        place = int(reference.places[chosen[0]])
        assert chosen == reference.features(place)
        assert gains[place] >= (1.0 - CLOSE) * gains.max(), t
        clear += int((gains >= (1.0 - CLOSE) * gains.max()).sum() == 1)
        w, better, worse, total = reference.step(place)
        np.testing.assert_allclose(rounds.weights[t], w, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(rounds.sums[t], [better, worse], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(rounds.totals[t], total, rtol=1e-9)
    assert clear >= least_clear * len(rounds)
    np.testing.assert_allclose(found.instance_weights, reference.weights, rtol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("smoothing", [1e-5, 0.01])
@pytest.mark.parametrize("unique", [False, True])
def test_every_round_is_that_of_the_formulas(seed: int, smoothing: float, unique: bool) -> None:
    problem = Problem(seed)
    found = problem.boost(rounds=60, refresh=25, smoothing=smoothing, unique=unique)
    assert len(found.rounds) == 60
    check_in_step(found, problem.plain(smoothing=smoothing, unique=unique))
    if unique:
        assert len(set(found.rounds.features.tolist())) == 60


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("unique", [False, True])
def test_of_features_that_tie_the_smallest_is_chosen(seed: int, hashed: bool, unique: bool) -> None:
    problem = Problem(seed, twins=True, whole=False)
    found = problem.boost(rounds=40, refresh=15, unique=unique, hashed=hashed, bits=ROOM)
    reference = problem.plain(unique=unique)
    for chosen in features(found.rounds):
        place = reference.choose()
        assert chosen == [place]
        reference.step(place)


def test_there_is_room_for_all_features() -> None:
    words = Problem(0, twins=True)
    places = hashed_places(words.query_words, words.document_words, ROOM)
    assert len(np.unique(places)) == len(places)


def test_whole_weights_tie_too() -> None:
    """Sums of small whole numbers are often equal; the twins of the best are never taken for it."""
    problem = Problem(1, twins=True)
    found = problem.boost(rounds=60)
    check_in_step(found, problem.plain(), least_clear=0.0)
    query, document = np.divmod(found.rounds.features, len(problem.document_words))
    assert not np.any(query % 2)
    assert not np.any(document % 2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("hashed", [False, True])
def test_without_smoothing_the_loss_falls_by_the_gain(seed: int, hashed: bool) -> None:
    problem = Problem(seed, both_ways=True)
    rounds = problem.boost(rounds=81, refresh=30, smoothing=0.0, hashed=hashed, bits=ROOM).rounds
    assert len(rounds) == 81
    gains = np.square(np.sqrt(rounds.sums[:, 0]) - np.sqrt(rounds.sums[:, 1]))
    np.testing.assert_allclose(rounds.totals[1:], rounds.totals[:-1] - gains[:-1], rtol=1e-9)
    np.testing.assert_allclose(-np.diff(rounds.totals), gains[:-1], rtol=1e-6)  # the fall itself, not Z
    assert np.all(np.diff(rounds.totals) < 0.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_loss_is_what_the_model_says_and_falls(seed: int) -> None:
    problem = Problem(seed)
    found = problem.boost(rounds=150, refresh=40)
    assert np.all(np.diff(found.rounds.totals) < 0.0)
    reference = problem.plain()
    model = np.zeros(reference.n_features)
    np.add.at(model, found.rounds.features, found.rounds.weights)
    loss = reference.weights * np.exp(-reference.held @ model)
    np.testing.assert_allclose(found.instance_weights, loss, rtol=1e-9)
    assert loss.sum() < found.rounds.totals[-1]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("hashed", [False, True])
def test_sums_kept_up_are_those_made_anew(seed: int, hashed: bool) -> None:
    problem = Problem(seed, groups=150)
    problem.block = _frequent_words_first(problem)
    learner = problem.learner(rounds=400, refresh=400, hashed=hashed, bits=12)
    reference = problem.plain(12 if hashed else 0)
    rounding = 5e-6 * np.stack(reference.sums()).max()  # a hundred additions to what was largest
    asleep = 0
    assert learner.survey(0.0)
    for end in (1, 2, 5, 10, 20, 50, 100):
        while learner.n_rounds < end:  # not through run_until, which begins with sums made anew
            if learner._run(end - learner.n_rounds) == 0:
                assert learner.survey(0.5 * learner._best_known())
        asleep += _check_sums(learner, reference, rounding)
    assert hashed or asleep


def _check_sums(learner: _Learner, reference: PlainBoosting, rounding: float) -> int:
    """How many features are asleep."""
    reference.weights = learner.weights
    expected = np.stack(reference.sums(), axis=1)  # (places, 2)
    gains = reference.gains()
    sums, table = learner.sums.reshape(-1, 2), learner.table
    if table.hashed:
        awake, places = np.arange(len(expected)), np.arange(len(expected))
    else:
        rows, columns = (x.astype(np.int64) for x in (table.rows, table.columns))
        on = (rows != ASLEEP)[:, None] & (columns != ASLEEP)[None, :]
        awake = np.flatnonzero(on.ravel())
        places = (rows[:, None] * len(table.column_words) + columns)[on]
    np.testing.assert_allclose(sums[places], expected[awake], rtol=0.0, atol=rounding)
    if learner.candidates.counts[1] == 0:  # else they are looked for again before the next round
        known = np.unpackbits(learner.candidates.known, bitorder="little").astype(bool)
        high = gains[awake] >= (1.0 + CLOSE) * learner.bar
        assert np.all(known[places][high])
        asleep = np.delete(gains, awake)
        assert np.all(asleep < learner.bar)
    return reference.n_features - len(awake) if not table.hashed else 0


@pytest.mark.parametrize("side", ["query", "document"])
def test_a_word_wakes_when_its_pairs_have_become_heavy(side: str) -> None:
    """Word 3 of queries, or 1 of documents, is in 9 pairs that the first round puts wrong: 9 become 30."""
    nothing, zero, one, two = range(4)
    of_query = side == "query"
    groups = [  # (query words, pairs)
        ((0,), 100 * [(zero, nothing, 1.0)] + 5 * of_query * [(nothing, one, 1.0)]),
        ((0, 3) if of_query else (0,), 9 * [(one, zero, 1.0)]),
        ((1,), 29 * [(two, nothing, 1.0)]),  # less than 30, but awake from the beginning
        ((4,), 20 * of_query * [(one, nothing, 1.0), (nothing, one, 1.0)]),  # so that 1 is awake
    ]
    problem = Problem(0)
    problem.queries = _texts([words for words, _ in groups])
    problem.documents = _texts([(), (0,), (1,), (2,)])
    problem.block = pair_block([0, 1, 2, 3], [pairs for _, pairs in groups])
    learner = problem.learner(rounds=3)
    assert learner.survey(0.0)
    asleep = learner.table.rows[3] == ASLEEP, learner.table.columns[1] == ASLEEP
    assert asleep[not of_query]
    woken = 3 * 25 if of_query else 1
    assert features(problem.boost(rounds=3).rounds) == [[0], [woken], [25 + 2]]
    check_in_step(problem.boost(rounds=30), problem.plain(), least_clear=0.0)


def _texts(words: list[tuple[int, ...]]) -> Rows:
    starts = np.cumsum([0, *map(len, words)]).astype(np.int64)
    flat = np.concatenate(words).astype(np.int32)
    return Rows(starts, flat, np.ones(len(flat), np.float32))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("unique", [False, True])
def test_hashing_with_room_enough_is_not_hashing(seed: int, unique: bool) -> None:
    problem = Problem(seed, whole=False)
    settings = {"rounds": 60, "refresh": 25, "unique": unique}
    exact = problem.boost(**settings)
    hashed = problem.boost(**settings, hashed=True, bits=ROOM)
    np.testing.assert_array_equal(hashed.rounds.features, exact.rounds.features)
    np.testing.assert_allclose(hashed.rounds.weights, exact.rounds.weights, rtol=1e-12)
    np.testing.assert_allclose(hashed.instance_weights, exact.instance_weights, rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bits", [4, 6, 8])
@pytest.mark.parametrize("unique", [False, True])
def test_crowded_places_add_up(seed: int, bits: int, unique: bool) -> None:
    problem = Problem(seed, whole=False)
    found = problem.boost(rounds=40, refresh=15, unique=unique, hashed=True, bits=bits)
    assert np.diff(found.rounds.starts).max() > 1
    if unique:
        assert len(set(found.rounds.features.tolist())) == len(found.rounds.features)
    check_in_step(found, problem.plain(bits, unique=unique))


def test_unique_ends_when_all_was_chosen() -> None:
    problem = Problem(0)
    found = problem.boost(rounds=5000, unique=True)
    held = np.flatnonzero(problem.plain().held.any(axis=0))
    assert 0.5 * len(held) < len(found.rounds) <= len(held)
    assert len(set(found.rounds.features.tolist())) == len(found.rounds)


@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("unique", [False, True])
def test_going_on_is_never_having_stopped(hashed: bool, unique: bool, tmp_path: Path) -> None:
    problem = Problem(3)
    settings = {"rounds": 70, "refresh": 20, "hashed": hashed, "unique": unique, "bits": 14}
    kept: list[Boosted] = []
    whole = problem.boost(on_refresh=kept.append, **settings)
    assert [len(state.rounds) for state in kept] == [20, 40, 60, 70]
    for state in kept:
        again = problem.boost(_through_files(state, tmp_path), **settings)
        assert _bytes(again) == _bytes(whole)
    more = problem.boost(rounds=80, **{k: v for k, v in settings.items() if k != "rounds"})
    assert _bytes(problem.boost(kept[2], **{**settings, "rounds": 80})) == _bytes(more)


def _through_files(state: Boosted, folder: Path) -> Boosted:
    def kept(name: str, array: Floats) -> Floats:
        np.save(folder / name, array)
        return np.load(folder / f"{name}.npy")

    rounds = Rounds(**{name: kept(name, array) for name, array in vars(state.rounds).items()})
    return Boosted(rounds, kept("instance_weights", state.instance_weights), float(f"{state.bar!r}"))


def _bytes(state: Boosted) -> list[bytes]:
    return [*(x.tobytes() for x in vars(state.rounds).values()), state.instance_weights.tobytes()]


def test_going_on_leaves_its_start_alone() -> None:
    problem = Problem(0)
    start = problem.start
    before = start.instance_weights.tobytes()
    problem.boost(start, rounds=5)
    assert start.instance_weights.tobytes() == before


def test_rounds_are_counted_and_told() -> None:
    problem = Problem(2)
    found = problem.boost(rounds=30)
    reference = problem.plain()
    touched = [int((reference.held[:, f] != 0).sum()) for f in found.rounds.features]
    assert found.rounds.touched.tolist() == touched
    first = found.rounds.first(7)
    assert len(first) == 7
    assert first.features.tolist() == found.rounds.features[:7].tolist()


def test_sums_that_do_not_fit_are_refused_with_a_way_out() -> None:
    with pytest.raises(InputError, match=r"do not fit into 2\^4 places: set fewer query_words"):
        Problem(0).boost(rounds=5, bits=4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rounds": 0}, "rounds must be at least 1"),
        ({"refresh": 0}, "refresh must be at least 1"),
        ({"smoothing": -0.1}, "smoothing must be from 0"),
        ({"smoothing": 1.0}, "smoothing must be from 0"),
        ({"smoothing": float("nan")}, "smoothing must be from 0"),
        ({"bits": 3}, "bits must be 4 to 30"),
        ({"bits": 31}, "bits must be 4 to 30"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BoostingSettings(**settings)


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="round"):
        msgspec.convert({"round": 1}, BoostingSettings)


@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("case", ["no pairs", "empty group", "queries without words", "equal documents"])
def test_where_there_is_nothing_to_learn_there_are_no_rounds(case: str, hashed: bool) -> None:
    problem = Problem(0)
    if case == "no pairs":
        problem.block = pair_block([], [])
    elif case == "empty group":
        problem.block = pair_block([1], [[]])
    elif case == "queries without words":
        nothing = np.zeros_like(problem.queries.starts)
        problem.queries = Rows(nothing, problem.queries.columns[:0], problem.queries.values[:0])
    else:
        problem.block = problem.block._replace(negatives=problem.block.positives)
    told: list[Boosted] = []
    found = problem.boost(rounds=10, hashed=hashed, on_refresh=told.append)
    assert len(found.rounds) == 0
    assert [state.exhausted for state in told] == [True]
    assert found.instance_weights.tolist() == problem.block.margins.tolist()


def test_no_words_at_all() -> None:
    nothing = Rows(np.zeros(3, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
    instances = instances_of(pair_block([0], [[(0, 1, 1.0)]]), nothing, nothing, 0)
    for hashed in (False, True):
        settings = BoostingSettings(rounds=3, hashed=hashed, bits=8)
        assert len(boost(instances, [], [], settings, Boosted(NO_ROUNDS, np.ones(1))).rounds) == 0


@pytest.mark.parametrize("smoothing", [0.0, 1e-5])
def test_one_pair_is_learned_until_no_loss_is_left(smoothing: float) -> None:
    problem = Problem(0)
    problem.queries = Rows(np.array([0, 1]), np.array([2], np.int32), np.ones(1, np.float32))
    problem.documents = Rows(np.array([0, 1, 2]), np.array([3, 4], np.int32), np.ones(2, np.float32))
    problem.block = pair_block([0], [[(0, 1, 2.0)]])
    found = problem.boost(rounds=5000, smoothing=smoothing)
    assert 1 <= len(found.rounds) < 100
    assert found.rounds.features[0] == 2 * 25 + 3
    assert 0.0 < found.instance_weights[0] < 1e-18


@pytest.mark.parametrize("hashed", [False, True])
def test_features_that_are_never_wrong_get_finite_weights_without_smoothing(hashed: bool) -> None:
    problem = Problem(0, groups=20)
    found = problem.boost(rounds=300, smoothing=0.0, hashed=hashed)
    assert found.rounds.sums.min() == 0.0
    assert np.isfinite(found.rounds.weights).all()
    assert np.isfinite(found.instance_weights).all()


def _words(texts: list[list[int]]) -> Rows:
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return Rows(starts, np.array([*chain(*texts)], np.int32), np.ones(starts[-1], np.float32))


@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("x", [3, 15, 27])
def test_gain_that_rounding_lifts_over_its_sum_is_chosen_all_the_same(x: int, hashed: bool) -> None:
    """The square of a root may be above what the root is of, in single precision, and then at the bar."""
    block = pair_block([0, 1], [[(1, 0, 1.0)] * 2 * x + [(0, 0, 1.0)] * x, [(2, 0, 1.0)] * x])
    instances = instances_of(block, _words([[0], [1]]), _words([[], [0], [1]]), 2)
    settings = BoostingSettings(rounds=4, refresh=1, hashed=hashed, bits=12)
    start = Boosted(NO_ROUNDS, block.margins.astype(np.float64))
    found = boost(instances, ["aa", "bb"], ["cc", "dd"], settings, start)
    assert features(found.rounds)[:2] == [[0], [3]]


@pytest.mark.parametrize("bits", [7, 8])
def test_bar_is_raised_where_sums_would_not_fit(bits: int) -> None:
    """14 × 14 words do not fit into 2^7 places, those that may have the best feature do."""
    groups = [[(1, 0, 1.0)] * 50 + [(0, 1, 1.0)] * 50, [(2, 0, 1.0)] * 9]
    block = pair_block([*range(14)], groups + [[(i + 1, 0, 1.0)] * 4 for i in range(2, 14)])
    words = [f"w{i}" for i in range(14)]
    instances = instances_of(
        block, _words([[i] for i in range(14)]), _words([[], *([i] for i in range(14))]), 14
    )
    start = Boosted(NO_ROUNDS, block.margins.astype(np.float64))
    found = boost(instances, words, words, BoostingSettings(rounds=1, bits=bits), start)
    assert features(found.rounds) == [[15]]
