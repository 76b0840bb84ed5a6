"""The pair form of correlated feature hashing: a pair of words stands for k pairs of targets (Bai et al.).

h_p(m, n) = (S_p(m) - 1)·F + S_p(n) for p = 1 ... k, with words and positions counted from 1; here both are
counted from 0. The p-th target of one word meets only the p-th of the other, where rewriting both texts would
let all k·k meet.
"""

import numpy as np

from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.types import Ints, Longs


def pair_positions(left: Ints, right: Ints, words: int, scaled: bool = False) -> tuple[Longs, float]:
    """Positions (..., k) below F² of pairs of words, given the targets (..., k) of either; and what each counts.

    `words` is F, the number of target words on the right. A position is -1 where either word has no p-th target.
    `scaled` makes the k positions count 1/k each, so that a pair weighs 1 in all.
    """
    rows, columns = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
    positions = np.where((rows == UNKNOWN) | (columns == UNKNOWN), UNKNOWN, rows * words + columns)
    return positions, 1.0 / positions.shape[-1] if scaled else 1.0
