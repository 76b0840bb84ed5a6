"""Finds the ends of sentences at chunk boundaries; the caller handles line breaks, which also end sentences."""

from collections.abc import Iterator, Sequence

from kakehashi.text.prefixes import is_abbreviation, is_numbered

_CLOSING = "\"'”’»›)]}」』】〉》）"
_OPENING = "\"'“„‘«‹([{「『【〈《（¿¡"
_ENDS = frozenset(".!?…。！？｡．")
_LAST = _ENDS | frozenset(_CLOSING)


def split_sentences(chunks: Sequence[str], language: str) -> Iterator[Sequence[str]]:
    """Split the chunks of one line into sentences."""
    ends_here = _ends_japanese if language == "japanese" else _ends
    start = 0
    for i in range(len(chunks) - 1):
        if chunks[i][-1] in _LAST and ends_here(chunks[i], chunks[i + 1], language):
            yield chunks[start : i + 1]
            start = i + 1
    if start < len(chunks):
        yield chunks[start:]


def _ends(chunk: str, following: str, language: str) -> bool:
    """A chunk that ends in . ! ? and is not an abbreviation, before something that can start a sentence."""
    chunk = chunk.rstrip(_CLOSING)
    if not chunk or chunk[-1] not in _ENDS or not _may_begin(following):
        return False
    word = chunk[:-1].lstrip(_OPENING)
    if chunk[-1] != "." or not word or word[-1] in _ENDS:
        return True
    if is_numbered(word, language) and following.lstrip(_OPENING)[:1].isdigit():
        return False
    return not is_abbreviation(word, language)


def _may_begin(chunk: str) -> bool:
    """A capital, a letter of a script without capitals, a digit or an opening punctuation mark."""
    first = chunk[0]
    return first in _OPENING or first.isdigit() or (first.isalpha() and not first.islower())


def _ends_japanese(chunk: str, following: str, language: str) -> bool:
    """A full stop, unless a closing bracket follows: 「はい。」と言う continues."""
    return chunk[-1] in _ENDS and following[0] not in _CLOSING
