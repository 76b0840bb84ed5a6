"""Scores of all documents of a segment, added up posting by posting."""

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.retrieve.forward import MISSING
from kakehashi.retrieve.kernels import Batch, SegmentArrays, add_group, prior
from kakehashi.retrieve.scratch import Scratch
from kakehashi.types import Array


@kernel
def every_score(q: int, data: SegmentArrays, batch: Batch, form: int, scratch: Scratch) -> Array:
    """(docs,) int64 scores of all documents in quanta, prior included; MISSING where nothing matches."""
    for g in range(batch.query_starts[q], batch.query_starts[q + 1]):
        add_group(scratch.acc, scratch.inner, scratch.lost, g, batch.units[q], data, batch, form)
    acc, priors, lengths = scratch.acc, data.priors, data.lengths
    unit_weight = batch.units[q] * batch.prior_weights[q]
    scores = np.empty(len(acc), np.int64)
    for d in range(len(acc)):
        scores[d] = acc[d] + prior(unit_weight, priors, lengths[d]) if acc[d] != 0 else MISSING
        acc[d] = 0
    return scores
