"""Every rule from its published formula, in plain Python and exact where it can be; shares no code with the package.

Borda with shares: Schamoni and others 2014; reciprocal ranks: Cormack and others 2009; CombSUM and CombMNZ: Fox and
Shaw 1994, on scores scaled as by Lee 1997.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction


def plain_points(
    rule: str, found: Mapping[str, float], depth: int, options: Mapping[str, object]
) -> dict[str, float]:
    """What a list gives its documents."""
    top = sorted(found, key=lambda doc: (found[doc], doc), reverse=True)[:depth]
    scores = [found[doc] for doc in top]
    if rule == "borda":
        values = _shares(scores, str(options.get("negative", "shift")))
    elif rule == "rank-borda":
        values = [float(depth + 1 - rank) for rank in range(1, len(top) + 1)]
    elif rule == "rrf":
        values = [1 / (float(str(options.get("constant", 60))) + rank) for rank in range(1, len(top) + 1)]
    elif rule == "linear" and options.get("normalise") == "none":
        values = scores
    elif rule == "linear" and options.get("normalise") == "z":
        mean = sum(map(Fraction, scores)) / max(len(scores), 1)
        variance = sum((Fraction(score) - mean) ** 2 for score in scores) / max(len(scores), 1)
        values = [
            float((Fraction(s) - mean) / Fraction(math.sqrt(variance))) if variance else 0.0 for s in scores
        ]
    else:
        values = _zero_to_one(scores)
    return dict(zip(top, values, strict=True))


def _zero_to_one(scores: list[float]) -> list[float]:
    exact = [Fraction(score) for score in scores]
    if len({*exact}) < 2:
        return [1.0] * len(scores)
    return [float((score - min(exact)) / (max(exact) - min(exact))) for score in exact]


def _shares(scores: list[float], negative: str) -> list[float]:
    exact = [Fraction(score) for score in scores]
    if negative == "points":
        exact = [Fraction(len(scores) - i) for i in range(len(scores))]
    elif negative == "softmax":
        exact = [Fraction(math.exp(score - scores[0])) for score in scores]
    elif negative == "clip":
        exact = [max(Fraction(0), score) for score in exact]
    elif exact and (negative == "floor" or min(exact) < 0):
        exact = [score - min(exact) for score in exact]
    if exact and negative in ("shift", "floor") and min(exact) == 0:
        exact = [score + Fraction(1e-9) * max(exact) for score in exact]
    total = sum(exact)
    return [float(score / total) if total else 1 / len(exact) for score in exact]


def plain_fusion(
    rule: str,
    lists: Sequence[Mapping[str, float]],
    weights: Sequence[float],
    depth: int = 1000,
    options: Mapping[str, object] | None = None,
) -> dict[str, float]:
    """Fused scores of all documents, for weights above 0 that are two or more."""
    options = options or {}
    if rule in ("borda", "rank-borda", "linear"):
        weights = [weight / math.fsum(weights) for weight in weights]
    given = [plain_points(rule, found, depth, options) for found in lists]
    fused = {}
    for doc in {doc for points in given for doc in points}:
        summands = [
            weight
            * points.get(doc, min(points.values(), default=0.0) if options.get("missing") == "min" else 0.0)
            for weight, points in zip(weights, given, strict=True)
        ]
        times = sum(doc in points for points in given) if rule == "combmnz" else 1
        fused[doc] = times * math.fsum(summands)
    return fused
