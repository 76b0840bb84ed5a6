"""Records as JSON lines: one per line, checked against its type; errors name the line."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from kakehashi.corpus import lines
from kakehashi.errors import FileError

Record = TypeVar("Record")


def decode(
    decoder: msgspec.json.Decoder[Record], path: Path, number: int | None, line: str, kind: str
) -> Record:
    """The record in a line of a file; `kind` is its name in errors."""
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FileError(path, number, f"is not a {kind} record: {error}") from None


def read_records(
    path: Path, decoder: msgspec.json.Decoder[Record], kind: str
) -> Iterator[tuple[int, Record]]:
    """(line number, record) of a plain, .gz or .zst file; empty lines are skipped."""
    for number, line in lines.read_lines(path):
        if line:
            yield number, decode(decoder, path, number, line, kind)
