"""Tunes the weights of a decoder's features on sentences it was not trained on.

The decoder lists translations with its current weights; then a search finds weights for which the first
translations of the lists are closest to the reference (corpus BLEU), and the decoder lists again with those. This is
minimum error rate training with a grid search instead of an exact one: lists are short and features few.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kakehashi.lexicon.alignment import Pair
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Array, Floats

ORDER = 4  # maximum n-gram order of BLEU
LISTED, ROUNDS = 50, 2  # translations per sentence; rounds of tuning
FACTORS = (0.0, 0.25, 0.5, 0.7, 0.85, 1.2, 1.4, 2.0, 4.0)  # factors tried for a weight
LEAST_STEP = 0.1  # used instead of a weight near zero when it is multiplied
SWEEPS, DRAWS = 4, 300  # passes over single weights; over all weights at once
Listed = list[tuple[list[str], list[float]]]  # translations of a sentence: words, features
Lister = Callable[[Floats], list[Listed]]  # weights -> a list for every sentence


class Tuned(NamedTuple):
    weights: Floats
    before: float  # corpus BLEU of the decoder's own first translations, untuned
    after: float


class Lists(NamedTuple):
    """Translations of all sentences, padded to lists of one length by repeating the first."""

    features: Array  # (sentences, length, features)
    counts: Array  # (sentences, length, 2·ORDER + 2), see `counts_of`


def tune(
    lists_under: Lister, pairs: Sequence[Pair], weights: Floats, seed: int, progress: Progress = SILENT
) -> Tuned:
    """The best weights found; the given ones if none are better."""
    rng = np.random.default_rng(seed)
    listed: list[Listed] = [[] for _ in pairs]
    best = Tuned(weights, 0.0, 0.0)
    for n in track(range(ROUNDS + 1), "tuning the decoder", ROUNDS + 1, progress):
        latest = lists_under(weights)
        reached = bleu(
            sum(counts_of(each[0][0], pair.target) for each, pair in zip(latest, pairs, strict=True))
        )
        if n == 0:
            best = Tuned(weights, reached, reached)
        elif reached > best.after:
            best = Tuned(weights, best.before, reached)
        if n < ROUNDS:
            listed = [known + new for known, new in zip(listed, latest, strict=True)]
            weights = searched(_padded(listed, pairs), best.weights, rng)
    return best


def searched(lists: Lists, weights: Floats, rng: np.random.Generator) -> Floats:
    """Weights for which the first translations of the lists have the highest BLEU; their sum is kept."""
    total, reached = weights.sum(), _reached(lists, weights)

    def tried(candidate: Floats) -> None:
        nonlocal weights, reached
        candidate = candidate * (total / candidate.sum())
        value = _reached(lists, candidate)
        if value > reached:
            weights, reached = candidate, value

    for _ in range(SWEEPS):
        for i in range(len(weights)):
            for factor in FACTORS:
                candidate = weights.copy()
                candidate[i] = factor * max(weights[i], LEAST_STEP)
                tried(candidate)
        for _ in range(DRAWS):
            tried(np.maximum(weights, 0.01) * np.exp(rng.normal(0.0, 0.3, len(weights))))
    return weights


def counts_of(words: Sequence[str], reference: Sequence[str]) -> Array:
    """Matching n-grams and all n-grams of a translation, for n = 1 to 4; its length and that of the reference."""
    counts = np.zeros(2 * ORDER + 2)
    for n in range(1, ORDER + 1):
        own, wanted = _ngrams(words, n), _ngrams(reference, n)
        counts[n - 1] = (own & wanted).total()
        counts[ORDER + n - 1] = own.total()
    counts[-2:] = len(words), len(reference)
    return counts


def bleu(counts: Any) -> float:
    """Corpus BLEU of counts summed over sentences; orders above the first are smoothed by one."""
    matches, totals = counts[:ORDER].copy(), counts[ORDER : 2 * ORDER].copy()
    length, wanted = counts[-2:]
    if matches[0] == 0 or length == 0:
        return 0.0
    matches[1:] += 1.0
    totals[1:] += 1.0
    brevity = min(0.0, 1.0 - wanted / length)
    return float(np.exp(np.mean(np.log(matches / totals)) + brevity))


def _ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def _reached(lists: Lists, weights: Floats) -> float:
    first = np.argmax(lists.features @ weights, axis=1)
    return bleu(lists.counts[np.arange(len(first)), first].sum(axis=0))


def _padded(listed: Sequence[Listed], pairs: Sequence[Pair]) -> Lists:
    longest = max(map(len, listed))
    features, counts = [], []
    for candidates, pair in zip(listed, pairs, strict=True):
        filled = [*candidates, *[candidates[0]] * (longest - len(candidates))]
        known = {tuple(words): counts_of(words, pair.target) for words, _ in candidates}
        features.append([values for _, values in filled])
        counts.append([known[tuple(words)] for words, _ in filled])
    return Lists(np.array(features), np.array(counts))
