"""An order of terms that does not depend on the history of an index: the numbering of a fresh build.

A build numbers terms by descending collection frequency, then by string. An update keeps existing numbers
whatever the new frequencies are, so numbers depend on the history. Sums of floating-point numbers over terms
therefore follow ranks: the numbers that the same live documents would give in an index built from them alone.
"""

import numpy as np

from kakehashi.index.vocabulary import Vocabulary
from kakehashi.types import Array, Ints, Longs

NO_RANKS: Ints = np.zeros(0, dtype=np.int32)  # every term's rank is its number
KEYS = 2  # eight bytes each, compared as numbers; longer common prefixes are compared as strings


def fresh_order(vocabulary: Vocabulary, cf: Array) -> Longs:
    """(terms,) their numbers in the order of a fresh build; terms without live documents come last."""
    held = np.flatnonzero(cf)
    keys = [vocabulary.leading(8 * i)[held] for i in range(KEYS)]
    falling = -np.asarray(cf, dtype=np.int64)[held]
    order = np.lexsort((*keys[::-1], falling))
    tied = np.ones(max(len(order) - 1, 0), dtype=bool)
    for values in (falling, *keys):
        tied &= values[order[1:]] == values[order[:-1]]
    order = held[order]
    edges = np.diff(np.concatenate([[False], tied, [False]]).astype(np.int8))
    for first, last in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
        order[first : last + 1] = sorted(order[first : last + 1].tolist(), key=vocabulary.__getitem__)
    return np.append(order, np.flatnonzero(np.asarray(cf) == 0)).astype(np.int64)


def ranks_of(order: Longs) -> Ints:
    """(terms,) the position of each term in the order; `NO_RANKS` if it equals the number."""
    every = np.arange(len(order), dtype=np.int32)
    if np.array_equal(order, every):
        return NO_RANKS
    ranks = np.empty_like(every)
    ranks[order] = every
    return ranks


def term_ranks(vocabulary: Vocabulary, cf: Array) -> Ints:
    """(terms,) each term's number in a fresh index; `cf` is counted over the live documents."""
    return ranks_of(fresh_order(vocabulary, cf))
