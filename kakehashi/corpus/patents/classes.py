"""Class symbols in one form: `A01B 33/08` for IPC and CPC, `A01B 33/08,101A` for FI."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

WITH_SLASH = re.compile(r"([A-HY])\s*(\d{2})\s*([A-Z])\s*(\d{1,4})\s*/\s*(\d{2,6})")
# 7A01H  500: after the subclass, three characters of the main group, then the subgroup, without a slash
IN_COLUMNS = re.compile(r"\d?([A-HY])(\d{2})([A-Z])([ 0-9]{2}\d)(\d{2,4})(?!\S)")
UNSPACED = re.compile(r"([A-HY])(\d{2})([A-Z])(\d)(\d{2})")
FACETS = re.compile(r"[\s,]*(\d{3})?[\s,@]*([A-Z@])?(?![A-Z0-9])")


def symbol(text: str) -> str:
    """The first symbol in a text, whatever follows it; empty if there is none."""
    text = unicodedata.normalize("NFKC", text).upper()
    found = WITH_SLASH.search(text) or IN_COLUMNS.search(text)
    return _written(*found.groups()) if found else ""


def unspaced_symbol(text: str) -> str:
    """A01B 1/02 of A01B102; empty where it is not clear which digits are the subgroup, as in A01B3308."""
    found = UNSPACED.fullmatch(unicodedata.normalize("NFKC", text).upper().strip())
    return _written(*found.groups()) if found else ""


def of_parts(section: str, class_: str, subclass: str, group: str, subgroup: str) -> str:
    """The symbol made of its five parts; empty if one of them is missing or invalid."""
    return symbol(f"{section}{class_}{subclass}{group}/{subgroup}")


def fi_symbol(text: str) -> str:
    """A symbol of the Japanese refinement: three digits and a letter may follow."""
    text = unicodedata.normalize("NFKC", text).upper()
    found = WITH_SLASH.search(text)
    if not found:
        return ""
    facets = FACETS.match(text, found.end())
    refined = "".join(part for part in facets.groups() if part and part != "@") if facets else ""
    return _written(*found.groups()) + (f",{refined}" if refined else "")


def distinct(symbols: Iterable[str]) -> tuple[str, ...]:
    """Each once, in order, without empty ones."""
    return tuple(dict.fromkeys(one for one in symbols if one))


def class_edges(symbols: Iterable[str]) -> Iterator[tuple[str, str]]:
    """child, parent: subgroup, main group, subclass, class, section."""
    seen = set()
    for full in symbols:
        main, subclass = full.split("/")[0] + "/00", full[:4]
        for edge in ((full, main), (main, subclass), (subclass, full[:3]), (full[:3], full[0])):
            if edge not in seen and edge[0] != edge[1]:
                seen.add(edge)
                yield edge


def _written(section: str, class_: str, subclass: str, group: str, subgroup: str) -> str:
    return f"{section}{class_}{subclass} {int(group)}/{subgroup}"
