"""`kakehashi show` prints what keeps company with a word, and what boosting chose."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.index.index import Index
from kakehashi.lexicon.company import CfhSettings
from kakehashi.lexicon.correlated import correlate_index, correlate_texts, save_correlated
from kakehashi.lexicon.mapped import MappedWords
from kakehashi.lexicon.neighbours import arranged
from kakehashi.types import Text
from tests.cli.calling import CommandLine
from tests.training.subjects import subjects_library


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


def features(kakehashi: CommandLine, folder: Path, *words: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = kakehashi("show", "boosted", folder, *words, "-n", 100_000, "--json").json[
        "features"
    ]
    return found


@pytest.fixture(scope="module")
def boosted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with a small model of uni- and bigrams, of two samples."""
    library = subjects_library(tmp_path_factory.mktemp("show") / "subjects")
    small = {"samples": 2, "rounds": 60, "per_query": 4, "query_share": 0.12, "dev_queries": 0}
    library.train("boosted", small)
    return library.folder


def test_boosted_features_come_in_the_order_of_their_choice(kakehashi: CommandLine, boosted: Path) -> None:
    found = features(kakehashi, boosted)
    rounds = [each["round"] for each in found]
    assert (rounds[0], rounds) == (1, sorted(rounds))
    assert {each["samples"] for each in found} == {1, 2}
    lines = kakehashi("show", "boosted", boosted, "-n", 4).out.splitlines()
    assert lines == [
        f"{each['round']:6}  {each['weight']:8.4f}  {each['query']} - {each['document']}"
        f"  ({each['samples']} of 2 samples)"
        for each in found[:4]
    ]


def test_boosted_features_can_be_picked(kakehashi: CommandLine, boosted: Path) -> None:
    everything = features(kakehashi, boosted)
    held: dict[str, set[str]] = {}
    for each in everything:
        for word in each["query"].split():
            held.setdefault(word, set()).add(each["query"])
    word = max(held, key=lambda word: len(held[word]))
    assert len(held[word]) > 1  # by itself, or with a neighbour
    of_word = [each for each in everything if word in each["query"].split()]
    assert features(kakehashi, boosted, word) == of_word
    negative = [each for each in everything if each["weight"] < 0.0]
    assert features(kakehashi, boosted, "--negative") == negative != []
    assert features(kakehashi, boosted, word, "--negative") == [
        each for each in of_word if each["weight"] < 0.0
    ]
    assert features(kakehashi, boosted, "desunknown") == []


def test_boosted_sample_shows_every_round(kakehashi: CommandLine, boosted: Path) -> None:
    """Together the samples have what the model has; what was chosen twice counts twice."""
    samples = [features(kakehashi, boosted, "--sample", number) for number in (1, 2)]
    assert [[each["round"] for each in sample] for sample in samples] == 2 * [[*range(1, 61)]]
    assert {each["samples"] for sample in samples for each in sample} == {1}
    sums: dict[tuple[str, str], float] = {}
    for each in [*samples[0], *samples[1]]:
        pair = each["query"], each["document"]
        sums[pair] = sums.get(pair, 0.0) + each["weight"] / 2
    model = {(each["query"], each["document"]): each["weight"] for each in features(kakehashi, boosted)}
    assert model == pytest.approx(sums, rel=1e-5, abs=1e-6)
    shown = kakehashi("show", "boosted", boosted, "--sample", 2, "-n", 3).out.splitlines()
    assert [line.split()[0] for line in shown] == ["1", "2", "3"]
    assert not any("samples" in line for line in shown)


def test_missing_samples_and_models_are_refused_in_one_line(kakehashi: CommandLine, boosted: Path) -> None:
    line = kakehashi.refused("show", "boosted", boosted, "--sample", 3)
    assert line == "'boosted' has 2 samples, there is no sample 3"
    assert "--sample" in kakehashi.refused("show", "boosted", boosted, "--sample", "-1")
    line = kakehashi.refused("show", "boosted", boosted, "--model", "nobody")
    assert line.endswith(f"(kakehashi train boosted {boosted} --name nobody)")
    assert "nothing is left of these words" in kakehashi.refused("show", "boosted", boosted, "...")
    away = boosted / "models" / "boosted" / "samples"
    away.rename(away.with_name("away"))
    try:
        line = kakehashi.refused("show", "boosted", boosted, "--sample", 1)
        assert line == f"{away} does not contain sample 1 of this model: train it again"
        assert features(kakehashi, boosted)  # the average is a model of its own
    finally:
        away.with_name("away").rename(away)


def test_related_words_are_shown(kakehashi: CommandLine, tmp_path: Path) -> None:
    library = subjects_library(tmp_path / "subjects", source="en")
    (tmp_path / "own.txt").write_text("ens0w0 ens0w1 ens0w2\n")
    values = {
        "kinds": "lsi own",
        "lexicons": f"own={tmp_path / 'own.txt'}",
        "lsi_dimensions": 8,
        "least_count": 2,
    }
    library.train("related", values)
    out = kakehashi("show", "related", library.folder, "ens0w0", "zzz", "--kind", "own").out.splitlines()
    assert out == ["ens0w0 (own): ens0w1 1.000  ens0w2 1.000", "zzz (own): too rare for a vector"]
    found = kakehashi("show", "related", library.folder, "ens0w0", "-n", 2, "--json").json["words"]
    assert [row["kind"] for row in found] == ["lsi", "own"]
    assert found[1]["related"] == [
        {"word": "ens0w1", "similarity": 1.0},
        {"word": "ens0w2", "similarity": 1.0},
    ]
    assert len(found[0]["related"]) == 2


def test_words_of_the_other_language_are_shown(kakehashi: CommandLine, tmp_path: Path) -> None:
    library = subjects_library(tmp_path / "subjects")
    near = arranged(np.array([0, 0]), np.array([1, 0]), np.array([0.9, 0.6], np.float32), 2, both=False)
    model = MappedWords(("des0w0", "des1w1"), ("ens0w0", "ens0w3"), near, 0.3, library.fingerprints)
    model.save(library.model_folder("mapped"), {}, {}, seed=1)
    asked = ("show", "related", library.folder, "--across")
    out = kakehashi(*asked, "des0w0", "des1w1", "zzz").out.splitlines()
    assert out == [
        "des0w0 (mapped): ens0w3 0.900  ens0w0 0.600",
        "des1w1 (mapped): not related to any word",
        "zzz (mapped): too rare for a vector",
    ]
    assert kakehashi(*asked, "des0w0", "--least", 0.7).out == "des0w0 (mapped): ens0w3 0.900\n"
    [row] = kakehashi(*asked, "des0w0", "-n", 1, "--json").json["words"]
    assert (row["kind"], [each["word"] for each in row["related"]]) == ("mapped", ["ens0w3"])
    assert "leave it out with --across" in kakehashi.refused(*asked, "des0w0", "--kind", "lsi")
