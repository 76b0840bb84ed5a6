"""`PatentPublication`: the record of any office after WIPO's ST.96; Japan's own forms of it are in `jpo_st96.py`."""

from typing import Any

from lxml import etree

from kakehashi.corpus.patents import st36
from kakehashi.corpus.patents.applications import application_number, roots
from kakehashi.corpus.patents.bodies import Body, by_language, texts_of
from kakehashi.corpus.patents.classes import distinct, of_parts, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of
from kakehashi.corpus.patents.numbers import iso_date, iso_month, publication_number
from kakehashi.corpus.patents.places import place_of
from kakehashi.corpus.patents.record import (
    Citation,
    CitedBy,
    Party,
    PatentRecord,
    Wanted,
    distinct_parties,
    full_name,
)
from kakehashi.corpus.patents.writings import country_code

BODY = Body("Abstract", "Claims", "Claim", "Description")
COMMON = "{http://www.wipo.int/standards/XMLSchema/ST96/Common}"
CITED_BY: dict[str, CitedBy] = {"examiner": "examiner", "applicant": "applicant"}
IN_TEXT = "ApplicationIdentification"


def read_st96(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = st36.bibliography(element, "BibliographicData")
    own = find(data, "PatentPublicationIdentification")
    own = element if own is None else own
    office = country_code(line_at(own, "IPOfficeCode")) or country_code(line_at(element, "IPOfficeCode"))
    published = iso_date(line_at(own, "PublicationDate"))
    application, filing = _application(find(data, IN_TEXT), office)
    claimed = [_application(one, office) for one in every(data, "PriorityClaimBag/PriorityClaim")]
    claimed += [
        _application(one, office)
        for name in ("ParentDocument", "ProvisionalApplication")
        for group in every(data, f"RelatedDocumentBag//{name}")
        for one in every(group, f".//{IN_TEXT}")
    ]
    language = (_attribute(element, "languageCode") or "en").lower()
    inventors = _parties(data, "Inventor")
    number = publication_number(
        office, line_at(own, "PublicationNumber"), line_at(own, "PatentDocumentKindCode"), published
    )
    return PatentRecord(
        number=st36.required(number),
        titles=_texts(data, "InventionTitleBag/InventionTitle", language)
        or _texts(data, "InventionTitle", language),
        ipc=_classes(data, "IPCRClassification", "Section") or _classes(data, "IPCClassification", "Section"),
        cpc=_classes(data, "CPCClassification", "CPCSection"),
        inventors=inventors,
        applicants=_parties(data, "Assignee") or _parties(data, "Applicant") or inventors,
        filing=filing,
        priority=st36.earliest([date for _, date in claimed if date], filing),
        publication=published,
        application=application,
        priorities=roots([number for number, _ in claimed]),
        citations=st36.citations(
            _cited(one) for one in every(data, "ReferenceCitationBag//ReferenceCitation")
        ),
        **_body(element, wanted, language, find(data, "ClaimTotalQuantity")),
    )


def _attribute(element: etree._Element, name: str) -> str:
    return element.get(f"{COMMON}{name}") or element.get(name) or ""


def _texts(data: etree._Element, path: str, language: str) -> dict[str, str]:
    return by_language(_with_language(every(data, path)), language, line_of)


def _body(
    element: etree._Element, wanted: Wanted, language: str, count: etree._Element | None
) -> dict[str, Any]:
    for name in ("Abstract", "Claims", "Description"):
        _with_language(every(element, name))
    return texts_of(element, wanted, language, count, BODY)


def _with_language(elements: list[etree._Element]) -> list[etree._Element]:
    """Texts name their language in an attribute of the standard's own namespace."""
    for one in elements:
        if language := _attribute(one, "languageCode"):
            one.set("lang", language)
    return elements


def _application(element: etree._Element | None, office: str) -> tuple[str, str]:
    """(number, filing date)."""
    if element is None:
        return "", ""
    date = iso_date(line_at(element, "FilingDate"))
    number = line_at(element, "ApplicationNumber/ApplicationNumberText") or line_at(
        element, "ApplicationNumber"
    )
    return application_number(country_code(line_at(element, "IPOfficeCode")) or office, number, date), date


def _classes(data: etree._Element, name: str, section: str) -> tuple[str, ...]:
    parts = (section, "Class", "Subclass", "MainGroup", "Subgroup")
    bag = find(data, "PatentClassificationBag")
    found = every(bag if bag is not None else data, f".//{name}")
    return distinct(
        of_parts(*(line_at(one, part) for part in parts)) or symbol(line_of(one)) for one in found
    )


def _parties(data: etree._Element, role: str) -> tuple[Party, ...]:
    return distinct_parties(map(_party, every(data, f"PartyBag/{role}Bag/{role}")))


def _party(element: etree._Element) -> Party:
    name, home = ".//PersonStructuredName", ".//PostalAddress"
    firm = line_at(element, ".//OrganizationStandardName") or line_at(element, ".//EntityName")
    person = full_name(line_at(element, f"{name}/LastName"), line_at(element, f"{name}/FirstName"))
    country = country_code(line_at(element, f"{home}//CountryCode")) or country_code(
        line_at(element, ".//ResidenceCountryCode")
    )
    city, state = place_of(line_at(element, f"{home}//CityName"), country)
    region = line_at(element, f"{home}//GeographicRegionName")
    return Party(person or firm or line_at(element, ".//PersonFullName"), country, region or state, city,
                 not person if person or firm else None)  # fmt: skip


def _cited(element: etree._Element) -> Citation | None:
    id = find(element, "PatentCitation/CitedPatentDocumentIdentification")
    if id is None:
        return st36.cited_in_words(line_at(element, "PatentCitation/PatentCitationText"), "other")
    number = publication_number(
        line_at(id, "IPOfficeCode"),
        line_at(id, "DocumentNumber"),
        line_at(id, "PatentDocumentKindCode"),
        iso_month(line_at(id, "PatentDocumentDate")),
    )
    said = [str(value) for name, value in element.attrib.items() if str(name).endswith("citingPartyCategory")]
    by: CitedBy = next((CITED_BY[one.lower()] for one in said if one.lower() in CITED_BY), "other")
    letters = "".join(sorted(set(line_at(element, "CitationCategory").upper())))
    return Citation(number, by, letters if letters.isalpha() else "") if number else None
