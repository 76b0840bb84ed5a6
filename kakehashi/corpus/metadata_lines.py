"""Metadata and class graphs published beside texts: lines of id TAB field TAB value, and of child TAB parent."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from kakehashi.corpus import lines
from kakehashi.errors import FileError
from kakehashi.types import Text

Metadata = dict[str, dict[str, list[str]]]  # id -> field -> values


class More(NamedTuple):
    """Files that extend a collection."""

    document_texts: Path | None = None  # id TAB text, instead of the documents' own
    metadata: Sequence[Path] = ()
    classes: Path | None = None


NOTHING = More()


def read_metadata(paths: Sequence[Path]) -> Metadata:
    """A repeated line counts once."""
    found: Metadata = {}
    for path in paths:
        for number, (id, field, value) in _columns(path, ("id", "field", "value")):
            if not field.replace("_", "").replace("-", "").isalnum():
                raise FileError(
                    path, number, f"field '{field[:40]}': use letters, digits, _ and - in its name"
                )
            values = found.setdefault(id, {}).setdefault(field, [])
            if value not in values:
                values.append(value)
    return found


def read_edges(path: Path | None) -> list[tuple[str, str]]:
    return [(child, parent) for _, (child, parent) in _columns(path, ("child", "parent"))] if path else []


def with_metadata(texts: Iterator[Text], meta: Metadata) -> Iterator[Text]:
    for text in texts:
        own: Mapping[str, list[str]] = meta.get(text.id, {})
        yield msgspec.structs.replace(text, meta={**text.meta, **own}) if own else text


def _columns(path: Path, names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines.read_lines(path):
        if not line:
            continue
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) != len(names) or not all(columns):
            raise FileError(path, number, f"needs {len(names)} tab-separated columns: {' '.join(names)}")
        yield number, columns
