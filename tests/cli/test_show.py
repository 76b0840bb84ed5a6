"""`kakehashi show cfh` prints what keeps company with a word."""

from pathlib import Path

import pytest

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.index.index import Index
from kakehashi.lexicon.company import CfhSettings
from kakehashi.lexicon.correlated import correlate_index, correlate_texts, save_correlated
from kakehashi.types import Text
from tests.cli.calling import CommandLine


def test_targets_of_the_documents_are_shown_with_dice(kakehashi: CommandLine, toy_copy: Path) -> None:
    out = kakehashi("show", "cfh", toy_copy, "valves", "zzz", "-k", 2).out.splitlines()
    # valv stands three times and so does engin, in two documents together, once each there: 2·2 / 6
    assert out == [
        "2 of 30000 words each, by min, over 12 documents",
        "valves (valv): valv 1.000  engin 0.667",
        "zzz: not counted",
    ]


def test_json_names_side_settings_and_targets(kakehashi: CommandLine, toy_copy: Path) -> None:
    found = kakehashi("show", "cfh", toy_copy, "電池", "--side", "source", "--words", 50, "--json").json
    assert found["side"] == "source"
    assert found["settings"] == {"words": 50, "k": 5, "count": "min"}
    assert found["texts"] == 3  # the training queries
    [word] = found["words"]
    assert (word["word"], word["term"]) == ("電池", "電池")
    assert word["targets"][0] == {"word": "電池", "dice": 1.0}
    assert "リチウム" in [target["word"] for target in word["targets"]]


def test_source_side_counts_no_query_outside_the_training_split(
    kakehashi: CommandLine, toy_copy: Path
) -> None:
    out = kakehashi("show", "cfh", toy_copy, "ポンプ", "--side", "source").out
    assert out.splitlines()[1] == "ポンプ: not counted"


def test_saved_map_is_shown_unless_other_settings_are_asked_for(
    kakehashi: CommandLine, toy_copy: Path
) -> None:
    found = correlate_index(Index(toy_copy / "index"), CfhSettings(words=3, k=1))
    save_correlated(toy_copy / "models" / "cfh-target", found)
    called = kakehashi("show", "cfh", toy_copy, "lens")
    assert called.out.startswith("1 of 3 words each, by min, over 12 documents\n")
    assert called.err == ""
    assert kakehashi("show", "cfh", toy_copy, "lens", "-k", 2).out.startswith("2 of 30000 words")


def test_map_older_than_the_index_is_remarked_on(kakehashi: CommandLine, toy_copy: Path) -> None:
    save_correlated(toy_copy / "models" / "cfh-target", correlate_index(Index(toy_copy / "index")))
    kakehashi("index", toy_copy, "--rebuild")
    assert "before the index last changed" in kakehashi("show", "cfh", toy_copy, "lens").err


def test_map_of_queries_needs_no_index_state(kakehashi: CommandLine, toy_copy: Path) -> None:
    save_correlated(toy_copy / "models" / "cfh-source", correlate_texts([["電池", "電極"]]))
    called = kakehashi("show", "cfh", toy_copy, "電池", "--side", "source")
    assert (called.out.splitlines()[1], called.err) == ("電池: 電池 1.000  電極 1.000", "")


def test_pool_decides_which_documents_count(kakehashi: CommandLine, tmp_path: Path) -> None:
    info = CollectionInfo(
        name="pools", source_language="en", target_language="en", fields={"pool": "keyword"}
    )
    with CollectionWriter(tmp_path / "c", info) as writer:
        writer.document(Text("a", "en", "laser diode", meta={"pool": ["train"]}))
        writer.document(Text("b", "en", "laser printer", meta={"pool": ["test"]}))
        writer.query(Text("q", "en", "laser"))
        writer.qrels("train", {"q": {"a": 1}})
    kakehashi("index", tmp_path / "c")
    shown = {
        pool: kakehashi("show", "cfh", tmp_path / "c", "laser", *pool).out.splitlines()
        for pool in [(), ("--pool", "test"), ("--pool", "all")]
    }
    assert shown[()][1] == "laser: laser 1.000  diod 1.000"
    assert shown["--pool", "test"][1] == "laser: laser 1.000  printer 1.000"
    assert shown["--pool", "all"][1] == "laser: laser 1.000  diod 0.667  printer 0.667"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--words", 0), "words = 0 is not between"),
        (("-k", 1000), "k = 1000 is not between"),
        (("--pool", "train"), "--pool is for the documents of a collection with pools"),
        (("--count", "mean"), "'mean' is not one of"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    kakehashi: CommandLine, toy_copy: Path, words: tuple[object, ...], message: str
) -> None:
    assert message in kakehashi.refused("show", "cfh", toy_copy, "lens", *words)


def test_collection_without_an_index_is_told_how_to_get_one(kakehashi: CommandLine, tmp_path: Path) -> None:
    from tests.toy import toy_collection

    folder = toy_collection(tmp_path / "toy")
    assert f"kakehashi index {folder}" in kakehashi.refused("show", "cfh", folder, "lens")
