"""Topics: what patents of one main group like to talk about, and which topics belong together.

A topic holds pools of terms and verbs; each of its subgroups prefers them in an order of its own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from kakehashi.corpus.world.glossary import FLAVOURS, Glossary, Subclass
from kakehashi.types import Floats, Longs

SUBGROUPS = 5
CONCEPTS = 1 << 12  # a term is prefix * CONCEPTS + concept
_GROUPS = (1, 7, 12, 17, 21, 33)  # main group numbers, the same in every subclass
# how many entries a topic's pool of each kind has; the last five kinds are verbs by role
POOLS = {"d": 6, "p": 26, "m": 10, "q": 6, "x": 4, "e": 6, "i": 6, "vj": 8, "va": 5, "vs": 5, "vc": 5, "vf": 5}
_NUMBERED = {
    "mech": (("段", "-stage"), ("軸", "-axis"), ("列", "-row")),
    "elec": (("極", "-pole"), ("層", "-layer"), ("相", "-phase")),
    "info": (("ビット", "-bit"), ("チャネル", "-channel"), ("系統", "-line")),
    "chem": (("層", "-layer"), ("成分", "-component"), ("段", "-stage")),
}
_COVERED = (("含有", "-containing"), ("被覆", "-coated"), ("系", "-based"), ("充填", "-filled"))


@dataclass(frozen=True)
class Prefix:
    ja: tuple[str, ...]
    en: tuple[str, ...]


@dataclass(frozen=True)
class Topics:
    """Arrays over topics; a subgroup is topic * SUBGROUPS + place."""

    pools: dict[str, Longs]  # kind -> (topics, pool size) terms, or verb numbers
    preference: dict[str, Floats]  # kind -> (subgroups, pool size) log weights
    subclass: Longs  # (topics,) number of the subclass
    group: Longs  # (topics,) main group number in its subclass
    flavour: Longs  # (topics,) place in FLAVOURS
    related: Longs  # (topics, 3) topics cited across
    prefixes: tuple[Prefix, ...]

    def __len__(self) -> int:
        return len(self.subclass)


def make_topics(words: Glossary, per_subclass: int, rng: Generator) -> Topics:
    prefixes = [Prefix(("",), ("",)), *(Prefix(ja, en) for _, ja, en in words.modifiers)]
    owners = [sub for sub in words.subclasses for _ in range(per_subclass)]
    n = len(owners)
    pools: dict[str, list[list[int]]] = {kind: [] for kind in POOLS}
    for owner in owners:
        for kind, pool in _pools_of(words, owner, prefixes, rng).items():
            pools[kind].append(pool)
    related = _relations(words, owners, rng)
    parts = np.array(pools["p"])
    parts[:, -3:] = parts[related, rng.integers(0, 8, (n, 3))]  # related topics share some of their words
    pools["p"] = parts.tolist()
    places = {sub.symbol: i for i, sub in enumerate(words.subclasses)}
    return Topics(
        pools={kind: np.array(rows, dtype=np.int64) for kind, rows in pools.items()},
        preference={kind: _preferences(n, size, rng) for kind, size in POOLS.items()},
        subclass=np.array([places[owner.symbol] for owner in owners]),
        group=np.array([_GROUPS[i % per_subclass] for i in range(n)]),
        flavour=np.array([FLAVOURS.index(owner.flavour) for owner in owners]),
        related=related,
        prefixes=tuple(prefixes),
    )


def _pools_of(words: Glossary, owner: Subclass, prefixes: list[Prefix], rng: Generator) -> dict[str, list[int]]:
    own, shared = words.by_subclass[owner.symbol], words.by_flavour[owner.flavour]
    found: dict[str, list[int]] = {}
    for kind, size in POOLS.items():
        if kind[0] == "v":
            verbs = np.array(words.verbs_for(owner.flavour, kind[1]))
            found[kind] = rng.permutation(np.resize(rng.permutation(verbs), size)).tolist()
            continue
        concepts = list(rng.permutation(own.get(kind, []))) + list(rng.permutation(shared.get(kind, [])))
        bare = [int(concept) for concept in concepts[:size]]
        modified = {kind: 0.45 for kind in "dp"}.get(kind, 0.25 if kind == "m" else 0.0)
        terms = [_prefixed(words, owner, c, prefixes, rng) if rng.random() < modified else c for c in bare]
        while len(terms) < size:  # small pools are filled with further shades of the same things
            terms.append(_prefixed(words, owner, int(rng.choice(bare)), prefixes, rng) if kind in "dpm" else bare[0])
        found[kind] = terms
    return found


def _prefixed(words: Glossary, owner: Subclass, concept: int, prefixes: list[Prefix], rng: Generator) -> int:
    """The concept with a modifier of its field, or with a new one built from a number or a material."""
    draw = rng.random()
    if draw < 0.7:
        fitting = [i + 1 for i, (field, _, _) in enumerate(words.modifiers) if field in ("any", owner.flavour)]
        return int(rng.choice(fitting)) * CONCEPTS + concept
    if draw < 0.82:
        suffix = _NUMBERED[owner.flavour][int(rng.integers(3))]
        number = int(rng.integers(2, 9))
        prefixes.append(Prefix((f"{number}{suffix[0]}",), (f"{number}{suffix[1]}",)))
    else:
        own = words.by_subclass[owner.symbol].get("m", []) + words.by_flavour[owner.flavour]["m"]
        material = words.concepts[int(rng.choice(own))]
        ja, en = _COVERED[int(rng.integers(4))]
        prefixes.append(Prefix((material.ja[0] + ja,), (material.en[0].replace(" ", "-") + en,)))
    return (len(prefixes) - 1) * CONCEPTS + concept


def _relations(words: Glossary, owners: list[Subclass], rng: Generator) -> Longs:
    """Three relatives per topic: one of the same subclass if there is one, one of the section, one of any field."""
    symbols = np.array([owner.symbol for owner in owners])
    sections = np.array([owner.symbol[0] for owner in owners])
    related = np.empty((len(owners), 3), dtype=np.int64)
    for i, owner in enumerate(owners):
        siblings = np.flatnonzero((symbols == owner.symbol) & (np.arange(len(owners)) != i))
        neighbours = np.flatnonzero((sections == owner.symbol[0]) & (symbols != owner.symbol))
        related[i, 0] = rng.choice(siblings if len(siblings) else neighbours)
        related[i, 1] = rng.choice(neighbours)
        related[i, 2] = rng.integers(len(owners))
    return related


def _preferences(n_topics: int, size: int, rng: Generator) -> Floats:
    """Zipf weights over a pool, the order shaken anew for every subgroup of a topic."""
    place = np.arange(size) + rng.normal(0.0, 0.35 * size, (n_topics * SUBGROUPS, size))
    rank = np.argsort(np.argsort(place, axis=1), axis=1)
    weights: Floats = -1.1 * np.log1p(rank)
    return weights
