"""The parts that all records after WIPO's ST.36 share: document ids, parties, classes, claims, texts."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from lxml import etree

from kakehashi.corpus.patents.classes import distinct, of_parts, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of, raw_text, text_of
from kakehashi.corpus.patents.numbers import (
    COUNTRY,
    application_number,
    iso_date,
    number_in_words,
    publication_number,
)
from kakehashi.corpus.patents.record import Citation, CitedBy, Malformed, Party
from kakehashi.corpus.xml_records import LANG

PARTS_OF_A_SYMBOL = ("section", "class", "subclass", "main-group", "subgroup")
FORMATS = ("docdb", "epo", "epodoc")  # of several ways to write a number, the first of these


def language_of(element: etree._Element, default: str) -> str:
    """The language of a text as two small letters."""
    tag = element.get("lang") or element.get(LANG) or default
    return tag.strip().lower().replace("_", "-").split("-")[0][:3]


def by_language(
    elements: Iterable[etree._Element], default: str, text: Callable[[etree._Element], str] = text_of
) -> dict[str, str]:
    """The first text in each language."""
    found: dict[str, str] = {}
    for element in elements:
        words = text(element)
        if words:
            found.setdefault(language_of(element, default), words)
    return found


def document_id(parent: etree._Element | None) -> etree._Element | None:
    """The document-id of a reference; where an office writes a number in several ways, the plain one."""
    if parent is None:
        return None
    ids = every(parent, "document-id")
    for form in FORMATS:
        for one in ids:
            if form in (one.get("format"), one.get("document-id-type"), parent.get("data-format")):
                return one
    return ids[0] if ids else None


def number_of(id: etree._Element | None, country: str = "", kind: str = "") -> str:
    """The publication number in a document-id, with what is known where it says nothing."""
    if id is None:
        return ""
    number = line_at(id, "doc-number")
    return publication_number(
        line_at(id, "country") or country or number[:2], number, line_at(id, "kind") or kind
    )


def date_of(id: etree._Element | None) -> str:
    return iso_date(line_at(id, "date")) if id is not None else ""


def application(parent: etree._Element | None, country: str) -> tuple[str, str]:
    """(number, filing date) of an application-reference."""
    id = document_id(parent)
    if id is None:
        return "", ""
    return application_number(line_at(id, "country") or country, line_at(id, "doc-number")), date_of(id)


def priorities(claims: Iterable[etree._Element], country: str = "") -> tuple[tuple[str, ...], list[str]]:
    """(numbers, dates) of priority claims, which hold a document-id or are one."""
    numbers, dates = [], []
    for claim in claims:
        id = document_id(claim)
        id = claim if id is None else id
        numbers.append(application_number(line_at(id, "country") or country, line_at(id, "doc-number")))
        dates.append(date_of(id))
    return distinct(numbers), [date for date in dates if date]


def earliest(dates: Sequence[str], filing: str) -> str:
    """The priority date: without a claim it is that of filing."""
    return min([*dates, *([filing] if filing else [])], default="")


def required(number: str) -> str:
    if not number:
        raise Malformed("no publication number")
    return number


def classes(elements: Iterable[etree._Element]) -> tuple[str, ...]:
    """Symbols that stand as five elements or as text."""
    return distinct(_symbol(element) for element in elements)


def _symbol(element: etree._Element) -> str:
    parts = [line_at(element, name) for name in PARTS_OF_A_SYMBOL]
    return of_parts(*parts) if all(parts) else symbol(raw_text(element))


def party(element: etree._Element) -> Party | None:
    """Whoever an inventor, applicant or assignee element names."""
    book = find(element, "addressbook")
    book = element if book is None else book
    firm = line_at(book, "orgname")
    last, first = line_at(book, "last-name"), line_at(book, "first-name")
    name = firm or ", ".join(part for part in (last, first) if part) or line_at(book, "name")
    if not name:
        return None
    address = find(book, "address")
    place = {part: line_at(address, part) if address is not None else "" for part in ("state", "city")}
    country = line_at(address, "country") if address is not None else ""
    country = (country or line_at(element, "residence/country")).upper()
    person = bool(first) and not firm
    return Party(
        name=name,
        country=country if COUNTRY.fullmatch(country) else "",
        organization=True if firm else False if person else None,
        **place,
    )


def parties(elements: Iterable[etree._Element]) -> tuple[Party, ...]:
    """Those who have a name, each once."""
    found = (party(element) for element in elements)
    return tuple({one.name: one for one in found if one is not None}.values())


def claims_by_language(
    groups: Iterable[etree._Element], default: str, claim: str = "claim"
) -> dict[str, tuple[str, ...]]:
    """The first set of claims in each language: an office may print more, for other states."""
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        texts = tuple(filter(None, (line_of(one) for one in every(group, claim))))
        if texts:
            found.setdefault(language_of(group, default), texts)
    return found


def count_of(element: etree._Element | None, claims: Mapping[str, Sequence[str]]) -> int:
    """The number of claims as the record says it, else as they are counted."""
    said = line_of(element) if element is not None else ""
    if said.isascii() and said.isdigit() and len(said) < 6:
        return int(said)
    return max(map(len, claims.values()), default=0)


def cited(element: etree._Element, by: CitedBy) -> Citation | None:
    """What a patcit element names; None for what is no patent number."""
    id = document_id(element)
    number = number_of(id) if id is not None else ""
    number = number or _of_ucid(element.get("ucid", ""))
    number = number or number_in_words(element.get("dnum", "")) or number_in_words(line_at(element, "text"))
    return Citation(number, by) if number else None


def citations(found: Iterable[Citation | None]) -> tuple[Citation, ...]:
    return tuple(dict.fromkeys(one for one in found if one is not None))


def _of_ucid(ucid: str) -> str:
    country, _, rest = ucid.partition("-")
    number, _, kind = rest.partition("-")
    return publication_number(country, number, kind)


def number_of_ucid(ucid: str) -> str:
    """The publication number in an identifier such as EP-1000000-A1."""
    return _of_ucid(ucid)
