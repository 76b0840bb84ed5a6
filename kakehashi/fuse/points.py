"""The points that a list gives its documents: scores of one query's list, best first, made comparable across lists."""

from collections.abc import Callable

import numpy as np

from kakehashi.types import Floats

# of the best document's points: keeps the last listed document above those not listed
LAST = 1e-9


def shares(scores: Floats) -> Floats:
    """f / sum f, for scores of at least 0; equal shares if all are 0."""
    if not len(scores):
        return scores
    total = scores.sum()
    return scores / total if total > 0 else np.full(len(scores), 1 / len(scores))


def shifted(scores: Floats) -> Floats:
    """Raised until none is negative; lists without negative scores do not change."""
    return _above_zero(scores - min(0.0, float(scores.min(initial=0.0))))


def floored(scores: Floats) -> Floats:
    """Minus the list's lowest score, negative or not."""
    return _above_zero(scores - scores.min()) if len(scores) else scores


def clipped(scores: Floats) -> Floats:
    """Negative scores become 0, as for documents that are not listed."""
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
    """Scores scaled to 0..1; in a list of equal scores all are best."""
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.ones_like(scores)


def standard(scores: Floats) -> Floats:
    """(f - mean) / standard deviation; in a list of equal scores all are average."""
    if not len(scores) or scores.min() == scores.max():
        return np.zeros_like(scores)
    above = scores - scores.min()  # exact if scores are close together, which their mean need not be
    centred = above - above.mean()
    deviation = float(np.sqrt((centred * centred).mean()))
    return centred / deviation if deviation > 0 else np.zeros_like(scores)


def _above_zero(scores: Floats) -> Floats:
    """A little more for all if the last document has nothing."""
    if not len(scores) or scores.min() > 0:
        return scores
    return scores + LAST * float(scores.max())


# what Borda does with scores before it computes shares
NEGATIVE: dict[str, Callable[[Floats], Floats]] = {
    "shift": shifted,
    "floor": floored,
    "clip": clipped,
    "softmax": exponential,
    "points": rank_points,
}
# what a linear sum does with scores
NORMALISE: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda scores: scores,
    "min-max": min_max,
    "z": standard,
}
