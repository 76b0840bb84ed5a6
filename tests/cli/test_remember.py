"""`kakehashi remember`: add, list and forget finished searches."""

from pathlib import Path

from tests.cli.calling import CommandLine


def test_search_is_remembered_listed_and_forgotten(kakehashi: CommandLine, toy_copy: Path) -> None:
    told = kakehashi("remember", toy_copy, "燃料ポンプ", "d12=2", "d09").out.splitlines()
    assert told == ["search-1: 2 documents", f"{toy_copy}: 1 search remembered"]
    listed = kakehashi("remember", toy_copy, "--list").out.splitlines()
    assert [line.split() for line in listed] == [
        ["search", "query", "relevant", "documents"],
        ["search-1", "燃料ポンプ", "d12", "(2),", "d09", "(1)"],
    ]
    found = kakehashi("search", toy_copy, "ポンプ", "--system", "examples", "--json").json
    assert [hit["id"] for hit in found["hits"]] == ["d12", "d09"]
    told = kakehashi("remember", toy_copy, "--forget", "search-1").out
    assert told == f"{toy_copy}: 0 searches remembered\n"
    assert kakehashi("remember", toy_copy, "--json", "--list").json == {"searches": []}


def test_query_comes_from_a_file_or_the_collection(
    kakehashi: CommandLine, toy_copy: Path, tmp_path: Path
) -> None:
    (tmp_path / "query.txt").write_text("カメラのポンプ")
    kakehashi("remember", toy_copy, "--file", tmp_path / "query.txt", "d12")
    kakehashi("remember", toy_copy, "--id", "j1", "d04")
    found = kakehashi("remember", toy_copy, "--list", "--json").json["searches"]
    assert [(one["query"]["id"], one["documents"]) for one in found] == [
        ("search-1", {"d12": 1}),
        ("j1", {"d04": 1}),
    ]


def test_mistakes_are_answered_in_one_line(kakehashi: CommandLine, toy_copy: Path) -> None:
    refused = kakehashi.refused
    assert refused("remember", toy_copy).startswith("give the query and at least one relevant document")
    assert refused("remember", toy_copy, "ポンプ").startswith("give the query and at least one")
    assert refused("remember", toy_copy, "ポンプ", "d99") == "there is no document 'd99' in the index"
    assert "only relevant documents are remembered" in refused("remember", toy_copy, "ポンプ", "d12=0")
    assert "9 is not a level of relevance here: use 1, 2, 3" in refused(
        "remember", toy_copy, "ポンプ", "d12=9"
    )
    assert "this is the query 'j5' of test" in refused("remember", toy_copy, "--id", "j5", "d04")
    assert "there is no remembered search 'x'" in refused("remember", toy_copy, "--forget", "x")
    assert "one at a time" in refused("remember", toy_copy, "ポンプ", "d12", "--forget", "x")
    assert "one of the three" in refused("remember", toy_copy, "--file", "x", "--id", "j1", "d12")
