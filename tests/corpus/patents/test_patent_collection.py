"""From published files to a collection folder, and from there to a ranked list."""

import zipfile
from pathlib import Path

import pytest

from kakehashi.corpus.check import check
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.patents.patent_collection import Selection, import_patents
from kakehashi.corpus.patents.tally import Tally
from kakehashi.corpus.world.build import FIELDS as WORLD_FIELDS
from kakehashi.errors import FileError, InputError
from tests.cli.calling import CommandLine
from tests.corpus.patents.files import BYTES

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
YEARS = {"train": (2003, 2003), "dev": (2004, 2004), "test": (2005, 2005)}
TOPICS = {"hoe": "鍬", "lamp": "電灯", "boat": "船"}


def jpo(serial: int, year: int, topic: str) -> str:
    """A Japanese gazette; the application claims no priority, others claim its own."""
    return f"""{HEAD}<jp-official-gazette kind-of-st16="A" lang="ja" country="JP" xmlns:jp="http://www.jpo.go.jp">
<bibliographic-data><publication-reference><document-id><country>JP</country>
<doc-number>{year + 1}{serial:06d}</doc-number><kind>公開特許公報(A)</kind><date>{year + 1}1104</date></document-id>
</publication-reference><application-reference><document-id><doc-number>{year}{serial:06d}</doc-number>
<date>{year}0612</date></document-id></application-reference><invention-title>架空の{TOPICS[topic]}</invention-title>
<classification-ipc><main-clsf>A01B 33/08</main-clsf></classification-ipc></bibliographic-data>
<abstract><p>架空の{TOPICS[topic]}を提供する。</p></abstract></jp-official-gazette>
"""


def marec(ucid: str, topic: str, family: str = "", priority: str = "", citations: str = "") -> str:
    country, number, kind = ucid.split("-")
    return f"""{HEAD}<patent-document ucid="{ucid}" country="{country}" doc-number="{number}" kind="{kind}" lang="EN"
 family-id="{family}" date="20060105"><bibliographic-data>{priority}<technical-data>
<classifications-ipcr><classification-ipcr>A01B  33/08  20060101AFI</classification-ipcr></classifications-ipcr>
<invention-title lang="EN">Imaginary {topic}</invention-title>
<citations><patent-citations>{citations}</patent-citations></citations></technical-data>
<parties><inventors><inventor><addressbook><last-name>Muster</last-name><first-name>Anna</first-name><address>
<city>Neustadt</city><country>DE</country></address></addressbook></inventor></inventors></parties>
</bibliographic-data><abstract lang="EN"><p>An imaginary {topic} is provided.</p></abstract>
<claims lang="EN"><claim><claim-text>1. A {topic}.</claim-text></claim></claims></patent-document>
"""


def cited(ucid: str, source: str) -> str:
    return f'<patcit ucid="{ucid}"><sources><source name="{source}"/></sources></patcit>'


def claimed(number: str) -> str:
    id = f"<document-id><country>JP</country><doc-number>{number}</doc-number><date>20030612</date></document-id>"
    return f"<priority-claims><priority-claim>{id}</priority-claim></priority-claims>"


def files(folder: Path) -> list[Path]:
    """Three Japanese patents, what a second source knows of them in English, and patents in English."""
    with zipfile.ZipFile(folder / "jp.zip", "w") as archive:
        for serial, year, topic in ((1, 2003, "hoe"), (2, 2004, "lamp"), (3, 2005, "boat")):
            archive.writestr(f"{serial}.xml", jpo(serial, year, topic))
    known = [
        marec(
            "JP-2004000001-A", "hoe", citations=cited("US-7000002-B2", "SEA") + cited("US-7000003-A", "APP")
        ),
        marec("JP-2005000002-A", "lamp", citations=cited("EP-0000005-A", "SEA") + cited("GB-1-A", "OPP")),
        marec("JP-2006000003-A", "boat", family="77", citations=cited("US-9999999-B2", "SEA")),
    ]
    english = [
        marec("US-7000001-B2", "hoe", priority=claimed("2003-000001")),
        marec("US-7000002-B2", "hoe", family="66"),
        marec("CA-2000001-A1", "hoe", family="66"),
        marec("US-7000003-B1", "lamp"),
        marec("EP-0000005-A1", "lamp", citations=cited("US-7000003-B1", "SEA")),
        marec("US-7000006-B2", "boat", family="77"),
        marec("GB-1-A", "boat"),
        f"{HEAD}<patent-document><broken></patent-document>\n",
    ]
    (folder / "known.xml").write_text("".join(known))
    (folder / "english.xml").write_text("".join(english))
    return [folder / name for name in ("jp.zip", "known.xml", "english.xml")]


def built(folder: Path, **changes: object) -> tuple[Collection, Tally]:
    tally, out = Tally(), folder / "made"
    selection = Selection(**{"source": "ja", "target": "en", "years": YEARS, **changes})
    import_patents(files(folder), out, "tiny", selection, tally, force=True)
    assert check(out) == []
    return Collection(out), tally


def test_judgments_follow_families_and_citations(tmp_path: Path) -> None:
    collection, _ = built(tmp_path)
    assert collection.qrels("train") == {
        "JP-2004000001-A": {"US-7000001-B2": 3, "US-7000002-B2": 2, "CA-2000001-A1": 2, "US-7000003-B1": 1}
    }
    assert collection.qrels("dev") == {"JP-2005000002-A": {"EP-0000005-A1": 2}}
    assert collection.qrels("test") == {"JP-2006000003-A": {"US-7000006-B2": 3}}


def test_record_in_two_languages_is_a_query_its_original_and_a_document(tmp_path: Path) -> None:
    collection, _ = built(tmp_path)
    queries = {text.id: text for text in collection.queries()}
    originals = {text.id: text for text in collection.originals()}
    assert queries.keys() == originals.keys()
    one = queries["JP-2004000001-A"]
    assert (one.lang, one.title, one.text) == ("ja", "架空の鍬", "架空の鍬を提供する。")
    assert originals["JP-2004000001-A"].text == "An imaginary hoe is provided."
    documents = {text.id: text for text in collection.documents()}
    assert queries.keys() <= documents.keys()
    assert documents["JP-2004000001-A"].lang == "en"
    assert collection.info.exclude_self
    assert not any(query in judged for query, judged in collection.qrels("train").items())


def test_metadata_has_the_names_of_the_synthetic_world(tmp_path: Path) -> None:
    collection, _ = built(tmp_path)
    assert WORLD_FIELDS.items() <= dict(collection.info.fields).items()
    documents = {text.id: text.meta for text in collection.documents()}
    assert documents["CA-2000001-A1"] == {
        "ipc": ["A01B 33/08"], "inventors": ["Muster, Anna"], "country": ["DE"], "city": ["Neustadt"],
        "claims": 1, "publication": "2006-01-05", "family": "66", "office": "CA", "first_claim": "A hoe.",
    }  # fmt: skip
    [query] = [text for text in collection.queries() if text.id == "JP-2004000001-A"]
    assert query.meta["priority"] == query.meta["filing"] == "2003-06-12"
    assert query.meta["family"] == documents["US-7000001-B2"]["family"]


def test_links_stay_inside_the_collection(tmp_path: Path) -> None:
    collection, _ = built(tmp_path)
    assert sorted(collection.links()) == [
        ("EP-0000005-A1", "US-7000003-B1", "examiner"),
        ("JP-2004000001-A", "US-7000002-B2", "examiner"),
        ("JP-2004000001-A", "US-7000003-B1", "applicant"),
        ("JP-2005000002-A", "EP-0000005-A1", "examiner"),
        ("JP-2005000002-A", "GB-1-A", "other"),
    ]
    assert ("A01B 33/08", "A01B 33/00") in set(collection.classes())


def test_broken_records_are_counted_and_noted(tmp_path: Path) -> None:
    collection, tally = built(tmp_path)
    assert tally.faults.by_kind() == {"broken XML documents": 1}
    assert tally.records == {"jp-official-gazette": 3, "patent-document": 10}
    assert collection.info.made_with["broken XML documents"] == 1
    assert collection.info.made_with["records"] == 13


def test_citations_by_others_count_as_the_applicants_if_asked(tmp_path: Path) -> None:
    collection, _ = built(tmp_path, other_as_applicant=True)
    assert collection.qrels("dev") == {"JP-2005000002-A": {"EP-0000005-A1": 2, "GB-1-A": 1}}


def test_parts_of_texts_are_chosen(tmp_path: Path) -> None:
    collection, _ = built(tmp_path, document_text=["first-claim"], query_text=["title", "abstract"])
    assert {(text.title, text.text) for text in collection.documents()} == {
        ("", "A hoe."), ("", "A lamp."), ("", "A boat."),
    }  # fmt: skip


def test_offices_are_chosen(tmp_path: Path) -> None:
    collection, _ = built(tmp_path, document_offices=["US", "EP"], query_offices=["JP"])
    assert {text.meta["office"] for text in collection.documents()} == {"US", "EP"}


def test_patents_of_one_language_find_each_other_but_not_themselves(tmp_path: Path) -> None:
    years = {"train": (2006, 2006)}
    collection, _ = built(tmp_path, source="en", years=years, day="publication", query_offices=["EP"])
    assert collection.info.exclude_self
    assert collection.qrels("train") == {"EP-0000005-A1": {"US-7000003-B1": 1 + 1}}
    assert not collection.has("originals.jsonl")


def test_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    first = {path.name: path.read_bytes() for path in built(tmp_path)[0].folder.rglob("*.*")}
    assert first == {path.name: path.read_bytes() for path in built(tmp_path)[0].folder.rglob("*.*")}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"target": "fr"}, "no patent has title or abstract in fr"),
        ({"document_text": ["novel"]}, "'novel' is not a valid choice of text"),
        ({"years": {"train": (2003, 2005), "dev": (2005, 2006)}}, "share the year 2005"),
    ],
)
def test_emptiness_is_refused_and_leaves_nothing(
    changes: dict[str, object], words: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=words):
        built(tmp_path, **changes)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".xml") in ([], ["jp.zip"])


@pytest.mark.parametrize(
    ("changes", "words", "queries"),
    [
        ({"source": "de"}, "no patent has title or abstract in de, so there are no queries", 0),
        ({"years": {"train": (1950, 1951)}}, "without other --train", 3),
        ({"document_offices": ["GB"]}, "none of 3 queries cites one of 1 documents", 3),
    ],
)
def test_collection_without_judgments_is_written_with_a_note(
    changes: dict[str, object], words: str, queries: int, tmp_path: Path
) -> None:
    out = tmp_path / "made"
    selection = Selection(**{"source": "ja", "target": "en", "years": YEARS, **changes})  # type: ignore[arg-type]
    made = import_patents(files(tmp_path), out, "tiny", selection, Tally())
    assert words in made.note
    assert (made.queries, made.judgments) == (queries, {})
    collection = Collection(out)
    assert len(list(collection.queries()) if collection.has("queries.jsonl") else []) == queries
    assert not any("error" in str(fault) for fault in check(out))


def test_unjudged_queries_are_kept_beside_judged_ones(tmp_path: Path) -> None:
    collection, _ = built(tmp_path, years={"train": (2003, 2003)})
    assert len(list(collection.queries())) == 3
    assert collection.splits == ["train"]
    assert collection.info.made_with["queries without judgments"] == 2


def test_files_without_patents_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text("<toc/>")
    selection = Selection("ja", "en", YEARS)
    with pytest.raises(InputError, match="no patent was found; records are elements patent-document"):
        import_patents([tmp_path / "x.xml"], tmp_path / "made", "x", selection, Tally())
    with pytest.raises(FileError, match="does not exist"):
        import_patents([tmp_path / "y.xml"], tmp_path / "made", "x", selection, Tally())
    assert not (tmp_path / "made").exists()


@pytest.fixture
def kakehashi(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


def test_command_builds_checks_indexes_and_searches(tmp_path: Path, kakehashi: CommandLine) -> None:
    paths = [word for path in files(tmp_path) for word in ("--from", path)]
    years = ("--train", "2003", "--dev", "2004", "--test", "2005")
    report = tmp_path / "faults.txt"
    folder = tmp_path / "tiny"
    made = kakehashi("data", "get", "patents", folder, *paths, *years, "--faults", report)
    assert made.out == (
        f"{folder}: 10 documents, 3 queries, 4 judgments in train, 1 judgments in dev, 1 judgments in test; "
        "skipped: 1 broken XML documents; read: 3 jp-official-gazette, 10 patent-document\n"
    )
    assert "english.xml: byte" in made.err
    assert report.read_text() == made.err
    assert "0 errors, 0 warnings" in kakehashi("data", "check", folder).out
    kakehashi("index", folder)
    found = kakehashi("search", folder, "imaginary boat", "--system", "bm25", "--json").json
    assert {hit["id"] for hit in found["hits"][:3]} == {"JP-2006000003-A", "US-7000006-B2", "GB-1-A"}


def test_unjudged_query_and_document_are_searched_with_by_id(tmp_path: Path, kakehashi: CommandLine) -> None:
    paths = [word for path in files(tmp_path) for word in ("--from", path)]
    made = kakehashi("data", "get", "patents", tmp_path / "one", *paths, "--train", "1990")
    assert "10 documents, 3 queries, no judgments" in made.out
    assert "note: none of 3 queries is of these years" in made.err
    kakehashi("index", tmp_path / "one")
    by_document = kakehashi("search", tmp_path / "one", "--id", "GB-1-A", "--json").json
    assert {hit["id"] for hit in by_document["hits"][:2]} == {"JP-2006000003-A", "US-7000006-B2"}
    assert "GB-1-A" not in {hit["id"] for hit in by_document["hits"]}
    original = kakehashi(
        "search", tmp_path / "one", "--id", "JP-2006000003-A", "--system", "monolingual", "--json"
    )
    assert {hit["id"] for hit in original.json["hits"][:2]} == {"GB-1-A", "US-7000006-B2"}
    said = kakehashi.refused("search", tmp_path / "one", "--id", "XX-1")
    assert "has no query 'XX-1', nor is there such a document" in said
    queries, run = tmp_path / "one" / "queries.jsonl", tmp_path / "x.run"
    assert "3 queries" in kakehashi("rank", tmp_path / "one", "--queries", queries, "--out", run).out


def test_command_refuses_in_one_line(tmp_path: Path, kakehashi: CommandLine) -> None:
    said = kakehashi.refused("data", "get", "patents", tmp_path / "x", "--from", tmp_path / "none.xml")
    assert said == f"{tmp_path / 'none.xml'}: does not exist: give files, archives or folders of patents"
    said = kakehashi.refused("data", "get", "patents", tmp_path / "x", "--from", tmp_path, "--train", "soon")
    assert "'soon' is not a range of years" in said


def test_categories_of_a_search_report_are_a_level_and_are_kept(tmp_path: Path) -> None:
    citing = cited("US-7000002-B2", "SEA").replace("<source ", '<source category="X" ') + cited(
        "US-7000003-A", "SEA"
    )
    (tmp_path / "more.xml").write_text(marec("EP-0000009-A1", "hoe", citations=citing))
    selection = Selection(
        "en", "en", {"test": (2006, 2006)}, day="publication", query_offices=["EP"], categories=True
    )
    import_patents([*files(tmp_path), tmp_path / "more.xml"], tmp_path / "made", "x", selection, Tally())
    collection = Collection(tmp_path / "made")
    assert collection.qrels("test")["EP-0000009-A1"] == {
        "US-7000002-B2": 3,
        "CA-2000001-A1": 3,
        "US-7000003-B1": 2,
    }
    assert (collection.info.mate_level, collection.info.levels["4"]) == (4, "same patent family")
    assert ("EP-0000009-A1", "US-7000002-B2", "examiner X") in set(collection.links())


def test_columns_of_a_table_are_given_to_the_command(tmp_path: Path, kakehashi: CommandLine) -> None:
    (tmp_path / "report.csv").write_text("PN;Was\nEP0900080A1;Erfundene Hacke\n")
    words = ("data", "get", "patents", tmp_path / "made", "--from", tmp_path / "report.csv", "--target", "en")
    only_titles = ("--document-text", "title", "--map", "number=PN", "--map", "title=Was")
    assert "1 documents, 0 queries, no judgments" in kakehashi(*words, *only_titles).out
    assert "'colour' is not what a column can be" in kakehashi.refused(
        *words, "--force", "--map", "colour=PN"
    )
    assert "write NAME=TITLE" in kakehashi.refused(*words, "--force", "--map", "title")


def test_chinese_documents_are_found_by_pairs_of_characters(tmp_path: Path, kakehashi: CommandLine) -> None:
    (tmp_path / "a.xml").write_bytes(BYTES["cn"])
    (tmp_path / "b.xml").write_bytes(BYTES["cn-new"])
    paths = ("--from", tmp_path / "a.xml", "--from", tmp_path / "b.xml")
    kakehashi("data", "get", "patents", tmp_path / "made", *paths, "--source", "en", "--target", "zh")
    kakehashi("index", tmp_path / "made")
    hits = kakehashi("search", tmp_path / "made", "带柄的锄头", "--lang", "zh", "--json").json["hits"]
    assert [hit["id"] for hit in hits] == ["CN-190000001-A"]
