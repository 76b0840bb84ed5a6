"""The compiler of direct translation: the query is translated sentence by sentence, then asked as it stands."""

from collections.abc import Iterator, Sequence

from kakehashi.index.index import Index
from kakehashi.lexicon.translator import Translator
from kakehashi.query.terms import check_source, one_group_each
from kakehashi.types import TermQuery, Text


class Translated:
    """A group per distinct word of the best translation."""

    def __init__(self, index: Index, translator: Translator, longest: int):
        self._index, self._translator, self._longest = index, translator, longest

    def compile(self, query: Text) -> TermQuery:
        return one_group_each(self._index, self._index.analyzer.terms_of_chunks(self.words(query)))

    def words(self, query: Text) -> list[str]:
        """The translated query."""
        sentences = list(sentences_of(self._index, query, self._longest))
        found = self._translator.translate(sentences)
        return [word for translations in found for word in translations[0].words]

    def sources(self, query: Text, terms: Sequence[int]) -> list[list[tuple[str, float]]]:
        return [[(self._index.vocabulary[term], 1.0)] for term in terms]


def sentences_of(index: Index, query: Text, longest: int) -> Iterator[list[str]]:
    """The words of each sentence, as a translator reads them; long ones in parts of about equal length."""
    check_source(index, query)
    for words in index.source_analyzer.surface.sentences(query.content):
        n_parts = -(-len(words) // longest)
        for part in range(n_parts):
            yield words[part * len(words) // n_parts : (part + 1) * len(words) // n_parts]
