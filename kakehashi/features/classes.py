"""Normalises classes and names: how much of a code counts, and which spellings are the same."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

_FIRM_FORMS = re.compile(
    r"\b(co|company|corp|corporation|inc|incorporated|ltd|limited|llc|gmbh|ag|kg|sa|bv|nv|spa|kk|plc)\b"
)

CODE_PART = re.compile(r"[A-Z]+|\d+")


class Cut:
    """The first n characters of a code: for `A01B 33/08`, 1 is the section, 3 the class, 4 the subclass."""

    def __init__(self, n: int):
        self.n = n

    def __call__(self, code: str) -> Sequence[str]:
        return (code.replace(" ", "")[: self.n],)


def facet(tag: str) -> Sequence[str]:
    """The part of a tag such as `use::editing` before the colons."""
    return (tag.split("::", 1)[0],)


def yes(flag: str) -> Sequence[str]:
    """A flag that is set; one that is not has no value, so two of them share nothing."""
    return ("yes",) if folded(flag) in ("true", "yes", "y", "1") else ()


def folded(text: str) -> str:
    """Without case, accents and punctuation, with one space between words."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(re.sub(r"[^\w]+", " ", letters).split())


def person(name: str) -> Sequence[str]:
    return (folded(name),)


def firm(name: str) -> Sequence[str]:
    """Without its legal form, which offices write or omit."""
    return (" ".join(_FIRM_FORMS.sub(" ", folded(name)).split()) or folded(name),)


def has_legal_form(name: str) -> bool:
    return _FIRM_FORMS.search(folded(name)) is not None


def plain(value: str) -> Sequence[str]:
    """Without case, accents and variants of a letter; `C++` and `C#` stay apart."""
    letters = unicodedata.normalize("NFKD", value).casefold()
    return (" ".join("".join(char for char in letters if not unicodedata.combining(char)).split()),)


class CodeParts:
    """The first n parts of a code, as letters and digits alternate: `A01B 33/08` has A, 01, B, 33 and 08."""

    def __init__(self, n: int):
        self.n = n

    def __call__(self, code: str) -> Sequence[str]:
        return ("/".join(CODE_PART.findall(code.upper())[: self.n]),)


class PathParts:
    """The first n parts of a path such as `use::editing` or `a/b/c`."""

    def __init__(self, separator: str, n: int):
        self.separator, self.n = separator, n

    def __call__(self, path: str) -> Sequence[str]:
        parts = [plain(part)[0] for part in path.split(self.separator)]
        return (self.separator.join([part for part in parts if part][: self.n]),)


class Graph:
    """A class graph, child and parent; it may have loops and missing edges."""

    def __init__(self, edges: Iterable[tuple[str, str]]):
        self._up: dict[str, list[str]] = {}
        self._down: dict[str, list[str]] = {}
        for child, parent in edges:
            self._up.setdefault(child, []).append(parent)
            self._down.setdefault(parent, []).append(child)

    def __contains__(self, value: str) -> bool:
        return value in self._up or value in self._down

    def around(self, value: str, steps: int) -> set[str]:
        """The value, and everything up to this many steps above it; below it if steps are negative."""
        edges: Mapping[str, list[str]] = self._up if steps > 0 else self._down
        reached = edge = {value}
        for _ in range(abs(steps)):
            edge = {further for one in edge for further in edges.get(one, ())} - reached
            reached = reached | edge
        return reached
