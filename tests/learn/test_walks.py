"""Walks stay on the graph, equal seeds give equal walks, and p and q steer them as node2vec says."""

import itertools

import numpy as np

from kakehashi.learn.walks import STOPPED, WalkSettings, class_graph, class_vectors, random_walks

TREE = [
    ("a1", "a"),
    ("a2", "a"),
    ("a3", "a"),
    ("b1", "b"),
    ("b2", "b"),
    ("b3", "b"),
    ("a", "top"),
    ("b", "top"),
]


def walks(edges: list[tuple[str, str]], seed: int = 1, **settings: float) -> list[list[str]]:
    graph = class_graph(["alone"], edges)
    found = random_walks(graph, WalkSettings(**settings), np.random.default_rng(seed))  # type: ignore[arg-type]
    return [[graph.names[node] for node in walk if node != STOPPED] for walk in found]


def test_one_walk_of_forty_from_every_class_along_edges() -> None:
    found = walks(TREE)
    joined = {frozenset(edge) for edge in TREE}
    assert sorted(walk[0] for walk in found) == sorted({"alone", *(name for edge in TREE for name in edge)})
    for walk in found:
        assert len(walk) == (1 if walk[0] == "alone" else 40)
        assert all(frozenset(step) in joined for step in itertools.pairwise(walk))


def test_loops_and_repeated_edges_change_nothing() -> None:
    assert walks([*TREE, ("a", "a"), ("top", "a"), ("a1", "a")]) == walks(TREE)


def test_equal_seeds_give_equal_walks() -> None:
    assert walks(TREE) == walks(TREE)
    assert walks(TREE, seed=2) != walks(TREE)


def test_a_high_return_parameter_rarely_turns_back() -> None:
    """On a ring with chords a step back can always be avoided."""
    ring = [(f"n{i}", f"n{(i + step) % 30}") for i in range(30) for step in (1, 2)]

    def turns(**settings: float) -> float:
        return float(
            np.mean(
                [walk[i] == walk[i + 2] for walk in walks(ring, **settings) for i in range(len(walk) - 2)]
            )
        )

    assert 0.2 < turns() < 0.3  # one of four neighbours
    assert turns(p=100.0) < 0.05
    assert turns(p=0.01) > 0.9


def test_a_high_in_out_parameter_stays_near() -> None:
    """Two full graphs of eight, with one edge between them."""
    full = [(f"{side}{i}", f"{side}{j}") for side in "xy" for i in range(8) for j in range(i)]

    def crossings(q: float) -> int:
        found = walks([*full, ("x0", "y0")], q=q, walks=20)
        return sum(a[0] != b[0] for walk in found for a, b in itertools.pairwise(walk) if len(walk) > 1)

    assert crossings(50.0) < crossings(1.0) / 2 < crossings(0.02) / 2


def test_classes_of_one_branch_get_similar_vectors() -> None:
    graph = class_graph([], TREE)
    vectors = class_vectors(graph, WalkSettings(walks=30), seed=1)
    assert vectors.shape == (9, 30)
    place = {name: row for row, name in enumerate(graph.names)}

    def alike(one: str, other: str) -> float:
        return float(vectors[place[one]] @ vectors[place[other]])

    assert alike("a1", "a2") > alike("a1", "b2")
    assert alike("b1", "b3") > alike("b1", "a3")
