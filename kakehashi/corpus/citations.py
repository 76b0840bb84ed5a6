"""Relevance judgments out of a citation graph and patent families.

    level 3   same family
    level 2   cited by the examiner
    level 1   cited by the applicant

All family members of a cited patent get the level of the citation, so that they are not false negatives; if
several relations apply, the highest level counts; a query is never its own answer.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise

from kakehashi.errors import InputError
from kakehashi.types import Qrels

SAME_FAMILY = 3
LEVELS: Mapping[str, int] = {"examiner": 2, "applicant": 1}
WORDS: Mapping[str, str] = {
    "3": "same patent family",
    "2": "cited by the examiner",
    "1": "cited by the applicant",
}
# where search reports say which citations are particularly relevant
PARTICULAR = "examiner-particular"
CATEGORY_LEVELS: Mapping[str, int] = {PARTICULAR: 3, "examiner": 2, "applicant": 1}
CATEGORY_WORDS: Mapping[str, str] = {
    "4": "same patent family",
    "3": "cited by the examiner as particularly relevant (X, Y, E)",
    "2": "cited by the examiner",
    "1": "cited by the applicant",
}


def citation_qrels(
    queries: Iterable[str],
    documents: Iterable[str],
    citations: Iterable[tuple[str, str, str]],
    family: Mapping[str, str],
    levels: Mapping[str, int] = LEVELS,
    same_family: int = SAME_FAMILY,
) -> Qrels:
    """Judgments of `documents` for `queries`; citations are (citing, cited, kind).

    A cited patent need not be a document itself: its family members count if they are documents.
    """
    document_ids = dict.fromkeys(documents)
    members: dict[str, list[str]] = defaultdict(list)
    for document in document_ids:
        if document in family:
            members[family[document]].append(document)
    qrels: Qrels = {
        query: dict.fromkeys(_relatives(query, family, members), same_family) for query in queries
    }
    for citing, cited, kind in citations:
        if kind not in levels:
            raise InputError(
                f"citation {citing} to {cited} has the unknown kind '{kind}': use {', '.join(levels)}"
            )
        judged = qrels.get(citing)
        if judged is None:
            continue
        for document in {cited, *_relatives(cited, family, members)} - {citing}:
            if document in document_ids:
                judged[document] = max(levels[kind], judged.get(document, 0))
    # the order of a set of strings differs between processes, so judgments are sorted here
    return {query: dict(sorted(judged.items())) for query, judged in qrels.items() if judged}


def _relatives(id: str, family: Mapping[str, str], members: Mapping[str, list[str]]) -> list[str]:
    own = members.get(family[id], []) if id in family else []
    return [document for document in own if document != id]


def split_by_year(years: Mapping[str, int], splits: Mapping[str, tuple[int, int]]) -> dict[str, list[str]]:
    """Split -> the ids whose year is in its range, ends included; overlapping ranges are rejected."""
    ranges = sorted((first, last, split) for split, (first, last) in splits.items())
    for first, last, split in ranges:
        if first > last:
            raise InputError(f"split {split} ends in {last}, before it starts in {first}")
    for (_, last, split), (first, _, other) in pairwise(ranges):
        if first <= last:
            raise InputError(
                f"splits {split} and {other} share the year {first}: make them disjoint with --train, --dev and --test"
            )
    return {
        split: [id for id, year in years.items() if first <= year <= last]
        for split, (first, last) in splits.items()
    }


def families_by_priority(priorities: Mapping[str, Collection[str]], extended: bool = False) -> dict[str, str]:
    """Id -> family, named after its smallest member.

    A simple family shares exactly the same priorities; an extended one is linked through any shared priority.
    A patent without priorities is its own family.
    """
    groups = _linked(priorities) if extended else _alike(priorities)
    return {id: min(members) for members in groups.values() for id in members}


def _alike(priorities: Mapping[str, Collection[str]]) -> dict[object, list[str]]:
    groups: dict[object, list[str]] = defaultdict(list)
    for id, numbers in priorities.items():
        groups[frozenset(numbers) or id].append(id)
    return groups


def _linked(priorities: Mapping[str, Collection[str]]) -> dict[object, list[str]]:
    """Connected components of the graph between patents and priorities."""
    parent: dict[object, object] = {}

    def root(node: object) -> object:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for id, numbers in priorities.items():
        for number in numbers:
            parent[root(("priority", number))] = root(("patent", id))
    groups: dict[object, list[str]] = defaultdict(list)
    for id in priorities:
        groups[root(("patent", id))].append(id)
    return groups
