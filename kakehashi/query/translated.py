"""The compiler of direct translation: the query is translated sentence by sentence and then used as a plain query."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kakehashi.index.index import Index
from kakehashi.lexicon.linking import Linker
from kakehashi.lexicon.translator import BatchTranslator
from kakehashi.progress import SILENT, Progress
from kakehashi.query.asking import Asking
from kakehashi.query.terms import one_group_each
from kakehashi.types import TermQuery, Text


class Translated:
    """A group per distinct word of the best translation."""

    def __init__(self, index: Index, translator: BatchTranslator, longest: int, linker: Linker | None = None):
        self._index, self._asking = index, Asking(index, translator, longest, linker)

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        self._asking.prepare(queries, progress=progress)

    def compile(self, query: Text) -> TermQuery:
        origins: dict[str, str] = {}  # for each term, the word it was first translated from
        terms = []
        for word, origin in self.words(query):
            for term in self._index.analyzer.chunk_terms(word):
                origins.setdefault(term, origin)
                terms.append(term)
        found = one_group_each(self._index, terms)
        return replace(found, labels=tuple(origins[term] for term in found.labels))

    def words(self, query: Text) -> Iterator[tuple[str, str]]:
        """The words of the translated query, each with the one it comes from."""
        for source, translations in self._asking.translated(query):
            best = translations[0]
            origins = {j: source[i] for i, j in best.links}
            yield from ((word, origins.get(j, word)) for j, word in enumerate(best.words))
