"""The instances of one sample: which words distinguish two documents, for every query.

Features are never stored: those of an instance are the words of its query times the words that occur in only one
of the two documents. Instances of one draw of a query are a group and share the list of these words.
"""

from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.corpus.pairs import PairBlock
from kakehashi.learn.vectors import Rows
from kakehashi.types import Array

WORSE = 1  # an entry's lowest bit: the word is in the document that should rank second


class Instances(NamedTuple):
    """Group g has instances starts[g]:starts[g + 1]; the entries of an instance are numbers into its group's words."""

    starts: Array  # (groups + 1,) int64
    query_starts: Array  # (groups + 1,) int64
    query_words: Array  # (...,) int32, of each group's query, ascending
    word_starts: Array  # (groups + 1,) int64
    words: Array  # (...,) int32, of a group's documents, ascending
    entry_starts: Array  # (instances + 1,) int64
    entries: Array  # (...,) int32: 2·(place among the group's words) + WORSE, ascending
    met_starts: Array  # (query words + 1,) int64
    met: Array  # (...,) int32: the groups whose query has a word, ascending


def instances_of(pairs: PairBlock, queries: Rows, documents: Rows, n_query_words: int) -> Instances:
    return Instances(
        np.ascontiguousarray(pairs.starts, dtype=np.int64),
        *_build(
            pairs.queries,
            pairs.starts,
            pairs.positives,
            pairs.negatives,
            queries.starts,
            queries.columns,
            documents.starts,
            documents.columns,
            n_query_words,
        ),
    )


@kernel
def _build(
    group_queries: Array,
    starts: Array,
    positives: Array,
    negatives: Array,
    query_starts: Array,
    query_columns: Array,
    document_starts: Array,
    document_columns: Array,
    n_query_words: int,
) -> Any:
    n_groups, n = len(group_queries), len(positives)
    of_query = np.zeros(n_groups + 1, np.int64)
    met_starts = np.zeros(n_query_words + 1, np.int64)
    for g in range(n_groups):
        q = group_queries[g]
        of_query[g + 1] = of_query[g] + query_starts[q + 1] - query_starts[q]
        for p in range(query_starts[q], query_starts[q + 1]):
            met_starts[query_columns[p] + 1] += 1
    met_starts = np.cumsum(met_starts)
    own_words, met = np.empty(of_query[-1], np.int32), np.empty(of_query[-1], np.int32)
    ends = met_starts[:-1].copy()
    room = 0
    for i in range(n):
        for d in (positives[i], negatives[i]):
            room += document_starts[d + 1] - document_starts[d]
    word_starts, entry_starts = np.zeros(n_groups + 1, np.int64), np.zeros(n + 1, np.int64)
    words, entries = np.empty(room, np.int32), np.empty(room, np.int32)
    n_words = n_entries = 0
    for g in range(n_groups):
        q, at = group_queries[g], of_query[g]
        for p in range(query_starts[q], query_starts[q + 1]):
            word = query_columns[p]
            own_words[at] = word
            at += 1
            met[ends[word]] = g
            ends[word] += 1
        first = n_entries
        for i in range(starts[g], starts[g + 1]):
            n_entries = _difference(
                document_columns, document_starts, positives[i], negatives[i], entries, n_entries
            )
            entry_starts[i + 1] = n_entries
        n_words = word_starts[g + 1] = _number_words(entries[first:n_entries], words, n_words)
    return (
        of_query,
        own_words,
        word_starts,
        words[:n_words].copy(),
        entry_starts,
        entries[:n_entries].copy(),
        met_starts,
        met,
    )


@kernel
def _number_words(entries: Array, words: Array, n: int) -> Any:
    """Append the distinct words of a group's entries to the n existing ones, and replace them by their positions."""
    begin = n
    ordered = np.sort(entries >> 1)
    for e in range(len(ordered)):
        if e == 0 or ordered[e] != ordered[e - 1]:
            words[n] = ordered[e]
            n += 1
    for e in range(len(entries)):
        entries[e] = 2 * np.searchsorted(words[begin:n], entries[e] >> 1) + (entries[e] & WORSE)
    return n


@kernel
def _difference(columns: Array, starts: Array, better: int, worse: int, out: Array, n: int) -> Any:
    """Words of exactly one of the two documents, ascending: 2·word + WORSE."""
    i, j = starts[better], starts[worse]
    while i < starts[better + 1] or j < starts[worse + 1]:
        if j == starts[worse + 1] or (i < starts[better + 1] and columns[i] < columns[j]):
            out[n] = 2 * columns[i]
            n += 1
            i += 1
        elif i == starts[better + 1] or columns[j] < columns[i]:
            out[n] = 2 * columns[j] + WORSE
            n += 1
            j += 1
        else:
            i += 1
            j += 1
    return n


@kernel
def find(words: Array, first: int, end: int, word: int) -> Any:
    """The position of a word in an ascending range, or -1."""
    low, high = first, end
    while low < high:
        middle = (low + high) // 2
        if words[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low if low < end and words[low] == word else -1
