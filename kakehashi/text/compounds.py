"""Splits compounds by the counts of their parts (Koehn and Knight 2003): words in, parts out, no corpus."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

MAX_LENGTH = 60  # longer words are not split
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff]+")
_NEVER_FIRST = frozenset("ァィゥェォッャュョヮヵヶー" + "".join(map(chr, range(0x31F0, 0x3200))))
_LETTERS = re.compile(r"[^\W\d_]+")
GERMAN_FILLERS = ("s", "es", "n", "en", "er", "e", "ens")


@dataclass(frozen=True)
class CompoundRules:
    """What may be split and into which parts; `katakana` restricts both words and parts to katakana."""

    min_part: int = 4
    fillers: tuple[str, ...] = ()  # may occur between two parts and is dropped
    katakana: bool = False

    def may_split(self, word: str) -> bool:
        if not 2 * self.min_part <= len(word) <= MAX_LENGTH:
            return False
        return self.is_word(word)

    def may_be_part(self, word: str) -> bool:
        if not self.min_part <= len(word) <= MAX_LENGTH or not self.is_word(word):
            return False
        return not (self.katakana and word[0] in _NEVER_FIRST)

    def is_word(self, word: str) -> bool:
        return (_KATAKANA if self.katakana else _LETTERS).fullmatch(word) is not None


KATAKANA_RULES = CompoundRules(min_part=2, katakana=True)
GERMAN_RULES = CompoundRules(min_part=4, fillers=GERMAN_FILLERS)
PLAIN_RULES = CompoundRules(min_part=4)


class CompoundSplitter:
    """Splits a word where the geometric mean of its parts' counts exceeds its own count.

    best = argmax over segmentations p_1 .. p_n of (count(p_1) ... count(p_n)) ^ (1/n), n = 1 being the word
    itself. Ties go to fewer parts.
    """

    def __init__(self, counts: Mapping[str, int], rules: CompoundRules):
        self.rules = rules
        self._counts = counts
        self._logs = {word: math.log(n) for word, n in counts.items() if n > 0 and rules.may_be_part(word)}

    def split(self, word: str) -> tuple[str, ...]:
        if not self.rules.may_split(word):
            return (word,)
        count = self._counts.get(word, 0)
        best = math.log(count) if count > 0 else -math.inf
        parts: tuple[str, ...] = (word,)
        edges = self._edges(word)
        for n, total, found in self._segmentations(word, edges):
            if total / n > best + 1e-12:
                best, parts = total / n, found
        return parts

    def _edges(self, word: str) -> list[list[tuple[int, int, float]]]:
        """For every position i where a known part starts: (its end, where the next may start, log count)."""
        edges: list[list[tuple[int, int, float]]] = [[] for _ in word]
        reached = {0}
        for i in range(len(word) - self.rules.min_part + 1):
            if i not in reached:
                continue
            for j in range(len(word), i + self.rules.min_part - 1, -1):
                log = self._logs.get(word[i:j])
                if log is None or j - i == len(word):
                    continue
                nexts = [j] + [
                    j + len(f) for f in self.rules.fillers if word.startswith(f, j) and j + len(f) < len(word)
                ]
                edges[i] += [(j, k, log) for k in nexts]
                reached.update(nexts)
        return edges

    def _segmentations(
        self, word: str, edges: list[list[tuple[int, int, float]]]
    ) -> list[tuple[int, float, tuple[str, ...]]]:
        """The best segmentation into n parts, for each n from 2: (n, sum of logs, parts)."""
        found = []
        layer: dict[int, tuple[float, tuple[str, ...]]] = {0: (0.0, ())}  # next start -> best way to it
        for n in range(1, len(word) // self.rules.min_part + 1):
            following: dict[int, tuple[float, tuple[str, ...]]] = {}
            for i, (total, parts) in layer.items():
                for j, k, log in edges[i] if i < len(word) else ():
                    if k not in following or total + log > following[k][0] + 1e-12:
                        following[k] = (total + log, (*parts, word[i:j]))
            layer = following
            if n > 1 and len(word) in layer:
                found.append((n, *layer[len(word)]))
        return found
