"""References between source packages and their relevance levels; independent of texts."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

MOST_REFERRERS = 100  # a package with more references than this says nothing about any of them
NAME = re.compile(r"\s*([a-z0-9][a-z0-9+.-]+)")
FIELDS = {
    "Depends": "depends",
    "Pre-Depends": "depends",
    "Recommends": "recommends",
    "Suggests": "suggests",
    "Enhances": "enhances",
}


def relation_groups(value: str) -> list[list[str]]:
    """`a (>= 1), b | c:any` -> [[a], [b, c]]."""
    groups = []
    for group in value.split(","):
        names = [found[1] for found in map(NAME.match, group.split("|")) if found]
        if names:
            groups.append(names)
    return groups


@dataclass
class References:
    """All references between source packages, collected binary by binary."""

    out: dict[str, dict[str, set[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))

    def add(self, source: str, relations: Mapping[str, str], source_of: Mapping[str, str]) -> None:
        """`relations` maps a field's name to its value; virtual packages have no source and are skipped."""
        for name, value in relations.items():
            for group in relation_groups(value):
                targets = dict.fromkeys(source_of[name] for name in group if name in source_of)
                for target in targets:
                    if target != source:
                        self.out[source][target].add(FIELDS[name])
                for one, other in combinations(targets, 2):
                    self.out[one][other].add("alternative")
                    self.out[other][one].add("alternative")

    def telling(self, sources: Iterable[str]) -> dict[str, dict[str, set[str]]]:
        """Source -> {target: kinds}, both among `sources`, without targets that too many packages refer to."""
        kept = set(sources)
        referrers = Counter(
            target
            for targets in self.out.values()
            for target, kinds in targets.items()
            if kinds != {"alternative"}
        )
        return {
            source: {
                target: kinds
                for target, kinds in sorted(self.out.get(source, {}).items())
                if target in kept and referrers[target] <= MOST_REFERRERS
            }
            for source in sorted(kept)
        }

    def level(self, source: str, target: str) -> int:
        """2 for mutual references, Enhances and alternatives, 1 for any other reference."""
        kinds = self.out[source][target]
        if "enhances" in kinds or "alternative" in kinds:
            return 2
        returned = self.out.get(target, {}).get(source)
        return 2 if returned and returned != {"alternative"} else 1
