"""Collections that change, break and come back under a running service."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kakehashi.arrays import in_memory
from kakehashi.corpus.collection import Collection
from kakehashi.errors import InputError
from kakehashi.library import Library
from kakehashi.serve.shelf import Shelf
from kakehashi.types import Text
from tests.serve.serving import Client

QUERY = "燃料電池の電極"


@pytest.fixture
def changing(folder: Path) -> Iterator[Shelf]:
    """Opened as a service does it."""
    found = Shelf([folder])
    with in_memory():
        found.open()
        yield found


def add_document(folder: Path, doc_id: str = "d99") -> None:
    import msgspec

    new = Text(
        doc_id,
        "en",
        "fuel fuel battery cell electrode lithium",
        "fuel cell electrode",
        {"date": "2001-01-01"},
    )
    with (folder / "documents.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(new) + b"\n")


def test_a_changed_index_is_used_while_older_requests_end_on_the_old_one(
    folder: Path, changing: Shelf
) -> None:
    old = changing.take("toy")
    before = old.library.search(QUERY, 20)
    add_document(folder)
    Library(folder).update_index(keep_settings=True)
    changing.look("toy")
    new = changing.take("toy")
    assert new.fingerprints["index"] != old.fingerprints["index"]
    assert new.fingerprints["models"] == old.fingerprints["models"]
    assert "d99" in [hit.id for hit in new.library.search(QUERY, 20)]
    after = old.library.search(QUERY, 20)
    assert [(hit.id, hit.score) for hit in after] == [(hit.id, hit.score) for hit in before]


def test_nothing_is_opened_again_where_nothing_changed(changing: Shelf) -> None:
    volume = changing.take("toy")
    changing.take_with("toy", "bm25")
    changing.look("toy")
    assert changing.take("toy") is volume


def test_what_a_library_derives_and_keeps_is_not_a_change(folder: Path, changing: Shelf) -> None:
    volume = changing.take("toy")
    volume.library.text("d01")  # writes a table of places beside the index
    assert (folder / "index" / "texts").is_dir()
    changing.look("toy")
    assert changing.take("toy") is volume


def test_a_retrained_model_changes_the_fingerprint_and_is_opened(folder: Path, changing: Shelf) -> None:
    old = changing.take("toy")
    changing.take_with("toy", "psq-hmm")
    Library(folder).train("translation", {"rounds": 1})
    changing.look("toy")
    new = changing.take("toy")
    assert new.fingerprints["models"] != old.fingerprints["models"]
    assert new.fingerprints["index"] == old.fingerprints["index"]
    assert new.systems == {"psq", "psq-hmm"}  # those in use wait for nobody


def test_a_system_is_never_opened_from_newer_models_than_the_fingerprint_says(
    folder: Path, changing: Shelf
) -> None:
    old = changing.take("toy")
    Library(folder).train("translation", {"rounds": 1})
    volume, name = changing.take_with("toy", "psq-hmm")
    assert name == "psq-hmm"
    assert volume is not old
    assert volume.fingerprints["models"] != old.fingerprints["models"]


def test_a_cursor_ends_with_its_index(folder: Path, changing: Shelf, serve: Callable[..., Client]) -> None:
    client = serve(changing)
    cursor = client.ask("search", text=QUERY, k=2)["next"]
    assert client.ask("search", text=QUERY, k=2, cursor=cursor)["hits"]
    add_document(folder)
    Library(folder).update_index(keep_settings=True)
    changing.look("toy")
    problem = client.ask("search", 409, text=QUERY, k=2, cursor=cursor)
    assert problem["type"].endswith(":changed")


def test_a_removed_index_is_said_and_comes_back(
    folder: Path, changing: Shelf, serve: Callable[..., Client], tmp_path: Path
) -> None:
    client = serve(changing)
    shutil.move(folder / "index", tmp_path / "away")
    changing.look("toy")
    answer = client.post("/api/v1/collections/toy/search", json={"text": QUERY})
    problem = client.check(answer, 503)
    assert problem["type"].endswith(":unavailable")
    assert "kakehashi index" in problem["detail"]
    assert answer.headers["retry-after"]
    client.check(client.get("/ready"), 503)
    assert client.get("/health").status_code == 200
    [fault] = client.read("/api/v1/collections")["unavailable"]
    assert str(folder) not in fault["fault"]
    shutil.move(tmp_path / "away", folder / "index")
    changing.look("toy")
    assert client.ask("search", text=QUERY)["hits"]
    assert client.get("/ready").status_code == 200


@pytest.mark.parametrize("damage", ["bytes", "shorter", "meta", "info"])
def test_a_damaged_collection_is_not_used_until_it_is_mended(
    folder: Path, changing: Shelf, damage: str
) -> None:
    [array] = [path for path in folder.glob("index/segments/*/*.npy") if path.name.startswith("post.docs")]
    path = {"meta": folder / "index" / "meta.json", "info": folder / "collection.toml"}.get(damage, array)
    whole = path.read_bytes()
    broken = {"bytes": whole[:-1] + bytes([whole[-1] ^ 1]), "shorter": whole[:-8]}.get(damage, b"{]")
    path.write_bytes(broken)  # in place: nothing is mapped
    changing.look("toy")
    assert "toy" in changing.faults
    path.write_bytes(whole)
    changing.look("toy")
    assert changing.faults == {}
    assert len(changing.take("toy").library.search(QUERY, 5))


def test_faults_are_reported_once(folder: Path) -> None:
    said: list[tuple[str, str, str]] = []
    shelf = Shelf([folder], lambda *what: said.append(what))
    shelf.open()
    (folder / "collection.toml").rename(folder / "away")
    for _ in range(3):
        shelf.look("toy")
    (folder / "away").rename(folder / "collection.toml")
    shelf.look("toy")
    assert [event for event, _, _ in said] == ["unavailable", "opened"]


def test_the_watch_finds_changes_by_itself(
    folder: Path, changing: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    opened = threading.Event()
    monkeypatch.setattr("kakehashi.serve.shelf.EVERY", 0.01)
    monkeypatch.setattr(changing, "_report", lambda event, name, what: opened.set())
    changing.start()
    add_document(folder)
    Library(folder).update_index(keep_settings=True)
    assert opened.wait(60)
    changing.stop()
    assert "d99" in [hit.id for hit in changing.take("toy").library.search(QUERY, 20)]


def test_what_was_replaced_leaves_memory_when_no_request_needs_it(
    folder: Path, changing: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without waiting for Python, which looks for unused objects when it likes."""
    import gc
    import time
    import weakref

    monkeypatch.setattr("kakehashi.serve.shelf.EVERY", 0.01)
    in_use = changing.take("toy")
    replaced = weakref.ref(in_use.library)
    gc.disable()
    try:
        changing.start()
        add_document(folder)
        Library(folder).update_index(keep_settings=True)
        until = time.monotonic() + 60
        while changing.take("toy") is in_use and time.monotonic() < until:
            time.sleep(0.01)
        assert in_use.library.search(QUERY, 1)[0].id
        del in_use
        while replaced() is not None and time.monotonic() < until:
            time.sleep(0.01)
        changing.stop()
        assert replaced() is None
    finally:
        gc.enable()


def test_folders_are_checked_before_anything_is_served(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="both called 'toy'"):
        Shelf([folder, tmp_path / "other" / "toy"])
    with pytest.raises(InputError, match="rename it"):
        Shelf([tmp_path / "a b"])
    with pytest.raises(InputError, match="is not a collection"):
        Shelf([tmp_path]).open()


def test_an_index_that_was_never_built_is_refused_with_the_command(folder: Path) -> None:
    shutil.rmtree(folder / "index")
    with pytest.raises(InputError, match="kakehashi index"):
        Shelf([folder]).open()
    assert Collection(folder).info.name == "toy"
