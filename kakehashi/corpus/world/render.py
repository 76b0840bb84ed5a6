"""Writes inventions in Japanese or English; every author has individual habits.

One `Author` writes one patent and decides which of several words to use and whether to number the parts.
Choices come from a precomputed list of uniform draws, because drawing one by one would be slow.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeAlias

from kakehashi.corpus.world import names
from kakehashi.corpus.world.glossary import glossary
from kakehashi.corpus.world.inventions import (
    ADJUNCT,
    M1,
    M2,
    NAME,
    NUMBER,
    P1,
    P2,
    P3,
    QUANTITY,
    TEMPLATE,
    VERB,
)
from kakehashi.corpus.world.templates import (
    COMPOSE,
    COMPRISE,
    FACTS,
    MODEL,
    NAMED,
    OPENING,
    PRODUCT_PART,
    TITLES,
    Template,
)
from kakehashi.corpus.world.topics import CONCEPTS, Prefix

Piece: TypeAlias = tuple[str, str]  # ("", literal) or (slot, form)
DRAWS = 97  # choices per author, used in a circle
_SLOT = re.compile(r"\{(\w+)(?::([\w-]+))?\}")
_PARTS = {"p1": P1, "p2": P2, "p3": P3}
_MATERIALS = {"m1": M1, "m2": M2}


@dataclass(frozen=True)
class Invention:
    """One row of `Inventions` as plain lists."""

    slots: dict[str, list[int]]
    facts: list[list[int]]
    product: int
    model: int
    chemicals: list[int]
    wording: int


@cache
def _compiled(template: Template, lang: str) -> list[list[Piece]]:
    return [_pieces(text) for text in (template.ja if lang == "ja" else template.en)]


def _pieces(text: str) -> list[Piece]:
    pieces: list[Piece] = []
    end = 0
    for match in _SLOT.finditer(text):
        if match.start() > end:
            pieces.append(("", text[end : match.start()]))
        pieces.append((match[1], match[2] or ""))
        end = match.end()
    if end < len(text):
        pieces.append(("", text[end:]))
    return pieces


class Author(ABC):
    """What both languages share: the circle of choices and the lookup of slots."""

    lang = ""

    def __init__(self, invention: Invention, prefixes: tuple[Prefix, ...], draws: list[float]):
        self.it, self.prefixes, self.draws = invention, prefixes, draws
        self.at = 3
        self.numbered = draws[0] < 0.35
        self.wide = draws[1] < 0.5
        self.numeral, self.numeral_step = (0, 1) if draws[2] < 0.4 else (8, 2)
        self.words: dict[int, Any] = {}
        self.is_substance = glossary().concepts[invention.slots["d"][0] % CONCEPTS].kind == "s"

    def draw(self) -> float:
        self.at = self.at + 1 if self.at + 1 < DRAWS else 3
        return self.draws[self.at]

    def pick(self, choices: Any) -> Any:
        """One of several words; the first is the usual one."""
        n = len(choices)
        return choices[0] if n == 1 else choices[int(self.draw() ** 1.6 * n)]

    def state(self, template: Template, fact: list[int], wording: int | None = None) -> str:
        variants = _compiled(template, self.lang)
        pieces = variants[int(self.draw() * len(variants)) if wording is None else wording]
        return "".join([form if not slot else self.fill(slot, form, fact) for slot, form in pieces])

    def next_numeral(self) -> str:
        """The next reference numeral, if this author numbers the parts."""
        if not self.numbered:
            return ""
        self.numeral += self.numeral_step
        return str(self.numeral)

    def fact(self, fact: list[int]) -> str:
        return self.begin(self.clause(fact))

    def clause(self, fact: list[int]) -> str:
        """A fact with its adjunct, if it has one, before capitals are handled."""
        template = FACTS[fact[TEMPLATE]]
        sentence = self.state(template, fact)
        if fact[ADJUNCT] < 0 or template.concludes:
            return sentence
        _, ja, en = glossary().adjuncts[self.it.slots["adjunct"][fact[ADJUNCT]]]
        return self.placed(self.pick(ja if self.lang == "ja" else en), sentence)

    def comprise(self, fact: list[int]) -> str:
        return self.begin(self.state(COMPOSE if self.is_substance else COMPRISE, fact))

    def opening(self, fact: list[int]) -> str:
        return self.begin(self.state(OPENING, fact))

    def extras(self) -> list[str]:
        """Sentences on product names and models, where the invention has any and the author mentions them."""
        sentences = []
        if self.it.product >= 0 and self.draw() < 0.75:
            # only matter is called by a trade name itself; elsewhere it is a purchased part
            template = NAMED if self.is_substance else PRODUCT_PART
            sentences.append(self.begin(self.state(template, self.it.facts[1])))
        if self.it.model >= 0 and self.draw() < 0.5:
            sentences.append(self.begin(self.state(MODEL, self.it.facts[2])))
        return sentences

    def fill(self, slot: str, form: str, fact: list[int]) -> str:
        slots = self.it.slots
        if slot in _PARTS:
            return self.thing(slots["p"][fact[_PARTS[slot]]], form)
        if slot == "d":
            return self.thing(slots["d"][0], form)
        if slot in _MATERIALS:
            return self.thing(slots["m"][fact[_MATERIALS[slot]]], form)
        if len(slot) == 2 and slot[0] in "jascf":
            verbs = slots["v" + slot[0]]
            return self.verb(verbs[(fact[VERB] + ord(slot[1])) % len(verbs)], form)
        if slot == "q":
            return self.thing(slots["q"][fact[QUANTITY]], form)
        if slot in ("x", "e", "i", "g", "h", "t"):
            return self.thing(slots[slot][fact[NAME]], form)
        if slot == "n":
            concept = glossary().concepts[slots["q"][fact[QUANTITY]] % CONCEPTS]
            return self.range(concept.unit, fact[NUMBER])
        return self.special(slot, fact)

    def special(self, slot: str, fact: list[int]) -> str:
        number = fact[NUMBER]
        if slot == "k1":
            return _chemical(self.it.chemicals[fact[NAME]])[self.lang == "en"]
        if slot == "nm":  # some Japanese authors write a foreign product name in Latin letters
            return _product(max(self.it.product, 0))[self.lang == "en" or self.draws[1] > 0.8]
        if slot == "ds":
            return names.model(self.it.model)
        if slot == "num":
            return self.count(2 + number % 11)
        if slot == "hrs":
            return self.digits(str(2 + number % 23))
        unit = {"pct": "wt", "rat": "ratio", "tmp": "degC"}[slot]
        return self.range(unit, number)

    @abstractmethod
    def thing(self, term: int, form: str) -> str: ...

    @abstractmethod
    def verb(self, number: int, form: str) -> str: ...

    @abstractmethod
    def range(self, unit: str, number: int) -> str: ...

    @abstractmethod
    def placed(self, adjunct: str, sentence: str) -> str:
        """The sentence with an adjunct in the place the language requires."""

    def begin(self, sentence: str) -> str:
        return sentence

    def count(self, number: int) -> str:
        return self.digits(str(number))

    def digits(self, text: str) -> str:
        return text

    def title(self) -> str:
        """A title has no reference numerals, and its words do not restrict later choices."""
        numbered, self.numbered = self.numbered, False
        text = self.begin(self.state(TITLES, self.it.facts[0], self.it.wording))
        self.numbered = numbered
        self.forget()
        return text

    def forget(self) -> None:
        self.words.clear()


_chemical = lru_cache(1 << 14)(names.chemical)
_product = lru_cache(1 << 14)(names.product)
