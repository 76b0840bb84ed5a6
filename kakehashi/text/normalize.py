"""Characters made alike before words are looked for; knows nothing of languages or words."""

import re
import unicodedata

# NFKC would make a gap of the accent and letters of the others ("Foo™" -> "FooTM"), so they go first.
_BEFORE = {"´": "'", "™": " ", "℠": " ", "℡": " "}
_AFTER = {
    **dict.fromkeys("’‘ʼ`", "'"),
    **dict.fromkeys("‐−", "-"),
    "_": " ",  # never part of a term, so that it can join n-grams
}
_before = re.compile(f"[{''.join(_BEFORE)}]")
_after = re.compile(f"[{''.join(_AFTER)}]")
_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # how a glyph is drawn, not which it is
_INVISIBLE = {"Cc", "Cf", "Cs"}  # control, format (soft hyphen, joiners), lone surrogates


def clean(text: str) -> str:
    """NFKC without invisible characters, one form of apostrophe and hyphen; white space stays."""
    if not text.isascii() or not text.isprintable():
        text = _before.sub(lambda sign: _BEFORE[sign[0]], visible(text))
        text = unicodedata.normalize("NFKC", text)
    return _after.sub(lambda sign: _AFTER[sign[0]], text)


def visible(text: str) -> str:
    """The text without characters that nobody can see, white space excepted."""
    if not text.isprintable():
        text = "".join(c for c in text if c.isspace() or unicodedata.category(c) not in _INVISIBLE)
    return _VARIATION.sub("", text)


def lower(text: str) -> str:
    """Lower case without regard to the language; NFKC once more, for lowering can undo it (İ)."""
    text = text.lower()
    return text if text.isascii() else unicodedata.normalize("NFKC", text)
