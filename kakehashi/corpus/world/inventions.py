"""Inventions: what each one is about, before any text is written.

All draws are arrays over inventions; names, dates and texts are generated elsewhere.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from kakehashi.corpus.world.templates import FACTS
from kakehashi.corpus.world.topics import COINED, CONCEPTS, SUBGROUPS, Topics
from kakehashi.types import Floats, Longs

N_FACTS = 13
FOCUS = 10  # the parts an invention is about; three more of its topic are available for digressions
_WANTED = {
    "d": 2, "p": FOCUS + 3, "g": 2, "h": 2, "m": 4, "t": 2, "q": 3, "x": 2, "e": 2, "i": 2,
    "vj": 3, "va": 3, "vs": 2, "vc": 3, "vf": 3, "adjunct": 6,
}  # fmt: skip
_LINE = 9  # inventions per line of development
_STRAYING = 0.35  # share of a line's inventions that belong to another topic
_LOYALTY = 0.9  # how much of its line's vocabulary an invention keeps
_NAME_LOYALTY = 0.5  # rare names change more often
_INHERITED = {
    "d": 1,
    "p": 8,
    "m": 3,
    "q": 2,
    "x": 1,
    "vj": 1,
    "va": 1,
    "adjunct": 2,
}  # foremost columns of each kind
_NAMES = {
    "product": 1 << 20,
    "model": 1 << 21,
    "chemical": 1 << 22,
    "reagent": 1 << 23,
}  # where numbers start
_POOL = 40  # rare names a topic has in common
# columns of a fact
TEMPLATE, P1, P2, P3, VERB, QUANTITY, M1, M2, NUMBER, NAME, ADJUNCT = range(11)
NO_ADJUNCT = -1
_WEIGHTS = np.array([template.weights for template in FACTS], dtype=float).T  # (flavours, templates)


@dataclass(frozen=True)
class Inventions:
    topic: Longs  # (n,)
    second: Longs  # (n,) a second topic, or -1
    subgroup: Longs  # (n,)
    line: Longs  # (n,) the line of development it continues
    slots: dict[str, Longs]  # kind -> (n, wanted) terms or verbs
    facts: Longs  # (n, N_FACTS, 11)
    products: Longs  # (n,) number of a product name, -1 for none
    models: Longs  # (n,) number of a model, -1 for none
    chemicals: Longs  # (n, 2)
    wording: Longs  # (n,) pattern of the title
    beside: Longs  # (n, 3) further subgroups it is classified in, -1 for none

    def __len__(self) -> int:
        return len(self.topic)


def draw_inventions(topics: Topics, n: int, rng: Generator) -> Inventions:
    """n inventions; each continues a line of development and shares much with the others of its line."""
    n_lines = max(n // _LINE, 1)
    popularity = rng.lognormal(0.0, 0.5, len(topics))
    home = rng.choice(len(topics), n_lines, p=popularity / popularity.sum())
    away = topics.related[home, rng.integers(0, 3, n_lines)]
    size = rng.lognormal(0.0, 0.5, n_lines)
    line = rng.choice(n_lines, n, p=size / size.sum())
    strays = rng.random(n) < _STRAYING
    topic = np.where(strays, away[line], home[line])
    place = np.minimum(rng.geometric(0.35, n_lines) - 1, SUBGROUPS - 1)
    subgroup = topic * SUBGROUPS + np.where(strays, rng.integers(0, SUBGROUPS, n), place[line])
    second = np.where(strays, home[line], np.where(rng.random(n) < 0.3, away[line], -1))
    slots = _slots(topics, topic, subgroup, second, rng)
    founders = _slots(
        topics, home, home * SUBGROUPS + place, np.where(rng.random(n_lines) < 0.3, away, -1), rng
    )
    for kind, columns in _INHERITED.items():
        _inherit(slots[kind], founders[kind][line], columns, rng)
    names = {kind: _rare(home, n_lines, offset, rng)[line] for kind, offset in _NAMES.items()}
    own = {kind: _rare(topic, n, offset, rng) for kind, offset in _NAMES.items()}
    kept = {kind: np.where(rng.random(n) < _NAME_LOYALTY, names[kind], own[kind]) for kind in _NAMES}
    return Inventions(
        topic,
        second,
        subgroup,
        line,
        slots,
        draw_facts(topics.flavour[topic], n, rng),
        products=np.where(rng.random(n) < 0.6, kept["product"], -1),
        models=np.where(rng.random(n) < 0.2, kept["model"], -1),
        chemicals=np.stack([kept["chemical"], kept["reagent"]], axis=1),
        wording=rng.integers(0, 6, n),
        beside=_classified_beside(topics, topic, second, rng),
    )


def _slots(topics: Topics, topic: Longs, subgroup: Longs, second: Longs, rng: Generator) -> dict[str, Longs]:
    """Terms and verbs for each row; the last of the focus parts comes from the second topic, if there is one."""
    slots = {kind: _choose(topics, kind, topic, subgroup, k, rng) for kind, k in _WANTED.items()}
    mixed = second >= 0
    other = _choose(topics, "p", second[mixed], second[mixed] * SUBGROUPS, 2, rng)
    for column in range(2):  # a shared word may already be in that place
        fresh = ~(slots["p"][mixed] == other[:, column : column + 1]).any(axis=1)
        rows = np.flatnonzero(mixed)[fresh]
        slots["p"][rows, FOCUS - 1 - column] = other[fresh, column]
    _coin_terms(slots["p"], topic, topics, rng)
    return slots


def draw_facts(flavour: Longs, n: int, rng: Generator, parts: int = FOCUS) -> Longs:
    """N_FACTS facts for each invention, over its first `parts` parts."""
    facts = np.empty((n, N_FACTS, 11), dtype=np.int64)
    cumulative = np.cumsum(_WEIGHTS / _WEIGHTS.sum(axis=1, keepdims=True), axis=1)
    for f in range(len(_WEIGHTS)):
        rows = flavour == f
        facts[rows, :, TEMPLATE] = np.searchsorted(cumulative[f], rng.random((int(rows.sum()), N_FACTS)))
    np.minimum(facts[:, :, TEMPLATE], len(FACTS) - 1, out=facts[:, :, TEMPLATE])
    # parts early in the list are the core of the invention and are mentioned most
    scores = -0.1 * np.arange(parts) + rng.gumbel(0.0, 1.0, (n, N_FACTS, parts))
    facts[:, :, P1 : P3 + 1] = np.argsort(-scores, axis=2)[:, :, :3]
    facts[:, :, VERB] = rng.integers(0, 6, (n, N_FACTS))
    facts[:, :, QUANTITY] = rng.integers(0, 3, (n, N_FACTS))
    facts[:, :, M1] = rng.integers(0, 4, (n, N_FACTS))
    facts[:, :, M2] = (facts[:, :, M1] + rng.integers(1, 4, (n, N_FACTS))) % 4
    facts[:, :, NUMBER] = rng.integers(0, 1 << 16, (n, N_FACTS))
    facts[:, :, NAME] = rng.integers(0, 2, (n, N_FACTS))
    adjunct = rng.integers(0, 6, (n, N_FACTS))
    facts[:, :, ADJUNCT] = np.where(rng.random((n, N_FACTS)) < 0.55, adjunct, NO_ADJUNCT)
    return facts


def _coin_terms(parts: Longs, topic: Longs, topics: Topics, rng: Generator) -> None:
    """Give some main parts a modifier that only their topic has, in place: the long tail of the vocabulary."""
    for column, share in ((0, 0.3), (1, 0.4), (3, 0.4)):
        rank = np.minimum(rng.zipf(1.3, len(topic)), COINED) - 1
        coined = (topics.coined + topic * COINED + rank) * CONCEPTS + parts[:, column] % CONCEPTS
        parts[:, column] = np.where(rng.random(len(topic)) < share, coined, parts[:, column])


def _inherit(terms: Longs, founder: Longs, columns: int, rng: Generator) -> None:
    """Take over most of the main terms of the line, in place; then no term may occur twice."""
    for column in range(columns):
        wanted = founder[:, column]
        takes = (rng.random(len(terms)) < _LOYALTY) & ~(terms == wanted[:, None]).any(axis=1)
        terms[takes, column] = wanted[takes]


def _choose(topics: Topics, kind: str, topic: Longs, subgroup: Longs, k: int, rng: Generator) -> Longs:
    """k different pool entries per invention, likely ones first (Gumbel's draw without replacement)."""
    liking: Floats = topics.preference[kind][subgroup]
    places = np.argsort(-(liking + rng.gumbel(0.0, 1.0, liking.shape)), axis=1)[:, :k]
    return np.take_along_axis(topics.pools[kind][topic], places, axis=1)


def _classified_beside(topics: Topics, topic: Longs, second: Longs, rng: Generator) -> Longs:
    """Often a sister subgroup, sometimes the second topic, rarely an unexpected class."""
    n = len(topic)
    place = rng.integers(0, SUBGROUPS, (3, n))
    sister = np.where(rng.random(n) < 0.45, topic * SUBGROUPS + place[0], -1)
    other = np.where((second >= 0) & (rng.random(n) < 0.4), second * SUBGROUPS + place[1], -1)
    stray = np.where(rng.random(n) < 0.08, rng.integers(0, len(topics), n) * SUBGROUPS + place[2], -1)
    return np.stack([sister, other, stray], axis=1)


def _rare(topic: Longs, n: int, offset: int, rng: Generator) -> Longs:
    """Numbers of rare names: some from a Zipfian pool of the topic, the others all different."""
    common = topic * _POOL + np.minimum(rng.zipf(1.4, n), _POOL) - 1
    own = (1 << 18) + rng.integers(0, 1 << 19, n)
    numbers: Longs = offset + np.where(rng.random(n) < 0.4, common, own)
    return numbers
