"""Texts as sparse vectors over the words of a model, for both sides.

A vector contains 1 (binary), tf·idf or tf per known word, divided by its length if `unit` is set. Words are
chosen and weighted by counts over the training part, so a word unseen there has no weight.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from kakehashi.compiled import kernel
from kakehashi.index.index import Index
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.soundness import Unsound, finite, starts, typed, within
from kakehashi.store import Artifact, strings_arrays
from kakehashi.text.idf import Idf, inverse_df
from kakehashi.types import Array, Floats, Floats32, Ints, Longs

Values = Literal["binary", "tfidf", "tf"]


class Rows(NamedTuple):
    """Sparse vectors: row r contains columns[starts[r]:starts[r + 1]], ascending, with values at the same positions."""

    starts: Array  # (rows + 1,) int64
    columns: Array  # (entries,) int32
    values: Array  # (entries,) float32


@dataclass(frozen=True)
class Words:
    """One side of a model: its words, and how a text becomes a vector over them."""

    terms: tuple[str, ...]
    idf: Floats32  # (words,); ones if values are plain tf
    values: Values = "binary"
    unit: bool = True

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        return {term: number for number, term in enumerate(self.terms)}

    def rows(self, texts: Iterable[Sequence[str]]) -> Rows:
        """Vectors of analysed texts."""
        numbers, ends, flat = self.numbers, [0], []
        for terms in texts:
            known = [numbers[term] for term in terms if term in numbers]
            flat += known
            ends.append(ends[-1] + len(known))
        columns = np.array(flat, dtype=np.int32)
        starts, columns, tfs = _counted(np.array(ends, dtype=np.int64), columns, len(self))
        return self._weighted(starts, columns, tfs)

    def document_rows(self, index: Index) -> Rows:
        """Vectors of an index's documents, including dead ones, segment by segment."""
        to_word = self.from_index(index)
        parts = [_translated(*segment.forward, to_word) for segment in index.segments]
        sizes = [np.diff(starts) for starts, _, _ in parts]
        starts = np.append(0, np.cumsum(np.concatenate([*sizes, np.zeros(0, np.int64)]))).astype(np.int64)
        columns = np.concatenate([*(columns for _, columns, _ in parts), np.zeros(0, np.int32)])
        tfs = np.concatenate([*(tfs for _, _, tfs in parts), np.zeros(0, np.int32)])
        return self._weighted(starts, columns.astype(np.int32), tfs.astype(np.int32))

    def document_row(self, terms: Array, tfs: Array, to_word: Ints) -> Rows:
        """The vector of one document with these terms of an index; `to_word` is what `from_index` gives."""
        return self._weighted(*_translated(np.array([0, len(terms)]), terms, tfs, to_word))

    def from_index(self, index: Index) -> Ints:
        """(index vocabulary,) each term's number here, or UNKNOWN."""
        numbers = self.in_index(index)
        to_word = np.full(len(index.vocabulary), UNKNOWN, dtype=np.int32)
        to_word[numbers[numbers != UNKNOWN]] = np.flatnonzero(numbers != UNKNOWN)
        return to_word

    def in_index(self, index: Index) -> Ints:
        """(words,) each word's term number in the index, or UNKNOWN."""
        return index.vocabulary.numbers(self.terms)

    def arrays(self, side: str) -> dict[str, Array]:
        return {**strings_arrays(f"{side}.terms", self.terms), f"{side}.idf": self.idf}

    def settings(self) -> dict[str, Any]:
        return {"values": self.values, "unit": self.unit}

    def _weighted(self, starts: Longs, columns: Ints, tfs: Ints) -> Rows:
        values = np.ones(len(columns), np.float32)
        if self.values != "binary":
            values = tfs.astype(np.float32) * self.idf[columns]
        if self.unit:
            _make_unit(starts, values)
        return Rows(starts, columns, values)


def read_words(artifact: Artifact, side: str) -> Words:
    settings = artifact.meta.settings[f"{side}_words"]
    terms, idf = tuple(artifact.strings(f"{side}.terms")), artifact.array(f"{side}.idf")
    finite(f"{side}.idf", typed(f"{side}.idf", idf, (np.float32, np.float64), len(terms)))
    if len(set(terms)) < len(terms):
        raise Unsound(f"{side}.terms has a word twice")
    return Words(
        terms, idf, msgspec.convert(settings["values"], Values), msgspec.convert(settings["unit"], bool)
    )


def checked_rows(rows: Rows, n: int, n_columns: int) -> Rows:
    """Rows that stay inside their arrays."""
    starts("starts", rows.starts, n, len(rows.columns))
    within("columns", typed("columns", rows.columns, (np.int32,), None), n_columns)
    finite("values", typed("values", rows.values, (np.float32,), len(rows.columns)))
    return rows


def choose_words(
    terms: Sequence[str],
    df: Floats,
    n_texts: int,
    most: int = 0,
    max_share: float = 0.5,
    values: Values = "binary",
    unit: bool = True,
    idf: Idf = "log",
) -> Words:
    """The `most` frequent terms (0: all) that occur, but not in more than `max_share` of all texts.

    Ordered by descending df, then by string, so that the most used rows of a model are adjacent.
    """
    df = np.asarray(df, dtype=np.float64)
    wanted = np.flatnonzero((df > 0) & (df <= max_share * n_texts)).tolist()
    wanted.sort(key=lambda i: (-df[i], terms[i]))
    chosen = wanted[:most] if most else wanted
    weights = inverse_df(df[chosen], n_texts, idf).astype(np.float32)
    if values == "tf":
        weights = np.ones_like(weights)
    return Words(tuple(terms[i] for i in chosen), weights, values, unit)


def count_df(texts: Iterable[Sequence[str]]) -> tuple[list[str], Floats, int]:
    """(terms, in how many texts each occurs, number of texts)."""
    counts: dict[str, int] = {}
    n = 0
    for terms in texts:
        n += 1
        for term in set(terms):
            counts[term] = counts.get(term, 0) + 1
    ordered = sorted(counts)
    return ordered, np.array([counts[term] for term in ordered], dtype=np.float64), n


def take(rows: Rows, numbers: Array) -> Rows:
    """The given rows, in that order."""
    sizes = np.diff(rows.starts)[numbers]
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    places = np.repeat(rows.starts[numbers] - starts[:-1], sizes) + np.arange(starts[-1])
    return Rows(starts, rows.columns[places], rows.values[places])


def shared_words(queries: Words, documents: Words) -> Ints:
    """(query words,) the number of the same word among the documents' words, or -1."""
    return np.array([documents.numbers.get(term, -1) for term in queries.terms], dtype=np.int32)


@kernel
def _counted(ends: Array, columns: Array, n_words: int) -> Any:
    """Rows of distinct columns, ascending, and how often each occurs."""
    out_columns, out_tfs = np.empty(len(columns), np.int32), np.empty(len(columns), np.int32)
    starts = np.zeros(len(ends), np.int64)
    n = 0
    for row in range(len(ends) - 1):
        ordered = np.sort(columns[ends[row] : ends[row + 1]])
        for i in range(len(ordered)):
            if i > 0 and ordered[i] == ordered[i - 1]:
                out_tfs[n - 1] += 1
            else:
                out_columns[n], out_tfs[n] = ordered[i], 1
                n += 1
        starts[row + 1] = n
    return starts, out_columns[:n], out_tfs[:n]


@kernel
def _translated(starts: Array, terms: Array, tfs: Array, to_word: Array) -> Any:
    """Forward rows over words instead of index terms; columns ascending."""
    kept = 0
    for i in range(len(terms)):
        kept += to_word[terms[i]] >= 0
    new_starts = np.zeros(len(starts), np.int64)
    columns, new_tfs = np.empty(kept, np.int32), np.empty(kept, np.int32)
    n = 0
    for row in range(len(starts) - 1):
        first = n
        for i in range(starts[row], starts[row + 1]):
            word = to_word[terms[i]]
            if word >= 0:
                columns[n], new_tfs[n] = word, tfs[i]
                n += 1
        order = np.argsort(columns[first:n])
        columns[first:n], new_tfs[first:n] = columns[first:n][order], new_tfs[first:n][order]
        new_starts[row + 1] = n
    return new_starts, columns, new_tfs


@kernel
def _make_unit(starts: Array, values: Array) -> None:
    for row in range(len(starts) - 1):
        total = 0.0
        for i in range(starts[row], starts[row + 1]):
            total += np.float64(values[i]) ** 2
        if total > 0.0:
            values[starts[row] : starts[row + 1]] /= np.float32(np.sqrt(total))
