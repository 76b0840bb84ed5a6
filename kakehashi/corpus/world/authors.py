"""The authors of the two languages: how each forms words and starts sentences."""

from functools import cache, lru_cache

from kakehashi.corpus.world import english, japanese, quantities
from kakehashi.corpus.world.glossary import glossary
from kakehashi.corpus.world.inventions import TEMPLATE
from kakehashi.corpus.world.render import Author, Invention
from kakehashi.corpus.world.templates import CLAIM, FACTS, SUBSTANCE_CLAIM
from kakehashi.corpus.world.topics import CONCEPTS, Prefix


class JapaneseAuthor(Author):
    lang = "ja"

    def thing(self, term: int, form: str) -> str:
        word = self.words.get(term)
        if word is None:
            concept = glossary().concepts[term % CONCEPTS]
            word = self.pick(self.prefixes[term // CONCEPTS].ja) + self.pick(concept.ja)
            if concept.kind in "dpgh":
                word += self.digits(self.next_numeral())
            self.words[term] = word
        return str(word)

    def verb(self, number: int, form: str) -> str:
        return _ja_verb(number)[form]

    def range(self, unit: str, number: int) -> str:
        return quantities.ja_range(unit, number, self.wide, self.draws[2])

    def digits(self, text: str) -> str:
        return japanese.full_width(text) if self.wide else text

    def placed(self, adjunct: str, sentence: str) -> str:
        return f"{adjunct}、{sentence}"


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
        return str(word)

    def _phrase(self, term: int) -> tuple[str, str, str]:
        concept = glossary().concepts[term % CONCEPTS]
        prefix = self.pick(self.prefixes[term // CONCEPTS].en)
        noun = self.pick(concept.en)
        base = f"{prefix} {noun}" if prefix else noun
        numeral = self.next_numeral() if concept.kind in "dpgh" else ""
        number = f" {numeral}" if numeral else ""
        indefinite = base if concept.kind not in "dspghnuq" else _article(base) + base
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

    def begin(self, sentence: str) -> str:
        return sentence[0].upper() + sentence[1:]

    def placed(self, adjunct: str, sentence: str) -> str:
        if "," in sentence or self.draw() < 0.4:  # two introductions to one sentence would be one too many
            return f"{sentence[:-1]} {adjunct}."
        return f"{adjunct}, {sentence}"

    def claim(self) -> str:
        """The first claim: parts, one joint, and a fact as the characterising portion."""
        self.numbered = False
        self.forget()
        head = self.state(SUBSTANCE_CLAIM if self.is_substance else CLAIM, self.it.facts[0])
        telling = next(
            (fact for fact in self.it.facts[3:] if not FACTS[fact[TEMPLATE]].concludes), self.it.facts[3]
        )
        return self.begin(head + self.state(FACTS[telling[TEMPLATE]], telling))

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
    inflect = {"pp": english.past_participle, "3s": english.third_person}[form]
    return inflect(phrase)


_article = lru_cache(1 << 16)(english.article)
