"""Weightings: the value of a group of terms in a document (φ and its constants).

Each weighting says how its formula fits the kernels: which form of φ, the scale of every group, a factor
by document length or document, a prior by length, and bounds that let a search stop early.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.errors import InputError
from kakehashi.index.segment import Segment
from kakehashi.index.statistics import Statistics
from kakehashi.retrieve.kernels import DILUTED, LINEAR, LOGARITHMIC, PRESENCE, SATURATED
from kakehashi.retrieve.norms import inverse_norms
from kakehashi.text.idf import IdfSetting, inverse_df
from kakehashi.types import Array, Floats, Floats32, Ints, Longs

NEGLIGIBLE = 1e-10  # a scale below this is that of a stop word: the group is left out
LONGEST_COUNT = 1 << 20  # no term is expected more often in one document
NOTHING = np.zeros(0, dtype=np.float32)
NO_PRIORS = np.zeros(0)


@dataclass(frozen=True)
class Groups:
    """Groups of many queries, concatenated."""

    query_starts: Longs  # (queries + 1,)
    weights: Floats  # (groups,) how often, or with what weight, it occurs in the query
    df: Floats  # (groups,) Σ_t G[g,t]·df(t)
    cf: Floats  # (groups,)
    starts: Longs  # (groups + 1,) entries of a group
    terms: Ints  # (entries,)
    term_df: Floats  # (entries,)
    term_weights: Floats  # (entries,) G[g,t]
    totals: Floats  # (groups,) the length of all documents, as the group counts it
    lost: Floats  # (entries,) see `TermQuery`; empty if no document counts as shorter

    def sum_by_query(self, values: Floats) -> Floats:
        return sums(self.query_starts, values)


@dataclass(frozen=True)
class Shortening:
    """How much shorter documents count for a group, in the units of the weighting (see `extended`)."""

    lost: Floats  # (entries,) by each occurrence
    stretches: Floats  # (groups,) what the length of a document is multiplied by first
    shifts: Floats  # (groups,) and what is added
    ratios: Floats  # (groups,) the most that is lost for each 1.0 of the group's frequency


@dataclass(frozen=True)
class Plan:
    """score = Σ_g scale_g·φ(x_g) + prior_weight·prior(length) + offset."""

    scales: Floats  # (groups,)
    rates: Floats  # (groups,)
    caps: Floats  # (groups,) |scale·φ| never exceeds this, in any document
    prior_weights: Floats  # (queries,)
    offsets: Floats  # (queries,)
    term_weights: Floats  # (entries,) G[g,t] as the weighting wants it
    shortening: Shortening | None = None


class Weighting(Protocol):
    @property
    def form(self) -> int: ...
    def plan(self, groups: Groups, statistics: Statistics) -> Plan: ...
    def length_factors(self, longest: int, statistics: Statistics) -> Floats32: ...
    def doc_scales(self, segment: Segment, statistics: Statistics) -> Floats32: ...
    def priors(self, longest: int) -> Floats: ...
    def bounds(self, plan: Plan, most: Floats, shortest: Floats, statistics: Statistics) -> Floats:
        """(groups,) the maximum of scale·φ if x is at most `most` and the document at least `shortest` long."""
        ...


class Bm25(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Okapi BM25: Σ idf(df)·tf part·query-tf part.

    tf part, with K = k1·(1 - b + b·length/mean):
      standard  (k1 + 1)·tf / (K + tf)      the usual form
      classic   tf / (K + tf)               the same ranking
      double    (k1 + 1)·tf / (K + 2·tf)    the second form of the reference tool
    query-tf part: (k3 + 1)·qtf / (k3 + qtf); k3 = 0 counts every query word once, infinity counts it qtf times.
    """

    k1: Annotated[
        float, Meta(description="How slowly repeated occurrences in a document lose value; above 0.")
    ] = 1.2
    b: Annotated[
        float, Meta(description="How much long documents are penalised: 0 not at all, 1 in full proportion.")
    ] = 0.75
    k3: Annotated[
        float,
        Meta(
            description="How slowly repetitions in the query lose value: 0 counts a word once, `inf` as often as it "
            "occurs.",
            extra={"infinite": True},
        ),
    ] = 2.0
    idf: IdfSetting = "lucene"
    saturation: Annotated[
        Literal["standard", "classic", "double"],
        Meta(
            description="Form of the tf part. `standard` and `classic` rank the same; `double` ranks as they do "
            "with half the `k1`."
        ),
    ] = "standard"

    def __post_init__(self) -> None:
        if not (0 < self.k1 < np.inf and 0 <= self.b <= 1 and self.k3 >= 0):
            raise InputError(
                f"BM25 needs k1 > 0, 0 <= b <= 1 and k3 >= 0, not k1={self.k1} b={self.b} k3={self.k3}"
            )

    @property
    def form(self) -> int:
        return SATURATED

    def plan(self, groups: Groups, statistics: Statistics) -> Plan:
        qtf = groups.weights
        query_part = qtf if np.isinf(self.k3) else (self.k3 + 1) * qtf / (self.k3 + qtf)
        form = {"standard": self.k1 + 1, "classic": 1.0, "double": (self.k1 + 1) / 2}[self.saturation]
        scales = _significant(form * query_part * inverse_df(groups.df, statistics.n_docs, self.idf))
        return plan_of(groups, scales, caps=np.abs(scales))

    def length_factors(self, longest: int, statistics: Statistics) -> Floats32:
        return self._factor(np.arange(longest + 1), statistics).astype(np.float32)

    def doc_scales(self, segment: Segment, statistics: Statistics) -> Floats32:
        return NOTHING

    def priors(self, longest: int) -> Floats:
        return NO_PRIORS

    def bounds(self, plan: Plan, most: Floats, shortest: Floats, statistics: Statistics) -> Floats:
        return plan.scales * most / (most + self._factor(shortest, statistics))

    def _factor(self, lengths: Array, statistics: Statistics) -> Floats:
        mean = statistics.mean_length or 1.0
        factor = self.k1 * (1 - self.b + self.b * lengths / mean)
        return np.asarray(factor / 2 if self.saturation == "double" else factor)


class Lm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Language model with a Dirichlet prior: Σ qtf·ln((tf + mu·cf/C) / (length + mu)).

    Computed as Σ qtf·ln(1 + tf·C/(mu·cf)) plus a part that does not depend on the match, so absent words add 0.
    """

    mu: Annotated[
        float,
        Meta(
            description="Smoothing: words of the whole collection that are added to each document (Dirichlet "
            "prior); above 0."
        ),
    ] = 1000.0

    def __post_init__(self) -> None:
        if not 0 < self.mu < np.inf:
            raise InputError(f"LM needs mu > 0, not {self.mu}")

    @property
    def form(self) -> int:
        return LOGARITHMIC

    def plan(self, groups: Groups, statistics: Statistics) -> Plan:
        known = groups.cf > 0
        scales = np.where(known, groups.weights, 0.0)
        background = np.where(known, groups.cf, 1.0) / np.maximum(groups.totals, 1.0)
        rates = 1.0 / (self.mu * background)
        caps = np.abs(scales) * np.log1p(rates * LONGEST_COUNT)
        offsets = groups.sum_by_query(scales * np.log(background))
        return Plan(scales, rates, caps, groups.sum_by_query(scales), offsets, groups.term_weights)

    def length_factors(self, longest: int, statistics: Statistics) -> Floats32:
        return NOTHING

    def doc_scales(self, segment: Segment, statistics: Statistics) -> Floats32:
        return NOTHING

    def priors(self, longest: int) -> Floats:
        """ln(mu / (length + mu)) for every length: 0 for an empty document, then falling."""
        return np.asarray(-np.log1p(np.arange(longest + 1) / self.mu))

    def bounds(self, plan: Plan, most: Floats, shortest: Floats, statistics: Statistics) -> Floats:
        return np.asarray(plan.scales * np.log1p(plan.rates * most))


class Hmm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Language model that mixes a document with the collection: Σ qtf·ln(alpha·cf/C + (1 - alpha)·tf/length).

    Known as the two-state hidden Markov model, or Jelinek-Mercer smoothing. Computed, like `Lm`, so that absent
    words add 0.
    """

    alpha: Annotated[
        float,
        Meta(description="Weight of the whole collection; the document has 1 − alpha. Above 0, below 1."),
    ] = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise InputError(f"HMM needs 0 < alpha < 1, not {self.alpha}")

    @property
    def form(self) -> int:
        return DILUTED

    def plan(self, groups: Groups, statistics: Statistics) -> Plan:
        known = groups.cf > 0
        scales = np.where(known, groups.weights, 0.0)
        background = np.where(known, groups.cf, 1.0) / max(statistics.total_length, 1)
        rates = (1.0 - self.alpha) / (self.alpha * background)
        # of tf/length: a document is at least as long as its words; every group has a term
        most = np.maximum.reduceat(groups.term_weights, groups.starts[:-1]) if len(scales) else scales
        most = np.maximum(most, 1.0)
        caps = np.abs(scales) * np.log1p(rates * most)
        offsets = groups.sum_by_query(scales * np.log(self.alpha * background))
        return Plan(scales, rates, caps, np.zeros(len(offsets)), offsets, groups.term_weights)

    def length_factors(self, longest: int, statistics: Statistics) -> Floats32:
        return NOTHING

    def doc_scales(self, segment: Segment, statistics: Statistics) -> Floats32:
        """One over the length of every document."""
        return np.asarray(1.0 / np.maximum(np.asarray(segment.lengths), 1), dtype=np.float32)

    def priors(self, longest: int) -> Floats:
        return NO_PRIORS

    def bounds(self, plan: Plan, most: Floats, shortest: Floats, statistics: Statistics) -> Floats:
        return np.minimum(plan.caps, plan.scales * np.log1p(plan.rates * most / np.maximum(shortest, 1)))


class TfIdf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cosine of tf·idf vectors. The statistics, not this class, decide over which documents df is counted."""

    idf: IdfSetting = "rsj_clamped"

    @property
    def form(self) -> int:
        return LINEAR

    def plan(self, groups: Groups, statistics: Statistics) -> Plan:
        idf = _significant(inverse_df(groups.df, statistics.n_docs, self.idf))
        query = groups.weights * idf
        norms = np.sqrt(groups.sum_by_query(query**2))
        norms[norms == 0.0] = 1.0
        scales = query * idf / np.repeat(norms, np.diff(groups.query_starts))
        # tf·idf of a term is at most the norm; a term without weight must not count inside a group either
        term_idf = _significant(inverse_df(groups.term_df, statistics.n_docs, self.idf))
        term_weights = np.where(term_idf > 0, groups.term_weights, 0.0)
        reach = np.divide(term_weights, term_idf, out=np.zeros_like(term_idf), where=term_idf > 0)
        return plan_of(groups, scales, np.abs(scales) * sums(groups.starts, reach), term_weights)

    def length_factors(self, longest: int, statistics: Statistics) -> Floats32:
        return NOTHING

    def doc_scales(self, segment: Segment, statistics: Statistics) -> Floats32:
        weights = _significant(inverse_df(statistics.df, statistics.n_docs, self.idf))
        return inverse_norms(segment, weights, statistics)

    def priors(self, longest: int) -> Floats:
        return NO_PRIORS

    def bounds(self, plan: Plan, most: Floats, shortest: Floats, statistics: Statistics) -> Floats:
        return plan.caps


class Presence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A group counts with its whole weight if one of its terms occurs: learned weights over binary vectors."""

    @property
    def form(self) -> int:
        return PRESENCE

    def plan(self, groups: Groups, statistics: Statistics) -> Plan:
        scales = _significant(groups.weights)
        return plan_of(groups, scales, np.abs(scales))

    def length_factors(self, longest: int, statistics: Statistics) -> Floats32:
        return NOTHING

    def doc_scales(self, segment: Segment, statistics: Statistics) -> Floats32:
        return NOTHING

    def priors(self, longest: int) -> Floats:
        return NO_PRIORS

    def bounds(self, plan: Plan, most: Floats, shortest: Floats, statistics: Statistics) -> Floats:
        return plan.scales


def sums(starts: Longs, values: Floats) -> Floats:
    """(parts,) the sum of values[starts[i]:starts[i + 1]]; depends on nothing outside the part."""
    if np.array_equal(starts, np.arange(len(values) + 1)):
        return values.astype(np.float64)
    totals = np.zeros(len(starts) - 1)
    filled = starts[1:] > starts[:-1]
    if filled.any():
        totals[filled] = np.add.reduceat(values, starts[:-1][filled])
    return totals


def _significant(scales: Floats) -> Floats:
    return np.where(np.abs(scales) < NEGLIGIBLE, 0.0, scales)


def plan_of(groups: Groups, scales: Floats, caps: Floats, term_weights: Floats | None = None) -> Plan:
    nothing = np.zeros(len(groups.query_starts) - 1)
    weights = groups.term_weights if term_weights is None else term_weights
    return Plan(scales, np.zeros_like(scales), caps, nothing, nothing, weights)
