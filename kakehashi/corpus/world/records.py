"""The metadata of a patent: classes, people, places, dates, family."""

from typing import Any

import numpy as np
from numpy.random import Generator

from kakehashi.corpus.world import symbols
from kakehashi.corpus.world.glossary import glossary
from kakehashi.corpus.world.inventions import Inventions
from kakehashi.corpus.world.people import Cast, spell_city, spell_firm, spell_person
from kakehashi.corpus.world.publishing import Members, iso
from kakehashi.corpus.world.topics import SUBGROUPS, Topics
from kakehashi.types import Longs

N_DRAWS = 12  # uniform draws a record consumes


class Records:
    """Metadata by invention and member; caches the symbols."""

    def __init__(self, inventions: Inventions, topics: Topics, who: Cast, priority: Longs, members: Members):
        self.inventions, self.who, self.priority, self.members = inventions, who, priority, members
        self._symbols = [symbols.symbol(topics, subgroup) for subgroup in range(len(topics) * SUBGROUPS)]
        order = np.argsort(members.invention, kind="stable")
        self._by_invention = order
        self._starts = np.searchsorted(members.invention[order], np.arange(len(inventions) + 1))

    def family(self, invention: int) -> list[str]:
        """The ids of an invention's English members, in order of publication."""
        rows = self._by_invention[self._starts[invention] : self._starts[invention + 1]]
        return [self.members.id(int(row)) for row in rows]

    def of_document(self, row: int, rng_row: list[float]) -> dict[str, Any]:
        members, invention = self.members, int(self.members.invention[row])
        addresses = self._addresses(invention, rng_row)
        return {
            **self._shared(invention, rng_row, noisy=False),
            "claims": 1 + int(19 * rng_row[0] ** 1.5),
            **addresses,
            "filing": iso(members.filed[row]),
            "publication": iso(members.published[row]),
            "office": members.office_name(row),
        }

    def of_query(self, invention: int, rng_row: list[float]) -> dict[str, Any]:
        """A Japanese patent has no address."""
        filed = int(self.priority[invention])
        return {
            **self._shared(invention, rng_row, noisy=True),
            "claims": 1 + int(19 * rng_row[0] ** 1.5),
            "filing": iso(filed),
            "publication": iso(filed + 540 + int(20 * rng_row[1])),
            "office": "JP",
        }

    def _shared(self, invention: int, draws: list[float], noisy: bool) -> dict[str, Any]:
        who = self.who
        people = [who.people[p] for p in who.inventors[invention].tolist() if p >= 0]
        independent = bool(who.independent[invention])
        # an English member may write the company in capitals or omit its legal form
        firm = spell_firm(who.firms[int(who.firm[invention])], draws[2])
        applicants = [people[0]] if independent else [firm]
        if noisy:
            people = [spell_person(name, draws[3 + i]) for i, name in enumerate(people)]
        return {
            "ipc": self._classes(invention, draws[7]),
            "inventors": people,
            "applicants": applicants,
            "independent": independent,
            "priority": iso(int(self.priority[invention])),
            "family": f"F{invention + 1:07d}",
        }

    def _classes(self, invention: int, draw: float) -> list[str]:
        beside = [s for s in self.inventions.beside[invention].tolist() if s >= 0]
        if draw < 0.25:  # offices do not always agree on the further classes
            beside = beside[1:]
        found = [self._symbols[s] for s in [int(self.inventions.subgroup[invention]), *beside]]
        return list(dict.fromkeys(found))

    def _addresses(self, invention: int, draws: list[float]) -> dict[str, list[str]]:
        places = glossary().places
        found = []
        for i, person in enumerate(p for p in self.who.inventors[invention].tolist() if p >= 0):
            for home in self.who.homes[person].tolist():
                if home >= 0:
                    found.append((places[home], draws[8 + i % 4]))
        fields: dict[str, list[str]] = {
            "country": [place.country for place, _ in found],
            "state": [place.state for place, _ in found if place.state],
            "city": [spell_city(place, draw) for place, draw in found],
        }
        return {name: list(dict.fromkeys(values)) for name, values in fields.items()}


def draws(rng: Generator, n: int) -> list[list[float]]:
    rows: list[list[float]] = rng.random((n, N_DRAWS)).tolist()
    return rows
