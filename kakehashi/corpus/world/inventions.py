"""Inventions: what each one is about, before anybody has written a word of it.

All draws are arrays over inventions; names, dates and texts are made elsewhere.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from kakehashi.corpus.world.templates import FACTS
from kakehashi.corpus.world.topics import SUBGROUPS, Topics
from kakehashi.types import Floats, Longs

N_FACTS = 13
FOCUS = 7  # the parts an invention is about; three more of its topic are at hand for those who digress
_WANTED = {"d": 2, "p": FOCUS + 3, "m": 4, "q": 3, "x": 2, "e": 2, "i": 2, "vj": 3, "va": 3, "vs": 2, "vc": 3, "vf": 3}
# columns of a fact
TEMPLATE, P1, P2, P3, VERB, QUANTITY, M1, M2, NUMBER, NAME = range(10)
_WEIGHTS = np.array([template.weights for template in FACTS], dtype=float).T  # (flavours, templates)


@dataclass(frozen=True)
class Inventions:
    topic: Longs  # (n,)
    second: Longs  # (n,) a second topic, or -1
    subgroup: Longs  # (n,)
    slots: dict[str, Longs]  # kind -> (n, wanted) terms or verbs
    facts: Longs  # (n, N_FACTS, 10)
    products: Longs  # (n,) number of a product name, -1 for none
    models: Longs  # (n,) number of a model, -1 for none
    chemicals: Longs  # (n, 2)
    wording: Longs  # (n,) pattern of the title
    beside: Longs  # (n, 3) further subgroups it is classified in, -1 for none

    def __len__(self) -> int:
        return len(self.topic)


def draw_inventions(topics: Topics, n: int, rng: Generator) -> Inventions:
    popularity = rng.lognormal(0.0, 0.5, len(topics))
    topic = rng.choice(len(topics), n, p=popularity / popularity.sum())
    subgroup = topic * SUBGROUPS + np.minimum(rng.geometric(0.35, n) - 1, SUBGROUPS - 1)
    relative = topics.related[topic, rng.integers(0, 3, n)]
    second = np.where(rng.random(n) < 0.35, relative, -1)
    slots = {kind: _choose(topics, kind, topic, subgroup, k, rng) for kind, k in _WANTED.items()}
    other = _choose(topics, "p", relative, relative * SUBGROUPS, 3, rng)
    mixed = second >= 0
    slots["p"][mixed, FOCUS - 2 : FOCUS] = other[mixed, :2]
    third = mixed & (rng.random(n) < 0.25)
    slots["p"][third, FOCUS - 3] = other[third, 2]
    return Inventions(
        topic,
        second,
        subgroup,
        slots,
        draw_facts(topics.flavour[topic], n, rng),
        products=np.where(rng.random(n) < 0.45, _rare(topic, n, 1 << 20, 60, 0.5, rng), -1),
        models=np.where(rng.random(n) < 0.12, _rare(topic, n, 1 << 21, 20, 0.6, rng), -1),
        chemicals=np.stack([_rare(topic, n, 1 << 22, 40, 0.6, rng), _rare(topic, n, 1 << 23, 40, 0.3, rng)], axis=1),
        wording=rng.integers(0, 6, n),
        beside=_classified_beside(topics, topic, second, rng),
    )


def draw_facts(flavour: Longs, n: int, rng: Generator, parts: int = FOCUS) -> Longs:
    """N_FACTS facts for each invention, over its first `parts` parts."""
    facts = np.empty((n, N_FACTS, 10), dtype=np.int64)
    cumulative = np.cumsum(_WEIGHTS / _WEIGHTS.sum(axis=1, keepdims=True), axis=1)
    for f in range(len(_WEIGHTS)):
        rows = flavour == f
        facts[rows, :, TEMPLATE] = np.searchsorted(cumulative[f], rng.random((int(rows.sum()), N_FACTS)))
    np.minimum(facts[:, :, TEMPLATE], len(FACTS) - 1, out=facts[:, :, TEMPLATE])
    # parts early in the list are the heart of the invention and are spoken of most
    scores = -0.25 * np.arange(parts) + rng.gumbel(0.0, 1.0, (n, N_FACTS, parts))
    facts[:, :, P1 : P3 + 1] = np.argsort(-scores, axis=2)[:, :, :3]
    facts[:, :, VERB] = rng.integers(0, 6, (n, N_FACTS))
    facts[:, :, QUANTITY] = rng.integers(0, 3, (n, N_FACTS))
    facts[:, :, M1] = rng.integers(0, 4, (n, N_FACTS))
    facts[:, :, M2] = (facts[:, :, M1] + rng.integers(1, 4, (n, N_FACTS))) % 4
    facts[:, :, NUMBER] = rng.integers(0, 1 << 16, (n, N_FACTS))
    facts[:, :, NAME] = rng.integers(0, 2, (n, N_FACTS))
    return facts


def _choose(topics: Topics, kind: str, topic: Longs, subgroup: Longs, k: int, rng: Generator) -> Longs:
    """k different pool entries per invention, likely ones first (Gumbel's way of drawing without replacement)."""
    liking: Floats = topics.preference[kind][subgroup]
    places = np.argsort(-(liking + rng.gumbel(0.0, 1.0, liking.shape)), axis=1)[:, :k]
    return np.take_along_axis(topics.pools[kind][topic], places, axis=1)


def _classified_beside(topics: Topics, topic: Longs, second: Longs, rng: Generator) -> Longs:
    """The second topic, often a sister subgroup, and now and then a class hardly anybody would have thought of."""
    n = len(topic)
    place = rng.integers(0, SUBGROUPS, (3, n))
    sister = np.where(rng.random(n) < 0.45, topic * SUBGROUPS + place[0], -1)
    other = np.where((second >= 0) & (rng.random(n) < 0.8), second * SUBGROUPS + place[1], -1)
    stray = np.where(rng.random(n) < 0.08, rng.integers(0, len(topics), n) * SUBGROUPS + place[2], -1)
    return np.stack([sister, other, stray], axis=1)


def _rare(topic: Longs, n: int, offset: int, pool: int, shared: float, rng: Generator) -> Longs:
    """Numbers of rare names: some from a Zipfian pool of the topic, the others an invention's own."""
    common = topic * pool + np.minimum(rng.zipf(1.6, n), pool) - 1
    own = len(topic) + (pool * 1000) + rng.integers(0, 20 * n, n)
    numbers: Longs = offset + np.where(rng.random(n) < shared, common, own)
    return numbers
