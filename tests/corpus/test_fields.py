"""Metadata that collection.toml does not declare, and declared fields that nothing has."""

from pathlib import Path

from kakehashi.corpus.check import examine
from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.types import Text


def warnings(folder: Path, *metas: dict[str, object], **fields: str) -> list[str]:
    info = CollectionInfo("c", "de", "en", "x", fields=fields)  # type: ignore[arg-type]
    with CollectionWriter(folder, info) as writer:
        for n, meta in enumerate(metas):
            writer.document(Text(f"d{n}", "en", "text", meta=meta))
        writer.query(Text("q", "de", "text", meta={"colour": ["red"], "asked": "x"}))
    return [fault.message for fault in examine(folder).faults if fault.path.name == "collection.toml"]


def test_undeclared_fields_come_with_the_line_to_add(tmp_path: Path) -> None:
    meta = {"colour": ["red"], "pages": 3, "filed": "2006-12-31", "known": "x", "mixed": 1, "deep": {"a": 1}}
    found = warnings(
        tmp_path / "c",
        meta,
        {"colour": "blue", "mixed": "x", "remark": "all about it " * 20},
        known="keyword",
    )
    assert found == [
        "field 'colour' of 2 documents and 1 queries is not declared, so nothing filters or ranks by it: "
        'add "colour" = "keyword" under [fields]',
        "field 'pages' of 1 documents is not declared, so nothing filters or ranks by it: "
        'add "pages" = "number" under [fields]',
        "field 'filed' of 1 documents is not declared, so nothing filters or ranks by it: "
        'add "filed" = "date" under [fields]',
    ]


def test_declared_fields_that_nothing_has_are_named(tmp_path: Path) -> None:
    found = warnings(tmp_path / "c", {"colour": "red"}, colour="keyword", asked="keyword", size="number")
    assert found == ["field 'size' is declared, but no document or query has it: remove it from [fields]"]
