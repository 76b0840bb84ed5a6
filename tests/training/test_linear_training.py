"""Knowledge and dense on a small synthetic world: what is learned, and that it adds up."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi import store
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError
from kakehashi.evaluate.measures import parse
from kakehashi.evaluate.scores import evaluate
from kakehashi.index.index import Index
from kakehashi.index.prepare import index_collection, index_folder
from kakehashi.learn.linear_model import KIND, VERSION
from kakehashi.registry import build, read_values
from kakehashi.retrieve.models import model_folder
from kakehashi.store import META
from kakehashi.training.dev import split_scope
from kakehashi.training.evidence import citations
from kakehashi.training.outcome import Outcome
from kakehashi.training.trainers import TRAINERS
from tests.training.subjects import subjects_collection

Made = tuple[Collection, Index]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("linear") / "world"
    build_world(folder, documents=2000, seed=3)
    collection = Collection(folder)
    index_collection(collection)
    return collection, Index(index_folder(collection))


def trained(made: Made, system: str, name: str = "", **changes: Any) -> Outcome:
    trainer = TRAINERS[system]
    settings = read_values(system, trainer.settings, changes)
    return trainer.train(*made, model_folder(made[1], name or system), settings)


def mean_ap(made: Made, system: str, **settings: Any) -> float:
    collection, index = made
    opened = build(system, index, settings, split_scope(collection, "test"))
    run = opened.search(collection.split_queries("test"))
    return evaluate(collection.qrels("test"), run, [parse("MAP")]).mean(parse("MAP"))


@pytest.fixture(scope="module")
def rankers(world: Made) -> dict[str, Outcome]:
    return {
        "knowledge": trained(world, "knowledge", split="train"),
        "dense": trained(world, "dense", inputs="bm25", split="train"),
    }


def test_common_classes_and_people_are_worth_something(rankers: dict[str, Outcome]) -> None:
    weights = rankers["knowledge"].made_from["weights"]
    assert weights["ipc3"] > 0.5
    assert weights["inventor"] > 0.0
    assert weights["ipc2 0"] < weights["ipc2 2"]


def test_both_together_find_more_than_either_alone(world: Made, rankers: dict[str, Outcome]) -> None:
    both, words, metadata = mean_ap(world, "dense"), mean_ap(world, "bm25"), mean_ap(world, "knowledge")
    assert both > words + 0.02
    assert both > metadata + 0.005  # few words are the same in Japanese and English


def test_dev_figure_is_that_of_queries_not_learned_from(world: Made) -> None:
    """Weights of all dev queries do better on them than the figure says, or no worse."""
    collection, index = world
    told = trained(world, "dense", "dev", inputs="bm25").made_from["cross_validated"]["MAP"]
    system = build("dense", index, {"model": "dev"}, split_scope(collection, "dev"))
    seen = evaluate(collection.qrels("dev"), system.search(collection.split_queries("dev")), [parse("MAP")])
    assert told < seen.mean(parse("MAP")) + 0.005
    assert told > seen.mean(parse("MAP")) - 0.1


def test_same_seed_same_weights(world: Made, rankers: dict[str, Outcome]) -> None:
    again = trained(world, "dense", "again", inputs="bm25", split="train")
    assert again.made_from["weights"] == rankers["dense"].made_from["weights"]


@pytest.mark.parametrize("loss", ["margin", "softmax"])
def test_group_left_out_has_no_weight(loss: str, world: Made) -> None:
    weights = trained(world, "knowledge", "less", without="ipc1, ipc2 0", loss=loss).made_from["weights"]
    assert [name for name in weights if weights[name] == 0.0 and name.startswith("ipc1")] == [
        "ipc1 0", "ipc1 1", "ipc1 2", "ipc1 3+",
    ]  # fmt: skip
    assert weights["ipc2 0"] == 0.0
    assert weights["ipc3"] > 0.0


def test_citations_are_those_of_training_judgments_without_mates(world: Made) -> None:
    collection, _ = world
    counted: dict[str, int] = {}
    for line in (collection.folder / "qrels" / "train.tsv").read_text(encoding="utf-8").splitlines():
        _, _, doc, level = line.split("\t")
        if level in ("1", "2"):
            counted[doc] = counted.get(doc, 0) + 1
    assert citations(collection) == counted


def test_citations_are_not_learned_from_the_judgments_they_come_from(world: Made) -> None:
    with pytest.raises(InputError, match=r"count citations in the training judgments: learn from dev"):
        trained(world, "knowledge", "leak", split="train", features="patents-plus")
    trained(world, "knowledge", "none", split="train", features="patents")


def test_any_collection_has_scores_to_weigh(tmp_path: Path) -> None:
    made = subjects_collection(tmp_path / "subjects")
    trained(made, "bilinear", pairs=12000, epochs=2, batch=16)
    alone = mean_ap(made, "bilinear")
    outcome = trained(made, "dense", inputs="bilinear bm25", features="none")
    assert list(outcome.made_from["weights"]) == ["bilinear", "bm25"]
    assert mean_ap(made, "dense") >= alone - 1e-9


def test_unless_told_otherwise_inputs_are_all_that_were_trained(tmp_path: Path) -> None:
    made = subjects_collection(tmp_path / "subjects")
    trained(made, "bilinear", pairs=12000, epochs=1, batch=16)
    trained(made, "lowrank", pairs=12000, epochs=1, rank=5)
    assert list(trained(made, "dense", features="none").made_from["weights"]) == ["bilinear", "lowrank"]
    assert [*trained(made, "fused").made_from["dev"]["parts"]] == ["bilinear", "lowrank"]
    kept = store.read(model_folder(made[1], "dense"), KIND, VERSION).meta.settings["training"]
    assert (
        kept["inputs"] == "bilinear lowrank"
    )  # a later ablation leaves out of these, not of what is there then


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs": "psq(model", "features": "none"}, "is no system: write psq"),
        ({"inputs": "bm25 bm25"}, "names a system twice"),
        ({"inputs": "", "features": "none"}, "there is nothing to weigh"),
        (
            {"inputs": "auto"},
            "inputs=auto takes trained systems, and .* has none: train some of psq, psq-hmm, bilinear",
        ),
        ({"inputs": "bm26"}, "no system is called 'bm26'"),
        ({"inputs": "bm25", "without": "colour"}, "nothing is called 'colour': there are bm25, ipc3"),
        ({"inputs": "bm25", "features": "help"}, "features need a field 'module'"),
        ({"inputs": "bm25", "folds": "1"}, "folds must be at least 2"),
    ],
)
def test_bad_settings_name_the_fix(changes: dict[str, str], message: str, world: Made) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        trained(world, "dense", "bad", **changes)
    assert not (model_folder(world[1], "bad") / META).exists()


def test_model_of_other_features_is_refused(
    world: Made, rankers: dict[str, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    from kakehashi.features.sets import SETS

    monkeypatch.setitem(SETS, "patents", SETS["patents"][:-1])
    with pytest.raises(InputError, match="was trained on other features"):
        build("knowledge", world[1])


def test_weights_sum_to_the_score_of_the_full_list(world: Made, rankers: dict[str, Outcome]) -> None:
    """Also for a document that no input finds."""
    collection, index = world
    query = collection.split_queries("test")[0]
    system, words = build("dense", index), build("bm25", index)
    ranking = system.search([query], 2000).rankings[query.id]
    assert len(ranking) == 2000
    unseen = [
        doc
        for doc, score in zip(ranking.docs, words.score(query, ranking.docs), strict=True)
        if np.isnan(score)
    ]
    explanation = system.explain(query, unseen[0])
    assert explanation.score == system.score(query, [unseen[0]])[0]
    assert sum(share.share for share in explanation.shares) == pytest.approx(explanation.score)
