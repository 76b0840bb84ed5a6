"""One epoch of training instances for the CNN ranker: which queries meet which documents; NumPy alone, no texts.

A batch has some queries with their relevant documents. Each relevant document of the query's highest level gets
`irrelevant` others of its own; one of a lower level shares those of its query, so that an epoch has
(1 + irrelevant)·highest + lower instances. Others come from the documents another system finds for the query, or from
a few random documents that all queries of the batch share, so that each is encoded once and paired many times.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from kakehashi.types import Array, Bools, Floats, Longs

ROUNDS = 4  # times that a document drawn by mistake, because it is relevant, is drawn again


class Lists(NamedTuple):
    """Numbers by query: those of query q are values[starts[q]:starts[q + 1]]."""

    starts: Longs  # (queries + 1,)
    values: Longs

    def pick(self, owners: Longs, chances: Floats) -> Longs:
        """One of each owner's values; -1 where it has none."""
        sizes = self.starts[owners + 1] - self.starts[owners]
        places = self.starts[owners] + (chances * sizes).astype(np.int64)
        if not len(self.values):
            return np.full(len(owners), -1, np.int64)
        return np.where(sizes > 0, self.values[np.minimum(places, len(self.values) - 1)], -1)


class Judged(NamedTuple):
    """What is known about the training queries, by their rows."""

    relevant: Lists  # rows of documents
    levels: Longs  # of `relevant.values`
    hard: Lists  # rows of documents that another system finds for the query and that are not relevant
    n_docs: int  # irrelevant documents are drawn from rows 0 to n_docs - 1


class Drawing(NamedTuple):
    """How an epoch is drawn."""

    batch: int = 64  # queries
    per_query: int = 8  # relevant documents of a query, at most
    irrelevant: int = 4  # for each relevant document of the highest level
    hard: float = 0.5  # share of these that another system finds
    hard_each: int = 2  # such documents of a query, which its relevant documents share
    shared: int = 128  # random documents of a batch; 0: every instance draws its own


class Batch(NamedTuple):
    """Texts by their rows, and instances by their places among these."""

    queries: Longs  # (queries,) rows
    docs: Longs  # (documents,) rows
    query_of: Longs  # (instances,) places in `queries`
    doc_of: Longs  # (instances,) places in `docs`
    better: Longs  # (pairs,) instances
    worse: Longs  # (pairs,)


def usable_queries(judged: Judged) -> Longs:
    found: Longs = np.flatnonzero(np.diff(judged.relevant.starts) > 0)
    return found


def draw_epoch(judged: Judged, drawing: Drawing, rng: Generator) -> Iterator[Batch]:
    """Every query with a relevant document once, in a new order."""
    order = rng.permutation(usable_queries(judged))
    sizes = judged.relevant.starts[1:] - judged.relevant.starts[:-1]
    owners = np.repeat(order, sizes[order])
    keys = np.sort(owners * judged.n_docs + judged.relevant.values[_rows_of(judged.relevant, order)])
    for first in range(0, len(order), drawing.batch):
        yield _draw(judged, drawing, order[first : first + drawing.batch], keys, rng)


def _rows_of(lists: Lists, owners: Longs) -> Longs:
    """Places of all values of these owners, one owner after the other."""
    sizes = lists.starts[owners + 1] - lists.starts[owners]
    ends = np.cumsum(sizes)
    places = np.arange(int(ends[-1]) if len(ends) else 0)
    found: Longs = places + np.repeat(lists.starts[owners] - (ends - sizes), sizes)
    return found


class _Relevant(NamedTuple):
    """The relevant documents of a batch, query by query, the highest level first."""

    query: Longs  # places in the batch
    docs: Longs
    is_top: Bools
    tops: Longs  # (queries,) how many of each query's are of its highest level
    first: Longs  # (queries,) where each query's begin


def _relevant_of(judged: Judged, drawing: Drawing, queries: Longs, rng: Generator) -> _Relevant:
    sizes = judged.relevant.starts[queries + 1] - judged.relevant.starts[queries]
    query, rows = np.repeat(np.arange(len(queries)), sizes), _rows_of(judged.relevant, queries)
    levels = judged.levels[rows]
    by_chance = np.lexsort((rng.random(len(rows)), query))  # each query's own in a random order
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept = by_chance[rank < drawing.per_query]
    kept = kept[np.lexsort((-levels[kept], query[kept]))]
    query, rows, levels = query[kept], rows[kept], levels[kept]
    sizes = np.minimum(sizes, drawing.per_query)
    first = np.cumsum(sizes) - sizes
    is_top = levels == np.repeat(levels[first], sizes)
    tops = np.bincount(query[is_top], minlength=len(queries))
    return _Relevant(query, judged.relevant.values[rows], is_top, tops, first)


def _draw(judged: Judged, drawing: Drawing, queries: Longs, keys: Longs, rng: Generator) -> Batch:
    relevant = _relevant_of(judged, drawing, queries, rng)
    n_relevant, each = len(relevant.docs), drawing.irrelevant
    owner = np.repeat(relevant.query[relevant.is_top], each)  # of each drawn document
    n_drawn = len(owner)
    n_shared = drawing.shared or n_drawn
    shared = rng.integers(judged.n_docs, size=n_shared)
    hard = judged.hard.pick(
        np.repeat(queries, drawing.hard_each), rng.random(len(queries) * drawing.hard_each)
    )
    docs = np.concatenate([relevant.docs, shared, np.maximum(hard, 0)])
    places = np.zeros(n_drawn, np.int64)
    wrong = np.ones(n_drawn, bool)
    for turn in range(ROUNDS):
        again = np.flatnonzero(wrong)
        if not len(again):
            break
        own = again if not drawing.shared and turn == 0 else rng.integers(n_shared, size=len(again))
        places[again] = n_relevant + own
        if drawing.hard_each and turn == 0:
            found = owner[again] * drawing.hard_each + rng.integers(drawing.hard_each, size=len(again))
            takes = (rng.random(len(again)) < drawing.hard) & (hard[found] >= 0)
            places[again[takes]] = n_relevant + n_shared + found[takes]
        drawn = queries[owner[again]] * judged.n_docs + docs[places[again]]
        wrong[again] = keys[np.minimum(np.searchsorted(keys, drawn), len(keys) - 1)] == drawn
    return _paired(relevant, queries, docs, owner, places, wrong, each, rng)


def _paired(
    relevant: _Relevant, queries: Longs, docs: Longs, owner: Longs, places: Longs, wrong: Bools, each: int,
    rng: Generator,
) -> Batch:  # fmt: skip
    """Instances are the relevant documents, then those drawn; one that is relevant after all is in no pair."""
    n_relevant = len(relevant.docs)
    top, lower = np.flatnonzero(relevant.is_top), np.flatnonzero(~relevant.is_top)
    drawn = n_relevant + np.arange(len(owner))
    # lower levels are compared with what one of their query's highest level drew
    tops_before = np.cumsum(relevant.tops) - relevant.tops
    of = relevant.query[lower]
    chosen = tops_before[of] + (rng.random(len(lower)) * relevant.tops[of]).astype(np.int64)
    theirs = (chosen[:, None] * each + np.arange(each)).ravel()
    # and the highest with one of a lower level, where the query has any
    n_lower = np.bincount(of, minlength=len(queries))
    query = relevant.query[top]
    has = n_lower[query] > 0
    below = (
        relevant.first[query]
        + relevant.tops[query]
        + (rng.random(len(top)) * n_lower[query]).astype(np.int64)
    )
    better = np.concatenate([np.repeat(top, each), np.repeat(lower, each), top[has]])
    worse = np.concatenate([drawn, drawn[theirs], below[has]])
    is_wrong = np.concatenate([np.zeros(n_relevant, bool), wrong])
    fine = ~is_wrong[worse]
    return Batch(
        queries,
        docs,
        np.concatenate([relevant.query, owner]),
        np.concatenate([np.arange(n_relevant), places]),
        better[fine],
        worse[fine],
    )


def lists_of(rows: list[Array]) -> Lists:
    """Side by side."""
    starts = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int64)
    return Lists(starts, np.concatenate([*rows, np.zeros(0)]).astype(np.int64))
