"""The commands index, search and rank on the toy collection."""

import io
import json
import sys
from pathlib import Path

import msgspec
import pytest

from kakehashi.corpus import trec
from kakehashi.corpus.collection import Collection
from kakehashi.types import Text
from tests.cli.calling import CommandLine
from tests.toy import toy_collection


def edit(folder: Path, change: dict[str, str | None]) -> None:
    """Rewrite documents.jsonl: new texts, or None to leave a document out."""
    path = folder / "documents.jsonl"
    records = {record["id"]: record for record in map(json.loads, path.read_text("utf-8").splitlines())}
    for id, text in change.items():
        if text is None:
            del records[id]
        else:
            records[id] = {**records.get(id, {"id": id, "lang": "en", "title": "", "meta": {}}), "text": text}
    path.write_text("".join(json.dumps(record) + "\n" for record in records.values()), "utf-8")


def test_index_says_what_it_did_and_takes_up_only_changes(kakehashi: CommandLine, tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    first, second = kakehashi("index", folder).out.splitlines()
    assert first == "12 added, 0 replaced, 0 deleted, 0 unchanged"
    assert second.startswith(f"{folder}/index: 12 documents, ")
    assert "0 added, 0 replaced, 0 deleted, 12 unchanged" in kakehashi("index", folder).out
    edit(folder, {"d01": "zeppelin", "d02": None, "d99": "zeppelin engine"})
    assert "1 added, 1 replaced, 1 deleted, 10 unchanged" in kakehashi("index", folder).out
    hits = kakehashi("search", folder, "zeppelin", "--lang", "en", "--json").json["hits"]
    assert {hit["id"] for hit in hits} == {"d01", "d99"}
    assert "12 added, 0 replaced" in kakehashi("index", folder, "--rebuild").out
    again = kakehashi("search", folder, "zeppelin", "--lang", "en", "--json").json["hits"]
    assert again == hits


def test_index_with_another_analysis_is_built_anew(kakehashi: CommandLine, toy_copy: Path) -> None:
    words = ("index", toy_copy, "--target", "stem=false", "--target", 'stop_words=["fuel"]')
    assert "12 added" in kakehashi(*words).out
    assert kakehashi("search", toy_copy, "fuel", "--lang", "en", "--json").json == {
        "system": "bm25",
        "hits": [],
    }
    assert "setting" in kakehashi.refused("index", toy_copy, "--target", "colour=red")
    assert (
        kakehashi.refused("index", toy_copy, "--target", "stem")
        == "'stem' is not a setting: write NAME=VALUE"
    )


def test_verify_finds_damage_and_rebuild_repairs_it(kakehashi: CommandLine, toy_copy: Path) -> None:
    assert "12 documents" in kakehashi("index", toy_copy, "--verify").out
    path = next(toy_copy.glob("index/segments/*/post.docs.*.npy"))
    path.write_bytes(path.read_bytes()[:-1] + b"\x07")
    called = kakehashi("index", toy_copy, "--verify", status=2)
    assert f"{path}: array 'post.docs' does not match its checksum" in called.out
    assert called.err == "kakehashi: the index is damaged: run kakehashi index DIR --rebuild\n"
    kakehashi("index", toy_copy, "--rebuild")
    kakehashi("index", toy_copy, "--verify")


def test_search_in_json_is_the_contract(kakehashi: CommandLine, indexed_toy: Collection) -> None:
    called = kakehashi("search", indexed_toy.folder, "lithium electrode", "--lang", "en", "--json")
    assert called.err == ""
    assert list(called.json) == ["system", "hits"]
    assert called.json["system"] == "bm25"
    first, second = called.json["hits"]
    assert list(first) == ["id", "score", "title", "shares", "date", "applicant", "classes", "passage"]
    assert (first["date"], first["applicant"], first["classes"]) == (
        "2003-02-01",
        "Denchi Works",
        ["H01M 4/00"],
    )
    assert first["passage"] == [
        {"text": "lithium", "match": True},
        {"text": " battery ", "match": False},
        {"text": "electrode", "match": True},
    ]
    assert (first["id"], first["title"], second["id"]) == ("d01", "electrode", "d04")
    assert [list(share) for share in first["shares"]] == [["query", "document", "share"]] * 2
    assert sum(share["share"] for share in first["shares"]) == pytest.approx(first["score"], rel=1e-9)
    assert first["score"] == pytest.approx(4.457658, abs=2e-6)


def test_search_by_text_file_and_id_agree(
    kakehashi: CommandLine, indexed_toy: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = indexed_toy.folder
    query = next(text for text in indexed_toy.originals() if text.id == "j5")
    (tmp_path / "query.txt").write_text(query.content, "utf-8")
    by_id = kakehashi("search", folder, "--id", "j5", "--system", "monolingual", "--json").json
    english = ("--lang", "en", "--system", "monolingual", "--json")
    assert kakehashi("search", folder, query.content, *english).json == by_id
    assert kakehashi("search", folder, "--file", tmp_path / "query.txt", *english).json == by_id
    standard_input = io.TextIOWrapper(io.BytesIO(query.content.encode()))
    monkeypatch.setattr(sys, "stdin", standard_input)
    assert kakehashi("search", folder, "--file", "-", *english).json == by_id
    assert [hit["id"] for hit in by_id["hits"]] == ["d04", "d01", "d12", "d09"]


def test_search_takes_exactly_one_query(kakehashi: CommandLine, indexed_toy: Collection) -> None:
    expected = "give the query as TEXT, or with --file, or with --id: one of the three"
    assert kakehashi.refused("search", indexed_toy.folder) == expected
    assert kakehashi.refused("search", indexed_toy.folder, "x", "--id", "j1") == expected
    assert "queries.jsonl has no query 'j99'" in kakehashi.refused(
        "search", indexed_toy.folder, "--id", "j99"
    )
    assert "nowhere.txt" in kakehashi.refused("search", indexed_toy.folder, "--file", "nowhere.txt")


def test_brief_search_shows_a_table_with_reasons(kakehashi: CommandLine, indexed_toy: Collection) -> None:
    words = ("search", indexed_toy.folder, "lithium electrodes", "--lang", "en", "--brief")
    header, first, second = kakehashi(*words).out.splitlines()
    assert header.split() == ["rank", "score", "document", "title"]
    assert first.split() == ["1", "4.458", "d01", "electrode"]
    assert second.split() == ["2", "1.510", "d04", "fuel", "cell"]
    explained = kakehashi(*words, "--explain").out
    assert "electrod: 2.28" in explained
    assert "lithium: 2.18" in explained
    nothing = kakehashi("search", indexed_toy.folder, "zeppelin", "--lang", "en").out
    assert (
        nothing == "nothing found: no document matches any word of the query that bm25 looks for: zeppelin\n"
    )


@pytest.mark.parametrize(
    ("conditions", "ids"),
    [
        (["--where", "ipc=H01M*"], ["d04"]),
        (["--where", "date>=2004-01-01", "--where", "claims<12"], ["d12", "d09"]),
        (["--where", "applicant!=Volta"], ["d09"]),
        (["--boolean", "engine OR pump"], ["d12", "d09"]),
        (["--boolean", "NOT (engine OR pump)"], ["d04"]),
        (["--where", "applicant=Volta", "--boolean", "circuit"], ["d12"]),
        (["-k", "1"], ["d04"]),
    ],
)
def test_search_in_part_of_the_documents(
    kakehashi: CommandLine, indexed_toy: Collection, conditions: list[str], ids: list[str]
) -> None:
    found = kakehashi("search", indexed_toy.folder, "fuel cell", "--lang", "en", "--json", *conditions)
    assert [hit["id"] for hit in found.json["hits"]] == ids


def test_settings_change_the_scores(kakehashi: CommandLine, indexed_toy: Collection) -> None:
    words = ("search", indexed_toy.folder, "lithium", "--lang", "en", "--json")
    usual = kakehashi(*words).json["hits"][0]["score"]
    classic = kakehashi(*words, "--set", "saturation=classic", "--set", "k1=1.2").json["hits"][0]["score"]
    assert usual == pytest.approx(2.2 * classic, rel=1e-6)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "k9=1"], "bm25 has no setting 'k9': it has b, idf, k1, k3, saturation"),
        (["--set", "k1"], "'k1' is not a setting: write NAME=VALUE"),
        (["--set", "k1=-1"], "BM25 needs k1 > 0"),
        (["--system", "bm26"], "there is no system 'bm26': choose one of bm25"),
        (["--where", "colour=red"], "no metadata field 'colour': this index has applicant, claims"),
        (["--where", "colour"], "'colour' is not a condition"),
        (["--where", "date<2006"], "date: '2006' is not a date"),
        (["--boolean", "(x"], "'(' without ')'"),
        (["--lang", "fr"], "query 'query' is in 'fr': this index accepts ja or en"),
        (["-k", "0"], "Invalid value for '-k'"),
        (["--nonsense"], "No such option: --nonsense"),
    ],
)
def test_mistakes_are_said_in_one_line(
    kakehashi: CommandLine, indexed_toy: Collection, words: list[str], message: str
) -> None:
    assert message in kakehashi.refused("search", indexed_toy.folder, "fuel", *words)


def test_collection_without_an_index_names_the_command(kakehashi: CommandLine, tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    message = kakehashi.refused("search", folder, "fuel")
    assert message == f"{folder}/index: no index here: build it first (kakehashi index {folder})"
    out = tmp_path / "x.run"
    assert f"(kakehashi index {folder})" in kakehashi.refused("rank", "bm25", folder, "--out", out)
    assert not out.exists()


def test_folder_that_is_no_collection_is_named(kakehashi: CommandLine, tmp_path: Path) -> None:
    for words in (["index", tmp_path], ["search", tmp_path, "x"], ["rank", "bm25", tmp_path, "--out", "x"]):
        assert f"{tmp_path}: is not a collection" in kakehashi.refused(*words)


def test_faulty_line_of_documents_is_named_and_the_old_index_stays(
    kakehashi: CommandLine, toy_copy: Path
) -> None:
    before = (toy_copy / "index" / "meta.json").read_bytes()
    with (toy_copy / "documents.jsonl").open("a") as file:
        file.write('{"id": "broken"\n')
    assert kakehashi.refused("index", toy_copy).startswith(
        f"{toy_copy}/documents.jsonl:13: is not a text record"
    )
    assert (toy_copy / "index" / "meta.json").read_bytes() == before


def test_rank_writes_what_search_finds(
    kakehashi: CommandLine, indexed_toy: Collection, tmp_path: Path
) -> None:
    out = tmp_path / "test.run"
    called = kakehashi("rank", "monolingual", indexed_toy.folder, "--split", "test", "--out", out)
    run = trec.read_run(out)
    assert called.out == f"{out}: 2 queries, {sum(map(len, run.rankings.values()))} documents\n"
    assert (run.system, list(run.rankings)) == ("monolingual", ["j5", "j6"])
    for id, ranking in run.rankings.items():
        hits = kakehashi("search", indexed_toy.folder, "--id", id, "--system", "monolingual", "--json").json[
            "hits"
        ]
        assert [(hit["id"], hit["score"]) for hit in hits] == list(
            zip(ranking.docs, ranking.scores.tolist(), strict=True)
        )


def test_rank_keeps_k_documents_of_the_chosen_ones(
    kakehashi: CommandLine, indexed_toy: Collection, tmp_path: Path
) -> None:
    words = ("rank", "monolingual", indexed_toy.folder, "--split", "train", "--out", tmp_path / "x.run")
    kakehashi(*words, "-k", 2, "--where", "applicant!=Denchi Works", "--threads", 2, "--set", "b=0")
    rankings = trec.read_run(tmp_path / "x.run").rankings
    assert max(map(len, rankings.values())) == 2
    assert not {"d01", "d02"} & {doc for ranking in rankings.values() for doc in ranking.docs}


def test_rank_of_an_unknown_split_or_missing_originals_is_refused(
    kakehashi: CommandLine, toy_copy: Path, tmp_path: Path
) -> None:
    out = tmp_path / "x.run"
    message = kakehashi.refused("rank", "bm25", toy_copy, "--split", "final", "--out", out)
    assert message == f"{toy_copy} has no split 'final': its splits are train, dev, test"
    (toy_copy / "originals.jsonl").unlink()
    message = kakehashi.refused("rank", "monolingual", toy_copy, "--out", out)
    assert message == f"monolingual needs originals.jsonl, which {toy_copy} does not have"
    assert not out.exists()


def test_pools_restrict_ranking_but_not_search(kakehashi: CommandLine, tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    info = folder / "collection.toml"
    info.write_text(info.read_text("utf-8").replace("[fields]", '[fields]\npool = "keyword"'), "utf-8")
    documents = [
        msgspec.structs.replace(text, meta={**text.meta, "pool": ["test"] if text.id < "d06" else ["train"]})
        for text in Collection(folder).documents()
    ]
    with (folder / "documents.jsonl").open("wb") as file:
        file.writelines(msgspec.json.encode(text) + b"\n" for text in documents)
    kakehashi("index", folder)

    def ranked(*more: str) -> set[str]:
        kakehashi("rank", "monolingual", folder, "--out", tmp_path / "x.run", *more)
        rankings = trec.read_run(tmp_path / "x.run").rankings
        return {doc for ranking in rankings.values() for doc in ranking.docs}

    assert ranked() == {"d01", "d03", "d04"}
    assert ranked("--pool", "all") == {"d01", "d03", "d04", "d09", "d12"}
    assert ranked("--pool", "train") == {"d09", "d12"}
    hits = kakehashi("search", folder, "fuel", "--lang", "en", "--json").json["hits"]
    assert {hit["id"] for hit in hits} == {"d04", "d09", "d12"}


def test_documents_that_are_queries_do_not_find_themselves(kakehashi: CommandLine, tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    info = folder / "collection.toml"
    info.write_text(info.read_text("utf-8").replace("exclude_self = false", "exclude_self = true"), "utf-8")
    document = next(text for text in Collection(folder).documents() if text.id == "d03")
    with (folder / "queries.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(Text("d03", "en", document.text)) + b"\n")
    kakehashi("index", folder)
    hits = kakehashi("search", folder, "--id", "d03", "--json").json["hits"]
    assert {hit["id"] for hit in hits} == {"d01", "d02", "d12"}
