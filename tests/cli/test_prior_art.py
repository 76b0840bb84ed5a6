"""Prior-art mode of `search` and `rank` on the toy collection, whose one date field is called `date`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kakehashi.corpus import trec
from kakehashi.corpus.collection import Collection
from kakehashi.index.holdings import Holdings
from tests.cli.calling import CommandLine
from tests.contracts.models import put_models
from tests.toy import DOCUMENTS, QUERIES

DATED = ("--prior-art", "--field", "publication=date", "--field", "priority=date")
ENGLISH = ("--system", "monolingual")


def rewrite(folder: Path, name: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change every record of a file."""
    path = folder / name
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for record in records:
        change(record)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


def ids(answer: Any) -> list[str]:
    return [hit["id"] for hit in answer["hits"]]


def test_own_family_and_late_documents_are_left_out(kakehashi: CommandLine, indexed_toy: Collection) -> None:
    """j3, of 2005 and family f09, asks for engine, fuel and injection; d04 is of 2006."""
    words = ("search", indexed_toy.folder, "--id", "j3", *ENGLISH, "--json")
    assert set(ids(kakehashi(*words).json)) == {"d09", "d10", "d11", "d12", "d04"}
    called = kakehashi(*words, *DATED)
    assert called.err == ""
    assert ids(called.json) == ["d10", "d12"]
    assert [hit["family"] for hit in called.json["hits"]] == [["d11"], []]
    assert [hit["publication"] for hit in called.json["hits"]] == ["1998-06-06", "2004-10-10"]
    assert called.json["prior_art"] == {
        "before": "2005-01-31",
        "by": "date",
        "not_of": ["f09"],
        "warnings": [],
    }
    for hit in called.json["hits"]:
        assert sum(share["share"] for share in hit["shares"]) == pytest.approx(hit["score"], rel=1e-9)


def test_k_counts_families(kakehashi: CommandLine, indexed_toy: Collection) -> None:
    words = ("search", indexed_toy.folder, "engine valve fuel", "--lang", "en", "--json", "-k", 2)
    assert ids(kakehashi(*words).json) == ["d10", "d11"]
    one = kakehashi(*words, "--one-per-family").json
    assert ids(one) == ["d10", "d09"]
    assert [hit["family"] for hit in one["hits"]] == [["d11"], []]
    assert not any("publication" in hit for hit in one["hits"])
    assert one["prior_art"]["before"] is None


def test_table_shows_dates_and_the_rest_of_the_family(
    kakehashi: CommandLine, indexed_toy: Collection
) -> None:
    words = ("search", indexed_toy.folder, "--id", "j3", *ENGLISH, *DATED, "--brief")
    lines = kakehashi(*words).out.splitlines()
    assert lines[0] == (
        "only documents published before 2005-01-31 (date), none of family f09, the best document of each family"
    )
    assert lines[1].split() == ["rank", "score", "document", "published", "title"]
    assert lines[2].split()[2:] == ["d10", "1998-06-06", "valve"]
    assert lines[3].split() == ["also:", "d11"]
    assert lines[4].split()[2:] == ["d12", "2004-10-10", "pump"]
    assert "because of" in kakehashi(*words, "--explain").out


def test_date_can_be_given(kakehashi: CommandLine, indexed_toy: Collection) -> None:
    words = ("search", indexed_toy.folder, "fuel", "--lang", "en", "--field", "publication=date")
    by_date = kakehashi(*words, "--before", "2004-10-10", "--json").json
    assert ids(by_date) == ["d09"]
    assert list(by_date["hits"][0])[:4] == ["id", "score", "title", "shares"]
    assert by_date["hits"][0]["publication"] == "2004-04-04"
    whole = kakehashi(*words, "--before", "2004-10-11", "--prior-art", "--brief")
    assert whole.err.splitlines() == [
        "searching with bm25: the query is in the documents' language",
        "warning: query 'query' without family: no relative could be left out",
    ]
    assert [line.split()[2] for line in whole.out.splitlines()[2:]] == ["d12", "d09"]
    nothing = kakehashi(*words, "--before", "1990-01-01").out.splitlines()
    assert nothing == [
        "only documents published before 1990-01-01",
        "nothing found: the rule 'only documents published before 1990-01-01' leaves none of the 12 documents",
    ]


def test_rank_applies_the_date_and_family_of_each_query(
    kakehashi: CommandLine, indexed_toy: Collection, tmp_path: Path
) -> None:
    out = tmp_path / "x.run"
    words = ("rank", "monolingual", indexed_toy.folder, "--split", "train", "--out", out, "--pool", "all")
    kakehashi(*words)
    plain = trec.read_run(out).rankings
    assert kakehashi(*words, *DATED).err == ""
    found = trec.read_run(out).rankings
    documents = {row[0]: (row[4], row[5]) for row in DOCUMENTS}
    asked = {row[0]: (row[6], row[7]) for row in QUERIES}
    assert list(found) == ["j1", "j2", "j3"]
    for id, ranking in found.items():
        day, family = asked[id]
        left = [doc for doc in plain[id].docs if documents[doc][0] < day and documents[doc][1] != family]
        firsts = {documents[doc][1]: doc for doc in reversed(left)}
        assert list(ranking.docs) == [doc for doc in left if doc in firsts.values()]
        assert 0 < len(ranking) < len(plain[id])


def test_originals_have_the_dates_of_their_queries(kakehashi: CommandLine, toy_copy: Path) -> None:
    rewrite(toy_copy, "originals.jsonl", lambda record: record["meta"].clear())
    words = ("search", toy_copy, "--id", "j3", *ENGLISH, *DATED, "--json")
    assert ids(kakehashi(*words).json) == ["d10", "d12"]
    kakehashi("rank", "monolingual", toy_copy, "--split", "train", "--out", toy_copy / "x.run", *DATED)
    assert list(trec.read_run(toy_copy / "x.run").rankings["j3"].docs) == ["d10", "d12"]


def test_documents_without_a_date_are_flagged_or_left_out(kakehashi: CommandLine, toy_copy: Path) -> None:
    def forget(record: dict[str, Any]) -> None:
        if record["id"] in ("d04", "d07", "d12"):
            del record["meta"]["date"]

    rewrite(toy_copy, "documents.jsonl", forget)
    kakehashi("index", toy_copy)
    words = ("search", toy_copy, "--id", "j3", *ENGLISH, *DATED)
    kept = kakehashi(*words)
    said = "2 of 3 hits have no date and may be too late (--undated drop leaves them out)"
    assert kept.err == f"warning: {said}\n"
    assert kept.out.count("no date") == 2
    answer = kakehashi(*words, "--json").json
    assert {hit["id"]: hit["publication"] for hit in answer["hits"]} == {
        "d10": "1998-06-06", "d12": None, "d04": None,
    }  # fmt: skip
    assert answer["prior_art"]["warnings"] == [said]
    dropped = kakehashi(*words, "--undated", "drop", "--json")
    assert dropped.err == "warning: 3 of 12 documents have no date and were left out\n"
    assert ids(dropped.json) == ["d10"]


def test_query_dated_by_its_filing_is_named(kakehashi: CommandLine, toy_copy: Path) -> None:
    def file(record: dict[str, Any]) -> None:
        record["meta"]["filing"] = record["meta"].pop("date")

    rewrite(toy_copy, "queries.jsonl", file)
    rewrite(toy_copy, "originals.jsonl", lambda record: record["meta"].clear())
    words = ("rank", "monolingual", toy_copy, "--split", "train", "--out", toy_copy / "x.run")
    called = kakehashi(*words, "--prior-art", "--field", "publication=date")
    assert called.err == "warning: 3 queries (j1, j2, j3) without priority: dated by filing\n"
    assert list(trec.read_run(toy_copy / "x.run").rankings["j3"].docs) == ["d10", "d12"]


def test_translations_and_edits_work_on_prior_art(
    kakehashi: CommandLine, toy_copy: Path, tmp_path: Path
) -> None:
    holdings = Holdings(toy_copy)
    analyzer, queries = holdings.index.source_analyzer, holdings.collection.queries()
    put_models(holdings, [term for query in queries for term in analyzer.terms(query.content)])
    words = ("search", toy_copy, "--id", "j3", "--system", "psq", "--translations", "--json")
    plain, found = kakehashi(*words).json, kakehashi(*words, *DATED).json
    assert found["translations"] == plain["translations"]
    assert {*ids(found)} < {*ids(plain)}
    word = next(row for row in found["translations"] if len(row["translations"]) > 1)
    edit = f"{word['word']}={word['translations'][0]['word']}"
    kept = ("--drop", edit, "--save-edits", tmp_path / "edits.txt")
    edited = kakehashi(*words, *DATED, *kept).json
    assert edited["translations"] == kakehashi(*words, "--drop", edit).json["translations"]
    assert edited["translations"] != found["translations"]
    assert kakehashi(*words, *DATED, "--edits", tmp_path / "edits.txt").json == edited


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--prior-art"],
            "prior art needs the date field 'publication', but this index has date: give another name with",
        ),
        (
            ["--one-per-family", "--field", "family=ipcs"],
            "prior art needs the keyword field 'ipcs', but this index has applicant, family, ipc",
        ),
        (
            ["--field", "family=ipc"],
            "--field has no effect without --prior-art, --before or --one-per-family",
        ),
        (["--undated", "drop"], "--undated drop has no effect without --prior-art or --before"),
        (["--undated", "perhaps"], "Invalid value for '--undated'"),
        (
            [*DATED, "--field", "colour=red"],
            "'colour=red' is not a field: write ROLE=NAME, with ROLE one of publication,",
        ),
        ([*DATED, "--field", "family"], "'family' is not a field: write ROLE=NAME"),
        ([*DATED, "--before", "2006"], "before: '2006' is not a date: write it as 2006-12-31"),
        (DATED, "query 'query' without date or filing: give a date with --before 2006-12-31"),
    ],
)
def test_mistakes_are_said_in_one_line(
    kakehashi: CommandLine, indexed_toy: Collection, words: list[str], message: str
) -> None:
    assert message in kakehashi.refused("search", indexed_toy.folder, "fuel", *words)
