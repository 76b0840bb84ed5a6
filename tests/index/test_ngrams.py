"""The index in n-grams is the one that would be built from the same documents, whatever happened in between."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from kakehashi import store
from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.writing import CollectionWriter, info_toml
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.index.ngrams import index_ngrams
from kakehashi.index.prepare import index_collection
from kakehashi.types import Text

ROOT = Path(__file__).parents[2]
DOCUMENTS = {
    "d1": "The lithium battery. Battery chargers for the battery\nThe lithium battery again",
    "d2": "A charger for batteries! A lithium cell",
    "d3": "lens",
    "d4": "",
    "d5": "Camera lens, camera lens and camera lens",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    info = CollectionInfo("grams", "de", "en", fields={"year": "number"})
    with CollectionWriter(tmp_path / "grams", info) as writer:
        for n, (id, text) in enumerate(DOCUMENTS.items()):
            writer.document(Text(id, "en", text, "Title words" if id == "d2" else "", {"year": 2000 + n}))
        writer.query(Text("q", "de", "die Lithium Batterie"))
    return tmp_path / "grams"


def indexed(folder: Path) -> Holdings:
    index_collection(Collection(folder))
    return Holdings(folder)


def write(folder: Path, texts: Mapping[str, str]) -> None:
    lines = [json.dumps({"id": id, "lang": "en", "text": text, "meta": {}}) for id, text in texts.items()]
    (folder / "documents.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def contents(index: Index) -> dict[str, Counter[str]]:
    """The terms of every living document."""
    found = {}
    for i, segment in enumerate(index.segments):
        dead = index.dead(i)
        for number, id in enumerate(segment.ids):
            if dead is None or not dead[number]:
                terms, tfs = segment.document_terms(number)
                rows = zip(terms.tolist(), tfs.tolist(), strict=True)
                found[id] = Counter({index.vocabulary[term]: tf for term, tf in rows})
    return found


def by_hand(folder: Path, index: Index, n: int) -> dict[str, Counter[str]]:
    """Stretches of up to n terms within each sentence."""
    found = {}
    for text in Collection(folder).documents():
        found[text.id] = Counter[str]()
        for terms in index.analyzer.sentences(text.content):
            for size in range(1, n + 1):
                found[text.id].update("_".join(terms[i : i + size]) for i in range(len(terms) - size + 1))
    return found


@pytest.mark.parametrize("n", [2, 3])
def test_neighbouring_terms_of_a_sentence_are_terms(n: int, folder: Path, tmp_path: Path) -> None:
    holdings = indexed(folder)
    index, found = holdings.index, index_ngrams(holdings, n, tmp_path / "out")
    assert contents(found) == by_hand(folder, index, n)
    assert contents(found)["d1"]["lithium_batteri"] == 2
    assert "batteri_batteri" not in contents(found)["d1"]  # a full stop stands between them
    assert contents(found)["d5"]["len_camera"] == 2
    assert found.faults() == []
    assert found.source_analyzer.terms("Lithium Batterien")[-1] == "_".join(
        index.source_analyzer.terms("Lithium Batterien")
    )
    early = [parse_condition("year<2002")]
    assert found.statistics_where(early).n_docs == index.statistics_where(early).n_docs == 2
    assert found.title("d2") == "Title words"
    assert contents(Index(index.folder)) == by_hand(folder, index, 1)  # the collection's own stays as it is


def test_index_is_made_once(folder: Path, tmp_path: Path) -> None:
    index_ngrams(indexed(folder), 2, tmp_path / "out")
    before = (tmp_path / "out" / store.META).stat().st_mtime_ns
    documents = folder / "documents.jsonl"
    documents.rename(folder / "away")  # nothing needs to be read, either
    assert contents(index_ngrams(Holdings(folder), 2, tmp_path / "out")).keys() == DOCUMENTS.keys()
    assert (tmp_path / "out" / store.META).stat().st_mtime_ns == before


def test_index_with_these_ngrams_is_taken_as_it_is(folder: Path, tmp_path: Path) -> None:
    collection = Collection(folder)
    index_collection(collection, {"ngrams": 2}, {"ngrams": 2})
    holdings = Holdings(folder)
    assert index_ngrams(holdings, 2, tmp_path / "out") is holdings.index
    assert not (tmp_path / "out").exists()
    single = index_ngrams(holdings, 1, tmp_path / "out")
    assert not any("_" in term for term in single.vocabulary.all_terms())
    assert contents(single) == by_hand(folder, single, 1)
    index_collection(collection, {"ngrams": 2}, {"ngrams": 1})
    halfway = index_ngrams(Holdings(folder), 2, tmp_path / "other")
    assert halfway.source_analyzer.settings.ngrams == 2


def test_other_length_replaces_what_was_there(folder: Path, tmp_path: Path) -> None:
    holdings = indexed(folder)
    for n in (2, 3, 2):
        assert contents(index_ngrams(holdings, n, tmp_path / "out")) == by_hand(folder, holdings.index, n)


def test_changed_collection_is_followed(folder: Path, tmp_path: Path) -> None:
    """One document comes, one changes, one goes; the rest is not written again."""
    write(folder, DOCUMENTS)
    first = index_ngrams(indexed(folder), 2, tmp_path / "out")
    changed = {**DOCUMENTS, "d3": "lens of a camera", "d6": "lithium cell"}
    del changed["d1"]
    write(folder, changed)
    holdings = indexed(folder)
    second = index_ngrams(holdings, 2, tmp_path / "out")
    assert contents(second) == by_hand(folder, holdings.index, 2)
    assert contents(second).keys() == {"d2", "d3", "d4", "d5", "d6"}
    assert second.segments[0].name == first.segments[0].name
    assert [*second.segments[1].ids] == ["d6", "d3"]
    write(folder, DOCUMENTS)
    assert contents(index_ngrams(indexed(folder), 2, tmp_path / "out")) == contents(first)


def test_changed_fields_are_followed(folder: Path, tmp_path: Path) -> None:
    """A new field changes no document, but what can be asked of them."""
    index_ngrams(indexed(folder), 2, tmp_path / "out")
    info = msgspec.structs.replace(Collection(folder).info, fields={"year": "number", "color": "keyword"})
    (folder / "collection.toml").write_text(info_toml(info), encoding="utf-8")
    found = index_ngrams(indexed(folder), 2, tmp_path / "out")
    assert found.fields == {"year": "number", "color": "keyword"}
    assert found.statistics_where([parse_condition("color=red")]).n_docs == 0


def test_documents_that_changed_without_indexing_are_refused(folder: Path, tmp_path: Path) -> None:
    write(folder, DOCUMENTS)
    holdings = indexed(folder)
    write(folder, {**DOCUMENTS, "d3": "lenses and more"})
    for _ in range(2):
        with pytest.raises(InputError, match="has changed since it was indexed: run kakehashi index"):
            index_ngrams(holdings, 2, tmp_path / "out")
    holdings = indexed(folder)
    assert contents(index_ngrams(holdings, 2, tmp_path / "out")) == by_hand(folder, holdings.index, 2)
    write(folder, DOCUMENTS)
    assert contents(index_ngrams(indexed(folder), 2, tmp_path / "out"))["d3"] == {"len": 1}


@pytest.mark.parametrize("damaged", ["meta.json", "df", "segment meta.json", "fwd.terms", "hashes", "gone"])
def test_damaged_index_is_made_again(damaged: str, folder: Path, tmp_path: Path) -> None:
    holdings = indexed(folder)
    found = index_ngrams(holdings, 2, tmp_path / "out")
    expected, segment = contents(found), found.segments[0].artifact
    path = {
        "meta.json": found.folder / store.META,
        "segment meta.json": segment.folder / store.META,
        "df": found.folder / found.artifact.meta.arrays["df"].file,
    }.get(damaged) or segment.folder / segment.meta.arrays[damaged.replace("gone", "hashes")].file
    data = path.read_bytes()
    path.unlink() if damaged == "gone" else path.write_bytes(data[: len(data) // 2])
    again = index_ngrams(holdings, 2, tmp_path / "out")
    assert contents(again) == expected
    assert again.faults() == []


KILLED = """
import sys
from pathlib import Path
from kakehashi import store
from kakehashi.index import update
from kakehashi.index.holdings import Holdings
from kakehashi.index.ngrams import index_ngrams

def wait(*words):
    print("in the middle", flush=True)
    sys.stdin.readline()

if sys.argv[3] == "before the segment":
    update.SegmentBuilder.write = wait
elif sys.argv[3] == "before the commit":
    update.commit_segments = wait
index_ngrams(Holdings(sys.argv[1]), 2, Path(sys.argv[2]))
"""


@pytest.mark.parametrize("moment", ["before the segment", "before the commit"])
@pytest.mark.parametrize("first", [True, False], ids=["the first time", "while it is brought in line"])
def test_killed_work_is_done_again(moment: str, first: bool, folder: Path, tmp_path: Path) -> None:
    write(folder, DOCUMENTS)
    holdings = indexed(folder)
    if not first:
        index_ngrams(holdings, 2, tmp_path / "out")
        write(folder, {**DOCUMENTS, "d3": "lens of a camera"})
        holdings = indexed(folder)
    words = [sys.executable, "-c", KILLED, str(folder), str(tmp_path / "out"), moment]
    process = subprocess.Popen(
        words, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"in the middle\n"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    found = index_ngrams(holdings, 2, tmp_path / "out")
    assert contents(found) == by_hand(folder, holdings.index, 2)
    left = {path.name for path in found.folder.glob("segments/s*")}
    assert left == {segment.name for segment in found.segments}
