"""Reads tables of a MediaWiki database from its SQL dumps, as a stream of rows; knows nothing of what they mean."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kakehashi.corpus.lines import SUFFIXES, read_raw_lines
from kakehashi.errors import FileError

_COLUMN = re.compile(rb"^\s*`(\w+)` ")
_INSERT = re.compile(rb"^INSERT INTO `?\w+`?\s*(?:\(([^)]*)\)\s*)?VALUES\s*")
_TOKEN = re.compile(rb"[(),;]|'((?:[^'\\]|\\.|'')*)'|([^\s,();']+)", re.DOTALL)
_ESCAPED = re.compile(rb"\\(.)|''", re.DOTALL)
_MEANS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0"}
NULL = b"NULL"
Row = tuple[str, ...]


def find_table(folder: Path, table: str) -> Path | None:
    """`dewiki-20240101-page.sql.gz`, `page.sql` and the like; None if the folder has none."""
    names = [f"{table}.sql{suffix}" for suffix in SUFFIXES]
    found = sorted(
        path
        for path in folder.glob(f"*{table}.sql*")
        if path.is_file() and any(path.name == name or path.name.endswith(f"-{name}") for name in names)
    )
    if len(found) > 1:
        raise FileError(found[1], None, f"is a second table '{table}' beside {found[0].name}: keep one")
    return found[0] if found else None


def columns_of(path: Path) -> list[str]:
    """The columns of a dump's table, in their order."""
    found: list[str] = []
    for _, line in read_raw_lines(path):
        if match := _COLUMN.match(line):
            found.append(match[1].decode())
        elif found and line.lstrip().startswith((b")", b"PRIMARY", b"KEY", b"UNIQUE")):
            return found
        elif line.startswith(b"INSERT"):
            break
    raise FileError(path, None, "names no columns: give an SQL dump of a MediaWiki table, with CREATE TABLE")


def read_rows(path: Path, wanted: Sequence[str]) -> Iterator[Row]:
    """These columns of every row; NULL is an empty string, bytes that are not UTF-8 become U+FFFD."""
    known = columns_of(path)
    for name in wanted:
        if name not in known:
            raise FileError(path, None, f"has no column '{name}': its columns are {', '.join(known)}")
    for number, line in read_raw_lines(path):
        if match := _INSERT.match(line):
            order = [one.strip(b"` ").decode() for one in match[1].split(b",")] if match[1] else known
            places = [order.index(name) for name in wanted]
            for values in _tuples(path, number, line, match.end()):
                if len(values) != len(order):
                    raise FileError(path, number, f"has a row of {len(values)} values, needs {len(order)}")
                yield tuple(values[place].decode(errors="replace") for place in places)


def _tuples(path: Path, number: int, line: bytes, start: int) -> Iterator[list[bytes]]:
    """The values between brackets."""
    place = start
    row: list[bytes] | None = None
    while place < len(line):
        match = _TOKEN.match(line, place)
        if match is None:
            if line[place : place + 1].isspace():
                place += 1
                continue
            raise FileError(path, number, f"cannot be read at byte {place}: a string does not end")
        place, token = match.end(), match[0]
        if token == b"(" and row is None:
            row = []
        elif token == b")" and row is not None:
            yield row
            row = None
        elif token == b";" and row is None:
            return
        elif token == b",":
            continue
        elif row is None or token in (b"(", b";"):
            raise FileError(path, number, f"cannot be read at byte {match.start()}: no row begins there")
        else:
            quoted = match[1]
            row.append(
                _ESCAPED.sub(_unescaped, quoted) if quoted is not None else b"" if token == NULL else token
            )
    if row is not None:
        raise FileError(path, number, "ends within a row: the file is cut off")


def _unescaped(match: re.Match[bytes]) -> bytes:
    return _MEANS.get(match[1], match[1]) if match[1] is not None else b"'"
