"""The parts shared by all records based on WIPO's ST.36: document ids, dates, parties, classes, citations."""

import re
from collections.abc import Iterable, Sequence

from lxml import etree

from kakehashi.corpus.patents.applications import application_number, is_international
from kakehashi.corpus.patents.classes import distinct, of_parts, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of, raw_text
from kakehashi.corpus.patents.numbers import iso_date, iso_month, publication_number
from kakehashi.corpus.patents.phrases import number_in_words
from kakehashi.corpus.patents.places import place_of
from kakehashi.corpus.patents.record import (
    Citation,
    CitedBy,
    Malformed,
    Party,
    distinct_parties,
    full_name,
)
from kakehashi.corpus.patents.writings import country_code

PARTS_OF_A_SYMBOL = ("section", "class", "subclass", "main-group", "subgroup")
FORMS = ("docdb", "epo", "epodoc")  # of several ways to write the same value, the first of these
NAME_AND_COUNTRY = re.compile(r"(.*?)[ ,;]*\[([A-Z]{2})\]")
EUROPEAN = ("docdb", "epo")  # as the European office shortens the numbers of other offices


def bibliography(element: etree._Element, *paths: str) -> etree._Element:
    """The part of a record that contains the rest of its fields."""
    for path in paths:
        found = find(element, path)
        if found is not None:
            return found
    raise Malformed("no bibliographic data")


def in_one_form(elements: Sequence[etree._Element]) -> list[etree._Element]:
    """If a number or party is written in several ways, choose one: the office's own version repeats it."""
    forms = [_form(one) for one in elements]
    best = min(forms, key=lambda form: FORMS.index(form) if form in FORMS else len(FORMS), default="")
    return [one for one, form in zip(elements, forms, strict=True) if form == best]


def _form(element: etree._Element) -> str:
    """How a number or party is written; a document-id inherits it from the element around it."""
    names = ("data-format", "format", "document-id-type")
    return next((form for name in names if (form := element.get(name, ""))), "")


def document_id(parent: etree._Element | None) -> etree._Element | None:
    """The document-id of a reference."""
    ids = in_one_form(every(parent, "document-id")) if parent is not None else []
    return ids[0] if ids else None


def reference_id(data: etree._Element, path: str) -> etree._Element | None:
    """The document-id of a reference that may exist in several forms."""
    references = in_one_form(every(data, path))
    return document_id(references[0]) if references else None


def number_of(id: etree._Element | None, country: str = "") -> str:
    """The publication number in a document-id, completed with what is known."""
    if id is None:
        return ""
    number = line_at(id, "doc-number")
    return publication_number(
        line_at(id, "country") or country or number[:2],
        number,
        line_at(id, "kind"),
        iso_month(line_at(id, "date")),
    )


def number_of_ucid(ucid: str, date: str = "") -> str:
    """The publication number in an identifier such as EP-1000000-A1."""
    country, _, rest = ucid.partition("-")
    number, _, kind = rest.partition("-")
    return publication_number(country, number, kind, date)


def date_of(id: etree._Element | None) -> str:
    """The date of a document-id, else that of the same number in another form."""
    parent = id.getparent() if id is not None else None
    others = every(parent, "document-id") if parent is not None else []
    return next(
        (date for one in (id, *others) if one is not None and (date := iso_date(line_at(one, "date")))), ""
    )


def application(data: etree._Element, country: str) -> tuple[str, str]:
    """(number, filing date) of the application."""
    id = reference_id(data, "application-reference")
    return _application(id, country) if id is not None else ("", "")


def _application(id: etree._Element, country: str) -> tuple[str, str]:
    date, number = date_of(id), line_at(id, "doc-number")
    parent = id.getparent()
    form = _form(id) or (_form(parent) if parent is not None else "")
    office = line_at(id, "country") or country or number[:2]
    return application_number(office, number, date, line_at(id, "kind"), form in EUROPEAN), date


def priorities(claims: Sequence[etree._Element], country: str = "") -> tuple[tuple[str, ...], list[str]]:
    """(numbers, dates) of the claimed applications, which contain a document-id or are one."""
    ids = [(document_id(claim), claim) for claim in in_one_form(claims)]
    found = [_application(claim if id is None else id, country) for id, claim in ids]
    return distinct(number for number, _ in found), [date for _, date in found if date]


def international(data: etree._Element) -> str:
    """The application under the Patent Cooperation Treaty of which this is a part; empty if none."""
    id = reference_id(data, "pct-or-regional-filing-data")
    number = _application(id, "WO")[0] if id is not None else ""
    return number if is_international(number) else ""


def earliest(dates: Sequence[str], filing: str) -> str:
    """The priority date; without a claim it is the filing date."""
    return min([*dates, *([filing] if filing else [])], default="")


def required(number: str) -> str:
    if not number:
        raise Malformed("no publication number")
    return number


def classes(elements: Iterable[etree._Element]) -> tuple[str, ...]:
    """Symbols given as five elements or as text."""
    return distinct(symbol_of(element) for element in elements)


def symbol_of(element: etree._Element) -> str:
    parts = [line_at(element, name) for name in PARTS_OF_A_SYMBOL]
    return of_parts(*parts) if all(parts) else symbol(raw_text(element))


def party(element: etree._Element) -> Party:
    """The party named by an inventor, applicant or assignee element."""
    book = find(element, "addressbook")
    book = element if book is None else book
    firm, first = line_at(book, "orgname"), line_at(book, "first-name")
    name, said = without_country(
        firm or full_name(line_at(book, "last-name"), first) or line_at(book, "name")
    )
    country = country_code(line_at(book, "address/country") or line_at(element, "residence/country")) or said
    city, state = place_of(line_at(book, "address/city"), country)
    return Party(
        name=name,
        country=country,
        state=line_at(book, "address/state") or state,
        city=city,
        organization=True if firm else False if first else None,
    )


def without_country(name: str) -> tuple[str, str]:
    """(name, country) of `DOE JANE [NL]`, as the European office writes it."""
    found = NAME_AND_COUNTRY.fullmatch(name)
    return (found[1], found[2]) if found else (name.rstrip(" ,;"), "")


def parties(elements: Iterable[etree._Element]) -> tuple[Party, ...]:
    return distinct_parties(map(party, elements))


def cited(element: etree._Element, by: CitedBy, category: str = "") -> Citation | None:
    """The patent cited by a patcit element; None if it is not a patent number, or that of an application."""
    if element.get("dnum-type", "").strip().upper() == "L":
        return None
    number = (
        number_of(document_id(element))
        or number_of_ucid(element.get("ucid", ""))
        or number_in_words(element.get("dnum", ""))
    )
    number = number or number_in_words(line_at(element, "text"))
    return Citation(number, by, category) if number else None


def cited_in_words(text: str, by: CitedBy, category: str = "") -> Citation | None:
    number = number_in_words(text)
    return Citation(number, by, category) if number else None


def categories(citation: etree._Element) -> str:
    """The letters of a search report, each once, in one order: X and Y are particularly relevant, A is background."""
    letters = {
        letter
        for one in every(citation, ".//category")
        for letter in line_of(one).upper()
        if letter.isalpha()
    }
    return "".join(sorted(letters)) if len(letters) < 6 else ""


def citations(found: Iterable[Citation | None]) -> tuple[Citation, ...]:
    return tuple(dict.fromkeys(one for one in found if one is not None))
