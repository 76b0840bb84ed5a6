"""Boosting as the formulas say it, dense and made anew in every round; and MurmurHash3 as it is published."""

from dataclasses import dataclass

import numpy as np

from kakehashi.corpus.pairs import PairBlock
from kakehashi.learn.vectors import Rows
from kakehashi.types import Floats, Longs


def murmur3(data: bytes, seed: int = 0) -> int:
    """MurmurHash3_x86_32 by Austin Appleby, byte by byte."""
    word = 0xFFFFFFFF

    def turned(value: int, by: int) -> int:
        return (value << by | value >> (32 - by)) & word

    state = seed
    for first in range(0, len(data), 4):
        block = int.from_bytes(data[first : first + 4], "little")
        state ^= turned(block * 0xCC9E2D51 & word, 15) * 0x1B873593 & word
        if first + 4 <= len(data):
            state = (turned(state, 13) * 5 + 0xE6546B64) & word
    state ^= len(data)
    state = (state ^ state >> 16) * 0x85EBCA6B & word
    state = (state ^ state >> 13) * 0xC2B2AE35 & word
    return state ^ state >> 16


@dataclass
class PlainBoosting:
    """Feature f is query word f // words and document word f % words of the documents."""

    queries: Floats  # (instances, query words) 0 or 1
    signs: Floats  # (instances, document words) 1: in the better document alone, -1: in the worse alone
    weights: Floats  # (instances,) D
    smoothing: float = 1e-5
    places: Longs | None = None  # (features,) where they are hashed to; none: each to itself
    unique: bool = False

    def __post_init__(self) -> None:
        self.n_features = self.queries.shape[1] * self.signs.shape[1]
        if self.places is None:
            self.places = np.arange(self.n_features)
        held = self.queries[:, :, None] * self.signs[:, None, :]
        self.held = held.reshape(len(self.weights), self.n_features)  # (instances, features) signs
        self.used: set[int] = set()

    def sums(self) -> tuple[Floats, Floats]:
        """W⁺ and W⁻ of all places, instance after instance: equal features have equal sums to the last bit."""
        better, worse = np.zeros(self.n_features), np.zeros(self.n_features)
        for row, weight in zip(self.held, self.weights, strict=True):
            better += weight * (row > 0)
            worse += weight * (row < 0)
        of_places = np.zeros((2, self.places.max() + 1))
        np.add.at(of_places[0], self.places, better)
        np.add.at(of_places[1], self.places, worse)
        return of_places[0], of_places[1]

    def gains(self) -> Floats:
        """(places,); -1 where a place may not be chosen again."""
        better, worse = self.sums()
        gains = np.square(np.sqrt(better) - np.sqrt(worse))
        gains[list(self.used)] = -1.0
        return gains

    def features(self, place: int) -> list[int]:
        """Those of the sample."""
        return np.flatnonzero((self.places == place) & self.held.any(axis=0)).tolist()

    def choose(self) -> int:
        """The place of the largest gain; of equal ones that of the smallest feature."""
        gains = self.gains()
        return min(np.flatnonzero(gains == gains.max()).tolist(), key=lambda place: self.features(place)[0])

    def step(self, place: int) -> tuple[float, float, float, float]:
        """(w, W⁺, W⁻, Z before)."""
        total = float(self.weights.sum())
        better, worse = (float(side[place]) for side in self.sums())
        add = self.smoothing * total
        w = 0.5 * np.log((better + add) / (worse + add))
        self.weights = self.weights * np.exp(-w * self.held[:, self.places == place].sum(axis=1))
        if self.unique:
            self.used.add(place)
        return float(w), better, worse, total


def plain(block: PairBlock, queries: Rows, documents: Rows, n_words: tuple[int, int]) -> PlainBoosting:
    q, d = (_known(rows, n) for rows, n in zip((queries, documents), n_words, strict=True))
    of_pairs = np.repeat(block.queries, np.diff(block.starts))
    return PlainBoosting(q[of_pairs], d[block.positives] - d[block.negatives], block.margins.astype(float))


def hashed_places(query_words: list[str], document_words: list[str], bits: int) -> Longs:
    """Tabs fill a query's word up to a multiple of four bytes."""
    hashes = []
    for query_word in query_words:
        first = query_word.encode()
        first += b"\t" * (4 - len(first) % 4)
        hashes += [murmur3(first + word.encode()) % 2**bits for word in document_words]
    return np.array(hashes, np.int64)


def _known(rows: Rows, n_words: int) -> Floats:
    """(texts, words) 1 where a text has a word."""
    known = np.zeros((len(rows.starts) - 1, n_words))
    known[np.repeat(np.arange(len(known)), np.diff(rows.starts)), rows.columns] = 1.0
    return known


def random_texts(rng: np.random.Generator, n: int, n_words: int, longest: int) -> Rows:
    """Some empty; a word is the rarer the higher its number."""
    chances = 1.0 / np.arange(2, n_words + 2)
    chances /= chances.sum()
    sizes = rng.integers(longest + 1, size=n)
    columns = [np.sort(rng.choice(n_words, size, replace=False, p=chances)) for size in sizes]
    starts = np.cumsum([0, *sizes]).astype(np.int64)
    flat = np.concatenate(columns).astype(np.int32)
    return Rows(starts, flat, np.ones(len(flat), np.float32))


def random_block(
    rng: np.random.Generator, groups: int, most: int, n_queries: int, n_documents: int
) -> PairBlock:
    """Groups of up to so many pairs, some of none, some with two documents that are one; margins 1, 2 or 3."""
    starts = np.cumsum([0, *rng.integers(most + 1, size=groups)]).astype(np.int64)
    n = int(starts[-1])
    return PairBlock(
        rng.integers(n_queries, size=groups).astype(np.int32),
        starts,
        rng.integers(n_documents, size=n).astype(np.int32),
        rng.integers(n_documents, size=n).astype(np.int32),
        rng.integers(1, 4, size=n).astype(np.float32),
    )


def twinned(rows: Rows) -> Rows:
    """Every word becomes two that always stand together, so their features tie, to the last bit."""
    columns = np.stack([2 * rows.columns, 2 * rows.columns + 1], axis=1).ravel()
    return Rows(2 * rows.starts, columns, np.repeat(rows.values, 2))
