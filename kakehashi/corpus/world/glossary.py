"""The glossary: technical terms, verbs, modifiers and aims in Japanese and English, read from `terms/*.tsv`.

Does not say which patent uses which word; `topics.py` does.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

SECTIONS = "ABCDEFGH"
FLAVOURS = ("mech", "elec", "info", "chem")


@dataclass(frozen=True)
class Concept:
    """One meaning and the words for it, the usual one first.

    Kinds: d device, s substance or product made of one, p part, g what senses, h what acts, m material,
    n countable material, t message, u countable message, q quantity, x act, e aim to raise, i aim to lower.
    """

    kind: str
    ja: tuple[str, ...]
    en: tuple[str, ...]
    unit: str = ""


@dataclass(frozen=True)
class Verb:
    """Roles: j joins two parts, a acts on one, s senses a quantity, c treats a material, f forms a part."""

    role: str
    flavour: str
    particle: str
    ja: str
    group: str
    en: tuple[str, ...]


@dataclass(frozen=True)
class Subclass:
    symbol: str
    flavour: str
    ja: str
    en: str


@dataclass(frozen=True)
class Place:
    country: str
    state: str
    city: str
    variants: tuple[str, ...]


@dataclass(frozen=True)
class Glossary:
    """Every concept once; the tables of numbers refer to `concepts`."""

    concepts: tuple[Concept, ...]
    by_subclass: dict[str, dict[str, list[int]]]  # "H01L" -> kind -> concept numbers
    by_flavour: dict[str, dict[str, list[int]]]  # "mech" -> kind -> concept numbers every field may use
    subclasses: tuple[Subclass, ...]
    verbs: tuple[Verb, ...]
    modifiers: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]  # flavour, Japanese, English
    adjuncts: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]  # flavour, Japanese, English
    places: tuple[Place, ...]

    def verbs_for(self, flavour: str, role: str) -> list[int]:
        return [i for i, verb in enumerate(self.verbs) if verb.role == role and fits(verb.flavour, flavour)]


def fits(column: str, flavour: str) -> bool:
    """Whether a table's flavour column ("any", or several separated by commas) includes the flavour."""
    return column == "any" or flavour in column.split(",")


def rows(name: str) -> list[list[str]]:
    """The rows of one table below its heading."""
    text = (files(__package__) / "terms" / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]


@cache
def glossary() -> Glossary:
    concepts: list[Concept] = []
    by_subclass: dict[str, dict[str, list[int]]] = {}
    by_flavour: dict[str, dict[str, list[int]]] = {flavour: {} for flavour in FLAVOURS}

    def add(tables: list[dict[str, list[int]]], kind: str, ja: str, en: str, unit: str = "") -> None:
        for table in tables:
            # entries that differ only in grammar are drawn from one list
            table.setdefault({"n": "m", "s": "d", "u": "t"}.get(kind, kind), []).append(len(concepts))
        concepts.append(Concept(kind, tuple(ja.split("|")), tuple(en.split("|")), unit))

    for section in SECTIONS:
        for symbol, kind, ja, en, unit in rows(section.lower()):
            add([by_subclass.setdefault(symbol, {})], kind, ja, en, unit)
    for name in ("general", "aims"):
        for flavour, kind, ja, en, *rest in rows(name):
            add([by_flavour[each] for each in FLAVOURS if fits(flavour, each)], kind, ja, en, *rest)
    return Glossary(
        concepts=tuple(concepts),
        by_subclass=by_subclass,
        by_flavour=by_flavour,
        subclasses=tuple(Subclass(*row) for row in rows("subclasses")),
        verbs=tuple(Verb(r, f, p, ja, g, tuple(en.split("|"))) for r, f, p, ja, g, en in rows("verbs")),
        modifiers=tuple((f, tuple(ja.split("|")), tuple(en.split("|"))) for f, ja, en in rows("modifiers")),
        adjuncts=tuple((f, tuple(ja.split("|")), tuple(en.split("|"))) for f, ja, en in rows("adjuncts")),
        places=tuple(Place(c, s, city, tuple(v.split("|"))) for c, s, city, v in rows("places")),
    )
