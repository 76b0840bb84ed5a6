"""How compilers call a translator: the sentences of a query, each with its words and translations."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kakehashi.index.index import Index
from kakehashi.lexicon.linking import Linker
from kakehashi.lexicon.translator import BatchTranslator, Translation, best_first, without_duplicates
from kakehashi.progress import SILENT, Progress
from kakehashi.query.terms import check_source
from kakehashi.types import Text


class Sentence(NamedTuple):
    """A sentence, or a part of a long one."""

    words: list[str]  # as `Analyzer.surface` writes them; links count these
    asked: list[str]  # as the translator reads it


@dataclass(frozen=True)
class Asking:
    """A translator that links words reads surface words; one with a separate linker reads the original text."""

    index: Index
    translator: BatchTranslator
    longest: int  # maximum words of a sentence; longer ones are translated in parts
    linker: Linker | None = None
    unique: bool = True  # list translations of the same words once

    def prepare(self, queries: Sequence[Text], n: int = 1, progress: Progress = SILENT) -> None:
        """Pass all sentences at once to the translator, which caches them."""
        self.translator.translate(
            [sentence.asked for query in queries for sentence in self._sentences(query)], n, progress
        )

    def translated(self, query: Text, n: int = 1) -> Iterator[tuple[list[str], Sequence[Translation]]]:
        """(words, translations) of every sentence of the query."""
        sentences = list(self._sentences(query))
        found = self.translator.translate([sentence.asked for sentence in sentences], n)
        for sentence, translations in zip(sentences, found, strict=True):
            yield sentence.words, self._linked(sentence.words, translations)

    def _sentences(self, query: Text) -> Iterator[Sentence]:
        check_source(self.index, query)
        text = query.content.encode("utf-8", "replace").decode("utf-8")  # half a character fits no file
        surface = self.index.source_analyzer.surface
        if self.linker is None:
            for words in surface.sentences(text):
                yield from (Sentence(part, part) for part in parts(words, self.longest))
            return
        for sentence in surface.sentence_chunks(text):
            for chunks in parts(sentence, self.longest):
                if words := surface.terms_of_chunks(chunks):
                    yield Sentence(words, surface.join_chunks(chunks).split())

    def _linked(self, words: Sequence[str], translations: Sequence[Translation]) -> Sequence[Translation]:
        if self.linker is None:
            return translations
        found = []
        for each in translations:
            said = tuple(self.index.analyzer.surface.terms(" ".join(each.words)))
            found.append(Translation(said, self.linker.links(words, said), each.score))
        return without_duplicates(found) if self.unique else best_first(found)


def parts(words: Sequence[str], longest: int) -> Iterator[list[str]]:
    """Long sentences in parts of about equal length."""
    n_parts = -(-len(words) // longest)
    for part in range(n_parts):
        yield list(words[part * len(words) // n_parts : (part + 1) * len(words) // n_parts])
