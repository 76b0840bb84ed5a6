"""A learned W with the words of both sides, as an artifact folder: projects queries and lists the strongest pairs.

Exact weights are stored as sparse rows, hashed ones as the places they were learned in. Of a hashed model only the
word pairs in its reverse table can be listed, because any two words have a place there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.learn.epochs import Trained
from kakehashi.learn.layout import Layout, checked_layout
from kakehashi.learn.pair_form import spread_rows
from kakehashi.learn.reverse import Collisions, Reverse, checked_reverse, owned
from kakehashi.learn.vectors import Rows, Words, checked_rows, read_words
from kakehashi.learn.weight_access import Update, project
from kakehashi.soundness import finite, setting_count, typed
from kakehashi.types import Array, Floats32, Ints, Longs

KIND, VERSION = "bilinear", 4
MOST_COPIES = 1 << 16
PLAIN = Update(1, -1, -1, -1, 0.0, 0.0, 0.0, 0.0)


class Weights(Protocol):
    """W in any storage format."""

    def project(self, words: Ints, values: Floats32) -> Floats32:
        """(document words,) q'W."""
        ...

    def parts(self, words: Ints, values: Floats32, columns: Longs) -> Floats32:
        """(words, columns) what each of the words adds to q'W of these document words, which are distinct."""
        ...

    def rows(self) -> Iterator[Array]:
        """(document words,) the weights of one query word after the other."""
        ...

    def arrays(self) -> dict[str, Array]: ...
    def settings(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class SparseRows:
    """Exact weights: row i contains columns[starts[i]:starts[i + 1]]."""

    starts: Longs
    columns: Ints
    weights: Floats32
    n_columns: int

    def project(self, words: Ints, values: Floats32) -> Floats32:
        projected: Floats32 = _project_rows(
            words, values, self.starts, self.columns, self.weights, self.n_columns
        )
        return projected

    def parts(self, words: Ints, values: Floats32, columns: Longs) -> Floats32:
        places = np.full(self.n_columns, -1, np.int64)
        places[columns] = np.arange(len(columns))
        found: Floats32 = _row_parts(
            words, values, self.starts, self.columns, self.weights, places, len(columns)
        )
        return found

    def rows(self) -> Iterator[Array]:
        for i in range(len(self.starts) - 1):
            yield self.project(np.array([i], np.int32), np.ones(1, np.float32))

    def arrays(self) -> dict[str, Array]:
        return {"rows.starts": self.starts, "rows.columns": self.columns, "rows.weights": self.weights}

    def settings(self) -> dict[str, Any]:
        return {"n_columns": self.n_columns}


@dataclass(frozen=True)
class Places:
    """Hashed weights, as they were learned."""

    layout: Layout
    weights: Floats32

    def project(self, words: Ints, values: Floats32) -> Floats32:
        return self.at(words, values, np.arange(self.layout.n_columns))

    def at(self, words: Ints, values: Floats32, columns: Longs) -> Floats32:
        columns = columns.astype(np.int32)
        scores, moves = np.empty(len(columns), np.float32), np.empty(len(columns), np.float32)
        query = Rows(np.array([0, len(words)], np.int64), words, values)
        project(0, query, self.layout, self.weights, PLAIN, 0.0, columns, scores, moves)
        return scores

    def parts(self, words: Ints, values: Floats32, columns: Longs) -> Floats32:
        queries = Rows(np.arange(len(words) + 1, dtype=np.int64), words, values)
        found: Floats32 = _place_parts(queries, self.layout, self.weights, columns.astype(np.int32))
        return found

    def of(self, i: int, j: int) -> float:
        """The weight of one pair."""
        return float(self.at(np.array([i], np.int32), np.ones(1, np.float32), np.array([j]))[0])

    def rows(self) -> Iterator[Array]:
        for i in range(len(self.layout.offsets)):
            yield self.project(np.array([i], np.int32), np.ones(1, np.float32))

    def arrays(self) -> dict[str, Array]:
        layout = self.layout
        return {"places.offsets": layout.offsets, "places.bits": layout.bits, "places.weights": self.weights}

    def settings(self) -> dict[str, Any]:
        layout = self.layout
        names = ("copies", "signed", "n_columns", "folded")
        return {name: getattr(layout, name) for name in names}


@dataclass(frozen=True)
class WordPair:
    """A query word, a document word, and the weight of the pair."""

    query: str
    document: str
    weight: float
    share: float = 1.0  # its share of the pull at its place; below 1, other pairs contribute to the weight


@dataclass(frozen=True)
class Bilinear:
    """f(q, d) = q'Wd over the words of both sides."""

    query_words: Words
    document_words: Words
    weights: Weights
    analyzers: Mapping[str, str]  # fingerprints of the analyzers of both sides
    reverse: Reverse | None = None  # for hashed weights, if it was built
    collisions: Collisions | None = None

    def vector(self, terms: list[str]) -> Rows:
        return self.query_words.rows([terms])

    def project(self, terms: list[str]) -> Floats32:
        """(document words,) q'W of an analysed query."""
        query = self.vector(terms)
        return self.weights.project(query.columns, query.values)

    def strongest(self, n: int, least: bool = False) -> list[WordPair]:
        """The n pairs with the largest weights (or the smallest), best first."""
        direction = -1.0 if least else 1.0
        if isinstance(self.weights, Places):
            found = [(direction * weight, i, j, share) for weight, i, j, share in self._owned()]
        else:
            found = _largest(self.weights, n, direction)
        return [
            WordPair(self.query_words.terms[i], self.document_words.terms[j], direction * weight, share)
            for weight, i, j, share in sorted(found, reverse=True)[:n]
            if weight > 0.0
        ]

    def translations(self, word: str, n: int) -> list[WordPair]:
        """The pairs of one query word, best first."""
        number = self.query_words.numbers.get(word)
        if number is None:
            return []
        terms = self.document_words.terms
        if isinstance(self.weights, Places):
            found = sorted((entry for entry in self._owned() if entry[1] == number), reverse=True)[:n]
            return [WordPair(word, terms[j], weight, share) for weight, _, j, share in found if weight > 0]
        row = self.weights.project(np.array([number], np.int32), np.ones(1, np.float32))
        order = np.argsort(-row, kind="stable")[:n]
        return [WordPair(word, terms[j], float(row[j])) for j in order if row[j] > 0]

    def _owned(self) -> list[tuple[float, int, int, float]]:
        """(weight, query word, document word, share) of every pair that owns a place in the reverse table."""
        assert isinstance(self.weights, Places)
        if self.reverse is None:
            raise InputError("this hashed model has no reverse table: train it with readable=100000")
        best: dict[tuple[int, int], float] = {}
        for i, j, share in owned(self.reverse):
            best[i, j] = max(share, best.get((i, j), 0.0))
        weights = self.weights
        return [(weights.of(i, j), i, j, share) for (i, j), share in best.items()]

    def save(
        self, folder: Path, settings: Mapping[str, Any], made_from: Mapping[str, Any], seed: int
    ) -> None:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(self.weights.arrays())
            writer.put(self.query_words.arrays("query"))
            writer.put(self.document_words.arrays("document"))
            if self.reverse is not None:
                writer.put({f"reverse.{name}": array for name, array in self.reverse._asdict().items()})
            own = {
                "query_words": self.query_words.settings(),
                "document_words": self.document_words.settings(),
                "analyzers": dict(self.analyzers),
                "weights": self.weights.settings(),
                "collisions": self.collisions._asdict() if self.collisions else None,
                "training": dict(settings),
            }
            writer.commit(own, made_from, seed)


def read_bilinear(folder: Path) -> Bilinear:
    return bilinear_of(store.read(folder, KIND, VERSION))


def bilinear_of(artifact: store.Artifact) -> Bilinear:
    settings, array = artifact.meta.settings, artifact.array
    words = read_words(artifact, "query"), read_words(artifact, "document")
    sizes = len(words[0]), len(words[1])
    weights = sparse_rows_of(artifact, *sizes) if "rows.starts" in artifact else _places_of(artifact, *sizes)
    reverse = None
    if "reverse.starts" in artifact:
        reverse = checked_reverse(Reverse(*(array(f"reverse.{name}") for name in Reverse._fields)), *sizes)
    crowding = settings["collisions"]
    return Bilinear(
        *words, weights, settings["analyzers"], reverse, Collisions(**crowding) if crowding else None
    )


def sparse_rows_of(artifact: store.Artifact, n_rows: int, n_columns: int) -> SparseRows:
    rows = Rows(*(artifact.array(f"rows.{name}") for name in ("starts", "columns", "weights")))
    setting_count(artifact.meta.settings["weights"], "n_columns", n_columns + 1, n_columns)
    return SparseRows(*checked_rows(rows, n_rows, n_columns), n_columns)


def _places_of(artifact: store.Artifact, n_rows: int, n_columns: int) -> Places:
    own, weights = artifact.meta.settings["weights"], artifact.array("places.weights")
    finite("places.weights", typed("places.weights", weights, (np.float32,), None))
    setting_count(own, "n_columns", n_columns + 1, n_columns)
    layout = Layout(
        typed("places.offsets", artifact.array("places.offsets"), (np.int64,), n_rows),
        typed("places.bits", artifact.array("places.bits"), (np.int64,), n_rows),
        setting_count(own, "copies", MOST_COPIES + 1, 1),
        msgspec.convert(own["signed"], bool),
        len(weights),
        n_columns,
        msgspec.convert(own["folded"], bool),
    )
    return Places(checked_layout(layout), weights)


def weights_of(trained: Trained, n_document_words: int) -> Weights:
    """The learned weights in the format in which they are stored."""
    layout = trained.layout
    if trained.same is not None:
        return _diagonal(trained.weights, trained.same, n_document_words)
    if trained.positions is not None:
        starts, columns, values = spread_rows(trained.weights, layout, *trained.positions)
        return SparseRows(starts, columns, values, n_document_words)
    if (layout.bits >= 0).any():
        return Places(layout, trained.weights)
    starts, columns, values = _sparse(trained.weights, layout.offsets, layout.n_columns)
    return SparseRows(starts, columns, values, layout.n_columns)


def _diagonal(weights: Array, same: Ints, n_document_words: int) -> SparseRows:
    starts = np.append(0, np.cumsum(same >= 0)).astype(np.int64)
    return SparseRows(starts, same[same >= 0], weights[same >= 0], n_document_words)


def _largest(weights: Weights, n: int, direction: float) -> list[tuple[float, int, int, float]]:
    """(weight, query word, document word, 1) of at least the n largest, without keeping many more."""
    found: list[tuple[float, int, int, float]] = []
    floor = 0.0
    for i, row in enumerate(weights.rows()):
        row = direction * row
        found += [(float(row[j]), i, j, 1.0) for j in np.flatnonzero(row > floor).tolist()]
        if len(found) > 8 * n + 10_000:
            found = sorted(found, reverse=True)[:n]
            floor = found[-1][0]
    return found


@kernel
def _sparse(weights: Array, offsets: Array, n_columns: int) -> Any:
    starts = np.zeros(len(offsets) + 1, np.int64)
    for i in range(len(offsets)):
        n = 0
        for at in range(offsets[i], offsets[i] + n_columns):
            n += weights[at] != 0.0
        starts[i + 1] = starts[i] + n
    columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    n = 0
    for i in range(len(offsets)):
        for j in range(n_columns):
            weight = weights[offsets[i] + j]
            if weight != 0.0:
                columns[n], values[n] = j, weight
                n += 1
    return starts, columns, values


@kernel
def _row_parts(
    words: Array, values: Array, starts: Array, columns: Array, weights: Array, places: Array, n: int
) -> Array:
    """`places` (document words,) says where a word is wanted, or -1."""
    parts = np.zeros((len(words), n), np.float32)
    for e in range(len(words)):
        for p in range(starts[words[e]], starts[words[e] + 1]):
            if places[columns[p]] >= 0:
                parts[e, places[columns[p]]] += values[e] * weights[p]
    return parts


@kernel
def _place_parts(queries: Rows, layout: Layout, weights: Array, columns: Array) -> Array:
    parts, moves = (
        np.zeros((len(queries.columns), len(columns)), np.float32),
        np.empty(len(columns), np.float32),
    )
    for e in range(len(queries.columns)):
        project(e, queries, layout, weights, PLAIN, 0.0, columns, parts[e], moves)
    return parts


@kernel
def _project_rows(
    words: Array, values: Array, starts: Array, columns: Array, weights: Array, n_columns: int
) -> Array:
    projected = np.zeros(n_columns, np.float32)
    for e in range(len(words)):
        x = values[e]
        for p in range(starts[words[e]], starts[words[e] + 1]):
            projected[columns[p]] += x * weights[p]
    return projected
