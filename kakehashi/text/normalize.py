"""Normalises characters before tokenisation; independent of languages and words."""

import re
import unicodedata

# NFKC would turn the accent into a space and the others into letters ("Foo™" -> "FooTM"), so they are removed first.
_BEFORE = {"´": "'", "™": " ", "℠": " ", "℡": " "}
_AFTER = {
    **dict.fromkeys("’‘ʼ`", "'"),
    **dict.fromkeys("‐−", "-"),
    "_": " ",  # never part of a term, so that it can join n-grams
}
_before = re.compile(f"[{''.join(_BEFORE)}]")
_after = re.compile(f"[{''.join(_AFTER)}]")
_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # how a glyph is drawn, not which one it is
_INVISIBLE = {"Cc", "Cf", "Cs"}  # control, format (soft hyphen, joiners), lone surrogates


def clean(text: str) -> str:
    """NFKC without invisible characters, with one form of apostrophe and hyphen; white space is kept."""
    if not text.isascii() or not text.isprintable():
        text = _before.sub(lambda sign: _BEFORE[sign[0]], visible(text))
        text = unicodedata.normalize("NFKC", text)
    return _after.sub(lambda sign: _AFTER[sign[0]], text)


def visible(text: str) -> str:
    """The text without invisible characters, except white space."""
    if not text.isprintable():
        text = "".join(c for c in text if c.isspace() or unicodedata.category(c) not in _INVISIBLE)
    return _VARIATION.sub("", text)


def lower(text: str) -> str:
    """Lower case, independent of the language; NFKC again, because lowering can undo it (İ)."""
    text = text.lower()
    return text if text.isascii() else unicodedata.normalize("NFKC", text)
