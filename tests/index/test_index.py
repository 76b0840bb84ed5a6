"""An index as it is opened: little is read, what is damaged is named."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi import store
from kakehashi.errors import FileError
from kakehashi.index.index import Index
from kakehashi.index.update import Analyzers, build_index
from kakehashi.query.terms import Untranslated
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.systems.opening import open_system
from kakehashi.text.learn import learn
from kakehashi.text.settings import settings_for
from kakehashi.types import Text
from tests.index.building import build, build_in_parts, dealt, holdings_of, plain_analyzers, texts_of, zipfian

QUERY = Text("q", "en", "w0 w1")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large") / "index"
    build_in_parts(folder, dealt(texts_of(zipfian(np.random.default_rng(0), 5000)), 3))
    return folder


def test_opening_maps_every_array_and_reads_none(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So an index of any size opens at once."""
    monkeypatch.setattr(np, "fromfile", lambda *_, **__: pytest.fail("an array was read"))
    monkeypatch.setattr(store, "checksum", lambda path: pytest.fail("an array was read"))
    index = Index(large)
    artifacts = [index.artifact, *(segment.artifact for segment in index.segments)]
    arrays = [artifact.array(name) for artifact in artifacts for name in artifact.meta.arrays]
    assert len(arrays) > 30
    assert all(isinstance(array, np.memmap) for array in arrays if array.size)
    assert not {"vocabulary", "numbering", "statistics", "analyzer", "source_analyzer"} & {*vars(index)}


def test_open_index_stays_whole_while_another_is_written(tmp_path: Path) -> None:
    old = build(tmp_path, [Text("a", "en", "battery electrode", "old title"), Text("b", "en", "camera lens")])
    system = Sparse("bm25", Untranslated(old), Bm25(), old)
    build(tmp_path, [Text("a", "en", "fuel cell", "new title"), Text("c", "en", "battery")])
    ranking = system.search([Text("q", "en", "battery lens")], k=5).rankings["q"]
    assert sorted(ranking.docs) == ["a", "b"]
    assert old.title("a") == "old title"
    assert Index(tmp_path).title("a") == "new title"


def test_every_document_is_found_by_its_id(large: Path) -> None:
    index = Index(large)
    for i in (0, 1, 17, 2500, 4999):
        segment, number = index.place(f"d{i}") or (-1, -1)
        assert index.segments[segment].ids[number] == f"d{i}"
    for unknown in ("", "d", "d5000", "e", "zzz", "d00"):
        assert index.place(unknown) is None


def test_titles_are_kept(tmp_path: Path) -> None:
    index = build(tmp_path, [Text("a", "en", "x", "電池の電極"), Text("b", "en", "y")])
    assert (index.title("a"), index.title("b"), index.title("c")) == ("電池の電極", "", "")


def test_title_is_searched_too(tmp_path: Path) -> None:
    index = build(tmp_path, [Text("a", "en", "x", "w0"), Text("b", "en", "y")])
    assert open_system("bm25", holdings_of(index)).search([QUERY]).rankings["q"].docs == ["a"]


def test_damage_is_found_by_checksums(tmp_path: Path) -> None:
    index = build(tmp_path, texts_of({"a": "w0", "b": "w1"}))
    assert index.faults() == []
    path = next((tmp_path / "segments").glob("*/post.docs.*.npy"))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert Index(tmp_path).faults() == [f"{path}: array 'post.docs' does not match its checksum"]


@pytest.mark.parametrize("name", ["post.docs", "lengths", "terms.slots", "fwd.terms"])
@pytest.mark.parametrize("damage", ["cut", "gone", "header"])
def test_damaged_array_is_named_in_one_line(tmp_path: Path, name: str, damage: str) -> None:
    build(tmp_path, texts_of({"a": "w0", "b": "w1"}))
    path = next((tmp_path / "segments").glob(f"*/{name}.*.npy"))
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(data[:-1] if damage == "cut" else b"\x00" * 8 + data[8:])
    with pytest.raises(FileError) as caught:
        open_system("tfidf", holdings_of(Index(tmp_path))).search([QUERY])
    assert str(path) in str(caught.value)
    assert "build it again" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_segment_names_the_command_that_helps(tmp_path: Path) -> None:
    build(tmp_path, texts_of({"a": "w0"}))
    next((tmp_path / "segments").glob("*/meta.json")).unlink()
    with pytest.raises(FileError, match=r"no segment here: build it first \(kakehashi index DIR --rebuild\)"):
        Index(tmp_path)


def test_no_index_at_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no index here: build it first"):
        Index(tmp_path / "nowhere")


def test_unreadable_index_is_built_anew(tmp_path: Path) -> None:
    texts = texts_of({"a": "w0"})
    build(tmp_path, texts)
    (tmp_path / "meta.json").write_text("{")
    assert build_index(tmp_path, texts, plain_analyzers(), {}).added == 1
    assert Index(tmp_path).faults() == []


def test_same_documents_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        build(tmp_path / name, texts_of(zipfian(np.random.default_rng(3), 200)))
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert len(files) > 20
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_order_of_documents_does_not_matter(tmp_path: Path) -> None:
    texts = texts_of(zipfian(np.random.default_rng(4), 100))
    first, second = build(tmp_path / "a", texts), build(tmp_path / "b", texts[::-1])
    for name in ("bm25", "lm", "tfidf"):
        rankings = [
            open_system(name, holdings_of(index)).search([QUERY]).rankings["q"] for index in (first, second)
        ]
        assert rankings[0].docs == rankings[1].docs
        assert rankings[0].scores.tobytes() == rankings[1].scores.tobytes()


@pytest.mark.parametrize(
    ("lang", "known", "compound", "parts"),
    [
        ("de", "Batterie Gehäuse Batterie Gehäuse Batterie", "Batteriegehäuse", "Batterie Gehäuse"),
        ("ja", "センサ カメラ センサ カメラ センサ カメラ", "カメラセンサ", "カメラ センサ"),
    ],
)
def test_what_an_analyzer_learned_is_stored_and_restored(
    tmp_path: Path, lang: str, known: str, compound: str, parts: str
) -> None:
    texts = [Text("a", lang, f"{known} {compound}")]
    learned = learn(settings_for(lang), [text.content for text in texts])
    build_index(tmp_path, texts, Analyzers(learned, learned), {})
    restored = Index(tmp_path).analyzer
    assert restored.fingerprint == learned.fingerprint == Index(tmp_path).source_analyzer.fingerprint
    assert Index(tmp_path).fingerprint == f"{learned.fingerprint} {learned.fingerprint}"
    assert restored.terms(compound) == learned.terms(compound) == learned.terms(parts)
    assert len(restored.terms(compound)) == 2
