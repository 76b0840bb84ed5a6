"""Scores of passages against the formula in plain NumPy, and what storage costs."""

from collections.abc import Sequence
from typing import get_args

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.retrieve.passage_search import Combine, PassageSearch, QueryEncoder, pieces_of
from kakehashi.retrieve.passage_vectors import BYTES, WORDS, Passages, hashes_of, passages_of, rounded
from kakehashi.types import Floats32, Text
from tests.index.building import build_in_parts, dealt, texts_of

DIMENSIONS, N_DOCS = 20, 90
COMBINE: tuple[Combine, ...] = get_args(Combine)


def unit(rng: np.random.Generator, n: int) -> Floats32:
    drawn = rng.standard_normal((n, DIMENSIONS))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


class World:
    """Documents of none to four passages, and queries of one to three windows, by vectors drawn at random."""

    def __init__(self, index: Index):
        rng = np.random.default_rng(31)
        self.index = index
        self.passages = {id: unit(rng, i % 5) for i, id in enumerate(sorted(set(index.numbering.ids)))}
        self.queries = [
            Text(f"q{n}", "de", "\n".join(f"q{n} {w}" for w in range(1 + n % 3))) for n in range(9)
        ]
        windows = [window for query in self.queries for window in query.text.split("\n")]
        self.vectors = dict(zip(windows, unit(rng, len(windows)), strict=True))
        self.vectors[windows[-1]] = np.zeros(DIMENSIONS, np.float32)  # a window that says nothing

    def encode(self, texts: Sequence[str]) -> Floats32:
        return np.array([self.vectors[text] for text in texts])

    def stored(self, largest: int) -> Passages:
        own = [self.passages[id] for id in self.index.numbering.ids]
        vectors = np.concatenate(own)
        return passages_of(hashes_of(self.index).tolist(), [len(one) for one in own], vectors, largest)

    def system(self, combine: Combine, largest: int = WORDS) -> PassageSearch:
        encoder = QueryEncoder(self.encode, lambda query: query.text.split("\n"), combine)
        return PassageSearch(
            "encoder", self.index, encoder, self.stored(largest), lambda id, place: f"{id} {place}"
        )

    def score(self, query: Text, id: str, combine: Combine) -> float:
        """The formula."""
        windows = self.encode(query.text.split("\n")).astype(np.float64)
        if combine == "vector":
            mean = windows.sum(axis=0)
            windows = mean[None] / np.linalg.norm(mean)
        if not len(self.passages[id]):
            return np.nan
        best = [
            max(float(window @ passage) for passage in self.passages[id])
            for window in windows
            if window.any()
        ]
        return max(best) if combine == "max" else sum(best) / len(best)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    texts = texts_of({f"d{i:02}": f"w{i} w{i % 7}" for i in range(N_DOCS)})
    return World(build_in_parts(tmp_path_factory.mktemp("world") / "index", dealt(texts, 3)))


@pytest.mark.parametrize("combine", COMBINE)
def test_scores_are_those_of_the_formula(combine: Combine, world: World) -> None:
    system = world.system(combine)
    run = system.search(world.queries, N_DOCS)
    for query in world.queries:
        ids = world.index.numbering.ids
        expected = np.array([world.score(query, id, combine) for id in ids])
        assert system.score_all(query) == pytest.approx(expected, abs=2e-6, nan_ok=True)
        assert set(run.rankings[query.id].docs) == {id for id in ids if len(world.passages[id])}


def test_bytes_rank_almost_as_four_bytes_do(world: World) -> None:
    """Each number is off by half a step at most, so a score by no more than the steps of a whole vector."""
    small, large = world.system("mean", BYTES), world.system("mean", WORDS)
    numbers, scales = world.stored(BYTES)[2:]
    assert numbers.dtype == np.int8
    most = 0.5 * float(scales.max()) * DIMENSIONS**0.5
    for query in world.queries:
        error = small.score_all(query) - large.score_all(query)
        assert 0.0 < np.nanmax(np.abs(error)) <= most + 1e-5


def test_rounding_gives_back_the_vector_and_keeps_nothing_as_nothing() -> None:
    vectors = np.concatenate([unit(np.random.default_rng(5), 40), np.zeros((1, DIMENSIONS), np.float32)])
    numbers, scales = rounded(vectors, WORDS)
    assert np.abs(numbers * scales[:, None] - vectors).max() < 1e-6
    assert scales[-1] == 0.0
    assert np.array_equal(numbers, np.rint(numbers))


def test_probe_scores_some_documents_as_all(world: World) -> None:
    system, query = world.system("mean"), world.queries[4]
    every = system.probe(query).every
    some = np.array([70, 3, 3, 41])
    assert system.probe(query).some(some).tobytes() == every[some].tobytes()


def test_query_is_encoded_once_for_search_scores_and_probe(world: World) -> None:
    asked: list[str] = []

    def encode(texts: Sequence[str]) -> Floats32:
        asked.extend(texts)
        return world.encode(texts)

    encoder = QueryEncoder(encode, lambda query: query.text.split("\n"), "mean")
    system = PassageSearch("encoder", world.index, encoder, world.stored(WORDS), lambda id, place: "")
    system.prepare(world.queries)
    system.search(world.queries)
    system.score(world.queries[0], ["d01"])
    assert len(asked) == len(world.vectors)


def test_pieces_are_words_or_stretches_of_a_text_without_gaps() -> None:
    assert pieces_of("one two three", 8) == ["one", "two", "three"]
    assert pieces_of(" ".join("abcdefghij"), 4) == ["a b c", "d e f", "g h i", "j"]
    assert pieces_of("光学式センサで紙の位置を検出する印刷装置", 4) == [
        "光学式センサ",
        "で紙の位置を",
        "検出する印刷",
        "装置",
    ]
