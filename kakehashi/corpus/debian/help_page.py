"""One LibreOffice help page: title, blocks with their element ids, links to other pages; reads no folders."""

from collections import Counter
from dataclasses import dataclass

from lxml import etree, html

MAX_PAGE = 8 << 20  # bytes; the largest help page is well below one MiB
BLOCK_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6", "h", "p")
LOOSE_TEXT = ("script", "style", "meta")
APPLICATIONS = {
    "swriter": "WRITER",
    "scalc": "CALC",
    "simpress": "IMPRESS",
    "sdraw": "DRAW",
    "schart": "CHART",
    "smath": "MATH",
    "sbasic": "BASIC",
    "sdatabase": "BASE",
}


@dataclass(frozen=True)
class Page:
    """The contents of one page in one language."""

    id: str  # the path below text/, without .html: the same in every language
    title: str
    blocks: tuple[tuple[str, str], ...]  # (element id, text), in reading order; ids may repeat
    links: tuple[str, ...]  # ids of other pages, each once

    @property
    def module(self) -> str:
        return self.id.split("/")[0]

    @property
    def directory(self) -> str:
        return self.id.rpartition("/")[0]


def parse_page(data: bytes, page_id: str, language: str) -> Page | None:
    """The page, or None if the bytes contain no help text; `language` is the folder name, such as en-US."""
    if not data.strip() or len(data) > MAX_PAGE:
        return None
    try:
        root = html.document_fromstring(data, parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:
        return None
    area = root.find(".//*[@id='DisplayArea']")
    if area is None:
        return None
    _drop_hidden_parts(area, APPLICATIONS.get(page_id.split("/")[0]))
    title = _clean(root.findtext(".//title") or "")
    return Page(page_id, title, tuple(_blocks(area)), tuple(_links(area, page_id, language)))


def page_of_address(address: str, language: str) -> str | None:
    """The page id in a link such as `de/text/swriter/main.html?DbPAR=WRITER#top`; None for other links."""
    path = address.split("#")[0].split("?")[0]
    start, end = f"{language}/text/", ".html"
    if not (path.startswith(start) and path.endswith(end)):
        return None
    return path[len(start) : -len(end)]


def _drop_hidden_parts(area: html.HtmlElement, application: str | None) -> None:
    """Remove the boxes that explain how to open a dialog, and all but one variant of each switch."""
    for box in area.xpath(".//div[@class='howtoget']"):
        box.drop_tree()
    for element in list(area.iter(*LOOSE_TEXT)):
        element.drop_tree()
    for switch in area.xpath(".//span[@class='switchinline' or @class='switch'] | .//div[@class='switch']"):
        variants = [child for child in switch if isinstance(child.tag, str) and child.get("id")]
        shown = _shown_variant(variants, application)
        for variant in variants:
            if variant is not shown:
                variant.drop_tree()


def _shown_variant(variants: list[html.HtmlElement], application: str | None) -> html.HtmlElement | None:
    """What a reader sees: the variant of the page's own application, else the default, else the first."""
    for variant in variants:
        if application is not None and variant.get("class") == application:
            return variant
    for variant in variants:
        if (variant.get("id") or "").startswith("default"):
            return variant
    return variants[0] if variants else None


def _blocks(area: html.HtmlElement) -> list[tuple[str, str]]:
    """A block without an id (a note, a related topic) is identified by its class and number on the page."""
    found, nameless = [], Counter[str]()
    for element in area.iter(*BLOCK_TAGS):
        name, text = element.get("id"), _clean(element.text_content())
        if not name:
            kind = element.get("class") or element.tag
            nameless[kind] += 1
            name = f"{kind}#{nameless[kind]}"
        if text and not name.startswith("related#"):  # the heading of every box of related topics
            found.append((name, text))
    return found


def _links(area: html.HtmlElement, page_id: str, language: str) -> list[str]:
    targets = (page_of_address(anchor.get("href") or "", language) for anchor in area.iter("a"))
    return list(dict.fromkeys(target for target in targets if target is not None and target != page_id))


def _clean(text: str) -> str:
    return " ".join(text.split())
