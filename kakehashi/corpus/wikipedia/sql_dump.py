"""Reads tables of a MediaWiki database from its SQL dumps, as a stream of rows; knows nothing of what they mean."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kakehashi.corpus.lines import SUFFIXES, read_raw_lines
from kakehashi.errors import FileError

_COLUMN = re.compile(rb"^\s*`(\w+)` ")
_INSERT = re.compile(rb"^INSERT INTO `?\w+`?\s*(?:\(([^)]*)\)\s*)?VALUES\s*")
_ROW = re.compile(rb"[\s,]*(\(|;|$)")
_VALUE = re.compile(rb"\s*(?:'((?:[^'\\]++|\\.|'')*+)'|([^\s,();']++))\s*([,)])", re.DOTALL)
_CUT_OFF = re.compile(rb"\s*(?:'(?:[^'\\]++|\\.|'')*+'|[^\s,();']*+)\s*$", re.DOTALL)
_ESCAPED = re.compile(rb"\\(.)|''", re.DOTALL)
_MEANS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0", b"Z": b"\x1a"}
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


def _tuples(path: Path, number: int, line: bytes, place: int) -> Iterator[list[bytes]]:
    """The values between brackets: (1,'a'),(2,'b');"""
    while True:
        start = _ROW.match(line, place)
        if start is None:
            raise FileError(path, number, f"cannot be read at byte {place}: no row begins there")
        if start[1] != b"(":
            return
        place = start.end()
        row: list[bytes] = []
        while True:
            value = _VALUE.match(line, place)
            if value is None:
                raise FileError(path, number, _fault(line, place))
            place, quoted = value.end(), value[1]
            if quoted is not None:
                row.append(_ESCAPED.sub(_unescaped, quoted) if b"\\" in quoted or b"'" in quoted else quoted)
            else:
                row.append(b"" if value[2] == NULL else value[2])
            if value[3] == b")":
                break
        yield row


def _fault(line: bytes, place: int) -> str:
    if _CUT_OFF.match(line, place):
        return "ends within a row: the file is cut off"
    if line[place:].lstrip().startswith(b"'"):
        return f"cannot be read at byte {place}: a string does not end"
    return f"cannot be read at byte {place}: no value stands there"


def _unescaped(match: re.Match[bytes]) -> bytes:
    return _MEANS.get(match[1], match[1]) if match[1] is not None else b"'"
