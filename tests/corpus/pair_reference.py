"""Which pairs judgments allow and how likely each is, in plain Python; for the tests of sampling."""

from collections.abc import Iterator
from fractions import Fraction

from kakehashi.corpus.pairs import Pairs, PairSettings
from kakehashi.types import Qrels

Pair = tuple[str, str, str]  # query, positive, negative


def level(qrels: Qrels, query: str, document: str) -> int:
    return max(0, qrels[query].get(document, 0))


def negatives(qrels: Qrels, pool: list[str], settings: PairSettings, query: str, positive: str) -> list[str]:
    """The documents that may stand against a positive."""
    any_lower = settings.multipartite or settings.scheme in ("bootstrap", "graded")
    limit = level(qrels, query, positive) if any_lower else 1
    return [document for document in pool if document != query and level(qrels, query, document) < limit]


def allowed(qrels: Qrels, pool: list[str], settings: PairSettings) -> dict[Pair, Fraction]:
    """Every pair that may be drawn, with the chance of its negative given the other two."""
    chances = {}
    for query, judged in qrels.items():
        for positive in judged:
            if judged[positive] <= 0 or positive == query or positive not in pool:
                continue
            found = negatives(qrels, pool, settings, query, positive)
            levels = [level(qrels, query, document) for document in found]
            for negative, lower in zip(found, levels, strict=True):
                chance = Fraction(1, len(found))
                if settings.multipartite:
                    chance = Fraction(1, len(set(levels)) * levels.count(lower))
                chances[query, positive, negative] = chance
    return chances


def groups(pairs: Pairs, size: int = 4096) -> Iterator[tuple[str, list[tuple[str, str, float]]]]:
    """Each group as (query, [(positive, negative, margin), ...]), in file order."""
    queries, documents = list(pairs.query_ids), list(pairs.document_ids)
    for block in pairs.blocks(size):
        starts, margins = block.starts.tolist(), block.margins.tolist()
        positives = [documents[number] for number in block.positives.tolist()]
        negatives = [documents[number] for number in block.negatives.tolist()]
        members = list(zip(positives, negatives, margins, strict=True))
        for g, query in enumerate(block.queries.tolist()):
            yield queries[query], members[starts[g] : starts[g + 1]]


def listed(pairs: Pairs) -> list[Pair]:
    return [
        (query, positive, negative) for query, members in groups(pairs) for positive, negative, _ in members
    ]
