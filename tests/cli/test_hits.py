"""What a person sees and takes away: blocks of hits, documents, files, runs of their own queries."""

import json
import shutil
from pathlib import Path

import pytest
from rich.cells import cell_len

from kakehashi.corpus import trec
from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.library import Library
from kakehashi.types import Text
from tests.cli.calling import CommandLine


def test_hit_is_a_block_of_title_facts_and_passage(kakehashi: CommandLine, indexed_toy: Collection) -> None:
    words = ("search", indexed_toy.folder, "lithium electrodes", "--lang", "en")
    assert kakehashi(*words).out.splitlines() == [
        " 1. electrode  4.458",
        "    d01 · 2003-02-01 · Denchi Works · H01M 4/00",
        "    lithium battery electrode",
        "",
        " 2. fuel cell  1.510",
        "    d04 · 2006-08-30 · Volta · H01M 8/00, H01M 4/00",
        "    fuel cell electrode",
    ]
    assert kakehashi(*words, "--explain", "-k", 1).out.splitlines()[3] == "    electrod: 2.28  lithium: 2.18"


def test_matches_are_bold_in_a_terminal_and_plain_elsewhere(
    kakehashi: CommandLine, indexed_toy: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("search", indexed_toy.folder, "lithium", "--lang", "en")
    assert "\x1b" not in kakehashi(*words).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1mlithium\x1b[0m battery electrode" in kakehashi(*words).out


def test_text_of_a_document_cannot_command_the_terminal(kakehashi: CommandLine, tmp_path: Path) -> None:
    window, erase, turn = "\x1b]0;mine\x07", "\x1b[2J\x9b2J\r", "\u202e"
    info = CollectionInfo("hostile", "en", "en", fields={"applicants": "keyword", "ipc": "keyword"})
    with CollectionWriter(tmp_path / "hostile", info) as writer:
        meta = {"applicants": [f"Volta{erase}"], "ipc": [f"H01M{window}"]}
        text = f"an electrode{erase}of\ta battery {turn}yrettab"
        writer.document(Text("d1", "en", text, f"battery{window} cell", meta))
    Library(tmp_path / "hostile").update_index()
    search = ("search", tmp_path / "hostile", "battery electrode", "--system", "bm25", "--lang", "en")
    for words in (
        search,
        (*search, "--explain"),
        (*search, "--brief"),
        ("show", "document", *search[1:2], "d1"),
    ):
        shown = kakehashi(*words).out
        assert "battery" in shown
        assert [char for char in shown if not char.isprintable() and char != "\n"] == []


def japanese(folder: Path) -> Path:
    """English queries, Japanese documents with long titles, names and texts."""
    info = CollectionInfo("japanese", "en", "ja", fields={"ipc": "keyword", "date": "date"})
    with CollectionWriter(folder, info) as writer:
        text = (
            "本発明は、LED素子を備えた照明装置に関する。" * 8
            + "リチウム電池の電極を、基板10の表面に形成する。" * 3
        )
        meta = {"ipc": ["H01M 4/00"], "date": "2003-02-01", "applicants": ["株式会社架空電池製作所"]}
        writer.document(Text("JP1", "ja", text, "リチウム電池の電極及びその製造方法" * 3, meta))
    Library(folder).update_index()
    return folder


@pytest.mark.parametrize("columns", [40, 80, 100, 160])
def test_blocks_and_tables_fit_the_screen_and_lose_no_character(
    kakehashi: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    folder = japanese(tmp_path / "japanese")
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    words = ("search", folder, "リチウム電池の電極", "--lang", "ja", "--explain")
    [hit] = Library(folder).search("リチウム電池の電極", lang="ja")
    for layout in ((), ("--brief",)):
        out = kakehashi(*words, *layout).out
        assert max(cell_len(line.rstrip()) for line in out.splitlines()) <= columns
    blocks = "".join(line.strip() for line in kakehashi(*words).out.splitlines()).replace(" ", "")
    shown = [
        hit.title,
        hit.about.applicant,
        "".join(text for text, _ in hit.passage),
        "電極:",
        "リチウム:",
        "電池:",
    ]
    for part in shown:
        assert part.replace(" ", "") in blocks


def test_piped_lines_are_not_broken(
    kakehashi: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = japanese(tmp_path / "japanese")
    monkeypatch.delenv("COLUMNS")
    words = ("search", folder, "リチウム電池の電極", "--lang", "ja", "--explain")
    assert len(kakehashi(*words).out.splitlines()) == 4
    table = kakehashi(*words, "--brief").out
    assert len(table.splitlines()) == 2
    assert "…" not in table


def test_document_is_shown_with_its_fields_and_what_met_a_query(
    kakehashi: CommandLine, indexed_toy: Collection
) -> None:
    words = ("show", "document", indexed_toy.folder, "d04")
    plain = kakehashi(*words).out
    assert plain.splitlines()[0] == "fuel cell"
    for name, value in (
        ("id", "d04"),
        ("date", "2006-08-30"),
        ("ipc", "H01M 8/00; H01M 4/00"),
        ("claims", "12"),
    ):
        assert f"{name} {value}" in [" ".join(line.split()) for line in plain.splitlines()]
    assert "fuel cell electrode" in plain
    record = kakehashi(*words, "--json").json
    assert record == json.loads(json.dumps(record))
    assert (record["title"], record["text"], record["meta"]["applicant"]) == (
        "fuel cell",
        "fuel cell electrode",
        "Volta",
    )
    met = kakehashi(*words, "--query", "cells", "--lang", "en", "--json").json
    assert met["marked"]["text"] == [
        {"text": "fuel ", "match": False},
        {"text": "cell", "match": True},
        {"text": " electrode", "match": False},
    ]
    hits = kakehashi("search", indexed_toy.folder, "cells", "--lang", "en", "--json").json["hits"]
    assert (met["system"], met["score"], met["shares"]) == ("bm25", hits[0]["score"], hits[0]["shares"])
    by_id = kakehashi(*words, "--query-id", "j5", "--system", "monolingual").out
    assert "monolingual " in by_id
    assert "electrod: " in by_id
    assert "shares nothing with the query" in kakehashi(*words, "--query", "pump", "--lang", "en").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "document", "DIR", "d99"], "documents.jsonl has no document 'd99'"),
        (["show", "document", "DIR", "d01", "--query-id", "j99"], "queries.jsonl has no query 'j99'"),
        (
            ["show", "document", "DIR", "d01", "--query", "x", "--query-id", "j1"],
            "--query or with --query-id, not",
        ),
        (["show", "document", "DIR", "d01", "--query", " "], "the query is empty"),
        (["show", "document", "DIR", "d01", "--system", "bm25"], "add --query or --query-id"),
        (["search", "DIR", "  "], "the query is empty: give a text to search with"),
        (
            ["search", "DIR", "x", "--out", "hits.doc"],
            "hits.doc: hits are written as .csv, .xlsx, .ris, .html, .json",
        ),
        (["search", "DIR", "x", "--out", "a.csv", "--out", "a.csv"], "--out names the same file twice"),
        (["search", "DIR", "x", "--out", "DIR/collection.toml/x.csv"], "x.csv: cannot be written"),
        (["rank", "bm25", "DIR", "--out", "x.run", "--queries", "q.jsonl"], "q.jsonl: is not there"),
        (
            ["rank", "bm25", "DIR", "--out", "x", "--queries", "q", "--split", "dev"],
            "--split or with --queries",
        ),
        (["rank", "bm25", "DIR", "--out", "DIR"], "is a folder: name a file"),
        (["rank", "bm25", "DIR", "--out", "DIR/collection.toml/x.run"], "x.run: cannot be written"),
    ],
)
def test_mistakes_are_said_in_one_line(
    kakehashi: CommandLine, toy_copy: Path, words: list[str], message: str
) -> None:
    before = sorted(toy_copy.iterdir())
    assert message in kakehashi.refused(*(word.replace("DIR", str(toy_copy)) for word in words))
    assert sorted(toy_copy.iterdir()) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no text to search with"),
        (b"\x00\x01", "is not a text file"),
        (b"\xff\xfe", "is not UTF-8 at byte 0"),
    ],
)
def test_query_file_without_text_is_refused(
    kakehashi: CommandLine, indexed_toy: Collection, tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "query.txt").write_bytes(content)
    assert message in kakehashi.refused("search", indexed_toy.folder, "--file", tmp_path / "query.txt")


def test_files_are_written_in_place_of_the_list(
    kakehashi: CommandLine, indexed_toy: Collection, tmp_path: Path
) -> None:
    names = [tmp_path / "out" / name for name in ("hits.csv", "hits.RIS", "hits.html", "hits.json")]
    outs = [word for name in names for word in ("--out", name)]
    words = ("search", indexed_toy.folder, "fuel cell", "--lang", "en")
    assert kakehashi(*words, *outs).out.splitlines() == [f"{name}: 3 hits" for name in names]
    shown = kakehashi(*words, *outs, "--json").json
    assert json.loads(names[3].read_text("utf-8")) == shown
    nothing = kakehashi("search", indexed_toy.folder, "zeppelin", "--lang", "en", "--out", names[0]).out
    assert nothing.splitlines()[1].startswith("nothing found: ")


def test_brief_leaves_passages_out_of_json(kakehashi: CommandLine, indexed_toy: Collection) -> None:
    words = ("search", indexed_toy.folder, "fuel", "--lang", "en", "--json")
    [whole, brief] = [kakehashi(*words, *more).json["hits"] for more in ((), ("--brief",))]
    assert brief == [{name: value for name, value in hit.items() if name != "passage"} for hit in whole]


def documents_alone(toy: Path, folder: Path) -> Path:
    folder.mkdir()
    for name in ("collection.toml", "documents.jsonl"):
        shutil.copy(toy / name, folder / name)
    return folder


def test_collection_of_documents_alone_is_checked_indexed_and_searched(
    kakehashi: CommandLine, indexed_toy: Collection, tmp_path: Path
) -> None:
    folder = documents_alone(indexed_toy.folder, tmp_path / "alone")
    assert "0 errors, 0 warnings; 12 documents, 0 queries" in kakehashi("data", "check", folder).out
    assert "12 added" in kakehashi("index", folder).out
    english = ("lithium electrode", "--lang", "en", "--json")
    alone, whole = (kakehashi("search", one, *english).json for one in (folder, indexed_toy.folder))
    assert alone == whole
    assert [hit.id for hit in Library(folder).search("電極 lithium 12")] == ["d01"]
    assert kakehashi.refused("search", folder, "--id", "j1") == (
        f"{folder / 'queries.jsonl'} has no query 'j1', nor is there such a document"
    )
    message = kakehashi.refused("rank", "bm25", folder, "--out", tmp_path / "x.run")
    assert "queries.jsonl" in message


def test_rank_answers_queries_without_judgments(
    kakehashi: CommandLine, indexed_toy: Collection, tmp_path: Path
) -> None:
    folder = documents_alone(indexed_toy.folder, tmp_path / "alone")
    kakehashi("index", folder)
    texts = {text.id: text.content for text in indexed_toy.originals()}
    (tmp_path / "mine").mkdir()
    for id, text in texts.items():
        (tmp_path / "mine" / f"{id}.txt").write_text(text, "utf-8")
    records = [{"id": id, "text": text, "lang": "en"} for id, text in texts.items()]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    out = tmp_path / "mine.run"
    called = kakehashi("rank", "bm25", folder, "--queries", tmp_path / "mine.jsonl", "--out", out, "-k", 3)
    assert called.out.startswith(f"{out}: 6 queries, ")
    run = trec.read_run(out)
    for id, text in texts.items():
        hits = Library(folder).search(text, 3, lang="en")
        assert list(run.rankings[id].docs) == [hit.id for hit in hits]
    kakehashi("rank", "bm25", folder, "--queries", tmp_path / "mine", "--out", out)
    assert {*trec.read_run(out).rankings} <= {*texts}
    queries = [Text(id, "en", text) for id, text in texts.items()]
    again = Library(folder).rank("bm25", k=3, queries=queries).rankings
    assert {id: list(one.docs) for id, one in again.items()} == {
        id: list(one.docs) for id, one in run.rankings.items()
    }
