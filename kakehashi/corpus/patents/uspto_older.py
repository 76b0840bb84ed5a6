"""The United States before 2005: grants as ST.32 (`PATDOC`) and `patent-application-publication`."""

from collections.abc import Iterable

from lxml import etree

from kakehashi.corpus.patents import st36
from kakehashi.corpus.patents.classes import distinct, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of, raw_text
from kakehashi.corpus.patents.numbers import COUNTRY, application_number, iso_date, publication_number
from kakehashi.corpus.patents.record import Citation, CitedBy, Malformed, Party, PatentRecord, Wanted

LANGUAGE, OFFICE = "en", "US"


def read_patdoc(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = find(element, "SDOBI")
    if data is None:
        raise Malformed("no bibliographic data")
    number = publication_number(OFFICE, line_at(data, "B100/B110"), line_at(data, "B100/B130"))
    filing = iso_date(line_at(data, "B200/B220"))
    claims = _of_language(line_of(one) for one in every(element, "SDOCL//CLM"))
    inventors = _patdoc_parties(data, "B700/B720/B721")
    return PatentRecord(
        number=st36.required(number),
        titles=st36.by_language(every(data, "B500/B540"), LANGUAGE, line_of),
        abstracts=st36.by_language(every(element, "SDOAB"), LANGUAGE),
        first_claims={lang: texts[0] for lang, texts in claims.items()},
        n_claims=st36.count_of(find(data, "B500/B570/B577"), claims),
        claims=claims if wanted.claims else {},
        descriptions=st36.by_language(every(element, "SDODE"), LANGUAGE) if wanted.description else {},
        ipc=distinct(
            symbol(raw_text(one)) for tag in ("B511", "B512") for one in every(data, f"B500/B510/{tag}")
        ),
        inventors=inventors,
        applicants=_patdoc_parties(data, "B700/B730/B731") or inventors,
        filing=filing,
        priority=st36.earliest(_dates(every(data, "B300/B320")), filing),
        publication=iso_date(line_at(data, "B100/B140")),
        application=application_number(OFFICE, line_at(data, "B200/B210")),
        priorities=_patdoc_priorities(data),
        citations=st36.citations(map(_patdoc_citation, every(data, "B500/B560/B561"))),
    )  # fmt: skip


def read_publication(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = find(element, "subdoc-bibliographic-information")
    if data is None:
        raise Malformed("no bibliographic data")
    id = find(data, "document-id")
    filing = iso_date(line_at(data, "domestic-filing-data/filing-date"))
    number = "" if id is None else publication_number(
        OFFICE, line_at(id, "doc-number"), line_at(id, "kind-code")
    )  # fmt: skip
    claims = st36.claims_by_language(every(element, "subdoc-claims"), LANGUAGE)
    foreign = every(data, "foreign-priority-data")
    people = [*every(data, "inventors/first-named-inventor"), *every(data, "inventors/inventor")]
    inventors = _named(_publication_inventor(one) for one in people)
    tell = "technical-information/"
    return PatentRecord(
        number=st36.required(number),
        titles=st36.by_language(every(data, f"{tell}title-of-invention"), LANGUAGE, line_of),
        abstracts=st36.by_language(every(element, "subdoc-abstract"), LANGUAGE),
        first_claims={lang: texts[0] for lang, texts in claims.items()},
        n_claims=st36.count_of(None, claims),
        claims=claims if wanted.claims else {},
        descriptions=(
            st36.by_language(every(element, "subdoc-description"), LANGUAGE) if wanted.description else {}
        ),
        ipc=distinct(symbol(line_of(one)) for one in every(data, f"{tell}classification-ipc//ipc")),
        inventors=inventors,
        applicants=_named(map(_publication_assignee, every(data, "assignee"))) or inventors,
        filing=filing,
        priority=st36.earliest(_dates(find(one, "filing-date") for one in foreign), filing),
        publication=iso_date(line_at(id, "document-date")) if id is not None else "",
        application=application_number(
            OFFICE, line_at(data, "domestic-filing-data/application-number/doc-number")
        ),
        priorities=distinct(
            application_number(
                line_at(one, "country-code"), line_at(one, "priority-application-number/doc-number")
            )
            for one in foreign
        ),
    )


def _of_language(claims: Iterable[str]) -> dict[str, tuple[str, ...]]:
    texts = tuple(filter(None, claims))
    return {LANGUAGE: texts} if texts else {}


def _dates(elements: Iterable[etree._Element | None]) -> list[str]:
    found = [iso_date(line_of(one)) for one in elements if one is not None]
    return [date for date in found if date]


def _named(parties: Iterable[Party]) -> tuple[Party, ...]:
    return tuple({one.name: one for one in parties if one.name}.values())


def _country(code: str) -> str:
    return code.upper() if COUNTRY.fullmatch(code.upper()) else ""


def _patdoc_parties(data: etree._Element, path: str) -> tuple[Party, ...]:
    return _named(_patdoc_party(one) for one in every(data, f"{path}/PARTY-US"))


def _patdoc_party(element: etree._Element) -> Party:
    firm = line_at(element, "NAM/ONM")
    last, first = line_at(element, "NAM/SNM"), line_at(element, "NAM/FNM")
    state = line_at(element, "ADR/STATE")
    country = _country(line_at(element, "ADR/CTRY")) or (OFFICE if state else "")  # its own is not written
    name = firm or ", ".join(part for part in (last, first) if part)
    return Party(name, country, state, line_at(element, "ADR/CITY"), bool(firm))


def _patdoc_priorities(data: etree._Element) -> tuple[str, ...]:
    """A B300 holds one priority after the other: number, date, country."""
    found: list[str] = []
    for group in every(data, "B300"):
        numbers = [line_of(one) for one in every(group, "B310")]
        countries = [line_of(one) for one in every(group, "B330")]
        if len(numbers) == len(countries):
            found += map(application_number, countries, numbers)
    return distinct(found)


def _patdoc_citation(element: etree._Element) -> Citation | None:
    document = find(element, "PCIT/DOC")
    if document is None:
        return None
    country = _country(line_at(document, "CTRY")) or OFFICE
    number = publication_number(country, line_at(document, "DNUM"), line_at(document, "KIND"))
    by: CitedBy = "examiner" if find(element, "CITED-BY-EXAMINER") is not None else "other"
    return Citation(number, by) if number else None


def _publication_inventor(element: etree._Element) -> Party:
    names = (line_at(element, "name/family-name"), line_at(element, "name/given-name"))
    home = find(element, "residence/residence-us")
    home = find(element, "residence/residence-non-us") if home is None else home
    name = ", ".join(part for part in names if part)
    if home is None:
        return Party(name, organization=False)
    return Party(
        name, _country(line_at(home, "country-code")), line_at(home, "state"), line_at(home, "city"), False
    )


def _publication_assignee(element: etree._Element) -> Party:
    names = (line_at(element, "name/family-name"), line_at(element, "name/given-name"))
    firm = line_at(element, "organization-name")
    return Party(
        firm or ", ".join(part for part in names if part),
        _country(line_at(element, "address/country/country-code")),
        line_at(element, "address/state"),
        line_at(element, "address/city"),
        bool(firm),
    )
