"""The large set of Wikipedia articles with English queries, and categories from SQL dumps, in files written here."""

import gzip
from pathlib import Path

import pytest

from kakehashi.corpus.check import check
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.wikipedia.categories import read_categories
from kakehashi.corpus.wikipedia.collection import import_wikipedia
from kakehashi.corpus.wikipedia.sql_dump import read_table
from kakehashi.errors import FileError

QUERIES = {str(100 + i): f"sentence {i} about a subject" for i in range(60)}
PAGE = """-- MariaDB dump
CREATE TABLE `page` (
  `page_id` int(8) unsigned NOT NULL AUTO_INCREMENT,
  `page_namespace` int(11) NOT NULL DEFAULT 0,
  `page_title` varbinary(255) NOT NULL DEFAULT '',
  `page_random` double unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (`page_id`)
);
INSERT INTO `page` VALUES {rows};
"""
LINKS = """CREATE TABLE `categorylinks` (
  `cl_from` int(8) unsigned NOT NULL DEFAULT 0,
  `cl_to` varbinary(255) NOT NULL DEFAULT '',
  `cl_sortkey` varbinary(230) NOT NULL DEFAULT '',
  `cl_timestamp` timestamp NOT NULL,
  `cl_type` enum('page','subcat','file') NOT NULL DEFAULT 'page'
);
{inserts}
"""
LANGLINKS = """CREATE TABLE `langlinks` (
  `ll_from` int(8) unsigned NOT NULL DEFAULT 0,
  `ll_lang` varbinary(35) NOT NULL DEFAULT '',
  `ll_title` varbinary(255) NOT NULL DEFAULT ''
);
INSERT INTO `langlinks` VALUES (900,'de','Kategorie:Physik'),(901,'de','Kategorie:Optik'),(100,'de','Artikel');
INSERT INTO `langlinks` VALUES (901,'fr','Catégorie:Optique');
"""


def link(page: int, category: str, kind: str, sortkey: str = "A") -> str:
    return f"({page},'{category}','{sortkey}','2019-01-01 00:00:00','{kind}')"


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
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


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    folder = tmp_path / "dumps"
    english = "(900,14,'Physics',0.5),(901,14,'Wave_optics',0.25),(100,0,'Article',0.1)"
    put(folder / "enwiki-20190101-page.sql.gz", PAGE.format(rows=english))
    in_english = [link(100, "Wave_optics", "page", "it\\'s (a), \\\\key"), link(101, "Physics", "page"),
                  link(901, "Physics", "subcat"), link(77, "Physics", "file")]  # fmt: skip
    inserts = "\n".join(f"INSERT INTO `categorylinks` VALUES {row};" for row in in_english)
    put(folder / "enwiki-20190101-categorylinks.sql.gz", LINKS.format(inserts=inserts))
    put(folder / "enwiki-20190101-langlinks.sql.gz", LANGLINKS)
    put(folder / "dewiki-20190101-page.sql", PAGE.format(rows="(500,14,'Optik',0.5)"))
    in_german = [
        link(0, "Optik", "page"),
        link(1, "Rock_\\'n\\'_Roll", "page"),
        link(500, "Physik", "subcat"),
    ]
    inserts = f"INSERT INTO `categorylinks` VALUES {','.join(in_german)};"
    put(folder / "dewiki-20190101-categorylinks.sql", LINKS.format(inserts=inserts))
    return folder


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


def test_categories_their_graphs_and_their_links_come_from_the_dumps(
    published: Path, dumps: Path, tmp_path: Path
) -> None:
    import_wikipedia(published, tmp_path / "c", "de", dumps)
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


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    dump = PAGE.replace("  `page_id`", "  `page_extra` int(1),\n  `page_id`")
    put(tmp_path / "p.sql", dump.format(rows="(NULL,7,14,'A,b(c)\\n',0.5),(1,8,0,'',1e-05)"))
    assert [*read_table(tmp_path / "p.sql", ("page_title", "page_id"))] == [("A,b(c)\n", "7"), ("", "8")]
    with pytest.raises(
        FileError, match=r"p\.sql:10: has no column cl_to: use a dump of the table that has it"
    ):
        list(read_table(tmp_path / "p.sql", ("cl_to",)))


@pytest.mark.parametrize("rows", ["(7,14,'Physics',0.5", "(7,14,'Phys", "(7,14,'Physics')"])
def test_a_dump_that_is_cut_off_is_refused(tmp_path: Path, rows: str) -> None:
    put(tmp_path / "p.sql", PAGE.format(rows=rows).replace(";\n", "\n"))
    with pytest.raises(FileError, match="is cut off, or has a row without 4 values"):
        list(read_table(tmp_path / "p.sql", ("page_title",)))


def test_what_is_missing_is_named(published: Path, dumps: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"en2fr\.rel: is missing: unpack the published archive here"):
        import_wikipedia(published, tmp_path / "c", "fr")
    (dumps / "dewiki-20190101-page.sql").unlink()
    with pytest.raises(FileError, match=r"dewiki-DATE-page\.sql\.gz: is missing: download this dump"):
        read_categories(dumps, "de", set())
    assert not (tmp_path / "c").exists()


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
