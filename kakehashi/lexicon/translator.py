"""The interface of all translators: sentences of words in, the best translations with links and scores out."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from kakehashi.progress import SILENT, Progress
from kakehashi.types import Floats


class Translation(NamedTuple):
    """One translation of a sentence; word j comes from word i of the source for every link (i, j)."""

    words: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    score: float  # a logarithm: differences count


class Translator(Protocol):
    """Returns at least one translation per sentence, the best first; unknown words are used untranslated."""

    @property
    def identity(self) -> str:
        """Changes whenever the answers might change: translations cached under another state are not used."""
        ...

    def translate(self, sentences: Sequence[Sequence[str]], n: int = 1) -> list[list[Translation]]: ...


class BatchTranslator(Translator, Protocol):
    """A translator that splits any number of sentences into batches and reports progress after each."""

    def translate(
        self, sentences: Sequence[Sequence[str]], n: int = 1, progress: Progress = SILENT
    ) -> list[list[Translation]]: ...


def best_first(translations: Sequence[Translation]) -> list[Translation]:
    return sorted(translations, key=lambda each: -each.score)


def without_duplicates(translations: Sequence[Translation]) -> list[Translation]:
    """Each word sequence once, with its best score: a decoder lists many segmentations of the same one."""
    best: dict[tuple[str, ...], Translation] = {}
    for each in translations:
        if each.words not in best or each.score > best[each.words].score:
            best[each.words] = each
    return best_first(list(best.values()))


def shares(translations: Sequence[Translation], scale: float = 1.0) -> Floats:
    """exp(scale·score), scaled to sum to 1."""
    scores = scale * np.array([each.score for each in translations])
    chances = np.exp(scores - scores.max())
    normal: Floats = chances / chances.sum()
    return normal
