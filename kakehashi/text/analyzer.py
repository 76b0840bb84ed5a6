"""An analyzer: text to chunks, chunks to terms; settings and learned state go in, artifacts record both.

The terms of chunks are cached, so a word costs one dictionary lookup however long the chain is.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

import msgspec

from kakehashi.errors import InputError
from kakehashi.text import japanese
from kakehashi.text.chain import Chain, ChunkCache
from kakehashi.text.sentences import split_sentences
from kakehashi.text.settings import VERSION, AnalyzerSettings
from kakehashi.text.state import AnalyzerState

RECENT = 8  # texts whose chunks are kept, by line in Japanese
NGRAM_SEPARATOR = "_"  # tokenizers part words there and drop it, so no single term holds one


class Analyzer:
    """Turns texts of one language into terms; the same settings and state always give the same terms."""

    def __init__(self, settings: AnalyzerSettings, state: AnalyzerState | None = None):
        if settings.version != VERSION:
            known = f"{settings.tokenizer}/{VERSION}"
            raise InputError(
                f"analyzer {settings.tokenizer}/{settings.version} is not that of this program ({known}): "
                "run kakehashi index DIR"
            )
        if state is None and settings.learns:
            raise InputError(
                f"the analyzer for '{settings.lang}' learns from a corpus: build it with learn()"
            )
        self.settings = settings
        self.state = state or AnalyzerState()
        self._cut = _segmenter(settings)
        self._recent: dict[str, list[list[str]]] = {}
        self._terms = ChunkCache(Chain(settings, self.state).terms)

    def __reduce__(self) -> tuple[type["Analyzer"], tuple[AnalyzerSettings, AnalyzerState]]:
        return Analyzer, (self.settings, self.state)  # caches and taggers are not copied

    @cached_property
    def fingerprint(self) -> str:
        """Such as german/1:3fa9c1d20b; equal only for equal settings and state."""
        digest = hashlib.blake2b(digest_size=5)
        digest.update(msgspec.json.encode((self.settings, self.state)))
        return f"{self.settings.tokenizer}/{self.settings.version}:{digest.hexdigest()}"

    @cached_property
    def surface(self) -> "Analyzer":
        """The same analyzer without stop list, stemming and n-grams: the words a translator reads and writes."""
        plain = msgspec.structs.replace(self.settings, stop="none", stem=False, ngrams=1)
        return Analyzer(plain, self.state)

    @property
    def is_chunk_local(self) -> bool:
        """Whether terms(text) is simply the concatenated chunk_terms of its chunks."""
        return self.settings.ngrams == 1

    def segment(self, text: str) -> list[str]:
        """The raw chunks of a text; none holds white space."""
        return list(chain.from_iterable(self._chunks(text)))

    def chunk_terms(self, chunk: str) -> tuple[str, ...]:
        """The terms of one chunk, without n-grams."""
        return self._terms[chunk]

    def terms(self, text: str) -> list[str]:
        if self.is_chunk_local:
            return self.terms_of_chunks(self.segment(text))
        return [term for sentence in self.sentences(text) for term in sentence]

    def terms_of_chunks(self, chunks: Iterable[str]) -> list[str]:
        """The terms of chunks that may come from another language's analyzer (pass-through), without n-grams."""
        return list(chain.from_iterable(map(self._terms.__getitem__, chunks)))

    def sentences(self, text: str) -> list[list[str]]:
        """The terms of each sentence that has any; concatenated they are `terms(text)`."""
        found = []
        for sentence in self.sentence_chunks(text):
            if terms := self.terms_of_chunks(sentence):
                found.append(terms + _ngrams(terms, self.settings.ngrams))
        return found

    def sentence_chunks(self, text: str) -> Iterator[Sequence[str]]:
        """The raw chunks of each sentence; `join_chunks` turns them back into text."""
        for chunks in self._lines(text):
            yield from split_sentences(chunks, str(self.settings.tokenizer))

    def join_chunks(self, chunks: Iterable[str]) -> str:
        """Chunks as a line of text, with its capitals and punctuation."""
        return japanese.joined(chunks) if self.settings.tokenizer == "japanese" else " ".join(chunks)

    def _lines(self, text: str) -> Iterable[list[str]]:
        if self.settings.tokenizer == "japanese":
            return self._chunks(text)
        return map(self._cut, text.splitlines())

    def _chunks(self, text: str) -> list[list[str]]:
        """Of the whole text, or of its lines in Japanese, where cutting takes long."""
        found = self._recent.get(text)  # the systems that others are made of all ask for the same query
        if found is None:
            if len(self._recent) >= RECENT:
                self._recent.clear()
            by_line = self.settings.tokenizer == "japanese"
            found = self._recent[text] = list(japanese.lines(text)) if by_line else [self._cut(text)]
        return found


def _segmenter(settings: AnalyzerSettings) -> Callable[[str], list[str]]:
    """For any tokenizer but the Japanese one, which cuts line by line."""
    return _split_after_stops if settings.tokenizer == "default" else str.split


def _split_after_stops(text: str) -> list[str]:
    """Chinese has no white space between sentences, so its full stops take that role."""
    if not text.isascii():
        for stop in "。！？":
            text = text.replace(stop, f"{stop} ")
    return text.split()


def _ngrams(terms: list[str], longest: int) -> list[str]:
    """Neighbouring terms joined: pairs first, then triples, up to `longest`."""
    return [
        NGRAM_SEPARATOR.join(terms[i : i + n])
        for n in range(2, longest + 1)
        for i in range(len(terms) - n + 1)
    ]
