"""Hashed weights read backwards, against counting by hand over a dense matrix."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.pairs import PairBlock
from kakehashi.learn import reverse as module
from kakehashi.learn.bilinear import BilinearSettings, train_bilinear
from kakehashi.learn.epochs import Trained
from kakehashi.learn.layout import row_key
from kakehashi.learn.reverse import owned, read_backwards
from kakehashi.learn.weight_access import place_of
from tests.learn.plain_bilinear import dense, random_problem

N_QUERY_WORDS, N_DOCUMENT_WORDS = 15, 20
HASHED: list[dict[str, Any]] = [
    {"layout": "blocks", "bits": 8},
    {"layout": "scattered", "bits": 7},
    {"layout": "scattered", "bits": 8, "copies": 2, "signed": True},
    {"layout": "blocks", "bits": 8, "copies": 2, "signed": True},
]


def learned(seed: int, **settings: Any) -> tuple[Trained, Any, Any, Any]:
    block, queries, documents = random_problem(np.random.default_rng(seed), 3)

    def blocks() -> Iterator[PairBlock]:
        yield block

    chosen = BilinearSettings(rates="fixed", rate=0.3, epochs=2, **settings)
    trained = train_bilinear(blocks, queries, documents, N_QUERY_WORDS, N_DOCUMENT_WORDS, chosen, threads=1)
    return trained, blocks, queries, documents


def pulls_by_hand(blocks: Any, queries: Any, documents: Any) -> tuple[Any, Any]:
    """(pulls, whether the two words met)."""
    q, d = dense(queries, N_QUERY_WORDS), dense(documents, N_DOCUMENT_WORDS)
    pulls, met = (
        np.zeros((N_QUERY_WORDS, N_DOCUMENT_WORDS)),
        np.zeros((N_QUERY_WORDS, N_DOCUMENT_WORDS), bool),
    )
    for block in blocks():
        for g in range(len(block.queries)):
            net = np.zeros(N_DOCUMENT_WORDS)
            for p in range(block.starts[g], block.starts[g + 1]):
                net += block.margins[p] * (d[block.positives[p]] - d[block.negatives[p]])
            net[np.abs(net) < 1e-6] = 0.0
            pulls += np.outer(q[block.queries[g]], net)
            met |= np.outer(q[block.queries[g]], net) != 0.0
    return pulls, met


def places(trained: Trained, i: int, j: int) -> list[tuple[int, float]]:
    layout = trained.layout
    found = [
        place_of(np.uint64(row_key(i, c)), layout.offsets[i], layout.bits[i], j, layout.signed, layout.folded)
        for c in range(layout.copies)
    ]
    return [(int(place), float(direction)) for place, direction in found]


@pytest.mark.parametrize("settings", HASHED)
@pytest.mark.parametrize("room", [1 << 26, 100])  # all query words at once, five at a time
def test_collisions_are_those_counted_by_hand(
    settings: dict[str, Any], room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROOM", room)
    trained, blocks, queries, documents = learned(1, **settings)
    _, met = pulls_by_hand(blocks, queries, documents)
    users: dict[int, int] = {}
    pairs = [(int(i), int(j)) for i, j in zip(*np.nonzero(met), strict=True)]
    for i, j in pairs:
        for place, _ in places(trained, i, j):
            users[place] = users.get(place, 0) + 1
    lost = sum(all(users[place] > 1 for place, _ in places(trained, i, j)) for i, j in pairs)
    counts, _ = read_backwards(blocks, queries, documents, trained, 50)
    assert counts.met == len(pairs) > 100
    assert counts.used == len(users)
    assert counts.lost == lost > 0
    assert counts.overload == N_QUERY_WORDS * N_DOCUMENT_WORDS / len(trained.weights)


@pytest.mark.parametrize("settings", HASHED)
def test_strong_weights_are_owned_by_the_pair_that_pulled_hardest(settings: dict[str, Any]) -> None:
    trained, blocks, queries, documents = learned(2, **settings)
    pulls, met = pulls_by_hand(blocks, queries, documents)
    _, reverse = read_backwards(blocks, queries, documents, trained, 30)
    strong = np.sort(np.argsort(-np.abs(trained.weights), kind="stable")[:30])
    pushes: dict[int, dict[tuple[int, int, int], float]] = {int(place): {} for place in strong}
    for i, j in zip(*np.nonzero(met), strict=True):
        for copy, (place, direction) in enumerate(places(trained, int(i), int(j))):
            if place in pushes:
                push = direction * pulls[i, j] * np.sign(trained.weights[place])
                pushes[place][int(i), int(j), copy] = push
    expected = []
    for found in pushes.values():
        forward = {pair: push for pair, push in found.items() if push > 1e-6}
        if forward:
            pair = max(forward, key=lambda each: forward[each])
            expected.append((*pair[:2], forward[pair] / sum(forward.values())))
    got = list(owned(reverse))
    assert [entry[:2] for entry in got] == [entry[:2] for entry in expected]
    assert [entry[2] for entry in got] == pytest.approx([entry[2] for entry in expected], rel=1e-4)


def test_words_whose_pulls_cancel_have_met() -> None:
    trained, _, queries, documents = learned(1, layout="blocks", bits=8)
    back_and_forth = PairBlock(
        np.array([0, 0], np.int32), np.array([0, 1, 2], np.int64), np.array([0, 1], np.int64),
        np.array([1, 0], np.int64), np.array([1, 1], np.uint8),
    )  # fmt: skip
    counts, reverse = read_backwards(lambda: [back_and_forth], queries, documents, trained, 50)
    d, q = dense(documents, N_DOCUMENT_WORDS), dense(queries, N_QUERY_WORDS)
    assert counts.met == np.count_nonzero(d[0] - d[1]) * np.count_nonzero(q[0])
    assert len(reverse.queries) <= counts.met
