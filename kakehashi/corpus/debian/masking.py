"""Hides what crosses languages unchanged: a package's own names and tokens that look like code."""

import re
from collections.abc import Callable, Iterable

MASK = "…"  # punctuation to every tokenizer, so a masked token is no term
LATIN = "A-Za-z0-9\u00c0-\u024f"
TOKEN = re.compile(rf"(?<![{LATIN}])[-~/]*[{LATIN}](?:[{LATIN}_.:/~@+#=%&\\-]*[{LATIN}+#])?(?:\(\))?")
WHOLE = re.compile(r"^~?/|/.*/|://|@|^--?[A-Za-z]|\(\)$")  # paths, addresses, options, calls
CODE = re.compile(
    r"[_\\=%]|::"  # identifiers, assignments
    r"|[A-Za-z0-9][.:][A-Za-z0-9]"  # files, hosts, versions
    r"|[A-Za-z]\d|\d[A-Za-z]"  # letters and digits mixed
    r"|[a-z][A-Z]"  # capitals inside
)
PREFIXES = ("lib", "python3-", "python-", "ruby-", "node-", "golang-", "php-", "r-cran-", "r-bioc-", "elpa-", "gir1.2-")
SUFFIXES = ("-dev", "-doc", "-data", "-common", "-bin", "-utils", "-tools", "-perl", "-java", "-el", "-dbg", "-esr", "-cil")
SHORTEST_NAME = 3  # of a name without its affixes


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


def masker(names: frozenset[str], known: Callable[[str], bool]) -> Callable[[str], str]:
    """A function from text to masked text; `known` tells whether a hyphenated token names any package."""

    def shown(part: str) -> str:
        return MASK if CODE.search(part) or part.casefold() in names else part

    def replace(match: re.Match[str]) -> str:
        token = match[0]
        if token.casefold() in names or WHOLE.search(token) or ("-" in token and known(token)):
            return MASK
        # German binds names to words with a hyphen: only the name is hidden
        return "-".join(map(shown, token.split("-")))

    return lambda text: TOKEN.sub(replace, text)
