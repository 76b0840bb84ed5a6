"""Models that travel: to a collection without judgments or parallel text, directly or as one file."""

import shutil
import zipfile
from pathlib import Path

import msgspec
import pytest

from kakehashi import store
from kakehashi.building.build import Built
from kakehashi.building.lending import learn_weights
from kakehashi.building.packing import CARD, pack, read_card, unpack
from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError
from kakehashi.library import Library
from kakehashi.systems.linear import KIND, VERSION

FEW = ("translation", "dense", "fused")
BATTERY = "リチウム電池の電極"


@pytest.fixture(scope="module")
def lender(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lender") / "old"
    build_world(folder, documents=500)
    Library(folder).build(only=FEW)
    return folder


@pytest.fixture(scope="module")
def packed(lender: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("packed") / "ja-en.kakehashi"
    pack(Library(lender), file)
    return file


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another world, judgments and all."""
    folder = tmp_path_factory.mktemp("strangers") / "world"
    build_world(folder, documents=500, seed=11)
    return folder


@pytest.fixture
def bare(strangers: Path, tmp_path: Path) -> Path:
    """Its documents alone."""
    folder = tmp_path / "new"
    folder.mkdir()
    for name in ("collection.toml", "documents.jsonl"):
        shutil.copy(strangers / name, folder)
    return folder


def test_earlier_queries_are_not_borrowed(lender: Path, bare: Path) -> None:
    """They name documents that the borrower does not have."""
    [done] = Library(bare).build(only=("examples",), lender=lender).done
    assert (done.happened, done.why) == (
        "skipped",
        "no queries.jsonl; it is not borrowed, because it knows documents by their ids",
    )


def what_happened(built: Built) -> dict[str, str]:
    return {done.step: done.happened for done in built.done if done.happened != "skipped"}


@pytest.mark.parametrize("as_file", [False, True])
def test_documents_alone_are_searched_across_languages_with_borrowed_models(
    bare: Path, strangers: Path, lender: Path, packed: Path, as_file: bool
) -> None:
    library = Library(bare)
    built = library.build(lender=packed if as_file else lender)
    assert {"translation", "dense"} <= {*what_happened(built)}
    assert built.best.system == "psq-hmm"  # translation travels better than what was learned from citations
    for name in ("queries.jsonl", "originals.jsonl"):
        shutil.copy(strangers / name, bare)
    shutil.copytree(strangers / "qrels", bare / "qrels")
    judged = Library(bare)
    reached = {name: judged.measure(name, "test").means()["MAP"] for name in ("dense", "psq", "passthrough")}
    assert reached["psq"] > 2 * reached["passthrough"]
    assert reached["dense"] > 2 * reached["passthrough"]


def weights(folder: Path) -> dict[str, float]:
    found: dict[str, float] = store.read(folder, KIND, VERSION).meta.made_from["weights"]
    return found


def test_features_that_both_have_are_weighed(bare: Path, lender: Path) -> None:
    Library(bare).build(lender=lender)
    assert any(weight for name, weight in weights(bare / "models/dense").items() if name.startswith("ipc"))


def test_borrowed_weights_count_no_citations_of_another_collection(lender: Path, tmp_path: Path) -> None:
    learn_weights(Library(lender), tmp_path / "dense", ["psq", "psq-hmm"], ["ipc"])
    learned = weights(tmp_path / "dense")
    assert learned["citations received"] == 0.0
    assert learned["ipc level 1 shared"] != 0.0
    assert not any(name.startswith("inventors") for name in learned)
    assert learned["psq"] != 0.0


def test_only_fields_that_both_have_are_compared(bare: Path, lender: Path) -> None:
    """Also where one of them has another name there, or looks different."""
    text = (bare / "collection.toml").read_text(encoding="utf-8")
    (bare / "collection.toml").write_text(text.replace('"inventors"', '"people"'), encoding="utf-8")
    Library(bare).build(lender=lender)
    names = {*weights(bare / "models/dense")}
    assert {"ipc shared", "applicants shared", "filing earlier"} < names
    assert not any(name.startswith(("inventors", "people")) for name in names)
    assert len(Library(bare).search(BATTERY)) == 10


def test_features_the_borrower_lacks_fall_away(bare: Path, lender: Path) -> None:
    text = (bare / "collection.toml").read_text(encoding="utf-8")
    (bare / "collection.toml").write_text(text.partition("[fields]")[0], encoding="utf-8")
    Library(bare).build(lender=lender)
    assert {*weights(bare / "models/dense")} == {"psq", "psq-hmm", "titles"}
    assert len(Library(bare).search(BATTERY)) == 10


def test_what_a_collection_can_train_it_trains(bare: Path, strangers: Path, lender: Path) -> None:
    shutil.copy(strangers / "parallel.tsv", bare)
    happened = what_happened(Library(bare).build(lender=lender))
    assert happened["translation"] == "trained"
    assert happened["dense"] == "borrowed"


def test_what_was_borrowed_stays_without_the_lender(bare: Path, lender: Path) -> None:
    Library(bare).build(lender=lender)
    answer = Library(bare).search(BATTERY).ranking.docs
    again = Library(bare).build()
    assert {*what_happened(again).values()} == {"kept"}
    assert Library(bare).search(BATTERY).ranking.docs == answer


def test_the_lender_is_left_as_it_was(bare: Path, lender: Path) -> None:
    before = {path: path.read_bytes() for path in (lender / "models").rglob("meta.json")}
    Library(bare).build(lender=lender)
    assert {path: path.read_bytes() for path in (lender / "models").rglob("meta.json")} == before


def test_other_languages_are_refused(bare: Path, lender: Path) -> None:
    text = (bare / "collection.toml").read_text(encoding="utf-8")
    (bare / "collection.toml").write_text(text.replace('"ja"', '"de"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"translates ja to en, .* needs de to en"):
        Library(bare).build(lender=lender)


def test_a_packed_file_tells_what_it_was_trained_on(lender: Path, packed: Path, tmp_path: Path) -> None:
    card = read_card(packed)
    assert (card.source_language, card.target_language, card.documents) == ("ja", "en", 500)
    assert card.licence == Library(lender).collection.info.licence
    assert {*card.models} == {"translation", "dense"}
    assert card.best["measure"] == "MAP"
    assert unpack(packed, tmp_path / "unpacked") == card


def test_a_packed_file_holds_no_text_of_the_collection(lender: Path, packed: Path) -> None:
    documents = [text.title for text in Library(lender).collection.documents()]
    with zipfile.ZipFile(packed) as archive:
        assert not any("segments/s" in name for name in archive.namelist())
        whole = b"".join(archive.read(name) for name in archive.namelist())
    assert not any(title.encode() in whole for title in documents[:100])


def rewritten(packed: Path, place: Path, name: str, data: bytes) -> Path:
    """The archive with one file changed or added."""
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(place, "w") as new:
        for member in old.infolist():
            if member.filename != name:
                new.writestr(member, old.read(member))
        new.writestr(name, data)
    return place


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("../evil.txt", b"x", "which no packed model has"),
        ("/etc/evil", b"x", "which no packed model has"),
        ("models/dense/.hidden", b"x", "which no packed model has"),
        (CARD, b"{}", "no readable card"),
        ("models/dense/meta.json", b"[]", "not a readable artifact"),
    ],
)
def test_a_file_that_was_tampered_with_is_not_unpacked(
    packed: Path, tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    bad = rewritten(packed, tmp_path / "bad.kakehashi", name, data)
    with pytest.raises(InputError, match=said):
        unpack(bad, tmp_path / "unpacked")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.kakehashi"]


def test_changed_weights_are_noticed(packed: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        name = next(name for name in archive.namelist() if name.startswith("models/dense/weights"))
        data = bytearray(archive.read(name))
    data[-1] ^= 1
    bad = rewritten(packed, tmp_path / "bad.kakehashi", name, bytes(data))
    with pytest.raises(InputError, match="is damaged"):
        unpack(bad, tmp_path / "unpacked")


def test_a_link_in_the_archive_is_refused(packed: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.kakehashi"
    shutil.copy(packed, bad)
    link = zipfile.ZipInfo("models/link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(bad, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(InputError, match="which no packed model has"):
        unpack(bad, tmp_path / "unpacked")


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"hello" * 100])
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    for read in (read_card, lambda file: unpack(file, tmp_path / "y")):
        with pytest.raises(InputError, match="not a file of packed models"):
            read(tmp_path / "x")


def test_a_card_of_another_format_is_refused(packed: Path, tmp_path: Path) -> None:
    card = msgspec.structs.replace(read_card(packed), format=2)
    bad = rewritten(packed, tmp_path / "bad.kakehashi", CARD, msgspec.json.encode(card))
    with pytest.raises(InputError, match="has format 2, this program reads 1"):
        unpack(bad, tmp_path / "unpacked")


def test_nothing_is_overwritten(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError, match="exists already"):
        unpack(packed, tmp_path / "there")


def test_an_untrained_collection_has_nothing_to_pack(bare: Path, tmp_path: Path) -> None:
    library = Library(bare)
    library.update_index()
    with pytest.raises(InputError, match="kakehashi build"):
        pack(library, tmp_path / "none.kakehashi")
