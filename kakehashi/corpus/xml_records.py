"""Streams the records of an XML file, one element at a time; entities are not expanded, nothing is fetched."""

import io
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from lxml import etree

from kakehashi.corpus import lines
from kakehashi.corpus.packed import DAMAGED
from kakehashi.errors import FileError

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
MOST_TAGS = 200_000  # maximum tags and attributes up to the end of a record; more is an attack or another kind of file

LONGEST_DECLARATION = 200
DECLARED = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.-]+)[\"']")
WIDER = {  # what documents contain that declare a national standard: ㈱ and ① are in no Shift_JIS
    **dict.fromkeys(("shift_jis", "shift-jis", "x-sjis", "sjis"), "CP932"),
    **dict.fromkeys(("gb2312", "gbk", "gb_2312-80"), "GB18030"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "CP949"),
}


class TooManyTags(Exception):
    """A record has more elements and attributes than any real one, or there is no record."""


def read_records(path: Path, name: str) -> Iterator[etree._Element]:
    """Every complete element of that name, in any namespace; it is emptied when the next one is requested."""
    with lines.open_bytes(path) as file:
        try:
            yield from stream_records(file, (name,))
        except etree.XMLSyntaxError as error:
            raise FileError(path, error.lineno or None, f"is not XML: {fault_of(error)}") from None
        except TooManyTags as error:
            raise FileError(path, None, str(error)) from None
        except (OSError, EOFError, *DAMAGED) as error:
            raise FileError(path, None, f"cannot be read further: {error}") from None


def stream_records(
    file: BinaryIO, names: Collection[str], most_tags: int = MOST_TAGS
) -> Iterator[etree._Element]:
    """Every element of these names in one XML document; raises the errors of lxml and the file."""
    counted = _Counted(file, names, most_tags)
    source = io.BufferedReader(counted, 1 << 15)
    parser = etree.iterparse(
        source, events=("start", "end"), tag=[f"{{*}}{name}" for name in names],
        encoding=_wider(source.peek(LONGEST_DECLARATION)), resolve_entities=False, no_network=True, load_dtd=False,
        huge_tree=False, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    depth = 0  # records around the parser's current position
    for event, element in parser:
        depth += 1 if event == "start" else -1
        if depth == 0:
            yield element
            counted.tags = 0
            _forget(element)


def _wider(head: bytes) -> str | None:
    """The encoding to read a document in if it declares one that writers extend; None for the declared one."""
    declared = DECLARED.match(head[:LONGEST_DECLARATION])
    return _known(WIDER.get(declared[1].decode("ascii").lower(), "")) if declared else None


@cache
def _known(encoding: str) -> str | None:
    """None if the parser was built without this encoding."""
    try:
        etree.XMLParser(encoding=encoding or None)
    except LookupError:
        return None
    return encoding or None


class _Counted(io.RawIOBase):
    """Counts tags and attributes as they are read: their number limits the parser's memory."""

    def __init__(self, file: BinaryIO, names: Collection[str], most: int):
        self._file, self._names, self._most = file, names, most
        self.tags = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        self.tags += data.count(b"<") + data.count(b'="') + data.count(b"='")
        if self.tags > self._most:
            raise TooManyTags(
                f"over {self._most:,} tags and attributes without the end of a record ({', '.join(self._names)})"
            )
        buffer[: len(data)] = data
        return len(data)


def fault_of(error: etree.XMLSyntaxError) -> str:
    """The parser's message in a few words on one line."""
    return " ".join((error.msg or "cannot be parsed").split())[:200]


def local_name(element: etree._Element) -> str:
    """The tag without its namespace; empty if it is not an element, such as an entity."""
    # an undeclared prefix stays in the tag until the parser gives up
    return element.tag.rpartition("}")[2].rpartition(":")[2] if isinstance(element.tag, str) else ""


def _forget(element: etree._Element) -> None:
    """Free the element and all before it, which limits memory however long the file is."""
    element.clear()
    place: etree._Element | None = element
    while place is not None:
        parent = place.getparent()
        while parent is not None and place.getprevious() is not None:
            del parent[0]
        place = parent
