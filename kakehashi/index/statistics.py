"""Collection statistics for weightings, summed over shards or supplied from elsewhere."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kakehashi.index.segment import Segment
from kakehashi.index.term_order import NO_RANKS
from kakehashi.types import Array, Bools, Ints


@dataclass(frozen=True)
class Statistics:
    """N, the sum of document lengths, and per term the document and collection frequency."""

    n_docs: int
    total_length: int
    df: Array  # (terms,)
    cf: Array  # (terms,)
    ranks: Ints = field(default_factory=lambda: NO_RANKS)  # (terms,) see `term_order`; empty: as numbered

    @property
    def mean_length(self) -> float:
        return self.total_length / self.n_docs if self.n_docs else 0.0

    @cached_property
    def terms_per_document(self) -> float:
        """How many different terms a document holds on average."""
        return float(self.df.sum()) / max(self.n_docs, 1)

    def rank_of(self, terms: Ints) -> Ints:
        """The sort key of terms wherever something is summed over them: their numbers in a fresh index."""
        return self.ranks[terms] if len(self.ranks) else terms


def count(parts: Iterable[tuple[Segment, Bools | None]], n_terms: int) -> Statistics:
    """Statistics of the chosen documents of every segment (None chooses all)."""
    n_docs, total_length = 0, 0
    df, cf = np.zeros(n_terms, dtype=np.int64), np.zeros(n_terms, dtype=np.int64)
    for segment, chosen in parts:
        if chosen is None:
            df[segment.terms] += np.diff(segment.starts)
            cf[segment.terms] += segment.cf
            n_docs += segment.n_docs
            total_length += int(segment.lengths.sum(dtype=np.int64))
        else:
            starts, terms, tfs = segment.forward
            rows = np.repeat(chosen, np.diff(starts))
            df += np.bincount(terms[rows], minlength=n_terms)
            cf += np.bincount(terms[rows], weights=tfs[rows], minlength=n_terms).astype(np.int64)
            n_docs += int(chosen.sum())
            total_length += int(segment.lengths[chosen].sum(dtype=np.int64))
    return Statistics(n_docs, total_length, df, cf)
