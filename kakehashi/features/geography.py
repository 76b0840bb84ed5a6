"""Place names: one field may contain several, and one place may have many spellings (T13 5.3).

Two cities are the same if their spellings differ by one letter, or by at most a fifth of the shorter. Countries
and states must be equal. A table, `kakehashi/features/place_names.py`, covers what spelling cannot connect.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.features.classes import folded
from kakehashi.features.place_names import CITIES, COUNTRIES, JAPANESE, STATES, WORDS
from kakehashi.types import Array

MOST_EDITS, MOST_SHARE = 1, 0.2
# words for kinds of places that may precede or follow a name
_KINDS = re.compile(
    r"\b(shi|city|ku|ken|pref|prefecture|fu|cho|machi|gun|gu|dong|si|do|town|village|stadt|cedex|district|county)\b"
)
_NUMBERS = re.compile(r"\b(?:[a-z]{1,2} )?\d\w*\b")  # postal codes, with or without the country letter
# a river or region after a German name distinguishes it from others of that name
_BEHIND = re.compile(r"(?<=\w) (?:am|an der|im|ob der|a d) \w+$")
_KNOWN = frozenset([*CITIES.values(), *JAPANESE.values()])
_CITIES = {folded(name): place for name, place in {**CITIES, **JAPANESE}.items()}


def places(field: str) -> Sequence[str]:
    """The places in a field: `Kaminoge, Setagaya-ku, Tokyo` has three."""
    found = (_place(part) for part in re.split(r"[,;/()]", field))
    return tuple(dict.fromkeys(name for name in found if name))


def _place(part: str) -> str:
    name = _NUMBERS.sub(" ", folded(part))
    shorter = " ".join(_KINDS.sub(" ", name).split())
    name = shorter or " ".join(name.split())
    if name in _CITIES:
        return _CITIES[name]
    return _BEHIND.sub("", " ".join(WORDS.get(word, word) for word in name.split()))


def country(code: str) -> Sequence[str]:
    """The successor of a former state."""
    code = code.strip().upper()
    return (COUNTRIES.get(code, code),)


def state(name: str) -> Sequence[str]:
    """The code of a United States state that is written in full; any other name unchanged."""
    return (STATES.get(folded(name), name.strip()),)


def is_state(name: str) -> bool:
    """Whether it is a state of the United States, written in full."""
    return folded(name) in STATES


def is_known_place(field: str) -> bool:
    """Whether a place of the table of corrections is among those of the field."""
    return not _KNOWN.isdisjoint(places(field))


class Names:
    """All names of a column, arranged so that those near a given one are found in one pass."""

    def __init__(self, names: Iterable[str], shortest: int = 1):
        encoded = [np.frombuffer(name.encode("utf-32-le"), np.uint32) for name in names]
        self._starts = np.append(0, np.cumsum([len(name) for name in encoded])).astype(np.int64)
        self._letters = np.concatenate([*encoded, np.zeros(0, np.uint32)])
        self._shortest = shortest
        self._found: dict[str, list[int]] = {}

    def near(self, name: str) -> list[int]:
        """Numbers of the names that may be the same place; below `shortest` letters only equal ones."""
        if name not in self._found:
            letters = np.frombuffer(name.encode("utf-32-le"), np.uint32)
            self._found[name] = _near(letters, self._starts, self._letters, self._shortest).tolist()
        return self._found[name]


@kernel
def _near(name: Array, starts: Array, letters: Array, shortest: int) -> Array:
    found = np.empty(len(starts) - 1, np.int64)
    n = 0
    for i in range(len(starts) - 1):
        other = letters[starts[i] : starts[i + 1]]
        shorter = min(len(name), len(other))
        allowed = max(MOST_EDITS, int(MOST_SHARE * shorter + 1e-9)) if shorter >= shortest else 0
        if shorter > 0 and abs(len(name) - len(other)) <= allowed and _edits(name, other) <= allowed:
            found[n] = i
            n += 1
    return found[:n]


@kernel
def _edits(one: Array, other: Array) -> int:
    """Edit distance: letters inserted, deleted or changed."""
    row = np.arange(len(other) + 1)
    for i in range(len(one)):
        diagonal, row[0] = row[0], i + 1
        for j in range(len(other)):
            best = diagonal + (one[i] != other[j])
            diagonal = row[j + 1]
            row[j + 1] = min(best, min(row[j], row[j + 1]) + 1)
    return int(row[len(other)])
