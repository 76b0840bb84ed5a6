"""What the values of a field look like: codes, paths, names, firms, places; decided from the values, never from names.

A few odd values change nothing: every rule asks for a share of the values.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from kakehashi.features.classes import CODE_PART, CodeParts, PathParts, firm, has_legal_form, person, plain
from kakehashi.features.columns import Spelling
from kakehashi.features.geography import country, is_known_place, is_state, places, state

MOST = 0.9  # share of values that must look alike
HALF = 0.5
FEW = 0.1  # from this share of values with a legal form, or in the list of places, a field is taken to be of such
EXAMPLES = 5_000  # values looked at, evenly chosen
LONG = 6  # words: longer values are prose, not names
# in the order in which they are tried; a dot or colon inside words separates, one before a space does not
SEPARATORS = ("::", " > ", " -- ", "\\", "/", "|", ":", ".")

_CODE = re.compile(r"[A-Z0-9]{1,10}(?:[ ./-]{1,2}[A-Z0-9]{1,10}){0,4}")
_LETTERS = re.compile(r"[^\W\d_]+(?:[ .,'’-]+[^\W\d_]+)*[.]?")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+|www\.\S+", re.IGNORECASE)

# how values are spelled before they are compared, by name
SPELLINGS: Mapping[str, Spelling] = {
    "": plain,
    "names": person,
    "firms": firm,
    "countries": country,
    "states": state,
    "places": places,
}


def examples(values: Sequence[str]) -> Sequence[str]:
    """Evenly chosen, so that they depend on the values alone."""
    step = max(len(values) / EXAMPLES, 1.0)
    return [values[int(i * step)] for i in range(min(EXAMPLES, len(values)))]


def are_addresses(values: Sequence[str]) -> bool:
    return _share(values, lambda value: _ADDRESS.fullmatch(value) is not None) >= HALF


def are_prose(values: Sequence[str]) -> bool:
    return _share(values, lambda value: len(value.split()) > LONG or len(value) > 12 * LONG) >= HALF


def is_name(value: str) -> bool:
    """Two to four words of letters alone, as people are called."""
    return _LETTERS.fullmatch(value) is not None and 2 <= len(_words(value)) <= 4


def are_codes(values: Sequence[str]) -> bool:
    """Capital letters, at most three in a row, and digits: `A01B 33/08`, `C04.557`, `H.3.3`."""
    return _share(values, _is_code) >= MOST and _branches(values, CodeParts(1))


def separator_of(values: Sequence[str]) -> str:
    """What separates the levels of paths; empty where values are not paths."""
    for separator in SEPARATORS:
        has = _share(values, lambda value, sep=separator: _is_path(value, sep))  # type: ignore[misc]
        if has >= HALF and _branches(values, PathParts(separator, 1)):
            return separator
    return ""


def depth_of(values: Sequence[str], separator: str) -> int:
    """How many parts values have; a few longer ones do not count."""
    parts = (
        sorted(len(value.split(separator)) for value in values)
        if separator
        else sorted(len(CODE_PART.findall(value.upper())) for value in values)
    )
    return parts[int(0.95 * (len(parts) - 1))] if parts else 0


def spelling_of(values: Sequence[str]) -> str:
    """The name of the spelling that fits; where none does, values are compared without case and accents."""
    if _share(values, lambda value: re.fullmatch("[A-Z]{2}", value) is not None) >= MOST:
        return "countries"
    if _share(values, has_legal_form) >= FEW:
        return "firms"
    if _share(values, is_name) >= MOST:
        return "names"
    if _share(values, is_state) >= HALF:
        return "states"
    return "places" if _share(values, is_known_place) >= 2 * FEW else ""


def _words(value: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", value) if word]


def _is_code(value: str) -> bool:
    runs = CODE_PART.findall(value)
    return (
        _CODE.fullmatch(value) is not None
        and any(run.isdigit() for run in runs)
        and any(run.isalpha() for run in runs)
        and all(len(run) <= 3 for run in runs if run.isalpha())
    )


def _is_path(value: str, separator: str) -> bool:
    parts = value.split(separator)
    tight = separator.strip() == separator
    return all(part.strip() and not (tight and part != part.strip()) for part in parts) and len(parts) > 1


def _branches(values: Sequence[str], first: Spelling) -> bool:
    """Whether several values begin alike, and not all."""
    return 1 < len({first(value)[0] for value in values}) <= HALF * len(values)


def _share(values: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, values)) / max(len(values), 1)


def useful_levels(sizes: Sequence[int]) -> list[int]:
    """Of the numbers of values at each level, the whole value last: which coarser levels put values together."""
    return [level for level, (own, finer) in enumerate(pairwise(sizes), 1) if 1 < own <= MOST * finer]
