"""Reads a corpus once and returns the analyzer that learned from it; keeps counts, never texts."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

import msgspec

from kakehashi.progress import SILENT, Progress, track
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.chain import Chain, ChunkCache, compound_rules, without_learning
from kakehashi.text.induced import induced_stop_words
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.text.state import AnalyzerState
from kakehashi.text.stopwords import STOP_LISTS, stop_list


def learn(settings: AnalyzerSettings, texts: Iterable[str], progress: Progress = SILENT) -> Analyzer:
    """The analyzer for these settings; reads the texts only if there is something to learn from them."""
    if not settings.learns:
        return Analyzer(settings)
    counts, df, n_texts = _count(settings, texts, progress)
    words = _parts(settings, counts)
    state = AnalyzerState(
        words=words,
        counts=tuple(counts[word] for word in words),
        stop_words=tuple(induced_stop_words(df, n_texts, settings.stop_idf)),
    )
    if settings.vocabulary:
        kept = most_frequent(_term_counts(settings, state, counts), settings.vocabulary)
        state = msgspec.structs.replace(state, vocabulary=tuple(sorted(kept)))
    return Analyzer(settings, state)


def most_frequent(counts: Mapping[str, int], k: int) -> list[str]:
    """The k most frequent words; ties are broken by string order."""
    return sorted(counts, key=lambda word: (-counts[word], word))[:k]


def _count(
    settings: AnalyzerSettings, texts: Iterable[str], progress: Progress
) -> tuple[Counter[str], Counter[str], int]:
    """How often each word occurs; in how many texts (only for stop words by statistics); how many texts."""
    plain = without_learning(settings)
    segment = Analyzer(plain).segment
    words_of = ChunkCache(Chain(plain, AnalyzerState()).words)
    counts: Counter[str] = Counter()
    df: Counter[str] = Counter()
    n_texts = 0
    for text in track(texts, "reading words", progress=progress):
        n_texts += 1
        words = list(chain.from_iterable(map(words_of.__getitem__, segment(text))))
        counts.update(words)
        if settings.stop == "induced":
            df.update(set(words))
    return counts, df, n_texts


def _parts(settings: AnalyzerSettings, counts: Counter[str]) -> tuple[str, ...]:
    """The words that compounds may be or consist of, sorted.

    Function words are excluded: they are so frequent that they would split "Übersetzung" into über + Setzung.
    """
    if not settings.compounds:
        return ()
    rules = compound_rules(settings)
    closed = stop_list(settings.lang, "large") if settings.lang in STOP_LISTS else frozenset()
    possible = (word for word in counts if rules.may_be_part(word) or rules.may_split(word))
    return tuple(sorted(word for word in possible if word not in closed))


def _term_counts(settings: AnalyzerSettings, state: AnalyzerState, counts: Counter[str]) -> Counter[str]:
    """How often each final term occurs, from the counts of the words it comes from."""
    terms_of = Chain(msgspec.structs.replace(settings, vocabulary=0), state).terms_of_word
    found: Counter[str] = Counter()
    for word, n in counts.items():
        for term in terms_of(word):
            found[term] += n
    return found
