"""Random walks over a class graph (DeepWalk, node2vec), and vectors learned from them; arrays in, arrays out.

Edges are taken in both directions and once. With return parameter p and in-out parameter q, a step from v, after
one from u, goes to x with weight 1/p if x is u, 1 if x is a neighbour of u, and 1/q otherwise; p = q = 1 is DeepWalk.
"""

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.learn.skipgram import SkipGramSettings, Texts, train_skipgram
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Array, Floats32, Ints, Longs

STOPPED = -1  # in a walk, after a node without neighbours


class WalkSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How classes get vectors."""

    walks: Annotated[int, Meta(description="Random walks from each class of the class graph.")] = 1
    walk_length: Annotated[int, Meta(description="Classes in each random walk.")] = 40
    p: Annotated[
        float, Meta(description="node2vec: a step back to the previous class has weight 1/p; 1 is DeepWalk.")
    ] = 1.0
    q: Annotated[
        float,
        Meta(
            description="node2vec: a step to a class that is not a neighbour of the previous one has weight 1/q; 1 is "
            "DeepWalk."
        ),
    ] = 1.0
    class_dimensions: Annotated[int, Meta(description="Length of the vectors of classes.")] = 30
    class_epochs: Annotated[
        int, Meta(description="Passes of skip-gram over the random walks, which are few on a small graph.")
    ] = 20

    def __post_init__(self) -> None:
        for name in ("walks", "walk_length", "class_dimensions", "class_epochs"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("p", "q"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InputError(f"{name} must be positive, not {getattr(self, name)}")


class ClassGraph(NamedTuple):
    """Neighbours of node v are neighbours[starts[v]:starts[v + 1]], ascending."""

    names: list[str]  # (nodes,)
    starts: Longs  # (nodes + 1,)
    neighbours: Ints  # (2 · edges,)


def class_graph(classes: Iterable[str], edges: Iterable[tuple[str, str]]) -> ClassGraph:
    """All classes, also those without an edge; loops and repeated edges are dropped."""
    pairs = {(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]}
    names = sorted({*classes, *(name for pair in pairs for name in pair)})
    number = {name: i for i, name in enumerate(names)}
    ends = np.array([(number[a], number[b]) for a, b in sorted(pairs)], np.int64).reshape(-1, 2)
    both = np.concatenate([ends, ends[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    starts = np.searchsorted(both[:, 0], np.arange(len(names) + 1)).astype(np.int64)
    return ClassGraph(names, starts, both[:, 1].astype(np.int32))


def random_walks(graph: ClassGraph, settings: WalkSettings, rng: np.random.Generator) -> Ints:
    """(walks · nodes, walk_length) nodes, `STOPPED` where a walk ended; equal generators give equal walks."""
    n, seed = len(graph.names), int(rng.integers(1 << 62))
    found = np.full((settings.walks * n, settings.walk_length), STOPPED, np.int32)
    _walk(graph.starts, graph.neighbours, settings.p, settings.q, seed, found)
    return found


def class_vectors(
    graph: ClassGraph, settings: WalkSettings, seed: int, progress: Progress = SILENT
) -> Floats32:
    """(nodes, class_dimensions) skip-gram vectors of the walks, all of the same length.

    Walks on a small graph are a few thousand words, too few for skip-gram to give all vectors one scale.
    """
    if not graph.names:
        return np.zeros((0, settings.class_dimensions), np.float32)
    walks = random_walks(graph, settings, np.random.default_rng(seed))
    kept = walks != STOPPED
    terms = [str(node) for node in range(len(graph.names))]
    texts = Texts(terms, walks[kept], np.cumsum(kept.sum(axis=1)).astype(np.int64))
    skipgram = SkipGramSettings(settings.class_dimensions, 5, 5, 0.0, settings.class_epochs)
    vectors = train_skipgram(texts, tuple(terms), skipgram, seed, progress)
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)


@kernel
def _walk(starts: Array, neighbours: Array, p: float, q: float, seed: int, found: Array) -> None:
    n = len(starts) - 1
    state = np.uint64(seed)
    for w in range(len(found)):
        node, before = w % n, -1
        for step in range(found.shape[1]):
            found[w, step] = node
            first, last = starts[node], starts[node + 1]
            if first == last:
                break
            state, chance = _next(state)
            if before < 0 or (p == 1.0 and q == 1.0):
                further = neighbours[first + min(np.int64(chance * (last - first)), last - first - 1)]
            else:
                further = _biased(starts, neighbours, p, q, before, first, last, chance)
            before, node = node, further


@kernel
def _biased(
    starts: Array, neighbours: Array, p: float, q: float, before: int, first: int, last: int, chance: float
) -> Any:
    total = 0.0
    for i in range(first, last):
        total += _weight(starts, neighbours, p, q, before, neighbours[i])
    left = chance * total
    for i in range(first, last):
        left -= _weight(starts, neighbours, p, q, before, neighbours[i])
        if left < 0.0:
            return neighbours[i]
    return neighbours[last - 1]


@kernel
def _weight(starts: Array, neighbours: Array, p: float, q: float, before: int, node: int) -> Any:
    if node == before:
        return 1.0 / p
    first, last = starts[before], starts[before + 1]
    place = first + np.searchsorted(neighbours[first:last], node)
    return 1.0 if place < last and neighbours[place] == node else 1.0 / q


@kernel
def _next(state: Any) -> Any:
    """SplitMix64: the next state, and a number from 0 to below 1."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    z = state
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return state, np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)
