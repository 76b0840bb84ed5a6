"""The sums W⁺ and W⁻ of boosting: how they are filled and updated, and which places are candidates.

Candidates are the places whose gain reaches a threshold. A place that rises to the threshold while sums change
becomes one immediately, so the best of all is among them as long as it is not below the threshold.
"""

from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import inline_kernel, kernel
from kakehashi.learn.boosting_table import ASLEEP, Table, place_of
from kakehashi.learn.instances import WORSE, Instances, find
from kakehashi.types import Array

SIEVE_BITS = 20
SIEVE_MASK = (1 << SIEVE_BITS) - 1


class Changes(NamedTuple):
    """By group, the active columns whose sums change, and by how much."""

    groups: Array  # (groups,) int64
    starts: Array  # (groups + 1,) int64
    columns: Array  # (...,) uint32
    values: Array  # (2·...,) float32: of W⁺ and W⁻


class Mass(NamedTuple):
    """Weights of the instances by word: an upper bound for every feature of the word."""

    queries: Array  # (query words,) float64
    documents: (
        Array  # (2·document words,) float64: of instances with the word in the better, the worse document
    )


class Candidates(NamedTuple):
    """Places that reach the threshold. A feature is query word · document words + document word."""

    counts: Array  # (2,) int64: how many; and how many did not fit, or words that should be active
    places: Array  # (room,) int64
    starts: Array  # (room + 1,) int64
    features: Array  # (room for features,) int64, ascending for each place; empty if they were not looked up
    known: Array  # (places / 8 + 1,) uint8: a bit for each of the places


class Space(NamedTuple):
    """Working memory, zero between two uses."""

    changes: Array  # (words of the largest group, 2) float64
    marked: Array  # (words of the largest group,) bool
    of_word: Array  # (query words,) int64


@inline_kernel
def gain(better: np.float32, worse: np.float32) -> Any:
    """(√W⁺ - √W⁻)²: the reduction of the loss; values below zero due to rounding count as zero.

    It never exceeds the larger sum, not even by rounding, so that sums below the threshold need not be checked.
    """
    root = np.sqrt(max(better, np.float32(0.0))) - np.sqrt(max(worse, np.float32(0.0)))
    return min(root * root, max(better, worse, np.float32(0.0)))


@inline_kernel
def get_bit(bits: Array, place: int) -> Any:
    return bits[place >> 3] >> (place & 7) & 1


@inline_kernel
def set_bit(bits: Array, place: int) -> None:
    bits[place >> 3] |= np.uint8(1 << (place & 7))


@kernel
def mass_of(instances: Instances, weights: Array, mass: Mass) -> None:
    mass.queries[:] = 0.0
    mass.documents[:] = 0.0
    for g in range(len(instances.starts) - 1):
        total = 0.0
        for i in range(instances.starts[g], instances.starts[g + 1]):
            total += weights[i]
            for e in range(instances.entry_starts[i], instances.entry_starts[i + 1]):
                entry = instances.entries[e]
                word = instances.words[instances.word_starts[g] + (entry >> 1)]
                mass.documents[2 * word + (entry & WORSE)] += weights[i]
        for q in range(instances.query_starts[g], instances.query_starts[g + 1]):
            mass.queries[instances.query_words[q]] += total


@kernel
def all_changes(instances: Instances, weights: Array, table: Table, space: Space) -> Changes:
    """Add all instances to sums that are zero."""
    groups = np.arange(len(instances.starts) - 1)
    starts = np.zeros(len(groups) + 1, np.int64)
    columns, values = (
        np.empty(len(instances.words), np.uint32),
        np.empty(2 * len(instances.words), np.float32),
    )
    n = 0
    for g in groups:
        first, end = instances.word_starts[g], instances.word_starts[g + 1]
        for i in range(instances.starts[g], instances.starts[g + 1]):
            for e in range(instances.entry_starts[i], instances.entry_starts[i + 1]):
                entry = instances.entries[e]
                space.changes[entry >> 1, entry & WORSE] += weights[i]
        for w in range(first, end):
            column = table.columns[instances.words[w]]
            if column != ASLEEP:
                columns[n] = column
                values[2 * n], values[2 * n + 1] = space.changes[w - first, 0], space.changes[w - first, 1]
                n += 1
        space.changes[: end - first] = 0.0
        starts[g + 1] = n
    return Changes(groups, starts, columns[:n], values[: 2 * n])


@kernel
def add(
    instances: Instances,
    changes: Changes,
    table: Table,
    sums: Array,
    bar: float,
    candidates: Candidates,
    space: Space,
) -> None:
    """Turn changes of groups into changes of features, one query word at a time: its row stays in the caches."""
    words, starts, by_word = _by_query_word(instances, changes.groups, table.rows, space.of_word)
    for w in range(len(words)):
        row = table.rows[words[w]]
        for m in range(starts[w], starts[w + 1]):
            k = by_word[m]
            for c in range(np.uint64(changes.starts[k]), np.uint64(changes.starts[k + 1])):
                place = place_of(table, row, changes.columns[c])
                at, by = np.uint64(2) * place, np.uint64(2) * c
                better = sums[at] + changes.values[by]
                worse = sums[at + np.uint64(1)] + changes.values[by + np.uint64(1)]
                sums[at], sums[at + np.uint64(1)] = better, worse
                if max(better, worse) >= bar and gain(better, worse) >= bar:
                    _admit(np.int64(place), table, candidates)


@kernel
def _by_query_word(instances: Instances, groups: Array, rows: Array, counts: Array) -> Any:
    """(active query words of these groups, where the groups of each start, positions among the groups)."""
    n = n_words = 0
    words = np.empty(len(counts), np.int64)
    for g in groups:
        for q in range(instances.query_starts[g], instances.query_starts[g + 1]):
            i = instances.query_words[q]
            if rows[i] != ASLEEP:
                if counts[i] == 0:
                    words[n_words] = i
                    n_words += 1
                counts[i] += 1
                n += 1
    words = np.sort(words[:n_words])
    starts = np.zeros(n_words + 1, np.int64)
    for w in range(n_words):
        starts[w + 1] = starts[w] + counts[words[w]]
        counts[words[w]] = starts[w]
    by_word = np.empty(n, np.int32)
    for k in range(len(groups)):
        for q in range(instances.query_starts[groups[k]], instances.query_starts[groups[k] + 1]):
            i = instances.query_words[q]
            if rows[i] != ASLEEP:
                by_word[counts[i]] = k
                counts[i] += 1
    for i in words:
        counts[i] = 0
    return words, starts, by_word


@kernel
def _admit(place: int, table: Table, candidates: Candidates) -> None:
    """A place that has risen to the threshold; hashed features are looked up when it would be chosen."""
    if get_bit(candidates.known, place):
        return
    n = candidates.counts[0]
    if n == len(candidates.places) or candidates.starts[n] == len(candidates.features):
        candidates.counts[1] += 1
        return
    set_bit(candidates.known, place)
    candidates.places[n] = place
    candidates.starts[n + 1] = candidates.starts[n]
    if not table.hashed:
        candidates.features[candidates.starts[n]] = feature_of(table, place)
        candidates.starts[n + 1] += 1
    candidates.counts[0] = n + 1


@kernel
def feature_of(table: Table, place: int) -> Any:
    """The feature of an exact place."""
    i, j = (
        table.row_words[place // len(table.column_words)],
        table.column_words[place % len(table.column_words)],
    )
    return np.int64(i) * len(table.columns) + j


@kernel
def features_of(table: Table, places: Array) -> Array:
    features = np.empty(len(places), np.int64)
    for n in range(len(places)):
        features[n] = feature_of(table, places[n])
    return features


@kernel
def mark_used(table: Table, features: Array, used: Array) -> None:
    """The places of features that were already chosen."""
    for feature in features:
        row, column = table.rows[feature // len(table.columns)], table.columns[feature % len(table.columns)]
        if row != ASLEEP and column != ASLEEP:
            set_bit(used, np.int64(place_of(table, row, column)))


@kernel
def largest_gain(sums: Array, used: Array) -> Any:
    best = np.float32(0.0)
    for place in range(len(sums) // 2):
        better, worse = sums[2 * place], sums[2 * place + 1]
        if max(better, worse) > best and not (len(used) > 0 and get_bit(used, place)):
            best = max(best, gain(better, worse))
    return best


@kernel
def largest_known(sums: Array, candidates: Candidates, used: Array) -> Any:
    """The largest gain of a candidate, above the threshold or not."""
    best = np.float32(0.0)
    for place in candidates.places[: candidates.counts[0]]:
        if not (len(used) > 0 and get_bit(used, place)):
            best = max(best, gain(sums[2 * place], sums[2 * place + 1]))
    return best


@kernel
def collect(sums: Array, bar: float, known: Array, places: Array) -> Any:
    """The places that reach the threshold, ascending; how many there are, whether they fit or not."""
    known[:] = 0
    n = 0
    for place in range(len(sums) // 2):
        better, worse = sums[2 * place], sums[2 * place + 1]
        if max(better, worse) >= bar and gain(better, worse) >= bar:
            set_bit(known, place)
            if n < len(places):
                places[n] = place
            n += 1
    return n


@kernel
def look_up(instances: Instances, table: Table, wanted: Array, places: Array, features: Array) -> Any:
    """(place, feature) of every feature of the sample at one of the requested places, which are ascending.

    Returns how many there are, whether they fit or not.
    """
    n_columns = len(table.columns)
    marked, met = np.zeros(n_columns, np.bool_), np.empty(n_columns, np.int64)
    sieve = np.zeros(
        (1 << SIEVE_BITS) // 8, np.uint8
    )  # small enough for the caches, unlike a bit for each place
    for place in wanted:
        set_bit(sieve, place & SIEVE_MASK)
    n = 0
    for i in range(len(table.rows)):
        n_met = 0
        for m in range(instances.met_starts[i], instances.met_starts[i + 1]):
            g = instances.met[m]
            for j in instances.words[instances.word_starts[g] : instances.word_starts[g + 1]]:
                if not marked[j]:
                    marked[j] = True
                    met[n_met] = j
                    n_met += 1
        for j in met[:n_met]:
            marked[j] = False
            place = np.int64(place_of(table, i, j))
            if get_bit(sieve, place & SIEVE_MASK) and find(wanted, 0, len(wanted), place) >= 0:
                if n < len(places):
                    places[n], features[n] = place, np.int64(i) * n_columns + j
                n += 1
    return n
