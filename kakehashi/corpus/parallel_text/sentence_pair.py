"""A sentence and its translation as text, and which two languages they are in."""

from typing import NamedTuple


class SentencePair(NamedTuple):
    """A sentence of the collection's source language and one of its target language."""

    source: str
    target: str
    weight: float = 1.0
    is_entry: bool = False  # a dictionary entry: words rather than a sentence


class Languages(NamedTuple):
    """The two languages of a collection, as in collection.toml."""

    source: str
    target: str

    def with_english(self) -> str | None:
        """The language that is not English, if the other one is."""
        if is_language(self.target, "en"):
            return None if is_language(self.source, "en") else self.source
        return self.target if is_language(self.source, "en") else None

    def in_order(self, first: str, one: str, other: str) -> tuple[str, str]:
        """(source, target) of `one`, which is in the language `first`, and `other`."""
        return (one, other) if is_language(first, self.source) else (other, one)


THREE_LETTERS = {
    "deu": "de", "ger": "de", "eng": "en", "fra": "fr", "fre": "fr", "jpn": "ja", "spa": "es", "ita": "it",
    "nld": "nl", "dut": "nl", "por": "pt", "rus": "ru", "swe": "sv", "pol": "pl", "zho": "zh", "chi": "zh",
    "kor": "ko", "ces": "cs", "cze": "cs", "fin": "fi", "dan": "da", "nor": "no", "tur": "tr", "hun": "hu",
}  # fmt: skip


def is_language(tag: str, language: str) -> bool:
    """Whether a tag such as de-AT, de_CH or deu means the language or a variant of it."""
    return _primary(tag) == _primary(language)


def is_known(tag: str, languages: Languages) -> bool:
    """Whether a suffix surely names a language; .txt and .srt do not."""
    return _primary(tag) in {*THREE_LETTERS.values(), *map(_primary, languages)}


def _primary(tag: str) -> str:
    first = tag.strip().lower().replace("_", "-").replace("@", "-").replace(".", "-").split("-")[0]
    return THREE_LETTERS.get(first, first)
