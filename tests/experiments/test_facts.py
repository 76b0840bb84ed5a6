"""Tables of counts, words and latencies, against sums over a collection small enough to count by hand."""

from pathlib import Path

import pytest

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.world.build import build_world
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.experiments import memory_latency
from kakehashi.experiments.registry import recipe_of, table_of
from kakehashi.experiments.tables import Listing, run
from kakehashi.types import Text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    info = CollectionInfo(
        name="few",
        source_language="ja",
        target_language="en",
        levels={"1": "cited"},
        fields={"pool": "keyword"},
    )
    with CollectionWriter(tmp_path / "few", info) as writer:
        for number, (words, pool) in enumerate(
            [("a red car", "train"), ("the car", "dev"), ("a car , red", "dev")]
        ):
            writer.document(Text(f"d{number}", "en", words, "", {"pool": [pool]}))
        for number, words in enumerate(["128個の車", "99個の車", "赤い車"]):
            writer.query(Text(f"q{number}", "ja", words, "", {}))
        writer.qrels("train", {"q0": {"d0": 1, "d1": 0}, "q1": {"d0": 1}})
        writer.qrels("dev", {"q2": {"d1": 1, "d2": 1}})
    return tmp_path / "few"


def found(table: str, folder: Path, tmp_path: Path) -> dict[tuple[str, str], float]:
    return {(row.row, row.measure): row.measured for row in run(recipe_of(table), folder, tmp_path / "work")}


def test_links_count_relevant_documents_and_not_judgments(folder: Path, tmp_path: Path) -> None:
    rows = found("s13-1", folder, tmp_path)
    assert rows["train", "queries"] == 2
    assert rows["train", "relevant"] == 2  # level 0 is none
    assert rows["train", "documents that are relevant"] == 1
    assert rows["dev", "documents that are relevant"] == 2
    assert not [key for key in rows if key[0] == "test"]  # the collection has no such split


def test_lengths_and_vocabularies_are_those_of_a_split(folder: Path, tmp_path: Path) -> None:
    rows = found("t13-5.1", folder, tmp_path)
    assert [rows[name, "documents"] for name in ("all", "train", "dev")] == [3, 1, 2]
    assert rows["dev", "words per document"] == 3.0  # (2 + 4) / 2, with the comma
    assert rows["dev", "types of documents"] == 5  # the car a , red
    assert rows["all", "relevant"] == 4
    assert rows["all", "queries"] == 3


def test_filters_make_queries_and_their_vocabulary_smaller(folder: Path, tmp_path: Path) -> None:
    rows = found("t13-5.5", folder, tmp_path)
    steps = ("without punctuation", "+ stop words", "+ numbers", "+ qStem")
    sizes = [rows[step, "different terms"] for step in steps]
    assert sizes == sorted(sizes, reverse=True)
    assert rows["+ stop words", "terms per query"] < rows["without punctuation", "terms per query"]
    assert rows["+ qStem", "terms per query"] <= rows["+ numbers", "terms per query"]


def test_stop_words_are_those_in_half_of_the_texts(folder: Path, tmp_path: Path) -> None:
    table = table_of("t13-5.2")
    assert isinstance(table, Listing)
    words = {row.row: row for row in table.rows(folder, tmp_path / "work")}
    assert words["en"].found.split() == ["a", "car", "red"]
    assert words["en"].published.split()[:3] == ["a", "an", "and"]
    assert "車" in words["ja"].found.split()


def test_correlated_words_of_a_collection_are_words_of_its_documents(tmp_path: Path) -> None:
    build_world(tmp_path / "world", documents=500)
    table = table_of("t13-5.6")
    assert isinstance(table, Listing)
    rows = {row.row: row for row in table.rows(tmp_path / "world", tmp_path / "work")}
    assert list(rows) == ["supersampler", "N.N-N.Nk.sub.N", "aminoglucoside", "suspend-to-disk", "cracks"]
    assert rows["supersampler"].found == "(not a word of the collection)"


def test_walk_through_memory_passes_every_line_once() -> None:
    following = memory_latency.cycle(64 * 50)
    place, seen = 0, []
    for _ in range(50):
        seen.append(place)
        place = int(following[place])
    assert place == 0
    assert sorted(seen) == list(range(0, 400, 8))


def test_caches_are_read_from_what_the_system_says(tmp_path: Path) -> None:
    for number, (kind, level, size) in enumerate(
        [("Data", "1", "48K"), ("Instruction", "1", "32K"), ("Unified", "2", "1024K")]
    ):
        (tmp_path / f"index{number}").mkdir()
        for name, value in (("type", kind), ("level", level), ("size", size)):
            (tmp_path / f"index{number}" / name).write_text(f"{value}\n")
    assert memory_latency.cache_sizes(tmp_path) == {"1": 49152, "2": 1048576}
    assert memory_latency.cache_sizes(tmp_path / "none") == {}


def test_latencies_are_told_with_their_unit() -> None:
    assert memory_latency.told(2.5e-9, 0) == "2.50 ns"
    assert memory_latency.told(0.00025, 4096) == "250 µs, 4,096 B"
