"""Topics: the vocabulary of patents of one main group, and which topics are related.

A topic has pools of terms and verbs; each of its subgroups prefers them in a different order.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from kakehashi.corpus.world import names
from kakehashi.corpus.world.glossary import FLAVOURS, Glossary, Subclass, fits
from kakehashi.types import Floats, Longs

SUBGROUPS = 5
COINED = 40  # modifiers that only one topic has
CONCEPTS = 1 << 12  # a term is prefix * CONCEPTS + concept
_GROUPS = (1, 7, 12, 17, 21, 33)  # main group numbers, the same in every subclass
# how many entries a topic's pool of each kind has; then verbs by role and adjuncts of the sentence
POOLS = {
    "d": 6, "p": 34, "g": 3, "h": 3, "m": 10, "t": 4, "q": 6, "x": 4, "e": 6, "i": 6,
    "vj": 8, "va": 5, "vs": 5, "vc": 5, "vf": 5, "adjunct": 14,
}  # fmt: skip
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
    coined: int  # from here on, COINED prefixes for each topic

    def __len__(self) -> int:
        return len(self.subclass)


def make_topics(words: Glossary, per_subclass: int, rng: Generator) -> Topics:
    prefixes = [Prefix(("",), ("",)), *(Prefix(ja, en) for _, ja, en in words.modifiers)]
    owners = [sub for sub in words.subclasses for _ in range(per_subclass)]
    n = len(owners)
    pools: dict[str, list[list[int]]] = {kind: [] for kind in POOLS}
    for owner in owners:
        for kind, pool in _pools_of(words, owner, rng).items():
            pools[kind].append(pool)
    coined = [
        _coin(words, owner, i * COINED + k, rng) for i, owner in enumerate(owners) for k in range(COINED)
    ]
    related = _relations(owners, rng)
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
        prefixes=(*prefixes, *coined),
        coined=len(prefixes),
    )


def _pools_of(words: Glossary, owner: Subclass, rng: Generator) -> dict[str, list[int]]:
    own, shared = words.by_subclass[owner.symbol], words.by_flavour[owner.flavour]
    found: dict[str, list[int]] = {}
    for kind, size in POOLS.items():
        if kind[0] in "va":
            fitting = [i for i, row in enumerate(words.adjuncts) if fits(row[0], owner.flavour)]
            numbers = words.verbs_for(owner.flavour, kind[1]) if kind[0] == "v" else fitting
            found[kind] = rng.permutation(np.resize(rng.permutation(numbers), size)).tolist()
            continue
        concepts = list(rng.permutation(own.get(kind, []))) + list(rng.permutation(shared.get(kind, [])))
        bare = [int(concept) for concept in concepts[:size]]
        modified = {"d": 0.35, "p": 0.45, "m": 0.3 if owner.flavour == "chem" else 0.0}.get(kind, 0.0)
        terms = [_prefixed(words, owner, c, rng) if rng.random() < modified else c for c in bare]
        while len(terms) < size:  # small pools are filled with further variants of the same things
            terms.append(
                _prefixed(words, owner, int(rng.choice(bare)), rng) if kind in "dp" else int(rng.choice(bare))
            )
        found[kind] = terms
    return found


def _prefixed(words: Glossary, owner: Subclass, concept: int, rng: Generator) -> int:
    """The concept with a modifier of its field."""
    # some modifiers of chemistry describe only matter
    matter = words.concepts[concept].kind in "mn" and owner.flavour == "chem"
    wanted = "matter" if matter else owner.flavour
    fitting = [i + 1 for i, (field, _, _) in enumerate(words.modifiers) if fits(field, wanted)]
    return int(rng.choice(fitting)) * CONCEPTS + concept


def _coin(words: Glossary, owner: Subclass, number: int, rng: Generator) -> Prefix:
    """A modifier of one topic: named after a design, a number of things, or a material."""
    draw = rng.random()
    matter = [words.concepts[c] for c in words.by_subclass[owner.symbol].get("m", [])] if draw > 0.75 else []
    if owner.flavour != "info" and matter:
        material = matter[int(rng.integers(len(matter)))]
        ja, en = _COVERED[int(rng.integers(len(_COVERED)))]
        return Prefix((material.ja[0] + ja,), (material.en[0].replace(" ", "-") + en,))
    if draw > 0.5:
        ja, en = _NUMBERED[owner.flavour][int(rng.integers(3))]
        count = int(rng.integers(2, 33))
        return Prefix((f"{count}{ja}",), (f"{count}{en}",))
    ja, en = names.design(number)
    return Prefix((ja,), (en,))


def _relations(owners: list[Subclass], rng: Generator) -> Longs:
    """Three related topics per topic: of the same subclass if there is one, else the section, else the same flavour."""
    symbols = np.array([owner.symbol for owner in owners])
    flavours = np.array([owner.flavour for owner in owners])
    sections = np.array([owner.symbol[0] for owner in owners])
    related = np.empty((len(owners), 3), dtype=np.int64)
    for i, owner in enumerate(owners):
        siblings = np.flatnonzero((symbols == owner.symbol) & (np.arange(len(owners)) != i))
        alike = np.flatnonzero((flavours == owner.flavour) & (symbols != owner.symbol))
        neighbours = alike[sections[alike] == owner.symbol[0]]
        related[i, 0] = rng.choice(siblings if len(siblings) else alike)
        related[i, 1] = rng.choice(neighbours if len(neighbours) else alike)
        related[i, 2] = rng.choice(alike)
    return related


def _preferences(n_topics: int, size: int, rng: Generator) -> Floats:
    """Zipf weights over a pool, with the order perturbed for every subgroup of a topic."""
    place = np.arange(size) + rng.normal(0.0, 0.35 * size, (n_topics * SUBGROUPS, size))
    rank = np.argsort(np.argsort(place, axis=1), axis=1)
    weights: Floats = -1.1 * np.log1p(rank)
    return weights
