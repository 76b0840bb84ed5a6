"""The large set of Wikipedia articles with English queries, and categories from SQL dumps, in files written here."""

from pathlib import Path

import pytest

from kakehashi.corpus.check import check
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.wikipedia.collection import BothDumps, import_wikipedia
from kakehashi.errors import FileError, InputError
from tests.cli.calling import CommandLine
from tests.corpus.wikipedia.dumps import write_table

QUERIES = {str(100 + i): f"sentence {i} about a subject" for i in range(60)}
CATEGORY = 14


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """As unpacked: a folder for each language."""
    folder = tmp_path / "wiki-clir"
    rows = "".join(f"{id}\tTitle {id}\t{text}\n" for id, text in QUERIES.items())
    put(folder / "english" / "wiki_en.queries", rows + "999\tNever\tjudged by nobody\n")
    put(
        folder / "german" / "wiki_de.documents",
        "".join(f"{i}\tArtikel {i}\tText\tvon {i}\n" for i in range(70)),
    )
    judged = "".join(f"{100 + i}\t{i}\t2\n{100 + i}\t{i + 1}\t1\n" for i in range(60))
    put(folder / "german" / "en2de.rel", judged)
    return folder


def write_dumps(folder: Path, new: bool) -> BothDumps:
    """Wave optics is below Physics, Optik below Physik; one German category holds quotes."""
    both = BothDumps(folder / "en", folder / "de")
    english = [(100, 0, "Article", 0), (101, 0, "Other", 0)]
    write_table(
        both.queries, "page", [*english, (900, CATEGORY, "Physics", 0), (901, CATEGORY, "Wave_optics", 0)]
    )
    write_table(
        both.documents, "page", [(0, 0, "A", 0), (1, 0, "B", 0), (500, CATEGORY, "Optik", 0)], packed=False
    )
    links = [(900, "de", "Kategorie:Physik"), (901, "de", "Kategorie:Optik"), (100, "de", "Artikel")]
    write_table(both.queries, "langlinks", [*links, (901, "fr", "Catégorie:Optique")])
    asked = [(100, "Wave_optics", "page"), (101, "Physics", "page"), (901, "Physics", "subcat")]
    asked.append((77, "Physics", "file"))
    answered = [(0, "Optik", "page"), (1, "Rock_'n'_Roll", "page"), (500, "Physik", "subcat")]
    for wiki, rows in ((both.queries, asked), (both.documents, answered)):
        numbers = {name: i for i, name in enumerate(dict.fromkeys(name for _, name, _ in rows))}
        if new:
            write_table(wiki, "linktarget", [(number, CATEGORY, name) for name, number in numbers.items()])
            write_table(wiki, "categorylinks", [(n, "", kind, numbers[name]) for n, name, kind in rows], new)
        else:
            write_table(wiki, "categorylinks", [(n, name, "", kind) for n, name, kind in rows])
    return both


def test_levels_and_texts_are_those_of_the_files(published: Path, tmp_path: Path) -> None:
    made = import_wikipedia(published, tmp_path / "c", "de")
    collection = Collection(tmp_path / "c")
    assert check(tmp_path / "c") == []
    assert (made.documents, made.queries) == (70, 60)
    assert collection.info.mate_level == 2
    qrels = {query: own for split in collection.splits for query, own in collection.qrels(split).items()}
    assert qrels == {str(100 + i): {str(i): 2, str(i + 1): 1} for i in range(60)}
    queries = {text.id: text for text in collection.queries()}
    assert {id: text.text for id, text in queries.items()} == QUERIES
    assert {text.title for text in queries.values()} == {""}  # it would give the mate away
    document = next(collection.documents())
    assert (document.lang, document.title, document.text) == ("de", "Artikel 0", "Text\tvon 0")


def test_queries_are_dealt_seven_to_one_to_one_and_always_alike(published: Path, tmp_path: Path) -> None:
    splits = []
    for name in ("a", "b"):
        import_wikipedia(published, tmp_path / name, "de")
        made = Collection(tmp_path / name)
        splits.append({split: {*made.qrels(split)} for split in made.splits})
    assert splits[0] == splits[1]
    sizes = {split: len(queries) for split, queries in splits[0].items()}
    assert sum(sizes.values()) == len(QUERIES)
    assert sizes["train"] > 3 * max(sizes["dev"], sizes["test"])


@pytest.mark.parametrize("new", [False, True], ids=["dumps until 2023", "dumps since"])
def test_categories_their_graphs_and_their_links_come_from_the_dumps(
    new: bool, published: Path, tmp_path: Path
) -> None:
    import_wikipedia(published, tmp_path / "c", "de", write_dumps(tmp_path / "dumps", new))
    collection = Collection(tmp_path / "c")
    assert check(tmp_path / "c") == []
    assert collection.info.fields == {"categories": "keyword"}
    queries = {text.id: text.meta for text in collection.queries()}
    documents = {text.id: text.meta for text in collection.documents()}
    assert queries["100"] == {"categories": ["en:Wave optics"]}
    assert queries["101"] == {"categories": ["en:Physics"]}
    assert queries["102"] == {}
    assert documents["0"] == {"categories": ["de:Optik"]}
    assert documents["1"] == {"categories": ["de:Rock 'n' Roll"]}
    assert [*collection.classes()] == [("en:Wave optics", "en:Physics"), ("de:Optik", "de:Physik")]
    assert [*collection.class_links()] == [("en:Physics", "de:Physik"), ("en:Wave optics", "de:Optik")]


def test_what_is_missing_is_named(published: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"en2fr\.rel: is missing: unpack the published archive here"):
        import_wikipedia(published, tmp_path / "c", "fr")
    both = write_dumps(tmp_path / "dumps", new=False)
    with pytest.raises(InputError, match=r"no article has the page id .* Wikipedia of their language\?$"):
        import_wikipedia(published, tmp_path / "c", "de", BothDumps(both.documents, both.queries))
    (both.documents / "xxwiki-20240101-page.sql").unlink()
    with pytest.raises(FileError, match=r"page\.sql\.gz: is missing: download this table's dump"):
        import_wikipedia(published, tmp_path / "c", "de", both)
    assert not (tmp_path / "c").exists()


def test_command_wants_the_dumps_of_both_wikipedias(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kakehashi = CommandLine(monkeypatch, capsys)
    both = write_dumps(tmp_path / "dumps", new=False)
    words = ["data", "get", "wikipedia", tmp_path / "c", "--from", published, "--target-language", "de"]
    assert "give --queries and --documents" in kakehashi.refused(*words, "--queries", both.queries)
    assert "70 documents" in kakehashi(*words, "--queries", both.queries, "--documents", both.documents).out
    assert Collection(tmp_path / "c").info.fields == {"categories": "keyword"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "english/wiki_en.queries",
            "100 only one column\n",
            "wiki_en.queries:1: has 1 tab-separated columns",
        ),
        ("german/en2de.rel", "100\t0\n", "en2de.rel:1: has 2 columns, needs 3"),
        ("german/en2de.rel", "100\t0\thigh\n", "en2de.rel:1: level 'high' is not a whole number"),
    ],
)
def test_broken_lines_are_named(
    published: Path, tmp_path: Path, name: str, content: str, message: str
) -> None:
    put(published / name, content)
    with pytest.raises(FileError, match=message):
        import_wikipedia(published, tmp_path / "c", "de")
