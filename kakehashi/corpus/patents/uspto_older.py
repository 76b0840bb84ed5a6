"""The United States before 2005: grants as ST.32 (`PATDOC`) and `patent-application-publication`."""

from lxml import etree

from kakehashi.corpus.patents import st32, st36
from kakehashi.corpus.patents.applications import application_number, is_international, roots
from kakehashi.corpus.patents.bodies import Body, by_language, texts_of
from kakehashi.corpus.patents.classes import distinct, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of
from kakehashi.corpus.patents.numbers import iso_date, iso_month, publication_number
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

LANGUAGE, OFFICE = "en", "US"
PATDOC = Body("SDOAB", "SDOCL", ".//CLM", "SDODE")
PUBLICATION = Body("subdoc-abstract", "subdoc-claims", "claim", "subdoc-description")


def read_patdoc(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = st36.bibliography(element, "SDOBI")
    application, filing = st32.application(data, OFFICE)
    foreign, dates = st32.priorities(data)
    parents, parent_dates = _patdoc_parents(data)
    inventors = _patdoc_parties(data, "B700/B720/B721")
    return PatentRecord(
        number=st36.required(st32.number(data, OFFICE)),
        titles=by_language(every(data, "B500/B540"), LANGUAGE, line_of),
        ipc=st32.older_ipc(data),
        inventors=inventors,
        applicants=_patdoc_parties(data, "B700/B730/B731") or inventors,
        filing=filing,
        priority=st36.earliest([*dates, *parent_dates], filing),
        publication=st32.day(data, "B100/B140"),
        application=application,
        priorities=roots([*foreign, *parents], _patdoc_international(data)),
        citations=st36.citations(map(_patdoc_citation, every(data, "B500/B560/B561"))),
        **texts_of(element, wanted, LANGUAGE, find(data, "B500/B570/B577"), PATDOC),
    )


def read_publication(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = st36.bibliography(element, "subdoc-bibliographic-information")
    tell = "technical-information/"
    filing = iso_date(line_at(data, "domestic-filing-data/filing-date"))
    people = [*every(data, "inventors/first-named-inventor"), *every(data, "inventors/inventor")]
    inventors = distinct_parties(map(_inventor, people))
    claimed = [_foreign(one) for one in every(data, "foreign-priority-data")] + _parents(data)
    return PatentRecord(
        number=st36.required(
            publication_number(
                OFFICE, line_at(data, "document-id/doc-number"), line_at(data, "document-id/kind-code")
            )
        ),
        titles=by_language(every(data, f"{tell}title-of-invention"), LANGUAGE, line_of),
        ipc=distinct(symbol(line_of(one)) for one in every(data, f"{tell}classification-ipc//ipc")),
        inventors=inventors,
        applicants=distinct_parties(map(_assignee, every(data, "assignee"))) or inventors,
        filing=filing,
        priority=st36.earliest([date for _, date in claimed if date], filing),
        publication=iso_date(line_at(data, "document-id/document-date")),
        application=application_number(
            OFFICE, line_at(data, "domestic-filing-data/application-number/doc-number"), filing
        ),
        priorities=roots([number for number, _ in claimed]),
        **texts_of(element, wanted, LANGUAGE, where=PUBLICATION),
    )


def _patdoc_parents(data: etree._Element) -> tuple[list[str], list[str]]:
    """(numbers, dates) of provisional applications and of the parents of a continuation or division."""
    documents = [*every(data, "B600//PDOC/DOC"), *every(data, "B600/B680US/DOC")]
    dates = [iso_date(line_at(one, "DATE")) for one in documents]
    numbers = [
        application_number(OFFICE, line_at(one, "DNUM"), date)
        for one, date in zip(documents, dates, strict=True)
    ]
    return numbers, [date for date in dates if date]


def _patdoc_international(data: etree._Element) -> list[str]:
    numbers = (application_number(OFFICE, line_of(one)) for one in every(data, "B800/B860/B861//DNUM"))
    return [one for one in numbers if is_international(one)]


def _patdoc_parties(data: etree._Element, path: str) -> tuple[Party, ...]:
    return distinct_parties(_patdoc_party(one) for one in every(data, f"{path}/PARTY-US"))


def _patdoc_party(element: etree._Element) -> Party:
    firm = line_at(element, "NAM/ONM")
    state = line_at(element, "ADR/STATE")
    return Party(
        firm or full_name(line_at(element, "NAM/SNM"), line_at(element, "NAM/FNM")),
        country_code(line_at(element, "ADR/CTRY")) or (OFFICE if state else ""),  # its own is not written
        state,
        line_at(element, "ADR/CITY"),
        bool(firm),
    )


def _patdoc_citation(element: etree._Element) -> Citation | None:
    document = find(element, "PCIT/DOC")
    if document is None:
        return None
    country = country_code(line_at(document, "CTRY")) or OFFICE
    date = iso_month(line_at(document, "DATE"))
    number = publication_number(country, line_at(document, "DNUM"), line_at(document, "KIND"), date)
    by: CitedBy = "examiner" if find(element, "CITED-BY-EXAMINER") is not None else "other"
    return Citation(number, by) if number else None


def _foreign(element: etree._Element) -> tuple[str, str]:
    """(number, date) of a foreign priority."""
    date = iso_date(line_at(element, "filing-date"))
    number = line_at(element, "priority-application-number/doc-number")
    return application_number(line_at(element, "country-code"), number, date), date


def _parents(data: etree._Element) -> list[tuple[str, str]]:
    """Provisional applications and the parents of a continuation or division."""
    ids = [
        *every(data, "continuity-data//parent/document-id"),
        *every(data, "continuity-data/non-provisional-of-provisional/document-id"),
    ]
    return [_parent(id) for id in ids]


def _parent(id: etree._Element) -> tuple[str, str]:
    """(number, date)."""
    date = iso_date(line_at(id, "document-date"))
    return application_number(line_at(id, "country-code") or OFFICE, line_at(id, "doc-number"), date), date


def _inventor(element: etree._Element) -> Party:
    homes = [*every(element, "residence/residence-us"), *every(element, "residence/residence-non-us")]
    country, state, city = (
        (
            country_code(line_at(homes[0], "country-code")),
            line_at(homes[0], "state"),
            line_at(homes[0], "city"),
        )
        if homes
        else ("", "", "")
    )
    return Party(_name(element), country, state, city, False)


def _assignee(element: etree._Element) -> Party:
    firm = line_at(element, "organization-name")
    return Party(
        firm or _name(element),
        country_code(line_at(element, "address/country/country-code")),
        line_at(element, "address/state"),
        line_at(element, "address/city"),
        bool(firm),
    )


def _name(element: etree._Element) -> str:
    """With the middle name, as grants write it."""
    given = f"{line_at(element, 'name/given-name')} {line_at(element, 'name/middle-name')}"
    return full_name(line_at(element, "name/family-name"), given.strip())
