"""Inventors and applicants: teams of invented people in invented companies, living at real places.

Cities are spelled as inconsistently as in real patents, because matching them is part of the task.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from kakehashi.corpus.world import names
from kakehashi.corpus.world.glossary import Place, glossary
from kakehashi.types import Bools, Longs

FIRMS_PER_TOPIC = 9
_TEAM = 8
_COUNTRY_WEIGHT = {"JP": 6.0, "US": 2.5, "DE": 2.0}


@dataclass(frozen=True)
class Cast:
    """Arrays over inventions, lists over people."""

    firm: Longs  # (n,)
    team: Longs  # (n,) firm and topic together
    inventors: Longs  # (n, 4) person numbers, -1 where fewer
    independent: Bools  # (n,) applied for by the first inventor
    people: list[str]
    firms: list[str]
    homes: Longs  # (people, 2) places; the second is -1 for most


def cast(topic: Longs, n_topics: int, rng: Generator) -> Cast:
    n = len(topic)
    n_firms = max(30, n_topics)
    active = rng.integers(0, n_firms, (n_topics, FIRMS_PER_TOPIC))
    firm = active[topic, np.minimum(rng.zipf(1.5, n), FIRMS_PER_TOPIC) - 1]
    _, team = np.unique(firm * n_topics + topic, return_inverse=True)
    seats = np.minimum(rng.zipf(1.7, (n, 4)), _TEAM) - 1
    members = team[:, None] * _TEAM + seats
    size = np.minimum(rng.geometric(0.5, n), 4)
    members[np.arange(4) >= size[:, None]] = -1
    for column in range(1, 4):  # no one is named twice
        members[(members[:, :column] == members[:, column : column + 1]).any(axis=1), column] = -1
    used, numbers = np.unique(members[members >= 0], return_inverse=True)
    members[members >= 0] = numbers
    homes = _homes(used // _TEAM, team, firm, n_firms, rng)
    independent = rng.random(n) < 0.07
    return Cast(
        firm, team, members, independent, names.people(rng, len(used)), names.firms(rng, n_firms), homes
    )


def _homes(teams: Longs, team: Longs, firm: Longs, n_firms: int, rng: Generator) -> Longs:
    """Most people live where their firm is, some elsewhere, some at two places."""
    places = glossary().places
    weights = np.array([_COUNTRY_WEIGHT.get(place.country, 1.0) for place in places])
    weights /= weights.sum()
    seat = rng.choice(len(places), n_firms, p=weights)
    firm_of_team = np.zeros(int(team.max()) + 1, dtype=np.int64)
    firm_of_team[team] = firm
    home = np.where(
        rng.random(len(teams)) < 0.8,
        seat[firm_of_team[teams]],
        rng.choice(len(places), len(teams), p=weights),
    )
    second = np.where(rng.random(len(teams)) < 0.15, rng.integers(0, len(places), len(teams)), -1)
    return np.stack([home, second], axis=1)


def spell_city(place: Place, draw: float) -> str:
    """The city as a clerk might type it: correct, in another form, or with a missing letter."""
    if draw < 0.55:
        return place.city
    if draw < 0.93:
        return place.variants[int((draw - 0.55) / 0.38 * len(place.variants))]
    at = 1 + int((draw - 0.93) / 0.07 * (len(place.city) - 2))
    return place.city[:at] + place.city[at + 1 :]


def spell_person(name: str, draw: float) -> str:
    """The name as another office writes it: mostly the same, sometimes in capitals or with a doubled vowel."""
    if draw < 0.88:
        return name
    if draw < 0.95:
        return name.upper()
    for vowel in "oua":
        if vowel in name:
            return name.replace(vowel, vowel * 2, 1)
    return name


def spell_firm(name: str, draw: float) -> str:
    if draw < 0.75:
        return f"{name} Co., Ltd."
    return f"{name} Co., Ltd.".upper() if draw < 0.9 else name
