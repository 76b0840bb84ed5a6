"""The shape of training pairs in memory; samplers make them, learners take them."""

from typing import NamedTuple

from kakehashi.store import Array


class PairBlock(NamedTuple):
    """Groups of pairs: for one query, documents that should come before others."""

    queries: Array  # (groups,) int32 rows of the query vectors
    starts: Array  # (groups + 1,) int64: group g holds pairs starts[g]:starts[g + 1]
    positives: Array  # (pairs,) int32 rows of the document vectors
    negatives: Array  # (pairs,) int32
    margins: Array  # (pairs,) float32
