"""The one way hits become a file: the end of the file's name says which format, and the file appears whole."""

from collections.abc import Callable, Sequence
from pathlib import Path

from kakehashi.corpus.lines import check_writable, write_file
from kakehashi.errors import InputError
from kakehashi.export import html_page, json_file, ris, spreadsheet
from kakehashi.export.listing import Listing

FORMATS: dict[str, Callable[[Listing], bytes]] = {
    ".csv": spreadsheet.csv_bytes,
    ".xlsx": spreadsheet.xlsx_bytes,
    ".ris": ris.ris_bytes,
    ".html": html_page.html_bytes,
    ".json": json_file.json_bytes,
}


def write_listing(listing: Listing, path: Path | str) -> None:
    """Write the hits in the format that the path ends with."""
    place = Path(path)
    check_path(place)
    data = FORMATS[place.suffix.lower()](listing)
    with write_file(place) as file:
        file.write(data)


def check_path(path: Path | str) -> None:
    """Refuse what could not be written, before there is anything to write."""
    place = Path(path)
    if place.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: hits are written as {', '.join(FORMATS)}: end the name with one of these")
    check_writable(place)
    if place.suffix.lower() == ".xlsx":
        spreadsheet.require_xlsx()


def check_paths(paths: Sequence[Path]) -> None:
    for path in paths:
        check_path(path)
    if len({*paths}) < len(paths):
        raise InputError("--out names the same file twice")
