"""Training `fused` on a small synthetic world: weights from dev, kept with all that says where they are from."""

import json
from typing import Any

import pytest

from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError
from kakehashi.evaluation.measures import parse
from kakehashi.front import evaluate
from kakehashi.fuse.rules import RULES
from kakehashi.fuse.tuning import tune
from kakehashi.library import Library
from kakehashi.store import META
from kakehashi.systems.fused import FusedTraining
from kakehashi.systems.spec import read_values
from kakehashi.training.outcome import Outcome
from kakehashi.types import Run


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("fused") / "world"
    build_world(folder, documents=1500, seed=3)
    library = Library(folder)
    library.update_index()
    trained(library, "knowledge", split="train", features="patents")
    return library


def trained(library: Library, system: str = "fused", name: str = "", **changes: Any) -> Outcome:
    return library.train(system, changes, model=name)[1]


def ranked(library: Library, system: str, split: str, **settings: Any) -> Run:
    return library.rank(system, split, settings=settings)


def mean(library: Library, run: Run, split: str, measure: str = "MAP") -> float:
    return evaluate(library.qrels(split), run, measure).mean(parse(measure))


def test_weights_are_those_that_fuse_finds_in_the_runs(world: Library) -> None:
    dev = trained(world, inputs="bm25 knowledge", measure="PRES@1000").made_from["dev"]
    runs = [ranked(world, name, "dev") for name in ("bm25", "knowledge")]
    found = tune("borda", runs, world.qrels("dev"), parse("PRES@1000"))
    fused = ranked(world, "fused", "dev")
    assert dev["fused"]["PRES@1000"] == found.value == mean(world, fused, "dev", "PRES@1000")
    assert dev["fused"]["MAP"] == mean(world, fused, "dev")
    assert [dev["parts"][run.system]["MAP"] for run in runs] == [mean(world, run, "dev") for run in runs]
    assert found.value > max(found.parts)
    assert dev["queries"] == len(world.qrels("dev"))


def test_systems_that_err_apart_are_better_together_on_test(world: Library) -> None:
    trained(world, name="both", inputs="bm25 knowledge")
    both = mean(world, ranked(world, "fused", "test", model="both"), "test")
    assert both > 0.01 + max(
        mean(world, ranked(world, name, "test"), "test") for name in ("bm25", "knowledge")
    )


def test_model_says_where_it_is_from(world: Library) -> None:
    trained(world, name="told", inputs="bm25 lm(mu=500) tfidf", nest="true", step=0.25, queries=20)
    meta = json.loads((world.model_folder("told") / META).read_text(encoding="utf-8"))
    settings, made_from = meta["settings"], meta["made_from"]
    assert settings["inputs"][1] == {"system": "lm", "settings": {"mu": "500"}}
    assert settings["tuned"]["runs"] == ["bm25", "lm(mu=500)", "tfidf"]
    assert [step["of"] for step in settings["tuned"]["steps"]] == [[0, 1], [3, 2]]
    assert len(settings["tuned"]["steps"][0]["curve"]) == 5
    assert settings["training"]["nest"] is True
    assert {*settings["analyzers"]} == {"query", "document"}
    assert made_from["dev"]["queries"] == 20


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ("bm25", "is not enough to fuse: name two or more systems"),
        ("bm25 bm25", "names a system twice"),
        ("bm25 bm26", "there is no system 'bm26'"),
        ("bm25 lm(nu=3)", "lm has no setting 'nu'"),
        ("bm25 monolingual", r"monolingual searches with originals\.jsonl, inputs with queries\.jsonl"),
        ("bm25 boosted", "kakehashi train boosted"),
        ("bm25 fused(model=own)", "fused 'own' contains itself: train it again with other inputs"),
    ],
)
def test_inputs_that_cannot_be_fused_are_refused(world: Library, inputs: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        trained(world, name="own", inputs=inputs)
    assert not world.model_folder("own").exists()


def test_fusions_can_be_fused_but_not_in_a_circle(world: Library) -> None:
    trained(world, name="inner", inputs="bm25 tfidf")
    trained(world, name="outer", inputs="fused(model=inner) knowledge")
    assert len(ranked(world, "fused", "test", model="outer").rankings) > 0
    with pytest.raises(InputError, match="fused 'inner' contains itself"):
        trained(world, name="inner", inputs="fused(model=outer) lm")
    assert len(ranked(world, "fused", "test", model="outer").rankings) > 0  # nothing was changed


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"queries": 0}, "queries must be at least 1, not 0"),
        ({"rule": "condorcet"}, "fused: Invalid enum value 'condorcet'"),
        ({"measure": "MOP"}, "MOP"),
        ({"step": 0.3}, r"step 0\.3: 1 must be a multiple of it"),
        ({"depth": 0}, "depth 0: it must be 1 or more"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    world: Library, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        trained(world, name="own", inputs="bm25 lm", **changes)


def test_damaged_model_is_refused(world: Library) -> None:
    trained(world, name="broken", inputs="bm25 tfidf")
    path = world.model_folder("broken") / META
    meta = json.loads(path.read_text(encoding="utf-8"))
    for change in ({"steps": []}, {"runs": ["bm25", "lm"]}, {"fusion": {"rule": "none"}}):
        damaged = {**meta, "settings": {**meta["settings"], "tuned": {**meta["settings"]["tuned"], **change}}}
        path.write_text(json.dumps(damaged), encoding="utf-8")
        with pytest.raises(InputError, match=r"train it again \(kakehashi train fused .* --name broken\)"):
            Library(world.folder).system("fused", {"model": "broken"})


def test_every_rule_can_be_trained() -> None:
    for rule in RULES:
        settings = read_values("fused", FusedTraining, {"rule": rule})
        assert isinstance(settings, FusedTraining)
        assert settings.fusion.rule == rule
