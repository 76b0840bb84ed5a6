"""Rows of the first sheet of an Excel workbook (.xlsx); no formulas, no styles."""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import date, timedelta

from lxml import etree

from kakehashi.corpus.patents.archives import LARGEST_NESTED, Stream, TooMuch

SPREADSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
MOST_STRINGS = 5_000_000
COLUMN = re.compile(r"[A-Z]+")
FIRST_DAY = date(1899, 12, 30)  # as spreadsheets count days


def is_workbook(head: bytes) -> bool:
    return head[:4] == b"PK\x03\x04"


def rows_of_workbook(stream: Stream) -> Iterator[list[str]]:
    data = stream.file.read(LARGEST_NESTED + 1)
    if len(data) > LARGEST_NESTED:
        raise TooMuch(f"a workbook of over {LARGEST_NESTED >> 20} MiB: export it as CSV")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("xl/worksheets/sheet"))
        if not names:
            raise TooMuch("holds no sheet")
        if sum(member.file_size for member in archive.infolist()) > 4 * LARGEST_NESTED:
            raise TooMuch("expands to more than a workbook of patents does")
        strings = _strings(archive)
        with archive.open(names[0]) as file:
            for row in _elements(file, "row"):
                yield _cells(row, strings)


def _elements(file: object, name: str) -> Iterator[etree._Element]:
    parser = etree.iterparse(
        file, tag=f"{SPREADSHEET}{name}", resolve_entities=False, no_network=True, load_dtd=False
    )
    try:
        for _, element in parser:
            yield element
            element.clear()
    except etree.XMLSyntaxError as error:
        raise ValueError(f"a sheet is not XML: {error.msg}") from None


def _strings(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    with archive.open("xl/sharedStrings.xml") as file:
        return [
            "".join(one.text or "" for one in item.iter(f"{SPREADSHEET}t")) for item in _elements(file, "si")
        ]


def _cells(row: etree._Element, strings: list[str]) -> list[str]:
    found: list[str] = []
    for cell in row.iter(f"{SPREADSHEET}c"):
        place = _place(cell.get("r", ""), len(found))
        found += [""] * (place + 1 - len(found))
        found[place] = _value(cell, strings)
    return found


def _value(cell: etree._Element, strings: list[str]) -> str:
    if cell.get("t") == "inlineStr":
        return "".join(one.text or "" for one in cell.iter(f"{SPREADSHEET}t"))
    said = cell.find(f"{SPREADSHEET}v")
    text = said.text or "" if said is not None else ""
    if cell.get("t") == "s":
        return strings[int(text)] if text.isdigit() and int(text) < len(strings) else ""
    # a day is a number with a style; a number of five digits is taken for one where a date is asked for
    return text.removesuffix(".0")


def _place(reference: str, default: int) -> int:
    letters = COLUMN.match(reference)
    if letters is None or len(letters[0]) > 3:
        return default
    place = 0
    for letter in letters[0]:
        place = place * 26 + ord(letter) - 64
    return place - 1


def day_of_number(text: str) -> str:
    """2012-01-31 of 40939."""
    if not (text.isdigit() and len(text) == 5):
        return ""
    return (FIRST_DAY + timedelta(days=int(text))).isoformat()
