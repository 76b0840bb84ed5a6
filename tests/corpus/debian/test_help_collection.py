import hashlib
from pathlib import Path

import pytest

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.debian.help_collection import HelpCollection, align, relevant
from kakehashi.corpus.debian.help_page import Page
from kakehashi.corpus.debian.splits import split_of


def long(name: str) -> str:
    return f"These twelve words or more make page {name} worth finding at all."


def names_in(split: str, count: int) -> list[str]:
    """Ids that fall into the split; found by trying, so that the test does not repeat the rule."""
    return [name for name in (f"slamp/p{n}" for n in range(1000)) if split_of(name) == split][:count]


def english(name: str, *links: str, extra: str = "") -> Page:
    blocks = (
        ("h", f"Title {name}"),
        ("p1", long(name)),
        ("p2", f"Second of {name}."),
        ("p3", "code()"),
    )
    return Page(name, f"Title {name}", blocks + ((("p4", extra),) if extra else ()), links)


def german(name: str, extra: str = "") -> Page:
    blocks = (
        ("h", f"Titel {name}"),
        ("p1", f"Ein ganzer Satz von {name}"),
        ("p2", f"Zweiter, {name}."),
        ("p3", "code()"),
    )
    return Page(name, f"Titel {name}", blocks + ((("p4", extra),) if extra else ()), ())


def test_links_in_both_directions_rank_above_links_in_one() -> None:
    pages = {"a": english("a", "b", "c"), "b": english("b", "a"), "c": english("c", "gone")}
    assert relevant(pages) == {"a": {"b": 2, "c": 1}, "b": {"a": 2}, "c": {}}


def test_blocks_meet_by_id_and_untranslated_ones_are_left_out() -> None:
    here = Page("a", "T", (("x", "eins"), ("y", "Same words"), ("z", "ohne Gegenstück"), ("w", "drei")), ())
    there = Page("a", "T", (("w", "three"), ("x", "one"), ("y", "same  words!")), ())
    aligned = align(here, there)
    assert aligned.blocks == (("eins", "one"), ("drei", "three"))
    assert aligned.untranslated == pytest.approx(len("Same words") / len("einsSame wordsohne Gegenstückdrei"))
    assert aligned.pairs == aligned.blocks


def test_a_block_that_repeats_meets_its_like_in_order() -> None:
    here = Page("a", "T", (("x", "eins"), ("x", "zwei")), ())
    there = Page("a", "T", (("x", "one"), ("x", "two")), ())
    assert align(here, there).blocks == (("eins", "one"), ("zwei", "two"))


def test_mostly_untranslated_pages_are_documents_but_no_queries() -> None:
    page = english("a")
    half = Page("a", "Titel a", (*page.blocks[:2], ("p2", "Zweiter.")), ())
    collection = HelpCollection("de", {"a": page}, {"a": half}, {})
    assert list(collection.documents) == ["a"]
    assert collection.queries == []


def test_stubs_are_no_documents() -> None:
    stub = Page("a", "T", (("p", "See elsewhere."),), ())
    assert list(HelpCollection("de", {"a": stub, "b": english("b")}, {}, {}).documents) == ["b"]


def test_the_folder_holds_queries_originals_judgments_and_classes(tmp_path: Path) -> None:
    (a, b), (c,) = names_in("train", 2), names_in("test", 1)
    pages = {a: english(a, b), b: english(b, a, c), c: english(c, a)}
    made = HelpCollection("de", pages, {name: german(name) for name in (a, c)}, {a: ["Lamps > Bulbs"]})
    made.write(tmp_path / "out", {"packages": "none"})
    read = Collection(tmp_path / "out")
    assert [document.id for document in read.documents()] == [a, b, c]
    assert [query.id for query in read.queries()] == [f"de/{a}", f"de/{c}"]
    query, original = next(read.queries()), next(read.originals())
    assert (query.title, query.text) == (f"Titel {a}", f"Ein ganzer Satz von {a}\nZweiter, {a}.")
    assert (original.title, original.text) == (f"Title {a}", f"{long(a)}\nSecond of {a}.")
    assert read.qrels("train") == {f"de/{a}": {a: 3, b: 2}}
    assert read.qrels("test") == {f"de/{c}": {c: 3, a: 1}}
    assert query.meta == {"module": "slamp", "directory": "slamp", "contents": ["Lamps > Bulbs"], "links": 1}
    assert list(read.classes()) == [("Lamps > Bulbs", "Lamps")]
    assert set(read.links()) == {(a, b, "mutual"), (b, a, "mutual"), (b, c, "link")}


def test_short_queries_are_title_and_first_two_blocks(tmp_path: Path) -> None:
    (a,) = names_in("dev", 1)
    pages = {a: english(a, extra="Third of all.")}, {a: german(a, extra="Dritter von allen.")}
    HelpCollection("de", *pages, {}, short=True).write(tmp_path / "out", {})
    query = next(Collection(tmp_path / "out").queries())
    original = next(Collection(tmp_path / "out").originals())
    assert query.text.count("\n") == original.text.count("\n") == 1
    assert "Dritter" not in query.text


def test_no_parallel_sentence_occurs_in_dev_or_test() -> None:
    (a,), (c,) = names_in("train", 1), names_in("test", 1)
    shared = "Dieser Satz steht auf beiden Seiten genau so. Und dieser nur hier allein."
    here = {a: german(a, extra=shared), c: german(c, extra="Dieser Satz steht auf beiden Seiten genau so.")}
    there = {a: english(a, extra="Unique to the page."), c: english(c, extra="Told in other words.")}
    made = HelpCollection("de", there, here, {})
    sources = {source for source, _ in made.parallel}
    assert sources == {f"Titel {a}", f"Ein ganzer Satz von {a}", f"Zweiter, {a}."}
    assert made.counts["pairs dropped (in dev or test)"] == 5  # four of the test page, one that it shares


def test_pages_that_are_no_query_still_give_parallel_text() -> None:
    (c,) = names_in("test", 1)
    untranslated = Page(c, f"Titel {c}", (*english(c).blocks[:2], ("p2", "Zweiter von vielen.")), ())
    made = HelpCollection("de", {c: english(c)}, {c: untranslated}, {})
    assert made.queries == []
    assert ("Zweiter von vielen.", f"Second of {c}.") in made.parallel


def test_same_pages_give_the_same_bytes(tmp_path: Path) -> None:
    (a, b), digests = names_in("train", 2), set()
    for folder in ("one", "two"):
        pages = {a: english(a, b), b: english(b, a)}
        HelpCollection("de", pages, {a: german(a), b: german(b)}, {}).write(tmp_path / folder, {})
        files = sorted(path for path in (tmp_path / folder).rglob("*") if path.is_file())
        digests.add(hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest())
    assert len(digests) == 1
