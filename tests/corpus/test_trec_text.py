"""TREC topics and documents."""

from pathlib import Path

import pytest
from hypothesis import given

from kakehashi.corpus.check import check
from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.trec_collection import export_trec, import_trec
from kakehashi.corpus.trec_text import (
    escape,
    read_documents,
    read_topics,
    unescape,
    write_documents,
    write_topics,
)
from kakehashi.errors import FileError
from kakehashi.types import Text
from tests.corpus.strategies import bodies, few, text_lists
from tests.toy import QRELS, toy_collection

CLASSIC = """
<top>

<num> Number: 301
<title> Batteries & lamps

<desc> Description:
What is known of
batteries?

<narr> Narrative:
Only lamps count.
</top>

<top>
<num> Number: 302
<title> Topic: Pumps
<desc> Description:
Which pumps?
</top>
"""
CLEF = """<topics><top lang="de"><num>C041</num><DE-title>Pestizide in Babynahrung</DE-title>
<DE-desc>Finde &lt;alle&gt; Berichte.</DE-desc></top></topics>"""
DOCUMENTS = """<DOC>
<DOCNO> FT-1 </DOCNO>
<HEADLINE>Pumps</HEADLINE>
<DATE>today</DATE>
<TEXT>
<P>Fuel &amp; pumps.</P>
More.
</TEXT>
</DOC>
<doc><docno>FT-2</docno>No text tag here</doc><doc><docno>FT-3</docno><text>a</text><text>b</text></doc>
"""


def written(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def test_classic_topics_lose_labels_and_need_no_closing_tags(tmp_path: Path) -> None:
    path = written(tmp_path / "t", CLASSIC)
    assert read_topics(path, "en") == [
        Text("301", "en", "What is known of\nbatteries?", "Batteries & lamps"),
        Text("302", "en", "Which pumps?", "Pumps"),
    ]
    assert read_topics(path, "en", ("narr",))[0] == Text("301", "en", "Only lamps count.")


def test_clef_topics_with_a_language_in_their_tags(tmp_path: Path) -> None:
    found = read_topics(written(tmp_path / "t", CLEF), "de")
    assert found == [Text("C041", "de", "Finde <alle> Berichte.", "Pestizide in Babynahrung")]


def test_topics_as_lines_of_id_and_text(tmp_path: Path) -> None:
    assert read_topics(written(tmp_path / "t", "1\tfuel\n2\tpumps\n"), "en") == [
        Text("1", "en", "fuel"),
        Text("2", "en", "pumps"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<top><title>x</top>", "t:1: the topic ending here has no number"),
        ("<top>\n<num>1\n<title>x", "ends within a topic"),
        ("<nothing>", "contains no topics"),
        ("", "contains no topics"),
        ("1 fuel\n", "t:1: has no tab"),
    ],
)
def test_bad_topics_are_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        read_topics(written(tmp_path / "t", content), "en")


def test_documents_with_headline_nested_tags_and_several_on_a_line(tmp_path: Path) -> None:
    assert list(read_documents(written(tmp_path / "d", DOCUMENTS), "en")) == [
        Text("FT-1", "en", "Fuel & pumps.\nMore.", "Pumps"),
        Text("FT-2", "en", "No text tag here"),
        Text("FT-3", "en", "ab"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<DOC>\n<TEXT>a</TEXT>\n</DOC>", "d:3: the document ending here has no <DOCNO>"),
        ("<DOC><DOCNO>1</DOCNO>a", "ends within a document"),
    ],
)
def test_bad_documents_are_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        list(read_documents(written(tmp_path / "d", content), "en"))


@few
@given(bodies)
def test_escaped_text_survives_stripping(text: str) -> None:
    assert unescape(escape(text).strip()) == text
    assert not {"<", ">", "\r"} & set(escape(text))


@few
@given(text_lists)
def test_any_documents_and_topics_survive(
    tmp_path_factory: pytest.TempPathFactory, texts: list[Text]
) -> None:
    folder = tmp_path_factory.mktemp("trec")
    write_documents(folder / "d", texts)
    assert list(read_documents(folder / "d", "en")) == texts
    write_topics(folder / "t", texts)
    assert read_topics(folder / "t", "en") == texts


def test_collection_survives_export_and_import(tmp_path: Path) -> None:
    toy = Collection(toy_collection(tmp_path / "toy"))
    export_trec(toy, tmp_path / "trec")
    info = CollectionInfo("toy", "ja", "en")
    splits = {split: tmp_path / f"trec/{split}.qrels" for split in QRELS}
    files = [tmp_path / "trec/documents.trec"], [tmp_path / "trec/topics.trec"]
    done = import_trec(*files, splits, tmp_path / "again", info)
    again = Collection(tmp_path / "again")
    assert check(tmp_path / "again") == []
    assert (done.documents, done.queries, done.judgments) == (12, 6, {"train": 10, "dev": 4, "test": 6})
    assert [(t.id, t.content) for t in again.documents()] == [(t.id, t.content) for t in toy.documents()]
    assert [(t.id, t.content) for t in again.queries()] == [(t.id, t.content) for t in toy.queries()]
    assert {split: again.qrels(split) for split in again.splits} == QRELS
