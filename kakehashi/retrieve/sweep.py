"""The ranks of given documents for one query under many thresholds of relatedness.

From one threshold to the next only few groups of words change, so only their shares are taken back and computed
again. Shares are whole numbers, so what is left is exact.
"""

from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.retrieve.extended import ExtendedBm25, ExtendedLm
from kakehashi.retrieve.kernels import LOGARITHMIC, SATURATED, SegmentArrays, at, shortened
from kakehashi.retrieve.planning import plan_queries, segment_arrays
from kakehashi.text.idf import inverse_df
from kakehashi.types import Array, Bools, Floats32, Ints, Longs, TermQuery

ALWAYS = np.float32(2.0)  # the similarity of a word to itself: above every threshold

BELOW_ALL = -(1 << 60)  # the prior of a document that may not be listed


class Candidates(NamedTuple):
    """A query with all words that some threshold relates to its words; entry 0 of a group is the word itself."""

    query: TermQuery
    first: Floats32  # (entries,) similarity in the kind of relatedness that gives the words
    second: Floats32  # (entries,) similarity in the kind that filters them; ALWAYS without one


class _Constants(NamedTuple):
    form: int
    n_docs: int
    total: float
    base: float  # BM25: what the length factor is at length 0
    slope: float  # BM25: and what it grows by per mean length
    mu: float  # LM
    query_parts: Array  # (groups,) of the scales; times idf for BM25
    idf: Array  # (documents + 1,) by df; ones for LM
    unit: float


class Sweep:
    """Over an index of one segment without deleted documents, as every new one is."""

    def __init__(self, index: Index, weighting: ExtendedBm25 | ExtendedLm):
        if len(index.segments) != 1 or index.dead(0) is not None:
            raise InputError(f"{index.folder} was updated: rebuild it (kakehashi index DIR --rebuild)")
        self._index, self._weighting, self._segment = index, weighting, index.segments[0]
        self._arrays = segment_arrays(self._segment, weighting, index.statistics)
        n = index.n_docs
        self._idf = (
            inverse_df(np.arange(n + 1, dtype=np.float64), n, weighting.idf)
            if isinstance(weighting, ExtendedBm25)
            else np.ones(n + 1)
        )

    def ranks(
        self, candidates: Candidates, steps: Floats32, asked: Longs, allowed: Bools | None = None
    ) -> Ints:
        """(steps, asked) ranks from 1, 0 where a document is not found; steps (n, 2) are pairs of thresholds.

        Fastest if neighbouring steps differ little. `allowed` (documents,) are those that may be listed.
        """
        query, segment = candidates.query, self._segment
        if not len(query):
            return np.zeros((len(steps), len(asked)), np.int32)
        constants, prior_weight = self._constants(query)
        rows = segment.rows(query.terms)
        postings = (
            np.where(rows >= 0, segment.starts[rows], 0),
            np.where(rows >= 0, segment.starts[rows + 1], 0),
        )
        priors = self._arrays.priors
        quanta = np.zeros(segment.n_docs, np.int64)
        if len(priors):
            quanta = np.rint(constants.unit * prior_weight * priors[segment.lengths]).astype(np.int64)
        if allowed is not None:
            quanta[~allowed] = BELOW_ALL
            asked = np.where(allowed[np.maximum(asked, 0)], asked, -1)
        cf = self._index.statistics.cf[query.terms].astype(np.float64)
        ranks: Ints = _ranks(
            query.starts, query.term_weights, cf, candidates.first, candidates.second, *postings,
            constants, self._arrays, quanta, steps, asked,
        )  # fmt: skip
        return ranks

    def _constants(self, query: TermQuery) -> tuple[_Constants, float]:
        """For the words alone: what relates them can only lower their weight."""
        weighting, statistics = self._weighting, self._index.statistics
        own = TermQuery(
            query.weights,
            np.arange(len(query) + 1, dtype=np.int64),
            query.terms[query.starts[:-1]],
            np.ones(len(query)),
            query.labels,
        )
        planned = plan_queries([own], weighting, statistics, self._index.longest)
        base, slope, mu, parts = 0.0, 0.0, 0.0, planned.plan.scales
        if isinstance(weighting, ExtendedBm25):
            half = 0.5 if weighting.saturation == "double" else 1.0
            base, slope = half * weighting.k1 * (1 - weighting.b), half * weighting.k1 * weighting.b
            idf = self._idf[statistics.df[own.terms]]
            parts = np.divide(parts, idf, out=np.zeros_like(parts), where=idf > 0)
        else:
            mu = weighting.mu
        return _Constants(
            weighting.form, statistics.n_docs, float(statistics.total_length), base, slope, mu, parts, self._idf,
            float(planned.units[0]),
        ), float(planned.plan.prior_weights[0])  # fmt: skip


@kernel
def _ranks(
    starts: Array,
    weights: Array,
    cf: Array,
    first: Array,
    second: Array,
    post_starts: Array,
    post_ends: Array,
    constants: _Constants,
    data: SegmentArrays,
    priors: Array,
    steps: Array,
    asked: Array,
) -> Array:
    n_docs, n_groups = len(data.lengths), len(starts) - 1
    active = np.zeros(len(weights), np.bool_)
    acc = np.zeros(n_docs, np.int64)
    inner, lost = np.zeros(n_docs, np.float32), np.zeros(n_docs, np.float32)
    room = np.zeros(n_groups + 1, np.int64)  # where the shares of a group are kept
    for g in range(n_groups):
        n = 0
        for e in range(starts[g], starts[g + 1]):
            n += post_ends[e] - post_starts[e]
        room[g + 1] = room[g] + min(n, n_docs)
    kept = np.zeros(n_groups, np.int64)
    docs, shares = np.empty(room[-1], np.int32), np.empty(room[-1], np.int32)
    ranks = np.zeros((len(steps), len(asked)), np.int32)
    for s in range(len(steps)):
        changed = s == 0
        for g in range(n_groups):
            differs = False
            for e in range(starts[g], starts[g + 1]):
                now = first[e] >= steps[s, 0] and second[e] >= steps[s, 1]
                differs |= now != active[e]
                active[e] = now
            if differs:
                changed = True
                for p in range(room[g], room[g] + kept[g]):
                    acc[docs[p]] -= shares[p]
                own_docs, own_shares = docs[room[g] : room[g + 1]], shares[room[g] : room[g + 1]]
                kept[g] = _group_shares(
                    g, starts, weights, cf, active, post_starts, post_ends, constants, data, inner, lost,
                    own_docs, own_shares,
                )  # fmt: skip
                for p in range(room[g], room[g] + kept[g]):
                    acc[docs[p]] += shares[p]
        if changed:
            _rank(acc, priors, asked, ranks[s])
        else:
            ranks[s] = ranks[s - 1]
    return ranks


@kernel
def _group_shares(
    g: int,
    starts: Array,
    weights: Array,
    cf: Array,
    active: Array,
    post_starts: Array,
    post_ends: Array,
    constants: _Constants,
    data: SegmentArrays,
    inner: Array,
    lost: Array,
    out_docs: Array,
    out_shares: Array,
) -> Any:
    """The documents with any active word of the group, and its shares of them; returns how many."""
    docs, codes, pair_tfs = data.docs, data.codes, data.pair_tfs
    group_cf, total = 0.0, constants.total
    for e in range(starts[g], starts[g + 1]):
        if active[e]:
            group_cf += weights[e] * cf[e]
            total -= max(1.0 - weights[e], 0.0) * cf[e]
    mean = constants.total / constants.n_docs
    own_mean = max(total / constants.n_docs, 1e-9)
    stretch = np.float32(mean / own_mean)
    shift = np.float32(constants.base * (1.0 - mean / own_mean))
    loss = constants.slope / own_mean if constants.form == SATURATED else 1.0
    n = 0
    for e in range(starts[g], starts[g + 1]):
        if active[e]:
            weight, less = np.float32(weights[e]), np.float32(loss * max(1.0 - weights[e], 0.0))
            for p in range(post_starts[e], post_ends[e]):
                d = docs[p]
                if inner[d] == 0.0:
                    out_docs[n] = d
                    n += 1
                inner[d] += weight * pair_tfs[codes[p]]
                lost[d] += less * pair_tfs[codes[p]]
    scale = np.float32(constants.unit * constants.query_parts[g] * constants.idf[n])
    rate = np.float32(0.0)
    if constants.form == LOGARITHMIC and group_cf > 0.0:
        rate = np.float32(1.0 / (constants.mu * (group_cf / max(total, 1.0))))
    for i in range(n):
        d = out_docs[i]
        out_shares[i] = shortened(
            constants.form, scale, inner[d], lost[d], rate, stretch, shift,
            at(data.doc_factors, d), at(data.doc_scales, d),
        )  # fmt: skip
        inner[d], lost[d] = 0.0, 0.0
    return n


@kernel
def _rank(acc: Array, priors: Array, asked: Array, ranks: Array) -> None:
    """Documents are numbered by descending id, which is how equal scores are ordered."""
    ranks[:] = 0
    for i in range(len(asked)):
        own = asked[i]
        if own < 0 or acc[own] == 0:
            continue
        score, n = acc[own] + priors[own], 1
        for d in range(len(acc)):
            if acc[d] != 0:
                value = acc[d] + priors[d]
                n += value > score or (value == score and d < own)
        ranks[i] = n
