"""Low-rank and topic systems from a collection to an opened model."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.library import Library
from kakehashi.retrieve.system import IndexSystem
from kakehashi.systems.lowrank import KIND, VERSION
from kakehashi.training.outcome import Outcome
from kakehashi.types import Text
from tests.retrieve.comparing import same
from tests.training.subjects import SUBJECTS, subjects_library

SMALL: dict[str, dict[str, Any]] = {
    "lowrank": {"rank": 8, "pairs": 12_000, "epochs": 2, "bags": 1},
    "lsi": {"topics": 6, "pairs": 12_000, "epochs": 2},
    "lda": {"topic_model": "lda", "topics": 6, "rounds": 40, "pairs": 12_000, "epochs": 2},
}
every_kind = pytest.mark.parametrize("kind", SMALL)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return subjects_library(tmp_path_factory.mktemp("two") / "subjects")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Queries and documents of one language."""
    return subjects_library(tmp_path_factory.mktemp("one") / "subjects", source="en")


def trained(kind: str, library: Library, name: str = "", **changes: Any) -> Outcome:
    system = "lowrank" if kind == "lowrank" else "topics"
    return library.train(system, SMALL[kind] | changes, model=name or kind)[1]


def opened(kind: str, library: Library, name: str = "") -> IndexSystem:
    return library.system("lowrank" if kind == "lowrank" else "topics", {"model": name or kind})


def precision_at_10(system: IndexSystem, library: Library) -> float:
    run = system.search(library.split_queries("test"), 10)
    hits = [
        int(doc[1:]) % SUBJECTS == int(id[1:]) % SUBJECTS
        for id, ranking in run.rankings.items()
        for doc in ranking.docs
    ]
    return float(np.mean(hits))


@every_kind
def test_subjects_of_unseen_queries_are_found_across_languages(kind: str, two: Library) -> None:
    """The languages share no word, so chance is one in four."""
    outcome = trained(kind, two)
    assert len(outcome.measures) == 2
    assert precision_at_10(opened(kind, two), two) > 0.9


@every_kind
def test_trained_twice_it_answers_alike(kind: str, two: Library) -> None:
    queries = two.split_queries("test")
    for name in ("once", "twice"):
        trained(kind, two, name)
    once, twice = (opened(kind, two, name).search(queries, 50).rankings for name in ("once", "twice"))
    same(once, twice)


@every_kind
def test_shares_sum_to_the_score(kind: str, two: Library) -> None:
    trained(kind, two)
    system = opened(kind, two)
    for query in two.split_queries("test")[:5]:
        ranking = system.search([query], 5).rankings[query.id]
        explained = system.explain(query, ranking.docs)
        for explanation, score in zip(explained, ranking.scores.tolist(), strict=True):
            assert explanation.score == score
            assert sum(share.share for share in explanation.shares) == pytest.approx(score, rel=1e-9)


@every_kind
def test_one_vocabulary_for_two_languages_is_refused(kind: str, two: Library) -> None:
    with pytest.raises(InputError, match="one language and one analyzer: set tied=false"):
        trained(kind, two, tied=True)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("lowrank", {"tied": True, "identity": False}),
        ("lowrank", {"identity": True, "cosine": False}),
        ("lsi", {"tied": True}),
        ("lda", {"tied": True}),
        ("lsi", {"tied": True, "epochs": 0}),
    ],
)
def test_one_language_may_share_words_weights_or_topics(
    kind: str, changes: dict[str, Any], one: Library
) -> None:
    trained(kind, one, **changes)
    system = opened(kind, one)
    run = system.search([Text("u", "en", "ens1w3 ens1w5 ens1w7")], 20)
    assert {int(doc[1:]) % SUBJECTS for doc in run.rankings["u"].docs} == {1}


def test_tied_model_keeps_one_matrix(one: Library) -> None:
    for tied in (True, False):
        trained("lowrank", one, f"tied-{tied}", tied=tied)
        arrays = store.read(one.model_folder(f"tied-{tied}"), KIND, VERSION).meta.arrays
        assert ("v" in arrays) == (not tied)


def test_topics_of_two_sides_need_training(two: Library) -> None:
    with pytest.raises(InputError, match="set epochs=1 or more"):
        trained("lsi", two, epochs=0)


def test_model_says_where_it_comes_from(two: Library) -> None:
    outcome = trained("lowrank", two, seed=3)
    meta = store.read(two.model_folder("lowrank"), KIND, VERSION).meta
    assert meta.seed == 3
    assert meta.settings["training"]["rank"] == 8
    assert meta.made_from["collection"] == "subjects"
    assert meta.made_from["dev"] == {"measure": "MAP", "queries": 20, "by_epoch": outcome.measures}
    assert meta.made_from["curve"][-1][0] == len(outcome.measures)
    assert outcome.epoch == 1 + int(np.argmax(outcome.measures))


def test_collection_without_dev_runs_all_epochs(tmp_path: Path) -> None:
    library = subjects_library(tmp_path / "subjects", dev=False)
    outcome = trained("lowrank", library, epochs=3)
    assert (outcome.epoch, outcome.measures) == (3, [])


def test_bags_are_told_one_by_one_and_rank_together(two: Library) -> None:
    outcome = trained("lowrank", two, "bags", bags=3)
    assert [line.split(":")[0] for line in outcome.told] == ["bag 1", "bag 2", "bag 3", "their mean"]
    meta = store.read(two.model_folder("bags"), KIND, VERSION).meta
    assert [len(bag["by_epoch"]) for bag in meta.made_from["bags"]] == [2, 2, 2]
    assert store.read(two.model_folder("bags"), KIND, VERSION).array("u").shape[1] == 3 * 8
    assert precision_at_10(opened("lowrank", two, "bags"), two) > 0.9


def test_hard_negatives_come_from_bm25_where_nothing_is_translated(one: Library, two: Library) -> None:
    """And from nowhere where words of two languages meet and no table is trained; the model says which."""
    for library, system in ((one, "bm25"), (two, "")):
        trained("lowrank", library, "hard")
        training = store.read(library.model_folder("hard"), KIND, VERSION).meta.settings["training"]
        assert training["hard_from"] == system


def test_damaged_model_is_refused(two: Library) -> None:
    trained("lowrank", two, "damaged")
    folder = two.model_folder("damaged")
    meta = store.read(folder, KIND, VERSION).meta
    np.save(folder / meta.arrays["u"].file, np.zeros((2, 2), np.float32))
    with pytest.raises(InputError, match=r"\(kakehashi train lowrank .* --name damaged\)"):
        opened("lowrank", two, "damaged")


def test_a_small_collection_gets_as_many_topics_as_fit(two: Library) -> None:
    outcome = trained("lsi", two, "many", topics=100_000)
    [line] = outcome.told
    fitting = int(line.split()[0])
    assert line.startswith(f"{fitting} topics instead of 100000")
    assert precision_at_10(opened("lsi", two, "many"), two) > 0.5
    assert trained("lsi", two, "fitting", topics=fitting).told == []
