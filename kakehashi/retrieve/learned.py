"""The weighting of learned weights: documents are the same vectors as in training."""

from dataclasses import dataclass

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.index.segment import Segment
from kakehashi.index.statistics import Statistics
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.learn.vectors import Words
from kakehashi.retrieve.kernels import LINEAR, PRESENCE, SCALED
from kakehashi.retrieve.norms import inverse_norms
from kakehashi.retrieve.weighting import NO_PRIORS, NOTHING, Groups, Plan, plan_of
from kakehashi.types import Array, Floats, Floats32, Ints


@dataclass(frozen=True)
class Learned:
    """score = Σ_t v_t·d_t, with d the model's vector of the document: binary, tf·idf or tf, of unit length or not."""

    words: Words
    from_index: Ints  # (index vocabulary,) a term's number among the words, or UNKNOWN

    @property
    def form(self) -> int:
        if self.words.values != "binary":
            return LINEAR
        return SCALED if self.words.unit else PRESENCE

    def plan(self, groups: Groups, statistics: Statistics) -> Plan:
        # an entry of a vector of unit length is at most 1, so a group contributes at most its weight
        caps = np.abs(groups.weights)
        if self.words.values == "binary":
            return plan_of(groups, groups.weights, caps)
        terms = groups.terms
        return plan_of(groups, groups.weights * self._idf()[terms], caps)

    def length_factors(self, longest: int, statistics: Statistics) -> Floats32:
        return NOTHING

    def doc_scales(self, segment: Segment, statistics: Statistics) -> Floats32:
        if self.form == PRESENCE:
            return NOTHING
        if self.form == LINEAR:
            return inverse_norms(segment, self._idf(), statistics)
        starts, terms, _ = segment.forward
        scales: Floats32 = _inverse_root_counts(starts, terms, self.from_index)
        return scales

    def priors(self, longest: int) -> Floats:
        return NO_PRIORS

    def bounds(self, plan: Plan, most: Floats, shortest: Floats, statistics: Statistics) -> Floats:
        return plan.caps

    def _idf(self) -> Floats:
        """(index vocabulary,) 0 for terms unknown to the model."""
        known = self.from_index != UNKNOWN
        return np.where(known, self.words.idf[np.where(known, self.from_index, 0)], 0.0)


@kernel
def _inverse_root_counts(starts: Array, terms: Array, from_index: Array) -> Array:
    """(docs,) one over the length of each document's binary vector; 0 for an empty one."""
    scales = np.zeros(len(starts) - 1, np.float32)
    for d in range(len(scales)):
        n = 0
        for p in range(starts[d], starts[d + 1]):
            n += from_index[terms[p]] >= 0
        if n > 0:
            scales[d] = np.float32(1.0) / np.float32(np.sqrt(np.float64(n)))
    return scales
