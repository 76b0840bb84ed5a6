"""Draws of (query, positive, negative) from judgments; writes no files.

A negative comes from one of three sets, all without the query's own document:

    UNLISTED   documents that are not relevant: level 0 or not judged
    LOWER      documents of a lower level than the positive's, all equally likely
    LEVELS     the same, but first a level is drawn among those the query has below the positive's

None of them uses rejection sampling, so a query for which almost every document is relevant costs no more.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from kakehashi.compiled import kernel
from kakehashi.corpus.judged_pool import Judgments, after
from kakehashi.types import Array

UNLISTED, LOWER, LEVELS = 0, 1, 2
ALL = -1  # documents that are not relevant, for each relevant one


class Plan(NamedTuple):
    """What a draw of a query brings."""

    per_query: int  # independent pairs of any positive; 0: the positives one after the other
    irrelevant: int  # how many documents that are not relevant each of these meets, or ALL; 0: one of `kind`
    kind: int  # which documents may be negatives


class Block(NamedTuple):
    """Buffers for consecutive groups of pairs."""

    queries: Array  # (room,) int32
    ends: Array  # (room,) int64, within the block
    positives: Array  # (room,) int32
    negatives: Array  # (room,) int32
    margins: Array  # (room,) uint8


class Hard(NamedTuple):
    """Documents that are not relevant and yet like it, by query."""

    share: float  # of the negatives
    documents: Mapping[str, Array]  # numbers in the pool

    def of(self, queries: Sequence[str]) -> tuple[Array, Array]:
        """(starts, documents) side by side, in the order of the queries."""
        lists = [self.documents.get(query, np.zeros(0, np.int32)) for query in queries]
        starts = np.append(0, np.cumsum([len(one) for one in lists])).astype(np.int64)
        return starts, np.concatenate([*lists, np.zeros(0, np.int32)]).astype(np.int32)


class Turns(NamedTuple):
    """The order when every query is drawn once before any is drawn again."""

    order: Array  # (usable queries,) int64, reshuffled for every pass
    place: Array  # (1,) int64


def new_block(judgments: Judgments, plan: Plan, pairs: int) -> Block:
    """Room for about this many pairs, and at least for the largest group."""
    room = max(pairs, int(_largest_group(judgments, plan)))
    return Block(
        np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int32),
        np.empty(room, np.int32), np.empty(room, np.uint8),
    )  # fmt: skip


def first_turns(judgments: Judgments) -> Turns:
    n = len(judgments.usable)
    return Turns(np.arange(n, dtype=np.int64), np.array([n], dtype=np.int64))  # shuffled before the first


@kernel
def _below(rng: Generator, n: int) -> Any:
    return np.int64(rng.random() * n)


@kernel
def _unlisted(listed: Array, first: int, end: int, rank: int) -> Any:
    """The document with that rank among those that are not listed."""
    low, high = first, end
    while low < high:  # listed[i] - (i - first) documents before listed[i] are not listed
        middle = (low + high) // 2
        if listed[middle] - (middle - first) <= rank:
            low = middle + 1
        else:
            high = middle
    return rank + low - first


@kernel
def _negative(rng: Generator, judgments: Judgments, query: int, level: int, kind: int) -> Any:
    """(document, level) of one negative for a positive of `level`."""
    documents, levels, listed = judgments.documents, judgments.levels, judgments.listed
    first, listed_first = judgments.starts[query], judgments.listed_starts[query]
    listed_end = judgments.listed_starts[query + 1]
    n_unlisted = judgments.n_documents - (listed_end - listed_first)
    if kind == UNLISTED:
        return _unlisted(listed, listed_first, listed_end, _below(rng, n_unlisted)), 0
    end = after(levels, first, judgments.starts[query + 1], level - 1)
    if kind == LOWER:
        place = first + _below(rng, n_unlisted + end - first)
        if place < end:
            return np.int64(documents[place]), np.int64(levels[place])
        return _unlisted(listed, listed_first, listed_end, place - end), 0
    n_levels, place = np.int64(n_unlisted > 0), first
    while place < end:
        n_levels += 1
        place = after(levels, place, end, levels[place])
    drawn = _below(rng, n_levels)
    if drawn == 0 and n_unlisted > 0:
        return _unlisted(listed, listed_first, listed_end, _below(rng, n_unlisted)), 0
    for _ in range(drawn - np.int64(n_unlisted > 0)):
        first = after(levels, first, end, levels[first])
    place = first + _below(rng, after(levels, first, end, levels[first]) - first)
    return np.int64(documents[place]), np.int64(levels[place])


@kernel
def _lower(judgments: Judgments, query: int, positive: int) -> Any:
    """How many relevant documents of the query have a lower level than the one at this position."""
    first = judgments.starts[query]
    return after(judgments.levels, first, positive, np.int64(judgments.levels[positive]) - 1) - first


@kernel
def _meets(judgments: Judgments, plan: Plan, query: int, positive: int) -> Any:
    """(documents that are not relevant, relevant ones of a lower level): how many a positive is paired with."""
    n_listed = judgments.listed_starts[query + 1] - judgments.listed_starts[query]
    n_unlisted = judgments.n_documents - n_listed
    irrelevant = n_unlisted if plan.irrelevant == ALL or n_unlisted == 0 else np.int64(plan.irrelevant)
    return irrelevant, _lower(judgments, query, positive) if plan.kind != UNLISTED else np.int64(0)


@kernel
def _group_size(judgments: Judgments, plan: Plan, query: int) -> Any:
    first, end = judgments.firsts[query], judgments.starts[query + 1]
    if plan.per_query > 0:
        return np.int64(plan.per_query)
    if plan.irrelevant == 0:
        return end - first
    size = np.int64(0)
    for positive in range(first, end):
        irrelevant, lower = _meets(judgments, plan, query, positive)
        size += irrelevant + lower
    return size


@kernel
def _largest_group(judgments: Judgments, plan: Plan) -> Any:
    largest = np.int64(0)
    for query in judgments.usable:
        largest = max(largest, _group_size(judgments, plan, query))
    return largest


@kernel
def draw_groups(
    rng: Generator, judgments: Judgments, turns: Turns, plan: Plan, wanted: int, block: Block
) -> Any:
    """Fill the block until it has `wanted` pairs or no room for the next group; (groups, pairs).

    With `plan.per_query`, any usable query is drawn, otherwise the next one in turn.
    """
    usable, per_query = judgments.usable, plan.per_query
    groups = pairs = 0
    while pairs < wanted and pairs + per_query <= len(block.positives):
        number = _below(rng, len(usable)) if per_query > 0 else _next_in_turn(rng, turns)
        query = usable[number]
        size = _group_size(judgments, plan, query)
        if pairs + size > len(block.positives):
            break
        turns.place[0] += 1
        if plan.irrelevant == 0:
            _draw_each(rng, judgments, plan, query, size, block, pairs)
        else:
            _pair_all(rng, judgments, plan, query, block, pairs)
        pairs += size
        block.queries[groups], block.ends[groups] = number, pairs
        groups += 1
    return groups, pairs


@kernel
def _draw_each(
    rng: Generator, judgments: Judgments, plan: Plan, query: int, size: int, block: Block, start: int
) -> None:
    """As many pairs, each with a negative of its own; positives drawn or one after the other."""
    documents, levels = judgments.documents, judgments.levels
    first = judgments.firsts[query]
    n_positives = judgments.starts[query + 1] - first
    for i in range(size):
        chosen = first + (_below(rng, n_positives) if plan.per_query > 0 else i)
        negative, level = _negative(rng, judgments, query, levels[chosen], plan.kind)
        block.positives[start + i], block.negatives[start + i] = documents[chosen], negative
        block.margins[start + i] = levels[chosen] - level


@kernel
def _pair_all(rng: Generator, judgments: Judgments, plan: Plan, query: int, block: Block, start: int) -> None:
    """Each positive with some or all documents that are not relevant, and with all relevant ones below it."""
    documents, levels, listed = judgments.documents, judgments.levels, judgments.listed
    listed_first, listed_end = judgments.listed_starts[query], judgments.listed_starts[query + 1]
    n_unlisted = judgments.n_documents - (listed_end - listed_first)
    at = start
    for positive in range(judgments.firsts[query], judgments.starts[query + 1]):
        irrelevant, lower = _meets(judgments, plan, query, positive)
        for i in range(irrelevant):
            rank = np.int64(i) if plan.irrelevant == ALL else _below(rng, n_unlisted)
            block.negatives[at + i] = _unlisted(listed, listed_first, listed_end, rank)
            block.margins[at + i] = levels[positive]
        at += irrelevant
        for i in range(lower):
            below = judgments.starts[query] + i
            block.negatives[at + i] = documents[below]
            block.margins[at + i] = levels[positive] - levels[below]
        at += lower
        block.positives[at - irrelevant - lower : at] = documents[positive]


@kernel
def _next_in_turn(rng: Generator, turns: Turns) -> Any:
    """Stays the same until the turn is taken."""
    order, place = turns.order, turns.place
    if place[0] == len(order):
        for i in range(len(order) - 1, 0, -1):  # rng.shuffle does the same, and takes 10 s to compile
            j = _below(rng, i + 1)
            order[i], order[j] = order[j], order[i]
        place[0] = 0
    return order[place[0]]


@kernel
def harden(
    queries: Array, starts: Array, negatives: Array, draws: Array, hard_starts: Array, documents: Array
) -> None:
    """Replace negatives where the draw, divided by their share, is below 1; what is left of it chooses the document."""
    for group in range(len(queries)):
        first, last = hard_starts[queries[group]], hard_starts[queries[group] + 1]
        for pair in range(starts[group], starts[group + 1]):
            if draws[pair] < 1.0 and last > first:
                negatives[pair] = documents[first + np.int64(draws[pair] * (last - first))]
