"""Masks tokens that are the same in all languages: a package's own names and tokens that look like code."""

import re
from collections.abc import Container, Iterable, Set

MASK = "…"  # punctuation for every tokenizer, so a masked token is not a term
LATIN = "A-Za-z0-9\u00c0-\u024f"
# a path or option starts a word; a hyphen elsewhere joins words
TOKEN = re.compile(
    rf"(?<![{LATIN}])(?:(?<![^\s(\['\"„»«“])[-~/]+)?[{LATIN}](?:[{LATIN}_.:/~@+#=%&\\-]*[{LATIN}+#])?(?:\(\))?"
)
WHOLE = re.compile(r"^~?/|/.*/|://|@|^--?[A-Za-z]|\(\)$")  # paths, addresses, options, calls
CODE = re.compile(
    r"[_\\=%]|::"  # identifiers, assignments
    r"|[A-Za-z0-9][.:][A-Za-z0-9]"  # files, hosts, versions
    r"|[A-Za-z]\d|\d[A-Za-z]"  # letters and digits mixed
    r"|[a-z][A-Z]|^[A-Z]{2,}s?$"  # capitals inside, acronyms
)
ABBREVIATION = re.compile(r"^[A-Za-z](\.[A-Za-z])+$")  # e.g, z.B
PREFIXES = (
    "lib",
    "python3-",
    "python-",
    "ruby-",
    "node-",
    "golang-",
    "php-",
    "r-cran-",
    "r-bioc-",
    "elpa-",
    "gir1.2-",
)
SUFFIXES = (
    "-dev",
    "-doc",
    "-data",
    "-common",
    "-bin",
    "-utils",
    "-tools",
    "-perl",
    "-java",
    "-el",
    "-dbg",
    "-esr",
    "-cil",
)
SHORTEST_NAME = 3  # minimum length of a name without its affixes


def own_names(packages: Iterable[str]) -> frozenset[str]:
    """A source package's names and those of its binaries, also without the affixes Debian gives them."""
    found = set()
    for name in packages:
        found.add(name)
        for prefix in PREFIXES:
            name = name.removeprefix(prefix)
        for suffix in SUFFIXES:
            name = name.removesuffix(suffix)
        if len(name) >= SHORTEST_NAME:
            found.add(name)
    return frozenset(found)


class Masker:
    """Masks texts of one archive; caches its decisions, because the same tokens occur again and again."""

    def __init__(self, known: Container[str]):
        self._known = known  # the names of all packages
        self._judged: dict[str, str] = {}

    def mask(self, text: str, names: Set[str]) -> str:
        """The text without code and without the given names, also if they are written as two words."""
        pieces: list[str] = []
        end, before = 0, ""
        for match in TOKEN.finditer(text):
            token = match[0]
            folded = token.casefold()
            shown = MASK if folded in names else self._shown(token, names)
            if (
                before
                and text[end : match.start()] == " "
                and {before + folded, f"{before}-{folded}"} & names
            ):
                pieces[-1] = shown = MASK
            pieces += [text[end : match.start()], shown]
            end, before = match.end(), folded
        return "".join([*pieces, text[end:]])

    def _shown(self, token: str, names: Set[str]) -> str:
        judged = self._judged.get(token)
        if judged is None:
            judged = self._judged[token] = self._judge(token)
        if "-" in judged:  # German joins names to words with a hyphen: only the name is masked
            return "-".join(MASK if part.casefold() in names else part for part in judged.split("-"))
        return judged

    def _judge(self, token: str) -> str:
        """What remains of a token, independent of its context."""
        if WHOLE.search(token) or (("-" in token or token.startswith("lib")) and token in self._known):
            return MASK
        return "-".join(MASK if _is_code(part) else part for part in token.split("-"))


def _is_code(part: str) -> bool:
    return bool(CODE.search(part)) and not ABBREVIATION.search(part)
