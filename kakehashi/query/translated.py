"""The compiler of direct translation: the query is translated sentence by sentence, then asked as it stands."""

from collections.abc import Iterator
from dataclasses import replace

from kakehashi.index.index import Index
from kakehashi.lexicon.translator import Translator
from kakehashi.query.terms import check_source, one_group_each
from kakehashi.types import TermQuery, Text


class Translated:
    """A group per distinct word of the best translation."""

    def __init__(self, index: Index, translator: Translator, longest: int):
        self._index, self._translator, self._longest = index, translator, longest

    def compile(self, query: Text) -> TermQuery:
        origins: dict[str, str] = {}  # of each term, the word it was first translated from
        terms = []
        for word, origin in self.words(query):
            for term in self._index.analyzer.chunk_terms(word):
                origins.setdefault(term, origin)
                terms.append(term)
        found = one_group_each(self._index, terms)
        return replace(found, labels=tuple(origins[term] for term in found.labels))

    def words(self, query: Text) -> Iterator[tuple[str, str]]:
        """The words of the translated query, each with the one it comes from."""
        sentences = list(sentences_of(self._index, query, self._longest))
        for source, translations in zip(sentences, self._translator.translate(sentences), strict=True):
            best = translations[0]
            origins = {j: source[i] for i, j in best.links}
            yield from ((word, origins.get(j, word)) for j, word in enumerate(best.words))


def sentences_of(index: Index, query: Text, longest: int) -> Iterator[list[str]]:
    """The words of each sentence, as a translator reads them; long ones in parts of about equal length."""
    check_source(index, query)
    for words in index.source_analyzer.surface.sentences(query.content):
        n_parts = -(-len(words) // longest)
        for part in range(n_parts):
            yield words[part * len(words) // n_parts : (part + 1) * len(words) // n_parts]
