"""Pools hold every relevant document and the wanted number of others, none of them relevant."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.library import Library
from kakehashi.training.candidate_pools import found_pools, random_pools
from tests.training.subjects import SUBJECTS, subjects_library


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return subjects_library(tmp_path_factory.mktemp("pools") / "subjects")


def ids(library: Library, numbers: np.ndarray) -> list[str]:
    return [library.index.numbering.id(number) for number in numbers.tolist()]


@pytest.mark.parametrize("n", [0, 40, 1000])
def test_random_pools_have_all_relevant_documents_and_n_others(library: Library, n: int) -> None:
    split = library.split("test")
    for query, pool in random_pools(library.index, split, n, 1).items():
        judged = {doc for doc, level in split.qrels[query].items() if level > 0}
        docs = ids(library, pool)
        assert len(set(docs)) == len(docs)
        assert {*docs[: len(judged)]} == judged
        assert len(docs) == len(judged) + min(n, 200 - len(judged))
        assert not judged & {*docs[len(judged) :]}


def test_more_documents_include_fewer_and_other_queries_change_nothing(library: Library) -> None:
    whole, half = library.split("test"), library.split("test", 20)
    few, many = random_pools(library.index, whole, 10, 1), random_pools(library.index, half, 50, 1)
    for query, pool in many.items():
        assert np.array_equal(few[query], pool[: len(few[query])])
    again, other = (random_pools(library.index, whole, 10, seed) for seed in (1, 2))
    assert all(np.array_equal(few[query], pool) for query, pool in again.items())
    assert any(not np.array_equal(few[query], pool) for query, pool in other.items())


def test_found_pools_have_the_best_documents_of_a_system_that_are_not_relevant(
    library: Library, tmp_path: Path
) -> None:
    library.train("translation")
    psq, split = library.system("psq"), library.split("test", 8)
    run = psq.search(split.queries, 1000, split.scope)
    for query, pool in found_pools(library.index, split, 7, psq).items():
        judged = {doc for doc, level in split.qrels[query].items() if level > 0}
        others = [doc for doc in run.rankings[query].docs if doc not in judged][:7]
        docs = ids(library, pool)
        assert docs[len(judged) :] == others
        assert {*docs[: len(judged)]} == judged
        assert {int(doc[1:]) % SUBJECTS for doc in judged} == {int(query[1:]) % SUBJECTS}
