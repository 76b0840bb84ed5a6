"""Filters on single words: numbers, hiragana, length; stop words and stemming have their own files."""

import re
from functools import cache
from typing import Any

from kakehashi.errors import InputError

MAX_TERM = 128  # a longer "word" is a sequence listing, a key or an attack
_DIGIT = re.compile(r"\d")
_HIRAGANA = re.compile("[\u3040-\u309f]+")

STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french",
    "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "nb": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


def is_term(token: str, punctuation: bool) -> bool:
    """Not absurdly long, and contains a letter or digit; with `punctuation`, any character counts."""
    return 0 < len(token) <= MAX_TERM and (punctuation or token.isalnum() or any(map(str.isalnum, token)))


def remove_digits(chunk: str) -> str:
    """Replace every digit by a space: 10mm -> mm, a4b -> a b."""
    return _DIGIT.sub(" ", chunk)


def simplify_number(token: str) -> str:
    """Replace every digit by N: 128 -> NNN."""
    return _DIGIT.sub("N", token)


def qstem(token: str) -> str:
    """The token without its hiragana; kanji and katakana, including the length mark, are kept."""
    return _HIRAGANA.sub("", token)


@cache
def stemmer(lang: str) -> Any:
    """The Snowball stemmer of a language, without its own cache, because chunks are already cached."""
    import Stemmer

    if lang not in STEMMERS or STEMMERS[lang] not in Stemmer.algorithms():
        raise InputError(f"there is no stemmer for '{lang}': set stem = false")
    return Stemmer.Stemmer(STEMMERS[lang], 0)
