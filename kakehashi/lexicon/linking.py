"""Links the words of a sentence and of a translation that came without links, using a translation table.

Nothing is learned here: `alignment` does that.
"""

from collections.abc import Iterable, Mapping, Sequence

from kakehashi.lexicon.translations import Translations
from kakehashi.text.analyzer import Analyzer

Links = tuple[tuple[int, int], ...]


class Linker:
    """Links each target word to the source word that gives it the largest p(target | source).

    A word that is not in the table translates to itself. A target word that no source word translates to is
    linked to an equal string, otherwise to the nearest source word that neither table nor string links, because a
    translator may know more than the table: several to one if necessary, since a compound becomes several words.
    If there is none, it stays without a link. Words that the analyzers drop have no links, unless both sides
    spell them the same. Without a table there are no links.
    """

    def __init__(self, source: Analyzer, target: Analyzer, table: Translations | None):
        self._source, self._target, self._table = source, target, table
        self._rows: dict[str, Mapping[str, float]] = {}  # surface word -> target term -> chance

    def links(self, source: Sequence[str], target: Sequence[str]) -> Links:
        """(i, j) for word i of the source and word j of the target; words as `Analyzer.surface` writes them."""
        if self._table is None or not source:
            return ()
        rows = [self._row(word, self._table) for word in source]
        places = _Places(len(source), len(target))
        found, left = [], []
        for j, word in enumerate(target):
            terms = self._target.chunk_terms(word)
            chances = [max((row.get(term, 0.0) for term in terms), default=0.0) for row in rows]
            best = max(chances)
            if best > 0.0:
                found.append((places.nearest(j, _equal(chances, best)), j))
            elif same := _equal(source, word):
                found.append((places.nearest(j, same), j))
            elif terms:
                left.append(j)
        linked = {i for i, _ in found}
        free = [i for i, row in enumerate(rows) if row and i not in linked]
        found += [(places.nearest(j, free), j) for j in left if free]
        return tuple(sorted(found, key=lambda link: link[1]))

    def _row(self, word: str, table: Translations) -> Mapping[str, float]:
        if word not in self._rows:
            row: dict[str, float] = {}
            known = [term for term in self._source.chunk_terms(word) if term in table.numbers]
            for entries in map(table.row, known):
                for term, chance in entries:
                    row[term] = max(chance, row.get(term, 0.0))
            if not known and self._source.chunk_terms(word):
                row = dict.fromkeys(self._target.chunk_terms(word), 1.0)
            self._rows[word] = row
        return self._rows[word]


class _Places:
    """The distance between words of two sentences, as if both had the same length."""

    def __init__(self, n_sources: int, n_targets: int):
        self._sources, self._targets = n_sources, n_targets

    def nearest(self, j: int, candidates: Iterable[int]) -> int:
        there = (j + 0.5) / self._targets
        return min(candidates, key=lambda i: abs((i + 0.5) / self._sources - there))


def _equal(values: Sequence[object], wanted: object) -> list[int]:
    return [i for i, value in enumerate(values) if value == wanted]
