"""The compiler of structured queries from n-best lists: the translations of a word in its sentence.

    p(e | f) = Σ_k a_k(e, f)·D_k / Σ_k Σ_e' a_k(e', f)·D_k

over the n best translations k of a sentence; a_k counts the links of f and e in k, and D_k is k's share of the list.
Every sentence has its own groups, so that a word can have different meanings in different sentences.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kakehashi.index.index import Index
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.lexicon.linking import Linker
from kakehashi.lexicon.translations import Translations, kept_entries
from kakehashi.lexicon.translator import BatchTranslator, Translation, shares
from kakehashi.progress import SILENT, Progress
from kakehashi.query.asking import Asking
from kakehashi.query.psq import Group, grouped
from kakehashi.types import TermQuery, Text


@dataclass(frozen=True)
class NbestPsq:
    """Groups of expected translations; `lexical`, if given, is mixed in with 1 - share."""

    index: Index
    translator: BatchTranslator
    longest: int  # words of a sentence part
    n: int
    scale: float = (
        1.0  # factor of scores before they become shares: below 1, the list is weighted more evenly
    )
    least: float = 0.0
    mass: float = 1.0
    share: float = 1.0
    lexical: Translations | None = None
    linker: Linker | None = None
    unique: bool = True

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        self._asking.prepare(queries, self.n, progress)

    @cached_property
    def _asking(self) -> Asking:
        return Asking(self.index, self.translator, self.longest, self.linker, self.unique)

    def compile(self, query: Text) -> TermQuery:
        found = []
        for words, translations in self._asking.translated(query, self.n):
            rows = self.expected(words, translations)
            for label, times in Counter(label for word in words for label in self._labels(word)).items():
                if group := self._group(self._mixed(label, rows.get(label, {}))):
                    found.append((label, float(times), group))
        return grouped(found)

    def expected(
        self, words: Sequence[str], translations: Sequence[Translation]
    ) -> dict[str, dict[str, float]]:
        """Source term -> target term -> its expected share among the translations of the source term."""
        pulls: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for translation, share in zip(translations, shares(translations, self.scale).tolist(), strict=True):
            for i, j in translation.links:
                for label in self._labels(words[i]):
                    for term in self.index.analyzer.chunk_terms(translation.words[j]):
                        pulls[label][term] += share
        return {
            label: {term: pull / sum(row.values()) for term, pull in row.items()}
            for label, row in pulls.items()
        }

    def _labels(self, word: str) -> Sequence[str]:
        """The terms of a word in the source analyzer; none for a stop word."""
        return self.index.source_analyzer.chunk_terms(word)

    def _mixed(self, label: str, row: Mapping[str, float]) -> Mapping[str, float]:
        lexical = dict(self.lexical.row(label)) if self.lexical is not None and self.share < 1.0 else {}
        if not (row and lexical):
            return row or lexical
        return {
            term: self.share * row.get(term, 0.0) + (1.0 - self.share) * lexical.get(term, 0.0)
            for term in {**row, **lexical}
        }

    def _group(self, row: Mapping[str, float]) -> Group | None:
        """The row pruned like a table, in terms of the index."""
        entries = sorted(row.items(), key=lambda entry: (-entry[1], entry[0]))
        chances = np.array([chance for _, chance in entries])
        kept = kept_entries(np.array([0, len(entries)]), chances, self.least, self.mass)
        numbers = self.index.vocabulary.numbers([term for term, _ in entries])
        known = numbers[kept] != UNKNOWN
        if not known.any():
            return None
        return numbers[kept][known], (chances[kept] / chances[kept].sum())[known]
