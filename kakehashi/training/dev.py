"""The dev split, used to evaluate models during training; the test split is never used."""

from typing import Annotated

import msgspec
from msgspec import Meta

from kakehashi.corpus.splits import Split
from kakehashi.evaluation.measures import parse
from kakehashi.index.holdings import Holdings
from kakehashi.retrieve.system import IndexSystem
from kakehashi.training.measuring import measure_system
from kakehashi.types import EVERYTHING

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
    """Some dev queries with their judgments; none if the collection has no dev split, or none are requested."""

    def __init__(self, holdings: Holdings, settings: DevSettings):
        self.settings, self._measure = settings, parse(settings.measure)
        wanted = SPLIT in holdings.collection.splits and settings.dev_queries > 0
        nothing = Split(SPLIT, [], {}, EVERYTHING, None)
        self.split = holdings.split(SPLIT, settings.dev_queries) if wanted else nothing

    def __len__(self) -> int:
        return len(self.split)

    def measure(self, system: IndexSystem, threads: int = 0) -> float:
        return measure_system(system, self.split, [self._measure], threads=threads).mean(self._measure)
