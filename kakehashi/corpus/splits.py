"""The judged queries of a split, and the documents they are ranked against."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.pools import restriction
from kakehashi.types import Condition, Qrels, Scope, Text

QUERIES: Literal["queries.jsonl"] = "queries.jsonl"
TRAIN = "train"


@dataclass(frozen=True)
class Split:
    """Queries with their judgments: everything needed to measure a system on them."""

    name: str
    queries: list[Text]
    qrels: Qrels  # of these queries
    scope: Scope  # the documents they are ranked against
    mate_level: int | None  # documents of this level are translations of the query itself
    read_cited: Callable[[], frozenset[str] | None] = field(default=lambda: None, repr=False, compare=False)

    @cached_property
    def cited(self) -> frozenset[str] | None:
        """Documents that training judgments call relevant; None where the collection has no such judgments."""
        return self.read_cited()

    def __len__(self) -> int:
        return len(self.queries)


def read_split(collection: Collection, name: str, most: int | None = None, queries: str = QUERIES) -> Split:
    """The queries judged in a split, in file order; if there are more, `most` of them, evenly chosen."""
    qrels, texts = collection.qrels(name), collection.split_queries(name, queries)
    chosen = texts if most is None else evenly_chosen(texts, most)
    judged = {text.id: qrels[text.id] for text in chosen}
    scope, mates = split_scope(collection, name), collection.info.mate_level
    return Split(name, chosen, judged, scope, mates, lambda: _cited(collection))


def citations_received(qrels: Qrels, mate_level: int | None) -> Counter[str]:
    """In how many judgments a document is relevant; a query's own translation is not a citation."""
    return Counter(
        doc for judged in qrels.values() for doc, level in judged.items() if level > 0 and level != mate_level
    )


def _cited(collection: Collection) -> frozenset[str] | None:
    if TRAIN not in collection.splits:
        return None
    return frozenset(citations_received(collection.qrels(TRAIN), collection.info.mate_level))


def evenly_chosen(texts: Sequence[Text], most: int) -> list[Text]:
    """At most this many, including the first and the last."""
    n = min(most, len(texts))
    return [texts[i] for i in np.linspace(0, len(texts) - 1, n).astype(int)]


def split_scope(collection: Collection, split: str) -> Scope:
    """The documents a split is ranked against."""
    return Scope(tuple(pool_conditions(collection, split)), not_itself=collection.info.exclude_self)


def pool_conditions(collection: Collection, split: str) -> list[Condition]:
    """The condition that documents of a split's pool satisfy."""
    return [Condition(field, "=", value) for field, value in restriction(collection.info, split).items()]
