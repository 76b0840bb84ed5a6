"""How many words a text has, before stop words, stems and compounds; needs no index."""

from collections.abc import Iterable

from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.types import Text


def word_counts(texts: Iterable[Text]) -> dict[str, int]:
    """Id -> number of words of title and text, by the rules of the text's language."""
    analyzers: dict[str, Analyzer] = {}
    found = {}
    for text in texts:
        if text.lang not in analyzers:
            analyzers[text.lang] = Analyzer(AnalyzerSettings(lang=text.lang))
        found[text.id] = len(analyzers[text.lang].terms(text.content))
    return found
