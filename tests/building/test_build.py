"""`build` sets a collection up: what its data allow is trained, measured and kept; the best system answers."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kakehashi import store
from kakehashi.building.build import Built, Done, parse_duration
from kakehashi.building.record import read_record
from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError
from kakehashi.library import Library
from kakehashi.progress import Silent
from kakehashi.systems.linear import KIND, VERSION
from kakehashi.systems.registry import SYSTEMS

FEW = ("translation", "knowledge", "dense", "fused")  # trained in seconds
BATTERY = "リチウム電池の電極"


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Built]:
    folder = tmp_path_factory.mktemp("built") / "world"
    build_world(folder, documents=500)
    return folder, Library(folder).build(only=FEW)


@pytest.fixture
def own(first: tuple[Path, Built], tmp_path: Path) -> Path:
    """A built collection that a test may change."""
    return shutil.copytree(first[0], tmp_path / "own")


def bare(first: tuple[Path, Built], place: Path, *files: str) -> Path:
    """Only some files of the collection, and nothing derived."""
    place.mkdir()
    for name in ("collection.toml", "documents.jsonl", *files):
        (place / name).parent.mkdir(exist_ok=True)
        shutil.copy(first[0] / name, place / name)
    return place


def what_happened(built: Built) -> dict[str, str]:
    return {done.step: done.happened for done in built.done}


def test_everything_is_trained_and_measured_as_if_by_hand(first: tuple[Path, Built]) -> None:
    folder, built = first
    assert what_happened(built) == dict.fromkeys(FEW, "trained")
    library = Library(folder)
    by_system = {row["system"]: row for row in built.rows()}
    assert {*by_system} == {
        "psq",
        "psq-hmm",
        "titles",
        "knowledge",
        "dense",
        "fused",
        "passthrough",
        "monolingual",
    }
    for name in ("psq", "passthrough", "monolingual"):
        assert by_system[name]["MAP"] == library.measure(name, "dev", ["MAP"]).means()["MAP"]
    rows = built.rows()
    assert [row["MAP"] for row in rows] == sorted((row["MAP"] for row in rows), reverse=True)


def test_combinations_are_measured_by_weights_that_did_not_see_the_query(first: tuple[Path, Built]) -> None:
    folder, built = first
    validated = store.read(folder / "models/dense", KIND, VERSION).meta.made_from["cross_validated"]
    [row] = [row for row in built.rows() if row["system"] == "dense"]
    assert row["MAP"] == pytest.approx(validated["MAP"])
    assert row["MAP"] != pytest.approx(Library(folder).measure("dense", "dev", ["MAP"]).means()["MAP"])


def test_the_best_system_answers_from_then_on(first: tuple[Path, Built]) -> None:
    folder, built = first
    library = Library(folder)
    crossing = [row for row in built.rows() if row["system"] != "monolingual"]
    assert built.best.system == crossing[0]["system"]
    hits = library.search(BATTERY)
    assert hits.as_dict()["system"] == built.best.system
    assert [hit.id for hit in hits] == [hit.id for hit in library.search(BATTERY, system=built.best.system)]
    query = library.split("test").queries[0].id
    assert (
        library.rank(split="test").rankings[query].docs
        == library.rank(built.best.system).rankings[query].docs
    )


def test_a_query_in_the_documents_language_is_not_translated(first: tuple[Path, Built]) -> None:
    library = Library(first[0])
    assert library.choice(lang="en").system == "bm25"
    assert library.search("lithium battery", lang="en").as_dict()["system"] == "bm25"


def test_a_second_build_keeps_what_is_up_to_date(own: Path, first: tuple[Path, Built]) -> None:
    again = Library(own).build(only=FEW)
    assert what_happened(again) == dict.fromkeys(FEW, "kept")
    assert again.rows() == first[1].rows()


def test_combinations_are_learned_again_when_a_system_joins_them(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setitem(SYSTEMS, "titles", replace(SYSTEMS["titles"], is_trained=lambda holdings: False))
        assert what_happened(Library(own).build(only=FEW))["dense"] == "trained"
        assert "titles" not in store.read(own / "models/dense", KIND, VERSION).meta.made_from["weights"]
    assert what_happened(Library(own).build(only=FEW)) == {
        "translation": "kept",
        "knowledge": "kept",
        "dense": "trained",
        "fused": "trained",
    }
    assert "titles" in store.read(own / "models/dense", KIND, VERSION).meta.made_from["weights"]


def test_changed_documents_make_stale_what_learned_from_them(own: Path) -> None:
    lines = (own / "documents.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (own / "documents.jsonl").write_text("".join(lines[:-1]), encoding="utf-8")
    library = Library(own)
    assert not library.choice().advice
    library.update_index()
    assert f"kakehashi build {own}" in library.choice().advice
    stale = {"knowledge": "trained", "dense": "trained", "fused": "trained"}
    assert what_happened(library.build(only=FEW)) == {"translation": "kept", **stale}
    assert not library.choice().advice
    assert read_record(own).scores["psq"].mean(read_record(own).scores["psq"].measures[0]) == pytest.approx(
        library.measure("psq", "dev", ["MAP"]).means()["MAP"]
    )


def test_a_model_trained_by_hand_is_kept(own: Path) -> None:
    library = Library(own)
    library.train("translation", {"words": "surface"})
    meta = (own / "models/translation/table/meta.json").read_bytes()
    [kept, *_] = library.build(only=FEW).done
    assert (kept.step, kept.happened, kept.why) == ("translation", "kept", "trained by hand")
    assert (own / "models/translation/table/meta.json").read_bytes() == meta


def test_a_model_that_no_longer_fits_the_index_is_trained_again(own: Path) -> None:
    library = Library(own)
    library.update_index({"stem": False})
    assert what_happened(library.build(only=FEW)) == dict.fromkeys(FEW, "trained")
    assert library.index.analyzer.settings.stem is False  # build keeps the settings of the index


def test_a_broken_off_build_goes_on_where_it_was(first: tuple[Path, Built], tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(first[0], folder, ignore=shutil.ignore_patterns("models", "build"))

    class Impatient(Silent):
        def start(self, what: str, total: int | None = None) -> None:
            if what.startswith("dense"):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Library(folder).build(only=FEW, progress=Impatient())
    assert Library(folder).choice().system == "bm25"  # nothing was chosen yet
    happened = what_happened(Library(folder).build(only=FEW))
    assert happened == {"translation": "kept", "knowledge": "kept", "dense": "trained", "fused": "trained"}


def test_a_time_limit_ends_single_systems_and_combinations_still_follow(own: Path) -> None:
    built = Library(own).build(only=("translation", "lowrank", "dense"), budget=0.001)
    assert what_happened(built) == {"translation": "kept", "lowrank": "stopped", "dense": "kept"}
    assert not (own / "models/lowrank/meta.json").exists()


def test_without_judgments_structured_queries_are_chosen_unmeasured(
    first: tuple[Path, Built], tmp_path: Path
) -> None:
    folder = bare(first, tmp_path / "unjudged", "parallel.tsv")
    built = Library(folder).build()
    assert what_happened(built)["translation"] == "trained"
    own = [
        done for done in built.done if done.step not in ("related", "encoder")
    ]  # these ask for something else
    reasons = {done.why for done in own if done.happened == "skipped"}
    assert reasons == {"no queries.jsonl"}
    assert (built.best.system, built.best.measure, built.scores) == ("psq-hmm", "", {})
    assert len(Library(folder).search(BATTERY)) > 0


def test_documents_alone_can_be_built_and_searched(first: tuple[Path, Built], tmp_path: Path) -> None:
    folder = bare(first, tmp_path / "alone")
    built = Library(folder).build()
    assert {done.happened for done in built.done} == {"skipped"}
    assert built.best.system == "passthrough"
    assert len(Library(folder).search("LED laser")) > 0


def test_an_unbuilt_collection_says_what_to_run_and_answers(
    first: tuple[Path, Built], tmp_path: Path
) -> None:
    folder = bare(first, tmp_path / "unbuilt", "parallel.tsv")
    library = Library(folder)
    library.update_index()
    assert f"kakehashi build {folder}" in library.choice().advice
    assert library.search("LED laser").as_dict()["system"] == "bm25"


def test_a_damaged_record_is_made_again(own: Path) -> None:
    (own / "build/meta.json").write_text('{"kind": "build"}', encoding="utf-8")
    assert Library(own).choice().system == "bm25"
    happened = what_happened(Library(own).build(only=FEW))
    assert happened["translation"] == "kept"
    assert Library(own).choice().system != "bm25"


def test_progress_is_reported_training_by_training(own: Path) -> None:
    told: list[Done] = []
    Library(own).build(only=("translation", "knowledge"), report=told.append)
    assert [done.step for done in told] == ["translation", "knowledge"]


def test_unknown_trainings_are_refused(own: Path) -> None:
    with pytest.raises(InputError, match="'psq' cannot be trained: choose from bilinear"):
        Library(own).build(only=("psq",))


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90.0), ("10m", 600.0), ("1.5h", 5400.0)])
def test_durations_are_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "m", "-1m", "0s", "infs", "nanm", "1d"])
def test_what_is_not_a_duration_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="duration"):
        parse_duration(text)
