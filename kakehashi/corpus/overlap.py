"""How far the categories of a query and of a document agree across languages; reads no files."""

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from kakehashi.types import Floats

BUCKETS = 11  # exactly 0, then (0, 10], (10, 20] ... (90, 100] per cent


def overlap(
    query: Collection[str], document: Collection[str], translation: Mapping[str, Collection[str]]
) -> tuple[int, int]:
    """|T(C_q) n C_d| and |C_d|; the share is on the document's side, T translates categories."""
    translated = {target for category in query for target in translation.get(category, ())}
    return len(translated & set(document)), len(set(document))


def overlap_histogram(overlaps: Iterable[tuple[int, int]]) -> Floats:
    """The share of pairs in each bucket; documents without categories have overlap 0."""
    counts = np.zeros(BUCKETS)
    for common, total in overlaps:
        # in whole numbers, since 0.3 * 10 is not 3
        counts[1 + (10 * common - 1) // total if common else 0] += 1
    shares: Floats = counts / max(counts.sum(), 1)
    return shares
