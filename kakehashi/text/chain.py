"""From one chunk to its terms: all analysis that does not depend on neighbours and so can be cached.

A chunk is cleaned, loses its digits if numbers are removed, is split into tokens, lowercased and stripped of
punctuation; the result is its words. Each word then passes stop words, simplified numbers, qStem, compounds,
stemming and vocabulary; the result is its terms.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from kakehashi.text.compounds import (
    GERMAN_RULES,
    KATAKANA_RULES,
    PLAIN_RULES,
    CompoundRules,
    CompoundSplitter,
)
from kakehashi.text.filters import is_term, qstem, remove_digits, simplify_number, stemmer
from kakehashi.text.normalize import clean, lower
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.text.state import AnalyzerState
from kakehashi.text.stopwords import stop_list
from kakehashi.text.tokenize import tokenizer

T = TypeVar("T")
MAX_CACHED = 1_000_000  # maximum number of chunks; then the cache is cleared
MAX_CACHED_LENGTH = 64


class Chain:
    """The steps that the settings select, with the state learned for them."""

    def __init__(self, settings: AnalyzerSettings, state: AnalyzerState):
        self._settings = settings
        self._tokenize = tokenizer(str(settings.tokenizer), settings.punctuation, settings.split_hyphens)
        self._stop = _stop_words(settings, state)
        self._split = _splitter(settings, state)
        self._stem = stemmer(settings.lang).stemWord if settings.stem else None
        self._vocabulary = frozenset(state.vocabulary) if settings.vocabulary else None

    def terms(self, chunk: str) -> tuple[str, ...]:
        return tuple(term for word in self.words(chunk) for term in self.terms_of_word(word))

    def words(self, chunk: str) -> tuple[str, ...]:
        """Tokens in lower case, without punctuation, before any word is filtered out."""
        chunk = clean(chunk)
        if self._settings.numbers == "remove":
            chunk = remove_digits(chunk)
        tokens = self._tokenize(chunk)
        if self._settings.lowercase:
            tokens = [lower(token) for token in tokens]
        return tuple(token for token in tokens if is_term(token, self._settings.punctuation))

    def terms_of_word(self, word: str) -> list[str]:
        settings = self._settings
        if word in self._stop:
            return []
        if settings.numbers == "simplify":
            word = simplify_number(word)
        if settings.qstem:
            word = qstem(word)
        terms: list[str] = list(self._split(word)) if self._split else [word]
        if self._stem:
            terms = [term if "." in term else self._stem(term) for term in terms]  # u.s would become u.
        if self._vocabulary is not None:
            terms = [term for term in terms if term in self._vocabulary]
        return [term for term in terms if is_term(term, settings.punctuation)]


class KeptChunks(dict[str, tuple[T, ...]], Generic[T]):
    """What is known of chunks; bounded, and safe to share between threads."""

    def keep(self, chunk: str, made: tuple[T, ...]) -> tuple[T, ...]:
        if len(chunk) <= MAX_CACHED_LENGTH:
            if len(self) >= MAX_CACHED:
                self.clear()
            self[chunk] = made
        return made


class ChunkCache(KeptChunks[T]):
    """Keeps what a function returned for each chunk."""

    def __init__(self, make: Callable[[str], tuple[T, ...]]):
        super().__init__()
        self._make = make

    def __missing__(self, chunk: str) -> tuple[T, ...]:
        return self.keep(chunk, self._make(chunk))


def compound_rules(settings: AnalyzerSettings) -> CompoundRules:
    """The rules of the language, changed by the settings."""
    rules = {"german": GERMAN_RULES, "japanese": KATAKANA_RULES}.get(str(settings.tokenizer), PLAIN_RULES)
    return CompoundRules(
        min_part=settings.compound_min_part or rules.min_part,
        fillers=rules.fillers if settings.compound_fillers is None else settings.compound_fillers,
        katakana=rules.katakana,
    )


def _splitter(settings: AnalyzerSettings, state: AnalyzerState) -> Callable[[str], tuple[str, ...]] | None:
    if not settings.compounds:
        return None
    counts = dict(zip(state.words, state.counts, strict=True))
    return CompoundSplitter(counts, compound_rules(settings)).split


def _stop_words(settings: AnalyzerSettings, state: AnalyzerState) -> frozenset[str]:
    listed = (
        frozenset(state.stop_words) if settings.stop == "induced" else stop_list(settings.lang, settings.stop)
    )
    return listed | frozenset(settings.stop_words)


def without_learning(settings: AnalyzerSettings) -> AnalyzerSettings:
    """The same tokens and words, without the steps that need a learned corpus."""
    return msgspec.structs.replace(settings, compounds=False, stop="none", vocabulary=0)
