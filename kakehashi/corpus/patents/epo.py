"""Full texts of the European Patent Office: `ep-patent-document`, its bibliography after ST.32."""

import msgspec
from lxml import etree

from kakehashi.corpus.patents import st32, st36
from kakehashi.corpus.patents.applications import application_number, roots
from kakehashi.corpus.patents.bodies import texts_of
from kakehashi.corpus.patents.elements import every, find, line_at, line_of, raw_text
from kakehashi.corpus.patents.numbers import iso_date
from kakehashi.corpus.patents.places import place_of
from kakehashi.corpus.patents.record import Citation, Party, PatentRecord, Wanted, distinct_parties
from kakehashi.corpus.patents.writings import country_code

OFFICE = "EP"


def read_epo(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = st36.bibliography(element, "SDOBI")
    country = country_code(element.get("country", "")) or OFFICE
    application, filing = st32.application(data, OFFICE)
    priorities, dates = st32.priorities(data)
    return PatentRecord(
        # the attribute id is built from the application number, so it cannot be used here
        number=st36.required(
            st32.number(data, country, element.get("doc-number", ""), element.get("kind", ""))
        ),
        titles=_titles(data),
        ipc=st36.classes(every(data, "B500/B510EP//classification-ipcr")) or st32.older_ipc(data),
        cpc=st36.classes(every(data, "B500/B520EP//classification-cpc")),
        inventors=distinct_parties(_inventor(one) for one in every(data, "B700/B720/B721")),
        applicants=_parties(data, "B700/B730/B731") or _parties(data, "B700/B710/B711"),
        filing=filing,
        priority=st36.earliest(dates, filing),
        publication=st32.day(data, "B100/B140") or iso_date(element.get("date-publ", "")),
        application=application,
        priorities=roots(priorities, _origins(data)),
        citations=st36.citations(_citations(element, data)),
        **texts_of(element, wanted, element.get("lang", "en")),
    )


def _origins(data: etree._Element) -> list[str]:
    """The application that this one divides, and the international one that it is."""
    divided = [application_number(OFFICE, line_of(one)) for one in every(data, "B600//parent/pdoc//anum")]
    filed = [application_number("WO", line_of(one), kind="W") for one in every(data, "B800/B860/B861//anum")]
    return [*divided, *filed]


def _titles(data: etree._Element) -> dict[str, str]:
    """B541 gives the language of the B542 that follows it."""
    found: dict[str, str] = {}
    for group in every(data, "B500/B540"):
        languages = [line_of(one).lower()[:2] for one in every(group, "B541")]
        titles = [line_of(one) for one in every(group, "B542")]
        if len(languages) == len(titles):
            found |= {lang: title for lang, title in zip(languages, titles, strict=True) if lang and title}
    return found


def _parties(data: etree._Element, path: str) -> tuple[Party, ...]:
    return distinct_parties(_party(one) for one in every(data, path))


def _party(element: etree._Element) -> Party:
    country = country_code(line_at(element, "adr/ctry"))
    city, state = place_of(line_at(element, "adr/city"), country)
    name = line_at(element, "snm") or line_at(element, "onm")
    return Party(name.rstrip(", "), country, line_at(element, "adr/state") or state, city)


def _inventor(element: etree._Element) -> Party:
    """The name of a company may follow on a line of its own."""
    name = find(element, "snm")
    first = raw_text(name).strip().split("\n")[0] if name is not None else ""
    return msgspec.structs.replace(_party(element), name=" ".join(first.split()).rstrip(", "))


def _citations(element: etree._Element, data: etree._Element) -> list[Citation | None]:
    """The search report is the examiner's; the list at the end of the description is the applicant's."""
    found = [st36.cited_in_words(line_of(one), "examiner") for one in every(data, "B500/B560/B561")]
    for report in every(element, "search-report-data"):
        for citation in every(report, ".//citation"):
            letters = st36.categories(citation)
            found += [st36.cited(one, "examiner", letters) for one in every(citation, "patcit")]
    found += [st36.cited(one, "applicant") for one in every(element, "ep-reference-list//patcit")]
    return found
