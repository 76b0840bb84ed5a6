from pathlib import Path

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.debian.packages_collection import PackagesCollection
from kakehashi.corpus.debian.packages_index import Binary
from kakehashi.corpus.debian.splits import split_of

FILLER = "gives a warm and steady light to every room of the house"


def name_in(split: str, skip: int = 0) -> str:
    return [name for name in (f"glow{'x' * n}" for n in range(200)) if split_of(name) == split][skip]


TRAIN, OTHER, TEST = name_in("train"), name_in("train", 1), name_in("test")


def binary(name: str, source: str, **fields: str) -> Binary:
    return Binary(name, source, "1", "Lamp Team", "light", ("use::light",), name, f"md5-{name}", fields)


BINARIES = {
    entry.name: entry
    for entry in (
        binary(TRAIN, TRAIN, Depends=OTHER),
        binary(f"{TRAIN}-data", TRAIN),
        binary(OTHER, OTHER, Suggests=TEST),
        binary(TEST, TEST, Recommends=f"{TRAIN}, {OTHER}"),
        binary("tiny", "tiny"),
    )
}
ENGLISH = {
    f"md5-{TRAIN}": f"lamp\n {TRAIN.title()} {FILLER}, first.\n .\n Shared words stand here in both.",
    f"md5-{TRAIN}-data": f"lamp (data)\n {TRAIN.title()} {FILLER}, first.\n .\n Only data.",
    f"md5-{OTHER}": f"candle\n It {FILLER}, second.",
    f"md5-{TEST}": f"torch\n It {FILLER}, third.\n .\n Shared words stand here in both.",
    "md5-tiny": "tiny thing",
}
GERMAN = {
    f"md5-{TRAIN}": f"Lampe\n {TRAIN.title()} leuchtet warm.\n .\n Geteilte Worte.",
    f"md5-{TEST}": "Fackel\n Sie leuchtet lange.\n .\n Shared words stand here in both.",
}


def made(masked: bool = True) -> PackagesCollection:
    return PackagesCollection("de", BINARIES, ENGLISH, GERMAN, masked)


def test_binaries_of_one_source_are_one_document_and_repeat_nothing() -> None:
    source = made().sources[TRAIN]
    assert source.title == "lamp"
    assert source.passages == (
        f"… {FILLER}, first.",
        "Shared words stand here in both.",
        "lamp (data)",
        "Only data.",
    )


def test_sources_that_say_next_to_nothing_are_no_documents() -> None:
    assert list(made().sources) == sorted([TRAIN, OTHER, TEST])


def test_unmasked_texts_keep_their_names() -> None:
    assert made(masked=False).sources[TRAIN].passages[0] == f"{TRAIN.title()} {FILLER}, first."


def test_a_query_leaves_out_what_is_not_translated() -> None:
    query = made().queries[TEST]
    assert query.titles == ("Fackel", "torch")
    assert query.passages == ("Sie leuchtet lange.",)


def test_the_original_is_the_english_of_the_translated_binaries_only() -> None:
    assert made().queries[TRAIN].originals == (f"… {FILLER}, first.", "Shared words stand here in both.")


def test_parallel_text_shares_no_side_with_dev_or_test() -> None:
    collection = made()
    assert ("Geteilte Worte.", "Shared words stand here in both.") in collection.queries[TRAIN].pairs
    assert collection.parallel == [("Lampe", "lamp"), ("… leuchtet warm.", f"… {FILLER}, first.")]
    assert (
        collection.counts["pairs dropped (in dev or test)"] == 3
    )  # two of the test package, one that it shares


def test_the_folder_holds_levels_links_and_classes(tmp_path: Path) -> None:
    made().write(tmp_path / "out", {})
    read = Collection(tmp_path / "out")
    assert read.qrels("train") == {f"de/{TRAIN}": {TRAIN: 3, OTHER: 1}}
    assert read.qrels("test") == {f"de/{TEST}": {TEST: 3, TRAIN: 1, OTHER: 2}}
    assert set(read.links()) == {(TRAIN, OTHER, "depends"), (OTHER, TEST, "suggests")}
    assert list(read.classes()) == [("use::light", "use")]
    query = next(text for text in read.queries() if text.id == f"de/{TEST}")
    assert query.meta == {"section": ["light"], "tags": ["use::light"], "maintainer": "Lamp Team", "links": 2}
    assert [text.id for text in read.originals()] == [text.id for text in read.queries()]
