"""The text of dev and test, so that training text can be kept free of it; reads no files."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

import xxhash

SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。｡！？])")
# a letter or digit of Japanese, otherwise a word; never 、 or 「, which a copy may add or drop
UNIT = re.compile(r"(?=[^\W_])[\u3000-\U0003ffff]|[^\W_\u3000-\U0003ffff]+")
SHORTEST_WORDS, SHORTEST_CHARACTERS = 5, 15  # a shorter sentence is a common phrase
TERM_CHARACTERS = 6  # two words
QUOTED_WORDS, QUOTED_CHARACTERS = 8, 24  # this many in a row are a quotation, whatever surrounds them
WINDOW = 5  # units that are hashed together


class HeldOut:
    """The text of dev and test, on either side: whole blocks, and sentences long enough to be specific.

    Case, punctuation and Unicode variants of a letter are ignored.
    """

    def __init__(self) -> None:
        self._pieces: set[str] = set()

    def add(self, block: str) -> None:
        self._pieces.update(_pieces(block))

    def holds(self, block: str) -> bool:
        return not self._pieces.isdisjoint(_pieces(block))

    def without(self, pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """The pairs of which neither side occurs in dev or test."""
        return (
            (source, target) for source, target in pairs if not self.holds(source) and not self.holds(target)
        )


class Quotations:
    """Runs of words of dev and test: finds a passage that occurs in a text, or quotes eight words of one.

    It ignores what `HeldOut` ignores. Words are stored as hashes of five in a row, so a passage combined from
    runs of several texts also counts as quoted: a false alarm is better than a leak.
    """

    def __init__(self) -> None:
        self._windows: set[int] = set()

    def add(self, text: str) -> None:
        self._windows.update(_windows(_units(text)))

    def has(self, passage: str) -> bool:
        units = _units(passage)
        if _is_short(units):
            return False
        unspaced = _japanese(units) * 2 > len(units)
        enough = min(len(units), QUOTED_CHARACTERS if unspaced else QUOTED_WORDS) - WINDOW + 1
        in_a_row = 0
        for window in _windows(units):
            in_a_row = in_a_row + 1 if window in self._windows else 0
            if in_a_row >= enough:
                return True
        return False


def is_phrase(text: str) -> bool:
    """Whether a text is too short to be specific."""
    return _is_short(_units(text))


def is_term(text: str) -> bool:
    """Whether a text is as short as an entry of a dictionary."""
    return _length(_units(text)) <= TERM_CHARACTERS


def _units(text: str) -> list[str]:
    """ﾎﾟﾝﾌﾟ is ポンプ, and ü is one letter even if it is written as two."""
    return UNIT.findall(unicodedata.normalize("NFKC", text).casefold())


def _windows(units: list[str]) -> Iterator[int]:
    for start in range(len(units) - WINDOW + 1):
        yield xxhash.xxh3_64_intdigest(" ".join(units[start : start + WINDOW]).encode())


def _pieces(block: str) -> Iterator[str]:
    if units := _units(block):
        yield " ".join(units)
    for sentence in SENTENCE_END.split(block):
        if not _is_short(units := _units(sentence)):
            yield " ".join(units)


def _is_short(units: Sequence[str]) -> bool:
    return _length(units) < SHORTEST_CHARACTERS


def _length(units: Sequence[str]) -> int:
    """In characters; a word counts as three, as in the shortest sentences."""
    japanese = _japanese(units)
    return (len(units) - japanese) * (SHORTEST_CHARACTERS // SHORTEST_WORDS) + japanese


def _japanese(units: Sequence[str]) -> int:
    """Japanese has no spaces, so the length of its sentences is measured in characters."""
    return sum(unit[0] >= "\u3000" for unit in units)
