"""Hard negatives: documents that another system finds for a training query although they are not relevant.

A document drawn at random has nothing in common with the query, and a learner soon tells all of these from relevant
ones. It learns more from documents that share words with the query.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.corpus.pair_draws import Hard
from kakehashi.corpus.splits import TRAIN
from kakehashi.errors import InputError
from kakehashi.progress import track
from kakehashi.training.job import Job
from kakehashi.types import Array

BLOCK = 512  # queries searched at a time


class HardSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which negatives are hard."""

    hard: Annotated[
        float,
        Meta(
            description="Share of the negatives that are drawn from the documents another system finds; the others "
            "come from all documents."
        ),
    ] = 0.5
    hard_best: Annotated[
        int, Meta(description="How many of the best documents of that system are drawn from.")
    ] = 500
    hard_from: Annotated[
        str,
        Meta(
            description="The system that finds them; `auto` takes `psq` where a translation table is trained, `bm25` "
            "where queries and documents have one language, else nothing: then no negatives are hard."
        ),
    ] = "auto"

    def __post_init__(self) -> None:
        if not 0.0 <= self.hard <= 1.0:
            raise InputError(f"hard must be from 0 to 1, not {self.hard}")
        if self.hard_best < 1:
            raise InputError(f"hard_best must be at least 1, not {self.hard_best}")


def hard_negatives(job: Job, settings: HardSettings, pool: Sequence[str]) -> Hard | None:
    """By training query, numbers in the pool of what the job's system finds; relevant documents are not among them."""
    if not job.inputs or not settings.hard:
        return None
    [system] = [each.system for each in job.inputs]
    split = job.holdings.split(TRAIN)
    places = {doc: number for number, doc in enumerate(pool)}
    found: dict[str, Array] = {}
    blocks = range(0, len(split), BLOCK)
    for start in track(blocks, f"hard negatives from {job.inputs[0].name}", len(blocks), job.progress):
        some = split.queries[start : start + BLOCK]
        run = system.search(some, settings.hard_best, split.scope, threads=job.threads)
        for query in some:
            judged = {doc for doc, level in split.qrels[query.id].items() if level > 0} | {query.id}
            docs = run.rankings[query.id].docs
            numbers = [places[doc] for doc in docs if doc in places and doc not in judged]
            found[query.id] = np.array(numbers, np.int32)
    return Hard(settings.hard, found)
