"""Hits as rows of a spreadsheet, in CSV or as a workbook for Excel."""

import csv
import io
from typing import Any

from kakehashi.errors import MissingDependency
from kakehashi.export.listing import Entry, Listing, reason_lines
from kakehashi.text.marking import Piece, plain

COLUMNS = {  # name -> width in a workbook
    "rank": 6, "score": 10, "id": 18, "title": 50, "date": 12, "applicant": 30, "classes": 24, "url": 24,
    "passage": 90, "because of": 60,
}  # fmt: skip
MOST_REASONS = 8
MOST_CHARACTERS = 32_000  # a cell of Excel takes 32,767


def csv_bytes(listing: Listing) -> bytes:
    """UTF-8 with a byte order mark, which Excel needs to read other letters than English ones."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for entry in listing.entries:
        writer.writerow([_harmless(cell) for cell in _cells(entry, listing.digits)])
    return file.getvalue().encode("utf-8-sig", "replace")


def require_xlsx() -> Any:
    try:
        import xlsxwriter
    except ImportError:
        raise MissingDependency("XlsxWriter", "export") from None
    return xlsxwriter


def xlsx_bytes(listing: Listing) -> bytes:
    """A sheet of hits, with what was found in bold, and a sheet that says how they were searched for."""
    file = io.BytesIO()
    plainly = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with require_xlsx().Workbook(file, plainly) as book:
        bold, wrapped = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
        sheet = book.add_worksheet("hits")
        for number, (name, width) in enumerate(COLUMNS.items()):
            sheet.set_column(number, number, width, wrapped)
            sheet.write_string(0, number, name, bold)
        sheet.freeze_panes(1, 0)
        for row, entry in enumerate(listing.entries, 1):
            for column, cell in enumerate(_cells(entry, listing.digits)):
                _write(sheet, row, column, cell, wrapped)
            _write_marked(sheet, row, list(COLUMNS).index("passage"), entry.passage, bold, wrapped)
        if listing.entries:
            sheet.autofilter(0, 0, len(listing.entries), len(COLUMNS) - 1)
        about = book.add_worksheet("search")
        about.set_column(0, 0, 20, bold)
        about.set_column(1, 1, 100, wrapped)
        for row, pair in enumerate(about_search(listing).items()):
            for column, cell in enumerate(pair):
                about.write_string(row, column, cell[:MOST_CHARACTERS])
    return file.getvalue()


def about_search(listing: Listing) -> dict[str, str]:
    """What was asked, for whoever reads the hits later."""
    return {
        "query": listing.query,
        "language": listing.language,
        "collection": listing.collection,
        "system": listing.system,
        **listing.settings,
        "hits": str(len(listing.entries)),
        "date": listing.made,
    }


def _cells(entry: Entry, digits: int) -> list[str | float]:
    facts = entry.facts
    lines = reason_lines(entry.why, MOST_REASONS, digits)
    because = "\n".join(lines[0] if len(lines) == 1 else ["  ".join(line) for line in lines])
    return [
        entry.rank,
        entry.score,
        entry.id,
        entry.title,
        facts.date,
        facts.applicant,
        "; ".join(facts.classes),
        facts.url,
        plain(entry.passage),
        because,
    ]


def _harmless(cell: str | float) -> str | float:
    """Spreadsheets compute what begins like a formula, whoever wrote it; a leading apostrophe makes it text."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _write(sheet: Any, row: int, column: int, cell: str | float, look: Any) -> None:
    if isinstance(cell, str):
        sheet.write_string(row, column, cell[:MOST_CHARACTERS], look)
    else:
        sheet.write_number(row, column, cell, look)


def _write_marked(sheet: Any, row: int, column: int, pieces: list[Piece], bold: Any, look: Any) -> None:
    if len(pieces) > 1:  # with fewer there is nothing to set apart
        parts = [part for piece in pieces for part in ([bold] if piece.match else []) + [piece.text]]
        sheet.write_rich_string(row, column, *parts, look)
