"""Streams the records of an XML file, one element at a time; entities stay closed, nothing is fetched."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from lxml import etree

from kakehashi.corpus import lines
from kakehashi.errors import FileError

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
MOST_PARTS = 100_000  # elements in one record; more is an attack or another kind of file


class TooManyParts(Exception):
    """A record has more elements than anybody would write."""

    def __init__(self, line: int | None, name: str, most: int):
        self.line = line
        super().__init__(f"a {name} has over {most:,} elements")


def read_records(path: Path, name: str) -> Iterator[etree._Element]:
    """Every element of that name, whole, in any namespace; it is emptied when the next one is asked for."""
    with lines.open_bytes(path) as file:
        try:
            yield from stream_records(file, (name,))
        except etree.XMLSyntaxError as error:
            raise FileError(path, error.lineno or None, f"is not XML: {fault_of(error)}") from None
        except TooManyParts as error:
            raise FileError(path, error.line, str(error)) from None
        except (OSError, EOFError, *lines.DAMAGED) as error:
            raise FileError(path, None, f"cannot be read further: {error}") from None


def stream_records(
    file: IO[bytes], names: Collection[str], most_parts: int = MOST_PARTS
) -> Iterator[etree._Element]:
    """Every element of these names in one XML document; raises what lxml and the file raise."""
    parser = etree.iterparse(
        file, events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False,
        huge_tree=False, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    depth, parts = 0, 0  # depth counts records around the place where the parser stands
    for event, element in parser:
        is_record = local_name(element) in names
        if event == "start":
            depth += is_record
            parts += 1
            if depth and parts > most_parts:
                raise TooManyParts(element.sourceline, local_name(element), most_parts)
            continue
        if is_record:
            depth -= 1
            if depth == 0:
                yield element
        if depth == 0:
            parts = 0
            _forget(element)


def fault_of(error: etree.XMLSyntaxError) -> str:
    """What the parser says, in a few words of one line."""
    return " ".join((error.msg or "cannot be parsed").split())[:200]


def local_name(element: etree._Element) -> str:
    """The tag without its namespace; empty for what is no element, such as an entity."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _forget(element: etree._Element) -> None:
    """Free the element and those before it, which keeps memory bounded however long the file is."""
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]
