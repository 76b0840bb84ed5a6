"""Rows of a table from the SQL dump of a MediaWiki, read as a stream; only columns that are asked for.

The dump names its columns in CREATE TABLE, so their order may differ from year to year.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kakehashi.corpus import lines
from kakehashi.errors import FileError

_COLUMN = re.compile(r"\s+`(\w+)` ")
_VALUE = re.compile(r"'((?:[^'\\]|\\.)*)'|([^,()']+)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_MEANING = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "Z": "\x1a"}


def read_table(path: Path, wanted: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The values of these columns, row by row."""
    columns: list[str] = []
    places: list[int] = []
    for number, raw in lines.read_raw_lines(path):
        line = raw.decode("utf-8", "replace")  # names are cut by bytes, so a last letter may be broken
        if match := _COLUMN.match(line):
            columns.append(match[1])
        elif line.startswith("INSERT INTO"):
            if not places:
                places = _places(path, number, columns, wanted)
            for row in _rows(path, number, line, len(columns)):
                yield tuple(row[place] for place in places)


def _places(path: Path, number: int, columns: Sequence[str], wanted: Sequence[str]) -> list[int]:
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise FileError(path, number, f"has no column {missing[0]}: use a dump of the table that has it")
    return [columns.index(name) for name in wanted]


def _rows(path: Path, number: int, line: str, width: int) -> Iterator[list[str]]:
    """(1,'a'),(2,'b');"""
    place = line.find("(", line.find(" VALUES "))
    while 0 <= place < len(line) and line[place] == "(":
        row: list[str] = []
        while line[place] in "(,":
            value = _VALUE.match(line, place + 1)
            if value is None:
                break
            row.append(value[2] if value[1] is None else _plain(value[1]))
            place = value.end()
            if place >= len(line):
                break
        if place >= len(line) or line[place] != ")" or len(row) != width:
            raise FileError(path, number, f"is cut off, or has a row without {width} values")
        yield row
        place += 2  # past the bracket and the comma


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda match: _MEANING.get(match[1], match[1]), text)
