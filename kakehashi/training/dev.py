"""The dev split as a judge of models in training; the test split is never looked at."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.evaluate.measures import parse
from kakehashi.evaluate.scores import evaluate
from kakehashi.retrieve.sparse import Scope
from kakehashi.training.data import pool_conditions
from kakehashi.types import System, Text

SPLIT = "dev"


class DevSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is measured after each epoch."""

    measure: Annotated[
        str, Meta(description="Measure that chooses the best model on dev, such as `MAP` or `PRES@1000`.")
    ] = "MAP"
    dev_queries: Annotated[
        int,
        Meta(
            description="Maximum number of dev queries, evenly chosen; 0 disables measuring on dev, and all epochs "
            "run."
        ),
    ] = 500


class DevSet:
    """Some dev queries with their judgments."""

    def __init__(self, collection: Collection, settings: DevSettings):
        self.settings, self._measure = settings, parse(settings.measure)
        wanted = SPLIT in collection.splits and settings.dev_queries > 0
        queries = collection.split_queries(SPLIT) if wanted else []
        self.queries = evenly_chosen(queries, settings.dev_queries)
        qrels = collection.qrels(SPLIT) if wanted else {}
        self._qrels = {query.id: qrels[query.id] for query in self.queries}
        self.scope = split_scope(collection, SPLIT)

    def measure(self, system: System) -> float:
        run = system.search(self.queries, 1000)
        return evaluate(self._qrels, run, [self._measure]).mean(self._measure)


def evenly_chosen(queries: Sequence[Text], most: int) -> list[Text]:
    """At most so many, the first and the last among them."""
    n = min(most, len(queries))
    return [queries[i] for i in np.linspace(0, len(queries) - 1, n).astype(int)]


def split_scope(collection: Collection, split: str) -> Scope:
    """The documents a split is ranked against."""
    return Scope(tuple(pool_conditions(collection, split)), not_itself=collection.info.exclude_self)
