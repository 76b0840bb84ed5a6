"""Metadata of Wikipedia articles: from dumps into a collection, and from there into features."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.corpus.check import examine
from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.wikipedia.categories import Ids
from kakehashi.corpus.wikipedia.enriching import enrich
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import FileError, InputError
from kakehashi.features.sets import features_of, made_for
from kakehashi.features.table import FeatureTable
from kakehashi.library import Library
from kakehashi.types import Text
from tests.cli.calling import CommandLine
from tests.corpus.wikipedia.dumps import write_table

CATEGORY = 14


@pytest.fixture
def kakehashi(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


WEB = "https://example.org/a"


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    """Four German articles, four English ones; 11 is the mate of 1 and so on."""
    info = CollectionInfo("wiki", "de", "en", levels={"3": "mate", "2": "linked"}, mate_level=3)
    with CollectionWriter(tmp_path / "plain", info) as writer:
        for number in range(1, 5):
            writer.query(Text(str(number), "de", f"Wort{number} eins"))
            writer.document(Text(str(10 + number), "en", f"word{number} one two"))
        for split, queries in (("train", (1, 2)), ("dev", (3,)), ("test", (4,))):
            writer.qrels(split, {str(n): {str(10 + n): 3} for n in queries})
    return tmp_path / "plain"


def write_dumps(folder: Path, new: bool) -> tuple[Path, Path]:
    """Physics is below Science; German names differ, and one category has no English name."""
    de, en = folder / "de", folder / "en"
    write_table(
        de, "page",
        [(n, 0, f"Artikel_{n}", 0) for n in range(1, 4)]
        + [(100, CATEGORY, "Physik", 0), (101, CATEGORY, "Nur_deutsch", 0), (5, 1, "Diskussion", 0)],
    )  # fmt: skip
    write_table(
        en, "page",
        [(n, 0, f"Article_{n}", 0) for n in range(11, 15)]
        + [(200, CATEGORY, "Physics", 0), (201, CATEGORY, "Natural_science", 0)],
    )  # fmt: skip
    write_table(
        de,
        "langlinks",
        [(100, "en", "Category:Physics"), (100, "fr", "Catégorie:Physique"), (1, "en", "Article 11")],
    )
    own = {"Physik": 1, "Nur_deutsch": 2, "Apfel.jpg": 3, "Physics": 4, "Natural_science": 5}
    german = [(1, "Physik", "page"), (1, "Nur_deutsch", "page"), (2, "Nur_deutsch", "page")]
    german.append((100, "Nur_deutsch", "subcat"))
    english = [(11, "Physics", "page"), (12, "Natural_science", "page"), (200, "Natural_science", "subcat")]
    for wiki, links in ((de, german), (en, english)):
        page = 1 if wiki == de else 11
        if new:
            write_table(
                wiki, "linktarget", [(n, 6 if "." in name else CATEGORY, name) for name, n in own.items()]
            )
            write_table(wiki, "categorylinks", [(n, "", kind, own[name]) for n, name, kind in links], new)
            write_table(wiki, "imagelinks", [(page, own["Apfel.jpg"])], new)
            write_table(wiki, "externallinks", [(1, page, "https://example.org", "/a")], new)
        else:
            write_table(wiki, "categorylinks", [(n, name, "", kind) for n, name, kind in links])
            write_table(wiki, "imagelinks", [(page, "Apfel.jpg")])
            write_table(wiki, "externallinks", [(1, page, WEB)])
        write_table(wiki, "pagelinks", [(page, 0, "A"), (page, 0, "B"), (999, 0, "C")])
    return de, en


@pytest.mark.parametrize("new", [False, True], ids=["dumps until 2023", "dumps since"])
def test_texts_get_what_the_dumps_know(new: bool, articles: Path, tmp_path: Path) -> None:
    de, en = write_dumps(tmp_path, new)
    told = enrich(articles, tmp_path / "rich", de, en)
    collection = Collection(tmp_path / "rich")
    queries = {text.id: text.meta for text in collection.queries()}
    documents = {text.id: text.meta for text in collection.documents()}
    assert queries["1"] == {
        "categories": ["Physics"], "images": ["Apfel.jpg"], "links": [WEB], "n_images": 1, "n_links": 3,
    }  # fmt: skip
    assert queries["2"]["categories"] == []  # its only category has no English name
    assert queries["4"] == {}  # the dump does not know it
    assert documents["11"]["categories"] == ["Physics"]
    assert documents["13"]["categories"] == []
    assert list(collection.classes()) == [("Physics", "Natural science")]
    assert collection.qrels("train") == Collection(articles).qrels("train")
    assert (told.known_queries, told.known_documents, told.translated, told.categories) == (3, 4, 1, 2)
    assert examine(tmp_path / "rich").errors == 0


def test_category_score_counts_translated_categories_and_the_graph(articles: Path, tmp_path: Path) -> None:
    """S = {Physics}: 1 for a document with just this, 0 for others; one step up, Natural science is shared."""
    enrich(articles, tmp_path / "rich", *write_dumps(tmp_path, new=False))
    library = Library(tmp_path / "rich")
    library.update_index()
    assert made_for(library.index.fields) == "encyclopedia"
    kinds = features_of("encyclopedia", library).kinds
    table = FeatureTable(library, kinds, np.zeros(len(library.index.numbering)))
    query = next(text for text in library.collection.queries() if text.id == "1")
    rows, common = table.rows(query)
    of = {
        name: dict(zip(library.index.numbering.ids, row.tolist(), strict=True))
        for name, row in zip(table.names, rows, strict=True)
    }
    assert common
    assert of["categories overlap"]["11"] == 1.0
    assert of["categories overlap"]["12"] == 0.0
    assert of["categories -1"]["12"] == pytest.approx(
        0.5 * (1 / 1 + 1 / 2)
    )  # T: Natural science and what is below
    assert of["common images 1"]["11"] == 1.0
    assert of["common links 1"]["11"] == 1.0
    assert of["n_links ratio"]["11"] == 1.0


def test_knowledge_learns_from_them(tmp_path: Path) -> None:
    """Twelve articles whose categories alone tell which belong together."""
    numbers, de, en = range(1, 13), tmp_path / "de", tmp_path / "en"
    info = CollectionInfo("wiki", "de", "en", levels={"3": "mate"}, mate_level=3)
    with CollectionWriter(tmp_path / "plain", info) as writer:
        for n in numbers:
            writer.query(Text(str(n), "de", "Wort"))
            writer.document(Text(str(100 + n), "en", "word"))
        writer.qrels("train", {str(n): {str(100 + n): 3} for n in numbers})
    for wiki, first, word in ((de, 0, "Kategorie"), (en, 100, "Category")):
        pages = [(first + n, 0, f"A{n}", 0) for n in numbers]
        write_table(wiki, "page", pages + [(1000 + n, CATEGORY, f"{word}_{n}", 0) for n in numbers])
        write_table(wiki, "categorylinks", [(first + n, f"{word}_{n}", "", "page") for n in numbers])
    write_table(de, "langlinks", [(1000 + n, "en", f"Category:Category {n}") for n in numbers])
    enrich(tmp_path / "plain", tmp_path / "rich", de, en)
    library = Library(tmp_path / "rich")
    library.update_index()
    library.train("knowledge", {"features": "encyclopedia", "split": "train", "folds": 3})
    rankings = library.rank("knowledge", "train").rankings
    assert {query: ranking.docs[0] for query, ranking in rankings.items()} == {
        str(n): str(100 + n) for n in numbers
    }


@pytest.mark.parametrize("ids", ["page", "title"])
def test_ids_that_no_article_has_are_refused_with_the_other_choice(
    ids: Ids, articles: Path, tmp_path: Path
) -> None:
    de, en = write_dumps(tmp_path, new=False)
    if ids == "page":
        write_table(de, "page", [(77, 0, "1", 0)])
    with pytest.raises(InputError, match=rf"no article has the {ids} id of a text.*try --ids"):
        enrich(articles, tmp_path / "rich", de, en, ids)
    assert not (tmp_path / "rich").exists()


def test_missing_table_is_named(articles: Path, tmp_path: Path) -> None:
    de, en = write_dumps(tmp_path, new=False)
    (de / "xxwiki-20240101-langlinks.sql.gz").unlink()
    with pytest.raises(FileError, match=r"langlinks\.sql\.gz: is missing: download this table's dump"):
        enrich(articles, tmp_path / "rich", de, en)


def test_command_says_what_was_found(kakehashi: CommandLine, articles: Path, tmp_path: Path) -> None:
    de, en = write_dumps(tmp_path, new=False)
    words = [
        "data",
        "get",
        "wikipedia-metadata",
        tmp_path / "rich",
        "--from",
        articles,
        "--queries",
        de,
        "--documents",
        en,
    ]
    assert (
        "4 of 4 documents and 3 of 4 queries found; 1 of 2 query categories translated; 1 edges"
        in kakehashi(*words).out
    )
