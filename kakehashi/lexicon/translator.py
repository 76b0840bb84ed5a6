"""What every translator gives: sentences of words in, the best translations with their links and scores out."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from kakehashi.progress import SILENT, Progress
from kakehashi.types import Floats


class Translation(NamedTuple):
    """One way to say a sentence; word j of it comes from word i of the source for every link (i, j)."""

    words: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    score: float  # a logarithm: differences count


class Translator(Protocol):
    """Answers with at least one translation per sentence, the best first; unknown words pass through."""

    @property
    def identity(self) -> str:
        """Changes whenever its answers might: what was kept under another one is not used."""
        ...

    def translate(self, sentences: Sequence[Sequence[str]], n: int = 1) -> list[list[Translation]]: ...


class BatchTranslator(Translator, Protocol):
    """One that cuts any number of sentences into batches, and says after each how far it is."""

    def translate(
        self, sentences: Sequence[Sequence[str]], n: int = 1, progress: Progress = SILENT
    ) -> list[list[Translation]]: ...


def without_duplicates(translations: Sequence[Translation]) -> list[Translation]:
    """Each string of words once, with its best score: lists of a decoder are full of other ways to cut one up."""
    best: dict[tuple[str, ...], Translation] = {}
    for each in translations:
        if each.words not in best or each.score > best[each.words].score:
            best[each.words] = each
    return sorted(best.values(), key=lambda each: -each.score)


def shares(translations: Sequence[Translation], scale: float = 1.0) -> Floats:
    """exp(scale·score), made to sum to 1."""
    scores = scale * np.array([each.score for each in translations])
    chances = np.exp(scores - scores.max())
    normal: Floats = chances / chances.sum()
    return normal
