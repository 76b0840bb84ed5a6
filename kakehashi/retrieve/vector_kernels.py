"""Loops over document vectors for one query: the same numbers as a matrix product gives, without copies."""

from typing import NamedTuple

import numpy as np

from kakehashi.compiled import kernel, whole_number_kernel
from kakehashi.learn.vectors import Rows
from kakehashi.types import Array


class ByWord(NamedTuple):
    """Rows turned: which documents hold a word, ascending, and with what value."""

    starts: Array  # (words + 1,) int64
    docs: Array  # (entries,) int32
    values: Array  # (entries,) float32


@whole_number_kernel
def dots(numbers: Array, query: Array, docs: Array) -> Array:
    """(docs,) products of whole numbers; query (dimensions,) float64"""
    found = np.empty(len(docs))
    for i in range(len(docs)):
        row, total = numbers[docs[i]], 0.0
        for j in range(len(query)):
            total += query[j] * np.float64(row[j])
        found[i] = total
    return found


@kernel
def products(left: Array, right: Array) -> Array:
    """(rows of left, rows of right), without waking the threads of a library for so little."""
    columns = right.T.copy()  # so that neighbours are added up together
    found = np.zeros((len(left), len(right)))
    for i in range(len(left)):
        for r in range(len(columns)):
            x, column = left[i, r], columns[r]
            for j in range(len(column)):
                found[i, j] += x * column[j]
    return found


@kernel
def scale(scores: Array, docs: Array, query_scale: float, scales: Array) -> None:
    """In place, as `VectorSearch` does it for many queries."""
    for i in range(len(docs)):
        scores[i] = scores[i] * (query_scale * scales[docs[i]]) + 0.0


@kernel
def turned(rows: Rows, n_words: int) -> ByWord:
    starts = np.zeros(n_words + 1, np.int64)
    for i in range(len(rows.columns)):
        starts[rows.columns[i] + 1] += 1
    for word in range(n_words):
        starts[word + 1] += starts[word]
    ends, docs = starts.copy(), np.empty(len(rows.columns), np.int32)
    values = np.empty(len(rows.columns), np.float32)
    for d in range(len(rows.starts) - 1):
        for p in range(rows.starts[d], rows.starts[d + 1]):
            place = ends[rows.columns[p]]
            docs[place], values[place] = d, rows.values[p]
            ends[rows.columns[p]] = place + 1
    return ByWord(starts, docs, values)


@kernel
def add_shared(scores: Array, words: Array, asked: Array, by_word: ByWord) -> None:
    """Add q·d over shared words to the scores of all documents; words ascend, as they do in a document."""
    starts, docs, values = by_word
    sums = np.zeros(len(scores))
    for i in range(len(words)):
        for p in range(starts[words[i]], starts[words[i] + 1]):
            sums[docs[p]] += np.float64(values[p]) * asked[i]
    for d in range(len(scores)):
        scores[d] += sums[d]


@kernel
def add_shared_of_some(scores: Array, some: Array, words: Array, asked: Array, rows: Rows, n: int) -> None:
    """As `add_shared`, of some documents; n words are known."""
    starts, columns, values = rows
    table = np.zeros(n)
    for i in range(len(words)):
        table[words[i]] = asked[i]
    for i in range(len(some)):
        total = 0.0
        for p in range(starts[some[i]], starts[some[i] + 1]):
            total += np.float64(values[p]) * table[columns[p]]
        scores[i] += total
