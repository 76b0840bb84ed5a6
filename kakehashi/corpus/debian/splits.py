"""Train, dev and test by the md5 of an id, and parallel text without a trace of dev and test."""

import hashlib
import re
from collections.abc import Iterable, Iterator

TRAIN, DEV = 0.7, 0.1  # the rest is test
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
NOT_A_LETTER = re.compile(r"[\W_]+")
SHORTEST_WORDS, SHORTEST_CHARACTERS = 5, 15  # a shorter sentence is a phrase that belongs to nobody


def split_of(name: str) -> str:
    """The same for one id in every language, on every machine and in every release of the archive."""
    place = int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:8], 16) / 2**32
    return "train" if place < TRAIN else "dev" if place < TRAIN + DEV else "test"


def same_letters(source: str, target: str) -> bool:
    """Whether a passage is left untranslated; case, spaces and punctuation do not count."""
    return (
        source == target or NOT_A_LETTER.sub("", source).casefold() == NOT_A_LETTER.sub("", target).casefold()
    )


class HeldOut:
    """What dev and test say, on either side: whole blocks, and sentences long enough to be telling."""

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


def _pieces(block: str) -> Iterator[str]:
    folded = block.casefold().strip()
    yield folded
    for sentence in SENTENCE_END.split(folded):
        if len(sentence.split()) >= SHORTEST_WORDS or _japanese_characters(sentence) >= SHORTEST_CHARACTERS:
            yield sentence


def _japanese_characters(sentence: str) -> int:
    """Japanese has no spaces, so the length of its sentences is counted in characters."""
    return 0 if sentence.isascii() else sum(character >= "\u3000" for character in sentence)
