"""What a list gives its documents: scores of one query's list, best first, made comparable across lists."""

from collections.abc import Callable

import numpy as np

from kakehashi.types import Floats

# of the best document's points: what keeps the last listed document above those not listed, and nothing more
LAST = 1e-9


def shares(scores: Floats) -> Floats:
    """f / sum f, for scores of 0 and more; where all are 0, equal shares."""
    if not len(scores):
        return scores
    total = scores.sum()
    return scores / total if total > 0 else np.full(len(scores), 1 / len(scores))


def shifted(scores: Floats) -> Floats:
    """Moved up until none is negative, lists without negative scores not at all."""
    return _above_zero(scores - min(0.0, float(scores.min(initial=0.0))))


def floored(scores: Floats) -> Floats:
    """Less the list's lowest, be it negative or not."""
    return _above_zero(scores - scores.min()) if len(scores) else scores


def clipped(scores: Floats) -> Floats:
    """Below 0 is 0, as for documents that are not listed."""
    return np.maximum(scores, 0.0)


def exponential(scores: Floats) -> Floats:
    """exp f, of which the shares are the softmax."""
    return np.exp(scores - scores.max()) if len(scores) else scores


def rank_points(scores: Floats) -> Floats:
    """n for the first of n documents, 1 for the last."""
    return np.arange(len(scores), 0, -1, dtype=np.float64)


def reciprocal_ranks(scores: Floats, constant: float) -> Floats:
    return np.asarray(1.0 / (constant + 1.0 + np.arange(len(scores))), dtype=np.float64)


def min_max(scores: Floats) -> Floats:
    """Scores moved to 0..1; a list of equal scores counts as all best."""
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.ones_like(scores)


def standard(scores: Floats) -> Floats:
    """(f - mean) / standard deviation; a list of equal scores is all average."""
    if not len(scores) or scores.min() == scores.max():
        return np.zeros_like(scores)
    above = scores - scores.min()  # exact where scores lie close together, which their mean need not be
    centred = above - above.mean()
    deviation = float(np.sqrt((centred * centred).mean()))
    return centred / deviation if deviation > 0 else np.zeros_like(scores)


def _above_zero(scores: Floats) -> Floats:
    """A little more for all where the last has nothing."""
    if not len(scores) or scores.min() > 0:
        return scores
    return scores + LAST * float(scores.max())


# what Borda does with scores before it takes shares
NEGATIVE: dict[str, Callable[[Floats], Floats]] = {
    "shift": shifted,
    "floor": floored,
    "clip": clipped,
    "softmax": exponential,
    "points": rank_points,
}
# what a linear sum does
NORMALISE: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda scores: scores,
    "min-max": min_max,
    "z": standard,
}
