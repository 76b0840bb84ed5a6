"""Low-rank and topic systems from a collection to an opened model."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi import store
from kakehashi.corpus.collection import Collection
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.registry import build, read_values
from kakehashi.retrieve.lowrank import KIND, VERSION
from kakehashi.retrieve.models import model_folder
from kakehashi.retrieve.system import IndexSystem
from kakehashi.training.outcome import Outcome
from kakehashi.training.trainers import TRAINERS
from kakehashi.types import Text
from tests.retrieve.comparing import same
from tests.training.subjects import SUBJECTS, subjects_collection

Made = tuple[Collection, Index]
SMALL: dict[str, dict[str, Any]] = {
    "lowrank": {"rank": 8, "pairs": 12_000, "epochs": 2},
    "lsi": {"topics": 6, "pairs": 12_000, "epochs": 2},
    "lda": {"topic_model": "lda", "topics": 6, "rounds": 40, "pairs": 12_000, "epochs": 2},
}
every_kind = pytest.mark.parametrize("kind", SMALL)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return subjects_collection(tmp_path_factory.mktemp("two") / "subjects")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Queries and documents of one language."""
    return subjects_collection(tmp_path_factory.mktemp("one") / "subjects", source="en")


def trained(kind: str, made: Made, name: str = "", **changes: Any) -> Outcome:
    system = "lowrank" if kind == "lowrank" else "topics"
    trainer, folder = TRAINERS[system], model_folder(made[1], name or kind)
    return trainer.train(*made, folder, read_values(system, trainer.settings, SMALL[kind] | changes))


def opened(kind: str, made: Made, name: str = "") -> IndexSystem:
    return build("lowrank" if kind == "lowrank" else "topics", made[1], {"model": name or kind})


def precision_at_10(system: IndexSystem, collection: Collection) -> float:
    run = system.search(collection.split_queries("test"), 10)
    hits = [
        int(doc[1:]) % SUBJECTS == int(id[1:]) % SUBJECTS
        for id, ranking in run.rankings.items()
        for doc in ranking.docs
    ]
    return float(np.mean(hits))


@every_kind
def test_subjects_of_unseen_queries_are_found_across_languages(kind: str, two: Made) -> None:
    """The languages share no word, so chance is one in four."""
    outcome = trained(kind, two)
    assert len(outcome.measures) == 2
    assert precision_at_10(opened(kind, two), two[0]) > 0.9


@every_kind
def test_trained_twice_it_answers_alike(kind: str, two: Made) -> None:
    queries = two[0].split_queries("test")
    for name in ("once", "twice"):
        trained(kind, two, name)
    once, twice = (opened(kind, two, name).search(queries, 50).rankings for name in ("once", "twice"))
    same(once, twice)


@every_kind
def test_shares_sum_to_the_score(kind: str, two: Made) -> None:
    trained(kind, two)
    system = opened(kind, two)
    for query in two[0].split_queries("test")[:5]:
        ranking = system.search([query], 5).rankings[query.id]
        for doc, score in zip(ranking.docs, ranking.scores.tolist(), strict=True):
            explanation = system.explain(query, doc)
            assert explanation.score == score
            assert sum(share.share for share in explanation.shares) == pytest.approx(score, rel=1e-9)


@every_kind
def test_one_vocabulary_for_two_languages_is_refused(kind: str, two: Made) -> None:
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
    kind: str, changes: dict[str, Any], one: Made
) -> None:
    trained(kind, one, **changes)
    system = opened(kind, one)
    run = system.search([Text("u", "en", "ens1w3 ens1w5 ens1w7")], 20)
    assert {int(doc[1:]) % SUBJECTS for doc in run.rankings["u"].docs} == {1}


def test_tied_model_keeps_one_matrix(one: Made) -> None:
    for tied in (True, False):
        trained("lowrank", one, f"tied-{tied}", tied=tied)
        arrays = store.read(model_folder(one[1], f"tied-{tied}"), KIND, VERSION).meta.arrays
        assert ("v" in arrays) == (not tied)


def test_topics_of_two_sides_need_training(two: Made) -> None:
    with pytest.raises(InputError, match="set epochs=1 or more"):
        trained("lsi", two, epochs=0)


def test_model_says_where_it_comes_from(two: Made) -> None:
    outcome = trained("lowrank", two, seed=3)
    meta = store.read(model_folder(two[1], "lowrank"), KIND, VERSION).meta
    assert meta.seed == 3
    assert meta.settings["training"]["rank"] == 8
    assert meta.made_from["collection"] == "subjects"
    assert meta.made_from["dev"] == {"measure": "MAP", "queries": 20, "by_epoch": outcome.measures}
    assert meta.made_from["curve"][-1][0] == len(outcome.measures)
    assert outcome.epoch == 1 + int(np.argmax(outcome.measures))


def test_collection_without_dev_runs_all_epochs(tmp_path: Path) -> None:
    made = subjects_collection(tmp_path / "subjects", dev=False)
    outcome = trained("lowrank", made, epochs=3)
    assert (outcome.epoch, outcome.measures) == (3, [])


def test_damaged_model_is_refused(two: Made) -> None:
    trained("lowrank", two, "damaged")
    folder = model_folder(two[1], "damaged")
    meta = store.read(folder, KIND, VERSION).meta
    np.save(folder / meta.arrays["u"].file, np.zeros((2, 2), np.float32))
    with pytest.raises(InputError, match=r"\(kakehashi train lowrank .* --name damaged\)"):
        opened("lowrank", two, "damaged")
