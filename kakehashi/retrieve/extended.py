"""BM25 and the language model over words together with their related words.

With R(t), the words related to a query word t, and their weights w:

    tf^(t, d) = tf(t, d) + Σ w·tf(t', d)          L^(d) = L(d) - Σ (1 - w)·tf(t', d)
    df^(t)    = documents that contain t or any t'
    cf^(t)    = cf(t) + Σ w·cf(t')                C^ = C - Σ (1 - w)·cf(t')

A query brings df^ and what a document loses by each occurrence; cf^ and C^ follow from these. Without related words,
scores are those of `Bm25` and `Lm`, to the bit.
"""

from dataclasses import replace

import numpy as np

from kakehashi.index.segment import Segment
from kakehashi.index.statistics import Statistics
from kakehashi.retrieve.weighting import LONGEST_COUNT, Bm25, Groups, Lm, Plan, Shortening
from kakehashi.types import Floats, Floats32

SLACK = 1.0001  # a difference of float32 numbers errs more than its terms


class ExtendedBm25(Bm25, frozen=True, forbid_unknown_fields=True):
    """Σ idf(df^)·(k1 + 1)·tf^ / (tf^ + k1·(1 - b + b·L^/mean^))·query-tf part, with mean^ = C^/N."""

    b: float = 0.6
    k3: float = 1000.0

    def plan(self, groups: Groups, statistics: Statistics) -> Plan:
        plan = Bm25.plan(self, groups, statistics)
        if not len(groups.lost):
            return plan
        half = 0.5 if self.saturation == "double" else 1.0
        mean = statistics.mean_length or 1.0
        means = np.maximum(groups.totals / max(statistics.n_docs, 1), 1e-9)
        stretches = mean / means  # exactly 1 where nothing is lost
        shifts = half * self.k1 * (1 - self.b) * (1 - stretches)
        lost = groups.lost * np.repeat(half * self.k1 * self.b / means, np.diff(groups.starts))
        return replace(plan, shortening=Shortening(lost, stretches, shifts, _ratios(groups, lost)))

    def bounds(self, plan: Plan, most: Floats, shortest: Floats, statistics: Statistics) -> Floats:
        own = plan.shortening
        if own is None:
            return Bm25.bounds(self, plan, most, shortest, statistics)
        factor = own.stretches * self._factor(shortest, statistics) + own.shifts - own.ratios * most
        return SLACK * plan.scales * most / (most + np.maximum(factor, 0.0))


class ExtendedLm(Lm, frozen=True, forbid_unknown_fields=True):
    """Σ qtf·ln((tf^ + mu·cf^/C^) / (L^ + mu)).

    Computed as `Lm`, with -ln(1 - lost/(length + mu)) for what the document loses.
    """

    def plan(self, groups: Groups, statistics: Statistics) -> Plan:
        plan = Lm.plan(self, groups, statistics)
        if not len(groups.lost):
            return plan
        ratios = _ratios(groups, groups.lost)
        # no more is lost than the whole length
        caps = plan.caps + np.where(ratios > 0, np.abs(plan.scales) * np.log1p(LONGEST_COUNT / self.mu), 0.0)
        nothing = np.zeros_like(ratios)
        return replace(plan, caps=caps, shortening=Shortening(groups.lost, nothing, nothing, ratios))

    def doc_scales(self, segment: Segment, statistics: Statistics) -> Floats32:
        return np.asarray(1.0 / (np.asarray(segment.lengths) + self.mu), dtype=np.float32)

    def bounds(self, plan: Plan, most: Floats, shortest: Floats, statistics: Statistics) -> Floats:
        bounds = Lm.bounds(self, plan, most, shortest, statistics)
        if plan.shortening is None:
            return bounds
        lost = plan.shortening.ratios * most
        return SLACK * (bounds - plan.scales * np.log1p(-lost / (np.maximum(shortest, lost) + self.mu)))


def _ratios(groups: Groups, lost: Floats) -> Floats:
    """(groups,) the most that a document loses for each 1.0 of a group's frequency."""
    weights = np.maximum(groups.term_weights, 1e-9)
    return np.maximum.reduceat(lost / weights, groups.starts[:-1]) if len(lost) else np.zeros(0)
