"""Grants and applications of the United States since 2005 (`us-patent-grant`, `us-patent-application`)."""

from lxml import etree

from kakehashi.corpus.patents import st36
from kakehashi.corpus.patents.applications import roots
from kakehashi.corpus.patents.bodies import by_language, texts_of
from kakehashi.corpus.patents.classes import distinct, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of, raw_text
from kakehashi.corpus.patents.record import Citation, CitedBy, Malformed, Party, PatentRecord, Wanted

LANGUAGE, OFFICE = "en", "US"
CATEGORIES: dict[str, CitedBy] = {"cited by examiner": "examiner", "cited by applicant": "applicant"}
# a provisional application, and the parent of a continuation or division, count as priorities for other offices
CLAIMED = (
    "priority-claims/priority-claim",
    "us-related-documents/us-provisional-application",
    "us-related-documents//parent-doc",
)
INVENTORS = (
    "us-parties/inventors/inventor",
    "us-parties/inventors/deceased-inventor",
    "parties/inventors/inventor",
)


def read_uspto(element: etree._Element, wanted: Wanted) -> PatentRecord:
    if element.get("status", "").strip().upper() == "WITHDRAWN":
        raise Malformed("a notice of withdrawal")
    data = st36.bibliography(element, "us-bibliographic-data-grant", "us-bibliographic-data-application")
    publication = st36.reference_id(data, "publication-reference")
    application, filing = st36.application(data, OFFICE)
    claimed, dates = st36.priorities([one for path in CLAIMED for one in every(data, path)], OFFICE)
    entered = st36.date_of(st36.reference_id(data, "pct-or-regional-filing-data"))
    inventors = _inventors(data)
    return PatentRecord(
        number=st36.required(st36.number_of(publication, OFFICE)),
        titles=by_language(every(data, "invention-title"), LANGUAGE, line_of),
        ipc=st36.classes(every(data, ".//classifications-ipcr/classification-ipcr")) or _older_ipc(data),
        cpc=st36.classes(every(data, "classifications-cpc//classification-cpc")),
        inventors=inventors,
        applicants=st36.parties(every(data, "assignees/assignee")) or _applicants(data) or inventors,
        filing=filing,
        priority=st36.earliest([*dates, *([entered] if entered else [])], filing),
        publication=st36.date_of(publication),
        application=application,
        priorities=roots(claimed, [st36.international(data)]),
        citations=st36.citations(_citations(data)),
        **texts_of(element, wanted, LANGUAGE, find(data, "number-of-claims")),
    )


def _older_ipc(data: etree._Element) -> tuple[str, ...]:
    return distinct(symbol(raw_text(one)) for group in every(data, "classification-ipc") for one in group)


def _inventors(data: etree._Element) -> tuple[Party, ...]:
    """Until 2012, the applicants called applicant-inventor; deceased ones are listed separately."""
    named = [one for path in INVENTORS for one in every(data, path)]
    applying = [
        one for one in every(data, "parties/applicants/applicant") if "inventor" in one.get("app-type", "")
    ]
    return st36.parties(named or [*applying, *every(data, "us-deceased-inventor")])


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
