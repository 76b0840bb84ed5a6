"""From compiled queries to kernel input: plans are made once per batch and bound to each segment."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kakehashi.index.segment import Segment
from kakehashi.index.statistics import Statistics
from kakehashi.retrieve.kernels import NONE_KEPT, Batch, SegmentArrays
from kakehashi.retrieve.weighting import Groups, Plan, Weighting, sums
from kakehashi.types import Floats, Floats32, Ints, Longs, TermQuery

NOTHING = np.zeros(0)
NO_PLACES = np.zeros((0, 3), np.int64)
HEADROOM = 2.0**29  # accumulators are 32-bit: no score may come near 2**30 quanta


@dataclass(frozen=True)
class Queries:
    """Planned queries, before they are bound to a segment."""

    query_starts: Longs  # (queries + 1,)
    group_starts: Longs  # (groups + 1,)
    terms: Ints  # (entries,)
    weights: Floats32  # (entries,)
    plan: Plan
    units: Floats  # (queries,) quanta per 1.0

    def __len__(self) -> int:
        return len(self.query_starts) - 1


def plan_queries(
    compiled: Sequence[TermQuery], weighting: Weighting, statistics: Statistics, longest: int
) -> Queries:
    """`longest` is the length of the longest document; it bounds the prior."""
    compiled = [by_rank(query, statistics) for query in compiled]
    query_starts = _starts([len(query) for query in compiled])
    group_starts = _starts(np.concatenate([np.diff(query.starts) for query in compiled] or [NOTHING]))
    terms = np.concatenate([query.terms for query in compiled] or [np.zeros(0, np.int32)]).astype(np.int32)
    term_weights = np.concatenate([query.term_weights for query in compiled] or [NOTHING]).astype(np.float64)
    weights = np.concatenate([query.weights for query in compiled] or [NOTHING]).astype(np.float64)
    lost = _lost(compiled)
    totals = np.full(len(weights), float(statistics.total_length))
    if len(lost):
        totals = totals - sums(group_starts, lost * statistics.cf[terms])
    groups = Groups(
        query_starts,
        weights,
        _own(sums(group_starts, term_weights * statistics.df[terms]), query_starts, [q.df for q in compiled]),
        _own(sums(group_starts, term_weights * statistics.cf[terms]), query_starts, [q.cf for q in compiled]),
        group_starts,
        terms,
        statistics.df[terms].astype(np.float64),
        term_weights,
        totals,
        lost,
    )
    plan = weighting.plan(groups, statistics)
    priors = weighting.priors(longest)
    lowest_prior = priors.min(initial=0.0) if len(priors) else 0.0
    largest = groups.sum_by_query(plan.caps) + np.abs(plan.prior_weights * lowest_prior)
    units = 2.0 ** np.floor(np.log2(HEADROOM / np.maximum(largest, 1e-12)))
    return Queries(query_starts, group_starts, terms, plan.term_weights.astype(np.float32), plan, units)


def _lost(compiled: Sequence[TermQuery]) -> Floats:
    """(entries,) empty if nothing is lost anywhere."""
    if all(query.lost is None or not query.lost.any() for query in compiled):
        return NOTHING
    return np.concatenate([np.zeros(len(q.terms)) if q.lost is None else q.lost for q in compiled])


def _own(values: Floats, query_starts: Longs, given: Sequence[Floats | None]) -> Floats:
    """The values, or what queries bring themselves."""
    for q, own in enumerate(given):
        if own is not None:
            values[query_starts[q] : query_starts[q + 1]] = own
    return values


def bind(queries: Queries, segment: Segment, weighting: Weighting, statistics: Statistics) -> Batch:
    """The planned queries over one segment's postings."""
    plan = queries.plan
    rows = segment.rows(queries.terms)
    present = rows >= 0
    safe = np.where(present, rows, 0)
    if len(segment.terms):
        most = np.where(present, segment.max_tf[safe], 0) * queries.weights.astype(np.float64)
        shortest = np.where(present, segment.min_length[safe], np.iinfo(np.int32).max)
        post_starts = np.where(present, segment.starts[safe], 0)
        post_ends = np.where(present, segment.starts[safe + 1], 0)
        columns = np.where(present, segment.columns[safe], -1).astype(np.int16)
    else:
        most, shortest = np.zeros(len(rows)), np.full(len(rows), np.iinfo(np.int32).max)
        post_starts = post_ends = np.zeros(len(rows), dtype=np.int64)
        columns = np.full(len(rows), -1, dtype=np.int16)
    group_most = sums(queries.group_starts, most)
    group_shortest = _group_minima(queries.group_starts, shortest)
    bounds = np.where(group_most > 0, weighting.bounds(plan, group_most, group_shortest, statistics), 0.0)
    return Batch(
        queries.query_starts,
        queries.units,
        plan.prior_weights,
        queries.group_starts,
        plan.scales,
        plan.rates,
        bounds,
        queries.terms,
        queries.weights,
        post_starts,
        post_ends,
        columns,
        *_shortening(plan),
        NO_PLACES,
    )


def unbound(queries: Queries) -> Batch:
    """The planned queries without postings, for loops that read documents alone."""
    plan, none = queries.plan, np.zeros(0, np.int64)
    return Batch(
        queries.query_starts,
        queries.units,
        plan.prior_weights,
        queries.group_starts,
        plan.scales,
        plan.rates,
        NOTHING,
        queries.terms,
        queries.weights,
        none,
        none,
        np.zeros(0, np.int16),
        *_shortening(plan),
        NO_PLACES,
    )


def _shortening(plan: Plan) -> tuple[Floats32, Floats32, Floats32]:
    """(lost, stretches, shifts) as the kernels read them."""
    own = plan.shortening
    parts = (own.lost, own.stretches, own.shifts) if own else (NOTHING,) * 3
    lost, stretches, shifts = (each.astype(np.float32) for each in parts)
    return lost, stretches, shifts


def segment_arrays(segment: Segment, weighting: Weighting, statistics: Statistics) -> SegmentArrays:
    tfs, lengths = segment.pairs
    longest = int(lengths.max(initial=0))  # including dead ones: tables are read before they are removed
    pair_tfs = tfs.astype(np.float32)
    factors = weighting.length_factors(longest, statistics)
    fwd_starts, fwd_terms, fwd_tfs = segment.forward
    return SegmentArrays(
        docs=np.asarray(segment.docs).view(np.uint32),
        codes=np.asarray(segment.codes),
        pair_tfs=pair_tfs,
        pair_values=pair_tfs / (pair_tfs + factors[lengths]) if len(factors) else factors,
        lengths=np.asarray(segment.lengths),
        doc_factors=factors[segment.lengths] if len(factors) else factors,
        doc_scales=weighting.doc_scales(segment, statistics),
        priors=weighting.priors(longest),
        top_tfs=np.asarray(segment.top_tfs),
        fwd_starts=np.asarray(fwd_starts),
        fwd_terms=np.asarray(fwd_terms),
        fwd_tfs=np.asarray(fwd_tfs),
        **NONE_KEPT,
    )


def by_rank(query: TermQuery, statistics: Statistics) -> TermQuery:
    """The query with each group's entries in the order of a fresh index, so that no sum depends on updates.

    Where an index is fresh, this is the order in which documents hold their terms, too.
    """
    if (np.diff(query.starts) <= 1).all():
        return query
    groups = np.repeat(np.arange(len(query)), np.diff(query.starts))
    order = np.lexsort((statistics.rank_of(query.terms), groups))
    lost = None if query.lost is None else query.lost[order]
    return replace(query, terms=query.terms[order], term_weights=query.term_weights[order], lost=lost)


def _starts(sizes: Sequence[int] | Longs) -> Longs:
    return np.append(0, np.cumsum(sizes)).astype(np.int64)


def _group_minima(starts: Longs, values: Floats) -> Floats:
    """Every group has at least one entry, as `TermQuery` requires."""
    if len(values) == len(starts) - 1:
        return values.astype(np.float64)
    return np.minimum.reduceat(values, starts[:-1]).astype(np.float64) if len(starts) > 1 else np.zeros(0)
