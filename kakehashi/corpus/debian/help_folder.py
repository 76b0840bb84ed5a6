"""The unpacked LibreOffice help: its pages per language and its contents tree; fetches nothing."""

import re
from pathlib import Path

from lxml import html

from kakehashi.corpus.debian.help_page import MAX_PAGE, Page, page_of_address, parse_page
from kakehashi.errors import FileError
from kakehashi.progress import SILENT, Progress, track

HELP = Path("usr/share/libreoffice/help")
MAX_PAGES = 100_000
JOIN = " > "  # separates the labels of a position in the contents tree
CONTENTS = re.compile(r"innerHTML\s*=\s*'(.*)'", re.DOTALL)


def read_pages(package: Path, language: str, progress: Progress = SILENT) -> dict[str, Page]:
    """Every page below text/ that has text, by id; without those under /00/, which are only inserted into others."""
    start = package / HELP / language / "text"
    files = sorted(start.rglob("*.html"))
    if not files:
        raise FileError(start, None, "has no help pages: the layout of the package has changed")
    if len(files) > MAX_PAGES:
        raise FileError(start, None, f"has more than {MAX_PAGES} pages: this is not LibreOffice's help")
    pages = {}
    for file in track(files, f"reading {language}", len(files), progress):
        name = file.relative_to(start).with_suffix("").as_posix()
        if "/00/" in name:
            continue
        page = parse_page(file.read_bytes(), name, language)
        if page is not None and page.blocks:
            pages[name] = page
    return pages


def read_contents(package: Path, language: str) -> dict[str, list[str]]:
    """Page id -> its positions in the contents tree, each as labels from the root joined by ' > '."""
    path = package / HELP / language / "contents.js"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileError(
            path, None, f"cannot be read ({error.strerror}): the layout of the package has changed"
        ) from None
    return parse_contents(data.decode(errors="replace"), language) if len(data) <= MAX_PAGE else {}


def parse_contents(script: str, language: str) -> dict[str, list[str]]:
    """The tree is HTML inside one JavaScript string: lists of labels, with links at the leaves."""
    found = CONTENTS.search(script)
    if found is None:
        return {}
    markup = found[1].replace("\\\n", "\n").replace("\\'", "'")
    document = f"<html><body>{markup}</body></html>".encode(errors="replace")
    root = html.document_fromstring(document, parser=html.HTMLParser(encoding="utf-8"))
    places: dict[str, list[str]] = {}
    for anchor in root.iter("a"):
        page = page_of_address(anchor.get("href") or "", language)
        labels = [_label(item) for item in anchor.iterancestors("li")]
        place = JOIN.join(label for label in reversed(labels) if label)
        if page is not None and place and place not in places.setdefault(page, []):
            places[page].append(place)
    return places


def _label(item: html.HtmlElement) -> str:
    label = item.find("label")
    return "" if label is None else " ".join(label.text_content().split())
