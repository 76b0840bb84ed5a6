"""A monolingual twin of a collection: the same documents and judgments, queries in the documents' language."""

import os
from pathlib import Path

import pytest

from kakehashi.corpus.check import examine
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.originals_collection import import_originals
from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError
from kakehashi.library import Library
from kakehashi.systems.opening import chosen_inputs
from tests.cli.calling import CommandLine


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("originals") / "world"
    build_world(folder, documents=800, seed=2)
    return folder


def test_twin_asks_in_the_language_of_the_documents(world: Path, tmp_path: Path) -> None:
    told = import_originals(world, tmp_path / "twin")
    old, new = Collection(world), Collection(tmp_path / "twin")
    assert (new.info.source_language, new.info.target_language) == ("en", "en")
    assert new.info.name == f"{old.info.name}-originals"
    assert new.info.mate_level == old.info.mate_level
    originals = {text.id: text for text in old.originals()}
    asked = {text.id: text for text in new.queries()}
    assert {id: text.content for id, text in asked.items()} == {id: t.content for id, t in originals.items()}
    known = {text.id: text.meta for text in old.queries()}
    assert all({**known[id], **originals[id].meta} == text.meta for id, text in asked.items())
    assert {split: new.qrels(split) for split in new.splits} == {
        split: old.qrels(split) for split in old.splits
    }
    assert list(new.documents()) == list(old.documents())
    assert not new.has("parallel.tsv")
    assert examine(new.folder).errors == 0
    assert str(told).startswith(f"{len(list(old.documents()))} documents, {len(asked)} queries, ")


def test_documents_are_shared(world: Path, tmp_path: Path) -> None:
    import_originals(world, tmp_path / "twin")
    assert (world / "documents.jsonl").samefile(tmp_path / "twin" / "documents.jsonl")


def test_files_are_copied_where_they_cannot_be_shared(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("another device")

    monkeypatch.setattr(os, "link", refuse)
    import_originals(world, tmp_path / "twin")
    copied = tmp_path / "twin" / "documents.jsonl"
    assert copied.read_bytes() == (world / "documents.jsonl").read_bytes()
    assert not copied.samefile(world / "documents.jsonl")


def test_judgments_of_queries_without_original_are_left_out(world: Path, tmp_path: Path) -> None:
    half = tmp_path / "half"
    import_originals(world, half)  # its queries become the originals of another
    rows = (half / "queries.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (half / "originals.jsonl").write_text("".join(rows[1:]), encoding="utf-8")
    told = import_originals(half, tmp_path / "twin")
    assert told.left_out == {"judged queries without original": 1}
    judged = [
        query for split in Collection(tmp_path / "twin").splits for query in Collection(half).qrels(split)
    ]
    kept = [q for split in Collection(half).splits for q in Collection(tmp_path / "twin").qrels(split)]
    assert len(kept) == len(judged) - 1


def test_lexical_systems_are_inputs_of_combinations_where_nothing_is_translated(
    world: Path, tmp_path: Path
) -> None:
    import_originals(world, tmp_path / "twin")
    twin = Library(tmp_path / "twin")
    assert chosen_inputs("auto", twin) == "bm25 hmm"
    with pytest.raises(InputError, match="has none: train some of psq, psq-hmm"):
        chosen_inputs("auto", Library(world))
    built = twin.build(only=["dense"])
    assert [done.happened for done in built.done] == ["trained"]
    assert {"bm25", "hmm", "dense", "passthrough"} == {*built.scores}
    assert built.scores["bm25"].means() == built.scores["passthrough"].means()
    assert chosen_inputs("auto", twin) == "bm25 hmm titles"


def test_titles_are_found_in_the_language_of_the_query(world: Path, tmp_path: Path) -> None:
    import_originals(world, tmp_path / "twin")
    twin = Library(tmp_path / "twin")
    twin.update_index()
    title = next(iter(twin.collection.documents())).title
    for hit in twin.search(f"Something else entirely.\n{title}.", k=3, system="titles", lang="en"):
        assert hit.title == title
        assert all(share.query == share.document for share in hit.why)


def test_collection_without_originals_is_refused(world: Path, tmp_path: Path) -> None:
    import_originals(world, tmp_path / "twin")
    with pytest.raises(InputError, match=r"has no originals\.jsonl"):
        import_originals(tmp_path / "twin", tmp_path / "third")
    with pytest.raises(InputError, match="is the collection itself"):
        import_originals(world, world, force=True)


def test_command_says_what_was_made(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kakehashi = CommandLine(monkeypatch, capsys)
    shown = kakehashi("data", "get", "originals", tmp_path / "twin", "--from", world)
    assert shown.out.startswith(f"{tmp_path / 'twin'}: ")
    assert " queries, " in shown.out
    assert "already contains a collection" in kakehashi.refused(
        "data", "get", "originals", tmp_path / "twin", "--from", world
    )
