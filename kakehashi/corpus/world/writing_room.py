"""Turns inventions into texts in bulk: each text has its own selection of facts and its own author."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from kakehashi.corpus.world.authors import EnglishAuthor, JapaneseAuthor
from kakehashi.corpus.world.inventions import FOCUS, N_FACTS, Inventions, draw_facts
from kakehashi.corpus.world.render import DRAWS, Author, Invention
from kakehashi.corpus.world.topics import Prefix, Topics
from kakehashi.types import Longs

_BLOCK = 1_000
_SENTENCES = 6  # pairs of each invention
_DIGRESSION = 0.15  # share of facts an author replaces by others
_SHORTEST, _LONGEST = 4, 7  # facts besides the first


class Draft(NamedTuple):
    """One planned text: the invention as its author describes it, its order, length and choices."""

    invention: Invention
    order: list[int]
    opens: bool
    draws: list[float]


class Written(NamedTuple):
    title: str
    abstract: str
    claim: str


class WritingRoom:
    """Writes texts about rows of `inventions`; the generator decides what differs between two texts."""

    def __init__(self, topics: Topics, inventions: Inventions):
        self.topics, self.inventions = topics, inventions

    def english(self, rows: Longs, rng: Generator) -> Iterator[Written]:
        for draft in self._drafts(rows, rng):
            yield write_english(draft, self.topics.prefixes)

    def japanese(self, rows: Longs, rng: Generator) -> Iterator[Written]:
        for draft in self._drafts(rows, rng):
            yield write_japanese(draft, self.topics.prefixes)

    def sentence_pairs(self, rows: Longs, rng: Generator) -> Iterator[tuple[str, str]]:
        """The same facts in the same order in both languages, one sentence each."""
        for draft in self._drafts(rows, rng):
            ja = JapaneseAuthor(draft.invention, self.topics.prefixes, draft.draws)
            en = EnglishAuthor(draft.invention, self.topics.prefixes, draft.draws[::-1])
            facts = draft.invention.facts
            yield ja.opening(facts[0]), en.opening(facts[0])
            for fact in facts[1:_SENTENCES]:
                yield ja.fact(fact), en.fact(fact)

    def _drafts(self, rows: Longs, rng: Generator) -> Iterator[Draft]:
        for start in range(0, len(rows), _BLOCK):
            yield from self._block(rows[start : start + _BLOCK], rng)

    def _block(self, rows: Longs, rng: Generator) -> Iterator[Draft]:
        it, n = self.inventions, len(rows)
        own = draw_facts(self.topics.flavour[it.topic[rows]], n, rng, parts=FOCUS + 3)
        digresses = rng.random((n, N_FACTS, 1)) < _DIGRESSION
        digresses[:, 0] = False  # an author cannot change what the invention consists of
        facts = np.where(digresses, own, it.facts[rows])
        # early facts are used more often; which ones, and in which order, differs from text to text
        liking = -0.15 * np.arange(1, N_FACTS) + rng.gumbel(0.0, 1.0, (n, N_FACTS - 1))
        lengths = rng.integers(_SHORTEST, _LONGEST + 1, n)
        orders = 1 + np.argsort(-liking, axis=1)[:, :_LONGEST]
        opens = (rng.random(n) < 0.6).tolist()
        draws = rng.random((n, DRAWS)).tolist()
        slots = {kind: table[rows].tolist() for kind, table in it.slots.items()}
        rest = zip(
            facts.tolist(), it.products[rows].tolist(), it.models[rows].tolist(),
            it.chemicals[rows].tolist(), it.wording[rows].tolist(), strict=True,
        )  # fmt: skip
        for i, row in enumerate(rest):
            invention = Invention({kind: table[i] for kind, table in slots.items()}, *row)
            yield Draft(invention, sorted(orders[i, : lengths[i]].tolist()), opens[i], draws[i])


def write_english(draft: Draft, prefixes: tuple[Prefix, ...]) -> Written:
    author = EnglishAuthor(draft.invention, prefixes, draft.draws)
    title = author.title()
    sentences = [author.opening(draft.invention.facts[0])] if draft.opens else []
    abstract = " ".join(sentences + _body(author, draft))
    return Written(title, abstract, author.claim())


def write_japanese(draft: Draft, prefixes: tuple[Prefix, ...]) -> Written:
    """A Japanese abstract has headings: problem, means of solving it, chosen drawing."""
    author = JapaneseAuthor(draft.invention, prefixes, draft.draws)
    title = author.title()
    problem = author.opening(draft.invention.facts[0])
    means = "".join(_body(author, draft))
    figure = author.digits(str(1 + int(draft.draws[3] ** 3 * 9)))
    return Written(title, f"【課題】{problem}【解決手段】{means}【選択図】図{figure}", "")


def _body(author: Author, draft: Draft) -> list[str]:
    facts = draft.invention.facts
    return [author.comprise(facts[0]), *(author.fact(facts[i]) for i in draft.order), *author.extras()]
