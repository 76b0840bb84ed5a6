"""China: `cn-patent-document`, after ST.36, and since 2012 `PatentDocumentAndRelated`, after ST.96."""

from lxml import etree

from kakehashi.corpus.patents import st36
from kakehashi.corpus.patents.applications import application_number
from kakehashi.corpus.patents.bodies import Body, by_language, texts_of
from kakehashi.corpus.patents.classes import distinct, of_parts, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of, raw_text
from kakehashi.corpus.patents.numbers import iso_date, iso_month, publication_number
from kakehashi.corpus.patents.record import Citation, Party, PatentRecord, Wanted, distinct_parties
from kakehashi.corpus.patents.writings import country_code

LANGUAGE, OFFICE = "zh", "CN"
OLDER = Body(".//abstract", ".//claims", "claim", ".//description")
NEWER = Body("Abstract", "Claims", "Claim", "Description")
PARTS = ("Section", "MainClass", "Subclass", "MainGroup", "Subgroup")
UNKNOWN = frozenset(["", "0", "市辖区", "县"])  # how the newer form fills what it does not know


def read_cn(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = st36.bibliography(element, "cn-bibliographic-data", "bibliographic-data")
    named = "cn-publication-reference" if every(data, "cn-publication-reference") else "publication-reference"
    publication = st36.reference_id(data, named)
    application, filing = st36.application(data, OFFICE)
    claimed = [*every(data, ".//priority-claim"), *every(data, ".//parent-doc")]
    priorities, dates = st36.priorities(claimed)
    return PatentRecord(
        number=st36.required(st36.number_of(publication, OFFICE)),
        titles=by_language(every(data, "invention-title"), LANGUAGE, line_of),
        ipc=st36.classes(every(data, ".//classification-ipcr"))
        or distinct(symbol(raw_text(one)) for group in every(data, "classification-ipc") for one in group),
        inventors=st36.parties(_people(data, "inventor")),
        applicants=st36.parties(_people(data, "assignee") or _people(data, "applicant")),
        filing=filing,
        priority=st36.earliest(dates, filing),
        publication=st36.date_of(publication),
        application=application,
        priorities=priorities,
        citations=st36.citations(
            st36.cited(one, "examiner") for one in every(data, ".//references-cited//patcit")
        ),
        **texts_of(element, wanted, LANGUAGE, find(data, "number-of-claims"), OLDER),
    )


def _people(data: etree._Element, role: str) -> list[etree._Element]:
    return every(data, f".//cn-{role}") or every(data, f".//{role}s/{role}")


def read_cn_st96(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = st36.bibliography(element, "BibliographicData", "DesignBibliographicData")
    publication = _original(every(data, "PublicationReference"))
    number, kind, published = _id(publication, "Kind")
    filed = _original(every(data, "ApplicationReference"))
    claimed = [_application(one) for one in _originals(every(data, "PriorityDetails/Priority"))]
    claimed += [_application(one) for one in every(data, "RelatedDocuments//ParentDocument")]
    application, filing = _application(filed)
    return PatentRecord(
        number=st36.required(
            publication_number(
                OFFICE, number or element.get("docNumber", ""), kind or element.get("kind", ""), published
            )
        ),
        titles=by_language(_originals(every(data, "InventionTitle")), LANGUAGE, line_of),
        ipc=_classes(data, "IPCR") or _classes(data, "IPC"),
        cpc=_classes(data, "CPC"),
        inventors=_parties(data, "Inventor"),
        applicants=_parties(data, "Assignee") or _parties(data, "Applicant"),
        filing=filing,
        priority=st36.earliest([date for _, date in claimed if date], filing),
        publication=published or iso_date(element.get("datePublication", "")),
        application=application,
        priorities=distinct(number for number, _ in claimed if number),
        citations=st36.citations(_cited(one) for one in every(data, ".//PatentCitation")),
        **texts_of(element, wanted, LANGUAGE, find(data, "ClaimsNumber"), NEWER),
    )


def _originals(elements: list[etree._Element]) -> list[etree._Element]:
    """As printed, where the office's standard form is given beside it."""
    return [one for one in elements if one.get("dataFormat") == "original"] or elements


def _original(elements: list[etree._Element]) -> etree._Element | None:
    return next(iter(_originals(elements)), None)


def _id(element: etree._Element | None, kind: str) -> tuple[str, str, str]:
    """(number, kind, ISO date)."""
    if element is None:
        return "", "", ""
    return (
        line_at(element, ".//DocNumber"), line_at(element, f".//{kind}"), iso_date(line_at(element, ".//Date"))
    )  # fmt: skip


def _application(element: etree._Element | None) -> tuple[str, str]:
    """(number, filing date)."""
    number, kind, date = _id(element, "Kind")
    office = line_at(element, ".//WIPOST3Code") if element is not None else ""
    return application_number(country_code(office) or OFFICE, number, date, kind), date


def _classes(data: etree._Element, scheme: str) -> tuple[str, ...]:
    found = every(data, f".//Classification{scheme}")
    return distinct(
        of_parts(*(line_at(one, part) for part in PARTS)) or symbol(line_at(one, "Text")) for one in found
    )


def _parties(data: etree._Element, role: str) -> tuple[Party, ...]:
    return distinct_parties(map(_party, _originals(every(data, f"Parties/{role}Details/{role}"))))


def _party(element: etree._Element) -> Party:
    book = "AddressBook"
    firm = line_at(element, f"{book}/OrganizationName")
    city = line_at(element, f"{book}/Address/City")
    state = line_at(element, f"{book}/Address/Province")
    return Party(
        firm or line_at(element, f"{book}/Name"),
        country_code(line_at(element, f"{book}/Address/WIPOST3Code")),
        "" if state in UNKNOWN else state,
        "" if city in UNKNOWN else city,
        True if firm else None,
    )


def _cited(element: etree._Element) -> Citation | None:
    country, date = line_at(element, ".//WIPOST3Code"), iso_month(line_at(element, ".//Date"))
    number = publication_number(country, line_at(element, ".//DocNumber"), line_at(element, ".//Kind"), date)
    return Citation(number, "examiner") if number else None
