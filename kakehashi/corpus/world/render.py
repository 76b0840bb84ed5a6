"""Writes inventions down in Japanese or English; every author has habits of his own.

One `Author` writes one patent: which of several words he uses for a thing, whether he numbers the parts.
Choices come from a list of uniform draws made beforehand, for drawing one by one would be slow.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeAlias

from kakehashi.corpus.world import english, japanese, names, quantities
from kakehashi.corpus.world.glossary import glossary
from kakehashi.corpus.world.inventions import M1, M2, NAME, NUMBER, P1, P2, P3, QUANTITY, TEMPLATE, VERB
from kakehashi.corpus.world.templates import CLAIM, COMPRISE, FACTS, MODEL, NAMED, OPENING, TITLES, Template
from kakehashi.corpus.world.topics import CONCEPTS, Prefix

Piece: TypeAlias = tuple[str, str]  # ("", literal) or (slot, form)
DRAWS = 97  # choices at hand per author, used in a circle
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


class Author:
    """What is common to both languages: the circle of choices and the lookup of slots."""

    lang = ""

    def __init__(self, invention: Invention, prefixes: tuple[Prefix, ...], draws: list[float]):
        self.it, self.prefixes, self.draws = invention, prefixes, draws
        self.at = 3
        self.numbered = draws[0] < 0.35
        self.wide = draws[1] < 0.5
        self.words: dict[int, Any] = {}

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

    def fact(self, fact: list[int]) -> str:
        return self.state(FACTS[fact[TEMPLATE]], fact)

    def comprise(self, fact: list[int]) -> str:
        return self.state(COMPRISE, fact)

    def opening(self, fact: list[int]) -> str:
        return self.state(OPENING, fact)

    def extras(self) -> list[str]:
        """Sentences on product names and models, where the invention has any and the author mentions them."""
        sentences = []
        if self.it.product >= 0 and self.draw() < 0.75:
            sentences.append(self.state(NAMED, self.it.facts[1]))
        if self.it.model >= 0 and self.draw() < 0.5:
            sentences.append(self.state(MODEL, self.it.facts[2]))
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
        if slot in ("x", "e", "i"):
            return self.thing(slots[slot][fact[NAME]], form)
        if slot == "n":
            concept = glossary().concepts[slots["q"][fact[QUANTITY]] % CONCEPTS]
            return self.range(concept.unit, fact[NUMBER])
        return self.special(slot, fact)

    def special(self, slot: str, fact: list[int]) -> str:
        number = fact[NUMBER]
        if slot == "k1":
            return _chemical(self.it.chemicals[fact[NAME]])[self.lang == "en"]
        if slot == "nm":
            return _product(max(self.it.product, 0))[self.lang == "en"]
        if slot == "ds":
            return names.model(self.it.model)
        if slot == "num":
            return self.count(2 + number % 11)
        if slot == "hrs":
            return self.digits(str(1 + number % 24))
        unit = {"pct": "wt", "rat": "ratio", "tmp": "degC"}[slot]
        return self.range(unit, number)

    def thing(self, term: int, form: str) -> str:
        raise AssertionError("an author writes a language")

    verb = thing

    def range(self, unit: str, number: int) -> str:
        raise AssertionError("an author writes a language")

    def count(self, number: int) -> str:
        return str(number)

    def digits(self, text: str) -> str:
        return text


class JapaneseAuthor(Author):
    lang = "ja"

    def thing(self, term: int, form: str) -> str:
        word = self.words.get(term)
        if word is None:
            concept = glossary().concepts[term % CONCEPTS]
            word = self.pick(self.prefixes[term // CONCEPTS].ja) + self.pick(concept.ja)
            if self.numbered and concept.kind in "dp":
                word += self.digits(str(10 + 2 * len(self.words)))
            self.words[term] = word
        return str(word)

    def verb(self, number: int, form: str) -> str:
        return _ja_verb(number)[form]

    def range(self, unit: str, number: int) -> str:
        return quantities.ja_range(unit, number, self.wide, self.draws[2])

    def count(self, number: int) -> str:
        return self.digits(str(number))

    def digits(self, text: str) -> str:
        return japanese.full_width(text) if self.wide else text

    def title(self) -> str:
        numbered, self.numbered = self.numbered, False
        text = self.state(TITLES, self.it.facts[0], self.it.wording)
        self.numbered = numbered
        self.words.clear()
        return text


class EnglishAuthor(Author):
    lang = "en"

    def __init__(self, invention: Invention, prefixes: tuple[Prefix, ...], draws: list[float]):
        super().__init__(invention, prefixes, draws)
        self.known: set[int] = set()

    def thing(self, term: int, form: str) -> str:
        found = self.words.get(term)
        if found is None:
            found = self.words[term] = self._phrase(term)
        word, indefinite, many = found
        if form == "":
            if term in self.known:
                return f"the {word}"
            self.known.add(term)
            return str(indefinite)
        if form == "s":
            self.known.discard(term)
            return str(many)
        return f"the {word}" if form == "the" else str(word)

    def _phrase(self, term: int) -> tuple[str, str, str]:
        concept = glossary().concepts[term % CONCEPTS]
        prefix = self.pick(self.prefixes[term // CONCEPTS].en)
        noun = self.pick(concept.en)
        base = f"{prefix} {noun}" if prefix else noun
        number = f" {10 + 2 * len(self.words)}" if self.numbered and concept.kind in "dp" else ""
        indefinite = base if concept.kind not in "dpnq" else _article(base) + base
        return base + number, indefinite + number, english.plural(base) + number

    def verb(self, number: int, form: str) -> str:
        phrase = self.words.get(-1 - number)
        if phrase is None:
            phrase = self.words[-1 - number] = self.pick(glossary().verbs[number].en)
        return _en_verb(phrase, form)

    def range(self, unit: str, number: int) -> str:
        return quantities.en_range(unit, number, self.draws[2])

    def count(self, number: int) -> str:
        return english.count(number)

    def state(self, template: Template, fact: list[int], wording: int | None = None) -> str:
        text = super().state(template, fact, wording)
        return text[0].upper() + text[1:]

    def title(self) -> str:
        numbered, self.numbered = self.numbered, False
        text = self.state(TITLES, self.it.facts[0], self.it.wording)
        self.numbered = numbered
        self.forget()
        return text

    def claim(self) -> str:
        """The first claim: parts, one joint, and a fact as characterising portion."""
        self.known.clear()
        head = self.state(CLAIM, self.it.facts[0])
        fact = self.fact(self.it.facts[3])
        return head + fact[0].lower() + fact[1:]

    def forget(self) -> None:
        self.words.clear()
        self.known.clear()


@cache
def _ja_verb(number: int) -> dict[str, str]:
    verb = glossary().verbs[number]
    forms = japanese.inflect(verb.ja, verb.group)
    return {form: verb.particle + text for form, text in forms.items()} if verb.role == "j" else forms


@cache
def _en_verb(phrase: str, form: str) -> str:
    inflect = {"pp": english.past_participle, "3s": english.third_person, "ing": english.gerund}[form]
    return inflect(phrase)


_article = lru_cache(1 << 16)(english.article)
_chemical = lru_cache(1 << 14)(names.chemical)
_product = lru_cache(1 << 14)(names.product)
