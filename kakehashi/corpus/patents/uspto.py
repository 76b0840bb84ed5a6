"""Grants and applications of the United States since 2005 (`us-patent-grant`, `us-patent-application`)."""

from lxml import etree

from kakehashi.corpus.patents import st36
from kakehashi.corpus.patents.classes import distinct, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of, raw_text
from kakehashi.corpus.patents.record import Citation, CitedBy, Malformed, Party, PatentRecord, Wanted

LANGUAGE, OFFICE = "en", "US"
CATEGORIES: dict[str, CitedBy] = {"cited by examiner": "examiner", "cited by applicant": "applicant"}


def read_uspto(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = find(element, "us-bibliographic-data-grant")
    data = find(element, "us-bibliographic-data-application") if data is None else data
    if data is None:
        raise Malformed("no bibliographic data")
    publication = st36.document_id(find(data, "publication-reference"))
    application, filing = st36.application(find(data, "application-reference"), OFFICE)
    priorities, dates = st36.priorities(every(data, "priority-claims/priority-claim"))
    claims = st36.claims_by_language(every(element, "claims"), LANGUAGE)
    inventors = _inventors(data)
    return PatentRecord(
        number=st36.required(st36.number_of(publication, OFFICE)),
        titles=st36.by_language(every(data, "invention-title"), LANGUAGE, line_of),
        abstracts=st36.by_language(every(element, "abstract"), LANGUAGE),
        first_claims={lang: texts[0] for lang, texts in claims.items()},
        n_claims=st36.count_of(find(data, "number-of-claims"), claims),
        claims=claims if wanted.claims else {},
        descriptions=st36.by_language(every(element, "description"), LANGUAGE) if wanted.description else {},
        ipc=st36.classes(every(data, ".//classifications-ipcr/classification-ipcr")) or _older_ipc(data),
        cpc=st36.classes(every(data, "classifications-cpc//classification-cpc")),
        inventors=inventors,
        applicants=st36.parties(every(data, "assignees/assignee")) or _applicants(data) or inventors,
        filing=filing,
        priority=st36.earliest(dates, filing),
        publication=st36.date_of(publication),
        application=application,
        priorities=priorities,
        citations=st36.citations(_citations(data)),
    )


def _older_ipc(data: etree._Element) -> tuple[str, ...]:
    found = []
    for group in every(data, "classification-ipc"):
        found += [raw_text(one) for one in group]
    return distinct(map(symbol, found))


def _inventors(data: etree._Element) -> tuple[Party, ...]:
    """Until 2012 those applicants who are called applicant-inventor."""
    named = every(data, "us-parties/inventors/inventor") or every(data, "parties/inventors/inventor")
    return st36.parties(named) or st36.parties(
        one for one in every(data, "parties/applicants/applicant") if "inventor" in one.get("app-type", "")
    )


def _applicants(data: etree._Element) -> tuple[Party, ...]:
    return st36.parties(
        every(data, "us-parties/us-applicants/us-applicant") or every(data, "parties/applicants/applicant")
    )


def _citations(data: etree._Element) -> list[Citation | None]:
    found = []
    for one in every(data, "us-references-cited/us-citation") or every(data, "references-cited/citation"):
        patent = find(one, "patcit")
        if patent is not None:
            by = CATEGORIES.get(line_at(one, "category").lower(), "other")
            found.append(st36.cited(patent, by))
    return found
