"""Full texts of the European Patent Office: `ep-patent-document`, its bibliography after ST.32."""

from lxml import etree

from kakehashi.corpus.patents import st36
from kakehashi.corpus.patents.classes import distinct, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of
from kakehashi.corpus.patents.numbers import (
    COUNTRY,
    application_number,
    iso_date,
    number_in_words,
    publication_number,
)
from kakehashi.corpus.patents.record import Citation, Malformed, Party, PatentRecord, Wanted

OFFICE = "EP"


def read_epo(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = find(element, "SDOBI")
    if data is None:
        raise Malformed("no bibliographic data")
    # the attribute id is made of the application's number, so it is of no use here
    country = line_at(data, "B100/B190") or element.get("country", OFFICE)
    number = publication_number(
        country if COUNTRY.fullmatch(country) else OFFICE,
        line_at(data, "B100/B110") or element.get("doc-number", ""),
        line_at(data, "B100/B130") or element.get("kind", ""),
    )
    language = element.get("lang", "en")
    filing = iso_date(line_at(data, "B200/B220/date"))
    claims = st36.claims_by_language(every(element, "claims"), language)
    dates = [iso_date(line_of(one)) for one in every(data, "B300/B320/date")]
    return PatentRecord(
        number=st36.required(number),
        titles=_titles(data),
        abstracts=st36.by_language(every(element, "abstract"), language),
        first_claims={lang: texts[0] for lang, texts in claims.items()},
        n_claims=st36.count_of(None, claims),
        claims=claims if wanted.claims else {},
        descriptions=st36.by_language(every(element, "description"), language) if wanted.description else {},
        ipc=st36.classes(every(data, "B500/B510EP//classification-ipcr")) or _older_ipc(data),
        cpc=st36.classes(every(data, "B500/B520EP//classification-cpc")),
        inventors=_parties(data, "B700/B720/B721"),
        applicants=_parties(data, "B700/B730/B731") or _parties(data, "B700/B710/B711"),
        filing=filing,
        priority=st36.earliest([date for date in dates if date], filing),
        publication=iso_date(line_at(data, "B100/B140/date")) or iso_date(element.get("date-publ", "")),
        application=application_number(OFFICE, line_at(data, "B200/B210")),
        priorities=_priorities(data),
        citations=st36.citations(_citations(element, data)),
    )


def _titles(data: etree._Element) -> dict[str, str]:
    """B541 names the language of the B542 that follows it."""
    found: dict[str, str] = {}
    for group in every(data, "B500/B540"):
        languages = [line_of(one).lower()[:2] for one in every(group, "B541")]
        titles = [line_of(one) for one in every(group, "B542")]
        if len(languages) == len(titles):
            found |= {lang: title for lang, title in zip(languages, titles, strict=True) if lang and title}
    return found


def _older_ipc(data: etree._Element) -> tuple[str, ...]:
    tags = ("B511", "B512", "B513")
    return distinct(symbol(line_of(one)) for tag in tags for one in every(data, f"B500/B510/{tag}"))


def _parties(data: etree._Element, path: str) -> tuple[Party, ...]:
    found = []
    for one in every(data, path):
        name, country = line_at(one, "snm"), line_at(one, "adr/ctry").upper()
        if name:
            known = country if COUNTRY.fullmatch(country) else ""
            found.append(Party(name.rstrip(", "), known, line_at(one, "adr/state"), line_at(one, "adr/city")))
    return tuple({one.name: one for one in found}.values())


def _priorities(data: etree._Element) -> tuple[str, ...]:
    found: list[str] = []
    for group in every(data, "B300"):
        numbers = [line_of(one) for one in every(group, "B310")]
        countries = [line_of(one) for one in every(group, "B330")]
        if len(numbers) == len(countries):
            found += map(application_number, countries, numbers)
    return distinct(found)


def _citations(element: etree._Element, data: etree._Element) -> list[Citation | None]:
    """The search report is the examiner's; the list at the end of the description is the applicant's."""
    found: list[Citation | None] = []
    for one in every(data, "B500/B560/B561"):
        number = number_in_words(line_of(one))
        found.append(Citation(number, "examiner") if number else None)
    found += [st36.cited(one, "examiner") for one in every(element, "search-report-data//patcit")]
    found += [st36.cited(one, "applicant") for one in every(element, "ep-reference-list//patcit")]
    return found
