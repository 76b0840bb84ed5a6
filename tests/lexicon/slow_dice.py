"""DICE by the book: dictionaries, exact fractions, every pair of words."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

TOGETHER = {"binary": lambda a, b: 1, "min": min, "max": max}


def slow_rows(
    texts: Sequence[Sequence[str]], words: int, k: int, count: str
) -> dict[str, list[tuple[str, Fraction]]]:
    """Every word's targets, best first: by DICE, the word itself, frequency, string."""
    documents = [Counter(text) for text in texts]
    occurrences = Counter(word for text in texts for word in text)
    frequent = sorted(occurrences, key=lambda word: (-occurrences[word], word))[:words]
    rows = {}
    for word in occurrences:
        scored = []
        for target in frequent:
            both = [document for document in documents if document[word] and document[target]]
            together = sum(TOGETHER[count](document[word], document[target]) for document in both)
            if together:
                scored.append((target, Fraction(2 * together, occurrences[word] + occurrences[target])))
        scored.sort(key=lambda pair: (-pair[1], pair[0] != word, -occurrences[pair[0]], pair[0]))
        rows[word] = scored[:k]
    return rows
