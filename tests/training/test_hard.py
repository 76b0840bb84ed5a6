"""Hard negatives: found by another system, and not relevant."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.retrieve.inputs import Input
from kakehashi.training.hard import HardSettings, hard_negatives
from kakehashi.training.job import Job
from kakehashi.types import EVERYTHING, Ranking, Run, Scope, Text
from tests.training.subjects import relevant, subjects_library

FOUND = [f"d{number:03}" for number in range(30)]


class Finds:
    """Finds the same documents for every query, and remembers how many were wanted."""

    def __init__(self) -> None:
        self.depths: set[int] = set()

    def search(self, queries: list[Text], k: int, scope: Scope = EVERYTHING, **others: object) -> Run:
        self.depths.add(k)
        return Run("finds", {query.id: Ranking(FOUND[:k], np.ones(k)) for query in queries})


def test_they_are_what_the_system_finds_without_what_is_relevant(tmp_path: Path) -> None:
    library, system = subjects_library(tmp_path / "subjects"), Finds()
    inputs = [Input("finds", system, library.index)]  # type: ignore[arg-type]
    job = Job(library, tmp_path / "model", None, inputs)
    pool = [f"d{number:03}" for number in range(10, 200)]  # documents outside the pool cannot be negatives
    hard = hard_negatives(job, HardSettings(hard=0.3, hard_best=25), pool)
    assert hard is not None
    assert hard.share == 0.3
    assert system.depths == {25}
    assert set(hard.documents) == set(library.qrels("train"))
    for query, numbers in hard.documents.items():
        expected = [doc for doc in FOUND[10:25] if doc not in relevant(int(query[1:]))]
        assert [pool[number] for number in numbers.tolist()] == expected


def test_without_a_system_or_a_share_there_are_none(tmp_path: Path) -> None:
    library = subjects_library(tmp_path / "subjects")
    job = Job(library, tmp_path / "model", None)
    assert hard_negatives(job, HardSettings(), ["d001"]) is None
    inputs = [Input("finds", Finds(), library.index)]  # type: ignore[arg-type]
    assert (
        hard_negatives(Job(library, tmp_path / "model", None, inputs), HardSettings(hard=0.0), ["d001"])
        is None
    )


@pytest.mark.parametrize("wrong", [{"hard": 1.5}, {"hard": -0.1}, {"hard_best": 0}])
def test_senseless_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        HardSettings(**wrong)  # type: ignore[arg-type]
