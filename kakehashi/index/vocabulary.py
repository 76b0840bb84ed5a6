"""Terms and their numbers as mapped arrays: a lookup touches a few bytes, loading touches none.

A vocabulary grows with every update: a segment adds the terms that first occur in it as one more part, so a
term keeps its number until segments are merged. Inside a part terms are numbered by descending frequency, so the
most used rows of everything indexed by term are adjacent in memory.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import xxhash

from kakehashi.compiled import kernel
from kakehashi.store import Artifact, Strings, strings_arrays
from kakehashi.types import Array, Ints

UNKNOWN = -1
MANY = 8  # if at least one term in this many is requested, all are read
MOST_KNOWN = 1_000_000  # terms kept as strings


class VocabularyPart:
    """The terms added by one segment: strings and an open-addressing hash table over them."""

    def __init__(self, terms: Strings, slots: Array, first: int):
        self.terms, self._slots, self.first = terms, slots, first

    def number(self, key: bytes) -> int:
        """The term's number, or UNKNOWN."""
        if len(self.terms) == 0:
            return UNKNOWN
        mask = len(self._slots) - 1
        slot = xxhash.xxh3_64_intdigest(key) & mask
        while (local := int(self._slots[slot])) != UNKNOWN:
            if self.terms.encoded(local) == key:
                return self.first + local
            slot = (slot + 1) & mask
        return UNKNOWN


class Vocabulary:
    """All terms of an index: string to number and back.

    With `df`, a term that no document contains any more is unknown by its string, as in a fresh index; writers of
    an index leave `df` out, because the number is still taken.
    """

    def __init__(self, parts: Sequence[VocabularyPart] = (), df: Array | None = None):
        self._parts, self._df = list(parts), df
        self._known: dict[str, int] = {}  # earlier lookups; real queries repeat words

    def __len__(self) -> int:
        return self._parts[-1].first + len(self._parts[-1].terms) if self._parts else 0

    def __getitem__(self, number: int) -> str:
        for part in reversed(self._parts):
            if number >= part.first:
                term: str = part.terms[number - part.first]
                return term
        raise IndexError(number)

    def number(self, term: str) -> int:
        found = self._known.get(term)
        if found is None:
            found = self._look_up(term.encode("utf-8", "surrogatepass"))
            if len(self._known) > MOST_KNOWN:  # a server must not grow with every new word it is asked
                self._known.clear()
            self._known[term] = found
        return found

    def numbers(self, terms: Iterable[str]) -> Ints:
        asked = list(terms)
        if MANY * len(asked) < len(self) or len(self) > MOST_KNOWN:
            return np.array([self.number(term) for term in asked], dtype=np.int32)
        known = self._all
        return np.array([known.get(term, UNKNOWN) for term in asked], dtype=np.int32)

    @cached_property
    def _all(self) -> dict[str, int]:
        """Whoever asks for a good part of all terms, as a model does, asks sooner here."""
        known = {term: number for number, term in enumerate(self.all_terms())}
        if self._df is not None:
            dead = np.asarray(self._df[: len(self)]) <= 0
            known = {term: number for term, number in known.items() if not dead[number]}
        return known

    def all_terms(self) -> list[str]:
        """By number, including those without live documents."""
        return [term for part in self._parts for term in part.terms]

    def leading(self, first: int) -> Array:
        """(terms,) eight bytes of each, see `Strings.leading`."""
        return np.concatenate([*(part.terms.leading(first) for part in self._parts), np.zeros(0, np.uint64)])

    def _look_up(self, key: bytes) -> int:
        for part in self._parts:
            number = part.number(key)
            if number != UNKNOWN:
                return number if self._df is None or self._df[number] > 0 else UNKNOWN
        return UNKNOWN


def vocabulary_arrays(terms: Sequence[str]) -> dict[str, Array]:
    """The arrays of one part; `terms` in the order of their numbers."""
    arrays = strings_arrays("terms", terms)
    size = 1 << max(1, (2 * len(terms) - 1).bit_length())  # at most half full: short probes
    hashes = np.fromiter((xxhash.xxh3_64_intdigest(term.encode()) for term in terms), np.uint64, len(terms))
    return {**arrays, "terms.slots": _fill_slots(hashes, size)}


def read_part(artifact: Artifact, first: int) -> VocabularyPart:
    return VocabularyPart(artifact.strings("terms"), artifact.array("terms.slots"), first)


@kernel
def _fill_slots(hashes: Array, size: int) -> Array:
    slots = np.full(size, -1, dtype=np.int32)
    mask = np.uint64(size - 1)
    for i in range(len(hashes)):
        slot = np.int64(hashes[i] & mask)
        while slots[slot] != -1:
            slot = (slot + 1) & (size - 1)
        slots[slot] = i
    return slots
