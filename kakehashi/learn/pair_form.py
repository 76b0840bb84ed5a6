"""Learns W over correlated words by position: f(q, d) = Σ_p q_p'Wd_p, where q_p and d_p hold the p-th target of
each word. All positions share one W. From the same pairs as W of other texts.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn.bilinear import BilinearSettings
from kakehashi.learn.epochs import Blocks, OnEpoch, Trained, train_in_order
from kakehashi.learn.layout import (
    AUTO_BITS,
    MOST_ROWS,
    Layout,
    Positions,
    hashed_layout,
    row_key,
    rows_layout,
)
from kakehashi.learn.vectors import Rows
from kakehashi.learn.weight_access import place_of
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Array


def positions_of(terms: Sequence[str], position_of: Callable[[str], tuple[int, str]]) -> Positions:
    """The position and the target that each word of a model names."""
    named = [position_of(term) for term in terms]
    numbers = {target: number for number, target in enumerate(dict.fromkeys(target for _, target in named))}
    return Positions(
        np.array([place for place, _ in named], np.int32),
        np.array([numbers[target] for _, target in named], np.int32),
        1 + max((place for place, _ in named), default=0),
        len(numbers),
    )


def train_pair_form(
    blocks: Blocks,
    queries: Rows,
    documents: Rows,
    positions: tuple[Positions, Positions],
    settings: BilinearSettings,
    on_epoch: OnEpoch | None = None,
    progress: Progress = SILENT,
) -> Trained:
    """`positions` are those of the words of both sides."""
    layout = _layout(settings, positions)
    weights = np.zeros(layout.n_weights, np.float32)

    def learn(pairs: PairBlock, etas: Array, values: Array) -> None:
        _learn(pairs, queries, documents, *positions, layout, weights, etas, values)

    def taken(epoch: int) -> Trained:
        return Trained(layout, weights.copy(), epoch, positions=positions)

    return train_in_order(blocks, settings, learn, taken, on_epoch, progress)


def _layout(settings: BilinearSettings, positions: tuple[Positions, Positions]) -> Layout:
    plain = settings.rates != "adaptive" and not settings.average and settings.layout != "blocks"
    if settings.l1 > 0 or settings.l2 > 0 or settings.copies > 1 or settings.signed or not plain:
        raise InputError(
            "cfh_form=pairs needs rates=schedule or fixed, layout=auto, rows or scattered, and no l1, l2, average, "
            "copies or signed: set l1=0"
        )
    n_queries, n_documents = (side.n_targets for side in positions)
    if settings.layout == "rows" or (settings.layout == "auto" and n_queries * n_documents <= MOST_ROWS):
        return rows_layout(n_queries, n_documents)
    bits = settings.bits if settings.layout == "scattered" else max(settings.bits, AUTO_BITS)
    return hashed_layout("scattered", bits, np.zeros(n_queries), n_documents)


class Query(NamedTuple):
    """A query's words, ordered by their position."""

    starts: Array  # (positions + 1,) int64
    targets: Array  # (words,) int32
    values: Array  # (words,) float32


@kernel
def _learn(
    pairs: PairBlock,
    queries: Rows,
    documents: Rows,
    of_query: Positions,
    of_document: Positions,
    layout: Layout,
    weights: Array,
    etas: Array,
    values: Array,
) -> None:
    for g in range(len(pairs.queries)):
        q = pairs.queries[g]
        first, end = queries.starts[q], queries.starts[q + 1]
        starts, order = _by_position(queries.columns[first:end], of_query)
        query = Query(
            starts, of_query.targets[queries.columns[first:end]][order], queries.values[first:end][order]
        )
        for p in range(pairs.starts[g], pairs.starts[g + 1]):
            up, down = pairs.positives[p], pairs.negatives[p]
            value = _dot(up, documents, of_document, query, layout, weights) - _dot(
                down, documents, of_document, query, layout, weights
            )
            values[p] = value
            if value < pairs.margins[p]:
                _step(up, etas[p], documents, of_document, query, layout, weights)
                _step(down, -etas[p], documents, of_document, query, layout, weights)


@kernel
def _by_position(words: Array, of_words: Positions) -> Any:
    """(starts, order): where the words of each position lie in the order that puts these side by side."""
    starts = np.zeros(of_words.n_places + 1, np.int64)
    for word in words:
        starts[of_words.places[word] + 1] += 1
    for place in range(of_words.n_places):
        starts[place + 1] += starts[place]
    at, order = starts.copy(), np.empty(len(words), np.int64)
    for n in range(len(words)):
        place = of_words.places[words[n]]
        order[at[place]] = n
        at[place] += 1
    return starts, order


@kernel
def _dot(
    d: int, documents: Rows, of_document: Positions, query: Query, layout: Layout, weights: Array
) -> Any:
    total = np.float32(0.0)
    for f in range(documents.starts[d], documents.starts[d + 1]):
        place, target = of_document.places[documents.columns[f]], of_document.targets[documents.columns[f]]
        if place + 1 < len(query.starts):
            for e in range(query.starts[place], query.starts[place + 1]):
                weight = weights[_at(query.targets[e], target, layout)]
                total += query.values[e] * documents.values[f] * weight
    return total


@kernel
def _step(
    d: int,
    eta: float,
    documents: Rows,
    of_document: Positions,
    query: Query,
    layout: Layout,
    weights: Array,
) -> None:
    for f in range(documents.starts[d], documents.starts[d + 1]):
        place, target = of_document.places[documents.columns[f]], of_document.targets[documents.columns[f]]
        if place + 1 < len(query.starts):
            for e in range(query.starts[place], query.starts[place + 1]):
                at = _at(query.targets[e], target, layout)
                weights[at] += eta * query.values[e] * documents.values[f]


@kernel
def _at(i: int, j: int, layout: Layout) -> Any:
    return place_of(row_key(i, 0), layout.offsets[i], layout.bits[i], j, False, False)[0]


@kernel
def spread_rows(weights: Array, layout: Layout, of_query: Positions, of_document: Positions) -> Any:
    """(starts, columns, values) of W over the words themselves: a weight for every position its two targets share."""
    n_words = len(of_query.places)
    firsts, words = _by_position(np.arange(len(of_document.places)), of_document)
    starts = np.zeros(n_words + 1, np.int64)
    for write in (False, True):
        columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
        at = 0
        for i in range(n_words):
            place = of_query.places[i]
            if place + 1 < len(firsts):
                for n in range(firsts[place], firsts[place + 1]):
                    weight = weights[_at(of_query.targets[i], of_document.targets[words[n]], layout)]
                    if weight != 0.0:
                        if write:
                            columns[at], values[at] = words[n], weight
                        at += 1
            starts[i + 1] = at
    return starts, columns, values
