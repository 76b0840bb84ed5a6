"""Which part of a fused score came from which list; `rules.py` does the fusing."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kakehashi.fuse.rules import RULES, Fusion, checked_weights, lay_out
from kakehashi.types import Ranking


class Credit(NamedTuple):
    """The contribution of a list to a document, and the weight of one point of the list's own score in it."""

    amount: float
    steepness: float

    def split(self, total: float) -> tuple[float, float]:
        """(factor, rest): amount = factor · total + rest, for reasons that sum to `total`.

        Reasons are scaled to the amount if both have the same sign. A list of negative scores that was shifted up
        gives positive amounts: there, reasons keep their signs, and the rest is the shift.
        """
        factor = self.amount / total if self.amount * total > 0 else self.steepness
        return factor, 0.0 if self.amount * total > 0 else self.amount - factor * total


def credits_of(
    fusion: Fusion, weights: Sequence[float], rankings: Sequence[Ranking], doc: str
) -> list[Credit]:
    """One per list, summing to the score that `Fuser.fuse` gives a document that one of them contains."""
    given = checked_weights(fusion, weights, len(rankings))
    found = [Credit(0.0, 0.0)] * len(rankings)
    weighing: list[int] = np.flatnonzero(given > 0).tolist()
    if len(weighing) == 1:
        [alone] = weighing
        found[alone] = Credit(float(rankings[alone].scores[list(rankings[alone].docs).index(doc)]), 1.0)
        return found
    lists = lay_out(fusion, [rankings[i] for i in weighing])
    here = lists.docs.index(doc)
    times = int(lists.listed[:, here].sum()) if RULES[fusion.rule].times_found else 1
    for row, i in enumerate(weighing):
        worth = float(given[i]) * times
        points = lists.points[row]
        listed = points[lists.listed[row]]
        scores = rankings[i].scores[: fusion.depth]
        spread = float(scores[0] - scores[-1]) if len(scores) else 0.0
        steepness = float(listed.max() - listed.min()) / spread if spread > 0 else 0.0
        found[i] = Credit(worth * float(points[here]), worth * steepness)
    return found
