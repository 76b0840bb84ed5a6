"""MAREC's `patent-document` and DOCDB's `exchange-document`, both based on ST.36."""

from itertools import takewhile

from lxml import etree

from kakehashi.corpus.patents import st36
from kakehashi.corpus.patents.bodies import by_language, texts_of
from kakehashi.corpus.patents.classes import distinct, fi_symbol, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of, raw_text
from kakehashi.corpus.patents.numbers import iso_date, publication_number
from kakehashi.corpus.patents.record import (
    Citation,
    CitedBy,
    Malformed,
    Party,
    PatentRecord,
    Wanted,
    completed,
    merged,
)
from kakehashi.corpus.xml_records import local_name

EXAMINERS = frozenset(
    ["SEA", "ISR", "SUP", "PRS", "EXA", "CH2", "EXAMINER", "SEARCH", "EXAMINATION", "NATIONAL-SEARCH-REPORT",
     "INTERNATIONAL-SEARCH-REPORT", "SUPPLEMENTARY-INTERNATIONAL-SEARCH-REPORT", "PRE-GRANT/PRE-SEARCH",
     "CITED BY EXAMINER"]
)  # fmt: skip
APPLICANTS = frozenset(["APP", "APPLICANT", "DESCRIPTION", "CITED BY APPLICANT"])
DELETED = ("D", "DV", "DELETED")


def read_family_member(element: etree._Element, wanted: Wanted) -> PatentRecord:
    """An answer about a family: the numbers of a member, and its whole record where it was asked for."""
    within = find(element, "exchange-document")
    priorities, dates = st36.priorities(every(element, "priority-claim"))
    publication = st36.reference_id(element, "publication-reference")
    application, filing = st36.application(element, "")
    own = PatentRecord(
        number=st36.required(st36.number_of(publication)),
        filing=filing,
        priority=st36.earliest(dates, filing),
        publication=st36.date_of(publication),
        application=application,
        priorities=priorities,
        family=element.get("family-id", "").strip(),
    )
    return own if within is None else merged([read_marec(within, wanted), own])


def read_marec(element: etree._Element, wanted: Wanted) -> PatentRecord:
    if element.get("status", "").upper() in DELETED:
        raise Malformed("a deletion notice")
    data = st36.bibliography(element, "bibliographic-data")
    country = element.get("country", "")
    language = element.get("lang", "") or line_at(data, "language-of-publication")  # otherwise by the script
    publication = st36.reference_id(data, "publication-reference")
    date = element.get("date") or element.get("date-publ") or ""
    number = publication_number(
        country, element.get("doc-number", ""), element.get("kind", ""), iso_date(date)
    )
    number = (
        st36.number_of_ucid(element.get("ucid", ""), iso_date(date)) or number or st36.number_of(publication)
    )
    application, filing = st36.application(data, country)
    priorities, dates = st36.priorities(every(data, "priority-claims/priority-claim"))
    titles = every(data, "technical-data/invention-title") or every(data, "invention-title")
    return PatentRecord(
        number=st36.required(number),
        titles=by_language(titles, language, line_of),
        ipc=st36.classes(_classified(data, "classification-ipcr")) or _older_ipc(data),
        cpc=_cpc(data),
        fi=distinct(fi_symbol(text) for text in _scheme(data, "FI")),
        inventors=_parties(data, "inventor"),
        applicants=_parties(data, "assignee") or _parties(data, "applicant"),
        filing=filing,
        priority=st36.earliest(dates, filing),
        publication=iso_date(date) or st36.date_of(publication),
        application=application,
        priorities=priorities,
        family=element.get("family-id", "").strip(),
        citations=st36.citations([*_citations(data), *_in_reports(element)]),
        **texts_of(element, wanted, language, find(data, "technical-data//number-of-claims")),
    )


def _older_ipc(data: etree._Element) -> tuple[str, ...]:
    """The seven editions before 2006: main and further classifications as text."""
    texts = []
    for group in _classified(data, "classification-ipc"):
        texts += [raw_text(one) for one in group if len(one) == 0] or [raw_text(group)]
    return distinct(map(symbol, texts))


def _classified(data: etree._Element, name: str) -> list[etree._Element]:
    """The classes of the patent, not those in which its examiner searched."""
    return [one for one in every(data, f".//{name}") if not _is_of_search(one, data)]


def _is_of_search(element: etree._Element, data: etree._Element) -> bool:
    around = takewhile(lambda one: one is not data, element.iterancestors())
    return any("search" in local_name(one) for one in around)


def _cpc(data: etree._Element) -> tuple[str, ...]:
    return st36.classes(_classified(data, "classification-cpc")) or distinct(
        symbol(text) for scheme in ("CPC", "CPCI", "CPCA") for text in _scheme(data, scheme)
    )


def _scheme(data: etree._Element, name: str) -> list[str]:
    """DOCDB's patent-classification elements of one scheme."""
    found = []
    for one in every(data, ".//patent-classification"):
        scheme = find(one, "classification-scheme")
        if scheme is not None and scheme.get("scheme", "").upper() == name:
            found.append(line_at(one, "classification-symbol") or st36.symbol_of(one))
    return found


def _parties(data: etree._Element, role: str) -> tuple[Party, ...]:
    """Each party may be written in several ways; the standard one has the country, the original one the city."""
    written = every(data, f"parties/{role}s/{role}")
    chosen = _of(st36.in_one_form(written), role)
    original = _of(
        [one for one in written if "original" in (one.get("format"), one.get("data-format"))], role
    )
    return completed(chosen, original) if len(chosen) == len(original) else chosen


def _of(elements: list[etree._Element], role: str) -> tuple[Party, ...]:
    named = [(one, find(one, f"{role}-name")) for one in elements]
    return st36.parties(one if name is None else _renamed(one, name) for one, name in named)


def _renamed(one: etree._Element, name: etree._Element) -> etree._Element:
    """The name element with its residence, which contains the country of a party."""
    residence = find(one, "residence")
    if residence is not None:
        name.append(residence)
    return name


def _citations(data: etree._Element) -> list[Citation | None]:
    found = [
        st36.cited(one, _sources(one), _category(one)) for one in every(data, ".//patent-citations/patcit")
    ]
    for citation in every(data, ".//references-cited/citation"):
        patent = find(citation, "patcit")
        if patent is not None:
            found.append(
                st36.cited(
                    patent,
                    who_cites([citation.get("cited-by", ""), citation.get("cited-phase", "")]),
                    st36.categories(citation),
                )
            )
    return found


def _in_reports(element: etree._Element) -> list[Citation | None]:
    """The search report beside the bibliographic data is the examiner's, the description the applicant's."""
    found = []
    for citation in every(element, "search-report-data//citation"):
        letters = st36.categories(citation)
        found += [st36.cited(one, "examiner", letters) for one in every(citation, "patcit")]
    return found + [st36.cited(one, "applicant") for one in every(element, "description//patcit")]


def _category(patent: etree._Element) -> str:
    """The letters of all search reports."""
    letters = {
        letter for one in every(patent, "sources/source") for letter in one.get("category", "").upper()
    }
    return "".join(sorted(letter for letter in letters if letter.isalpha()))


def _sources(patent: etree._Element) -> CitedBy:
    """A citation by the examiner remains one if the applicant cites the same patent too."""
    names = [source.get("name", "") for source in every(patent, "sources/source")]
    every_one = {who_cites([name]) for name in names} or {who_cites([patent.get("cited-by", "")])}
    return "examiner" if "examiner" in every_one else "applicant" if "applicant" in every_one else "other"


def who_cites(words: list[str]) -> CitedBy:
    """The first value of who cited and in which phase."""
    for word in words:
        if word.strip().upper() in EXAMINERS:
            return "examiner"
        if word.strip().upper() in APPLICANTS:
            return "applicant"
    return "other"
