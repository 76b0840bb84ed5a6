"""The judged queries of a split, and the documents they are ranked against."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.pools import restriction
from kakehashi.types import Condition, Qrels, Scope, Text

QUERIES: Literal["queries.jsonl"] = "queries.jsonl"


@dataclass(frozen=True)
class Split:
    """Queries with their judgments: everything needed to measure a system on them."""

    name: str
    queries: list[Text]
    qrels: Qrels  # of these queries
    scope: Scope  # the documents they are ranked against
    mate_level: int | None  # documents of this level are translations of the query itself

    def __len__(self) -> int:
        return len(self.queries)


def read_split(collection: Collection, name: str, most: int | None = None, queries: str = QUERIES) -> Split:
    """The queries judged in a split, in file order; if there are more, `most` of them, evenly chosen."""
    qrels, texts = collection.qrels(name), collection.split_queries(name, queries)
    chosen = texts if most is None else evenly_chosen(texts, most)
    judged = {text.id: qrels[text.id] for text in chosen}
    return Split(name, chosen, judged, split_scope(collection, name), collection.info.mate_level)


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
