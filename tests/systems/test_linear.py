"""Knowledge and dense on a small synthetic world: what is learned, and that it adds up."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kakehashi import store
from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError
from kakehashi.learn.linear_model import KIND, VERSION
from kakehashi.library import Library
from kakehashi.retrieve.linear import LinearRanker
from kakehashi.store import META
from kakehashi.training.evidence import citations
from kakehashi.training.outcome import Outcome
from tests.training.subjects import subjects_library


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("linear") / "world"
    build_world(folder, documents=2000, seed=3)
    library = Library(folder)
    library.update_index()
    return library


def trained(library: Library, system: str, name: str = "", **changes: Any) -> Outcome:
    """Weights alone, unless trees are asked for."""
    told = {"loss": "softmax", **changes} if system in ("knowledge", "dense") else changes
    return library.train(system, told, model=name)[1]


def mean_ap(library: Library, system: str, split: str = "test", **settings: Any) -> float:
    return library.measure(system, split, **settings).means()["MAP"]


@pytest.fixture(scope="module")
def rankers(world: Library) -> dict[str, Outcome]:
    return {
        "knowledge": trained(world, "knowledge", split="train", features="patents"),
        "dense": trained(world, "dense", inputs="bm25", split="train", features="patents"),
    }


def test_common_classes_and_people_are_worth_something(rankers: dict[str, Outcome]) -> None:
    weights = rankers["knowledge"].made_from["weights"]
    assert weights["ipc3"] > 0.5
    assert weights["inventor"] > 0.0
    assert weights["ipc2 0"] < weights["ipc2 2"]


def test_all_fields_are_compared_unless_told_otherwise(world: Library, rankers: dict[str, Outcome]) -> None:
    """A model says what it used, and its features stay the same under it whatever documents come later."""
    outcome = trained(world, "knowledge", "auto", features="auto")
    used, left_out = outcome.made_from["fields"], outcome.made_from["fields_left_out"]
    assert [*used] == [
        "ipc",
        "inventors",
        "applicants",
        "independent",
        "claims",
        "filing",
        "priority",
        "publication",
    ]
    assert left_out["family"] == "it names the query's own translation"
    assert left_out["city"] == "no query has it"
    assert "uses inventors: names" in outcome.told
    assert "leaves out office: no query shares a value with a document" in outcome.told
    kept = store.read(world.model_folder("auto"), KIND, VERSION).meta.settings["fields"]
    assert [use["field"] for use in kept] == [*used]
    opened = world.system("knowledge", {"model": "auto"})
    assert opened.evidence.names == [*outcome.made_from["weights"]]  # type: ignore[attr-defined]
    assert mean_ap(world, "knowledge", model="auto") > mean_ap(world, "knowledge") + 0.02


def test_both_together_find_more_than_either_alone(world: Library, rankers: dict[str, Outcome]) -> None:
    both, words, metadata = mean_ap(world, "dense"), mean_ap(world, "bm25"), mean_ap(world, "knowledge")
    assert both > words + 0.02
    assert both > metadata + 0.005  # few words are the same in Japanese and English


def test_dev_figure_is_that_of_queries_not_learned_from(world: Library) -> None:
    """Weights of all dev queries do better on them than the figure says, or no worse."""
    outcome = trained(world, "dense", "dev", inputs="bm25", features="patents")
    told = outcome.made_from["cross_validated"]["MAP"]
    seen = mean_ap(world, "dense", "dev", model="dev")
    assert seen - 0.1 < told < seen + 0.005


def test_same_seed_same_weights(world: Library, rankers: dict[str, Outcome]) -> None:
    again = trained(world, "dense", "again", inputs="bm25", split="train", features="patents")
    assert again.made_from["weights"] == rankers["dense"].made_from["weights"]


@pytest.mark.parametrize("loss", ["margin", "softmax"])
def test_group_left_out_has_no_weight(loss: str, world: Library) -> None:
    outcome = trained(
        world, "knowledge", "less", without="ipc1, ipc2 0", loss=loss, features="patents", split="train"
    )
    weights = outcome.made_from["weights"]
    assert [name for name in weights if weights[name] == 0.0 and name.startswith("ipc1")] == [
        "ipc1 0", "ipc1 1", "ipc1 2", "ipc1 3+",
    ]  # fmt: skip
    assert weights["ipc2 0"] == 0.0
    assert weights["ipc3"] > 0.0


def test_citations_are_those_of_training_judgments_without_mates(world: Library) -> None:
    counted: dict[str, int] = {}
    for line in (world.folder / "qrels" / "train.tsv").read_text(encoding="utf-8").splitlines():
        _, _, doc, level = line.split("\t")
        if level in ("1", "2"):
            counted[doc] = counted.get(doc, 0) + 1
    assert citations(world.collection) == counted


def test_citations_are_not_learned_from_the_judgments_they_come_from(world: Library) -> None:
    with pytest.raises(InputError, match=r"count citations in the training judgments: learn from dev"):
        trained(world, "knowledge", "leak", split="train", features="patents-plus")
    trained(world, "knowledge", "none", split="train", features="patents")


def test_documents_treated_as_never_cited_make_citations_count_less(world: Library) -> None:
    def weight(uncited: float) -> float:
        told = {"inputs": "bm25", "features": "patents-plus", "uncited": uncited}
        return float(trained(world, "dense", "uncited", **told).made_from["weights"]["citations received"])

    assert weight(0.0) > weight(0.3) > weight(0.6)


def test_citations_never_count_against_a_document(world: Library) -> None:
    told = {"inputs": "bm25", "features": "patents-plus"}
    lifting = trained(world, "dense", "lifting", uncited=0.99, **told).made_from["weights"]
    without = trained(world, "dense", "without", uncited=0.99, without="citations", **told).made_from[
        "weights"
    ]
    assert lifting["citations received"] == 0.0
    assert lifting == without


def test_short_queries_are_learned_from_and_weighed_by_themselves(world: Library) -> None:
    whole = trained(world, "dense", "whole", inputs="bm25 lm", short=False)
    both = trained(world, "dense", "both", inputs="bm25 lm")
    assert both.made_from["documents"] > whole.made_from["documents"]
    ranker = world.system("dense", {"model": "both"})
    assert isinstance(ranker, LinearRanker)
    text = world.split("dev").queries[0]
    few = msgspec.structs.replace(text, text="", meta={})
    weights = [ranker.worth.at(ranker.evidence.amount(query)).each() for query in (text, few)]
    assert not np.allclose(*weights)
    [ranking] = ranker.search([few], 3).rankings.values()
    explained = ranker.explain(few, ranking.docs)
    for score, explanation in zip(ranking.scores.tolist(), explained, strict=True):
        assert sum(share.share for share in explanation.shares) == pytest.approx(score, rel=1e-5)


def test_features_of_fields_that_a_collection_lacks_are_left_out_and_named(tmp_path: Path) -> None:
    """As patents of an office that names no people and counts no claims."""
    build_world(tmp_path / "world", documents=500, seed=3)
    info = tmp_path / "world" / "collection.toml"
    lines = info.read_text(encoding="utf-8").splitlines(keepends=True)
    lacking = ("inventors", "applicants", "claims")
    info.write_text(
        "".join(line for line in lines if not line.startswith(tuple(f'"{name}"' for name in lacking)))
    )
    library = Library(tmp_path / "world")
    library.update_index()
    for system, inputs in (("knowledge", {}), ("dense", {"inputs": "bm25"})):
        outcome = trained(library, system, features="patents", **inputs)
        told = [line for line in outcome.told if line.startswith("leaves out")]
        assert told == [f"leaves out {name}: the collection declares no such field" for name in lacking]
        weights = outcome.made_from["weights"]
        assert {"ipc3", "country"} <= {*weights}
        assert not {"inventor", "assignee"} & {*weights}


def test_any_collection_has_scores_to_weigh(tmp_path: Path) -> None:
    library = subjects_library(tmp_path / "subjects")
    trained(library, "bilinear", pairs=12000, epochs=2, batch=16)
    alone = mean_ap(library, "bilinear")
    outcome = trained(library, "dense", inputs="bilinear bm25", features="none")
    assert list(outcome.made_from["weights"]) == ["bilinear", "bm25"]
    assert mean_ap(library, "dense") >= alone - 1e-9


def test_unless_told_otherwise_inputs_are_all_that_were_trained(tmp_path: Path) -> None:
    library = subjects_library(tmp_path / "subjects")
    trained(library, "bilinear", pairs=12000, epochs=1, batch=16)
    trained(library, "lowrank", pairs=12000, epochs=1, rank=5)
    assert list(trained(library, "dense", features="none").made_from["weights"]) == ["bilinear", "lowrank"]
    assert [*trained(library, "fused").made_from["dev"]["parts"]] == ["bilinear", "lowrank"]
    kept = store.read(library.model_folder("dense"), KIND, VERSION).meta.settings["training"]
    assert (
        kept["inputs"] == "bilinear lowrank"
    )  # a later ablation leaves out of these, not of what is there then


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs": "psq(model", "features": "none"}, "is not a system: write psq"),
        ({"inputs": "bm25 bm25"}, "names a system twice"),
        ({"inputs": "", "features": "none"}, "there is nothing to weight"),
        ({"inputs": "", "features": "any"}, "has no metadata that queries and documents can share"),
        (
            {"inputs": "auto"},
            "inputs=auto takes trained systems, and .* has none: train some of .*psq-hmm, .*bilinear",
        ),
        ({"inputs": "bm26"}, "there is no system 'bm26'"),
        (
            {"inputs": "bm25", "without": "colour"},
            "there is no input or feature 'colour': use one of bm25, ipc, ipc classes, inventors",
        ),
        ({"inputs": "bm25", "features": "help"}, "features need a field 'module'"),
        (
            {"inputs": "bm25", "fields": "colour"},
            "the index has no field 'colour': choose from ipc, inventors",
        ),
        ({"inputs": "bm25", "folds": "1"}, "folds must be at least 2"),
        ({"inputs": "bm25", "uncited": "1"}, "uncited must be at least 0 and below 1"),
    ],
)
def test_bad_settings_name_the_fix(changes: dict[str, str], message: str, world: Library) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        trained(world, "dense", "bad", **changes)
    assert not (world.model_folder("bad") / META).exists()


def test_model_of_other_features_is_refused(
    world: Library, rankers: dict[str, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    from kakehashi.features.sets import SETS

    monkeypatch.setitem(SETS, "patents", SETS["patents"][:-1])
    with pytest.raises(InputError, match="was trained on other features"):
        Library(world.folder).system("knowledge")


def test_weights_sum_to_the_score_of_the_full_list(world: Library, rankers: dict[str, Outcome]) -> None:
    """Also for a document that no input finds."""
    query = world.split_queries("test")[0]
    system, words = world.system("dense"), world.system("bm25")
    ranking = system.search([query], 2000).rankings[query.id]
    assert len(ranking) == 2000
    unseen = [
        doc
        for doc, score in zip(ranking.docs, words.score(query, ranking.docs), strict=True)
        if np.isnan(score)
    ]
    [explanation] = system.explain(query, unseen[:1])
    assert explanation.score == system.score(query, [unseen[0]])[0]
    assert sum(share.share for share in explanation.shares) == pytest.approx(explanation.score)
