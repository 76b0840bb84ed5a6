"""Learns a weight per word that both sides share: f(q, d) = Σ_w q_w·weight_w·d_w, from the same pairs as W."""

from typing import Any

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn.bilinear import BilinearSettings
from kakehashi.learn.epochs import Blocks, OnEpoch, Trained, train_in_order
from kakehashi.learn.layout import rows_layout
from kakehashi.learn.vectors import Rows
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Array, Ints


def train_diagonal(
    blocks: Blocks,
    queries: Rows,
    documents: Rows,
    same: Ints,
    n_document_words: int,
    settings: BilinearSettings,
    on_epoch: OnEpoch | None = None,
    progress: Progress = SILENT,
) -> Trained:
    """Starts from a weight of 1 for every shared word, which is the plain dot product."""
    if settings.l1 > 0 or settings.l2 > 0 or settings.average or settings.rates == "adaptive":
        raise InputError("shape=diagonal needs rates=schedule or fixed, and no l1, l2 or average")
    if not (same >= 0).any():
        raise InputError(
            "queries and documents share no word, so shape=diagonal has nothing to learn: set shape=full"
        )
    weights = (same >= 0).astype(np.float32)
    asked = np.zeros(n_document_words, np.float32)

    def learn(pairs: PairBlock, etas: Array, values: Array) -> None:
        _learn(pairs, queries, documents, same, weights, etas, asked, values)

    def taken(epoch: int) -> Trained:
        return Trained(rows_layout(len(same), 1), weights.copy(), epoch, same=same)

    return train_in_order(blocks, settings, learn, taken, on_epoch, progress)


@kernel
def _learn(
    pairs: PairBlock,
    queries: Rows,
    documents: Rows,
    same: Array,
    weights: Array,
    etas: Array,
    asked: Array,
    values: Array,
) -> None:
    """asked (document words,) is zero before and after; in between, the query's values at shared words."""
    query_word = np.full(len(asked), -1, np.int32)
    for g in range(len(pairs.queries)):
        q = pairs.queries[g]
        for e in range(queries.starts[q], queries.starts[q + 1]):
            word = same[queries.columns[e]]
            if word >= 0:
                asked[word], query_word[word] = queries.values[e], queries.columns[e]
        for p in range(pairs.starts[g], pairs.starts[g + 1]):
            up, down = pairs.positives[p], pairs.negatives[p]
            value = _dot(up, documents, asked, query_word, weights) - _dot(
                down, documents, asked, query_word, weights
            )
            values[p] = value
            if value < pairs.margins[p]:
                _step(up, etas[p], documents, asked, query_word, weights)
                _step(down, -etas[p], documents, asked, query_word, weights)
        for e in range(queries.starts[q], queries.starts[q + 1]):
            word = same[queries.columns[e]]
            if word >= 0:
                asked[word], query_word[word] = 0.0, -1


@kernel
def _dot(d: int, documents: Rows, asked: Array, query_word: Array, weights: Array) -> Any:
    columns, values = documents.columns, documents.values
    total = np.float32(0.0)
    for e in range(documents.starts[d], documents.starts[d + 1]):
        j = columns[e]
        if query_word[j] >= 0:
            total += weights[query_word[j]] * asked[j] * values[e]
    return total


@kernel
def _step(d: int, eta: float, documents: Rows, asked: Array, query_word: Array, weights: Array) -> None:
    columns, values = documents.columns, documents.values
    for e in range(documents.starts[d], documents.starts[d + 1]):
        j = columns[e]
        if query_word[j] >= 0:
            weights[query_word[j]] += eta * asked[j] * values[e]
