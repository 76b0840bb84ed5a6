"""Gazettes of the Japan Patent Office: `jp-official-gazette`, ST.36 with elements of its own (`jp:`)."""

import re

from lxml import etree

from kakehashi.corpus.patents import st36
from kakehashi.corpus.patents.classes import distinct, fi_symbol, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of
from kakehashi.corpus.patents.numbers import KIND, number_in_words
from kakehashi.corpus.patents.record import Citation, Malformed, PatentRecord, Wanted

LANGUAGE, OFFICE = "ja", "JP"
IN_BRACKETS = re.compile(r"[(（]\s*([A-Z]\d?)\s*[)）]")  # 公開特許公報(A)


def read_jpo(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = find(element, "bibliographic-data")
    if data is None:
        raise Malformed("no bibliographic data")
    publication = st36.document_id(find(data, "publication-reference"))
    application, filing = st36.application(find(data, "application-reference"), OFFICE)
    priorities, dates = st36.priorities(every(data, ".//priority-claim"))
    claims = st36.claims_by_language(every(element, "claims"), LANGUAGE)
    return PatentRecord(
        number=st36.required(_number(element, publication)),
        titles=st36.by_language(every(data, "invention-title"), LANGUAGE, line_of),
        abstracts=st36.by_language(every(element, "abstract"), LANGUAGE),
        first_claims={lang: texts[0] for lang, texts in claims.items()},
        n_claims=st36.count_of(find(data, "number-of-claims"), claims),
        claims=claims if wanted.claims else {},
        descriptions=st36.by_language(every(element, "description"), LANGUAGE) if wanted.description else {},
        ipc=_ipc(data),
        fi=distinct(
            fi_symbol(line_of(one))
            for tag in ("main-clsf", "further-clsf")
            for one in every(data, f"classification-national/{tag}")
        ),
        inventors=st36.parties(every(data, "parties/inventors/inventor")),
        applicants=st36.parties(every(data, "parties//applicant")),
        filing=filing,
        priority=st36.earliest(dates, filing),
        publication=st36.date_of(publication),
        application=application,
        priorities=priorities,
        citations=st36.citations(_citations(element, data)),
    )


def _number(element: etree._Element, publication: etree._Element | None) -> str:
    """The kind is printed in words and stands as a code in an attribute."""
    kind = element.get("kind-of-st16", "").strip().upper() or element.get("kind-of-jp", "").strip().upper()
    if not KIND.fullmatch(kind) and publication is not None:
        printed = IN_BRACKETS.search(line_at(publication, "kind"))
        kind = printed[1] if printed else ""
    if publication is None:
        return ""
    number = st36.number_of(publication, OFFICE)
    return f"{number}-{kind}" if number.count("-") == 1 and KIND.fullmatch(kind) else number


def _ipc(data: etree._Element) -> tuple[str, ...]:
    found = st36.classes(every(data, "classifications-ipcr/classification-ipcr"))
    return found or distinct(
        symbol(line_of(one))
        for tag in ("main-clsf", "further-clsf")
        for one in every(data, f"classification-ipc/{tag}")
    )


def _citations(element: etree._Element, data: etree._Element) -> list[Citation | None]:
    """The references of a granted patent are the examiner's; those in the description the applicant's."""
    found: list[Citation | None] = []
    for one in every(data, ".//references-cited/citation"):
        patent = find(one, "patcit")
        number = number_in_words(line_of(one)) if patent is None else ""
        found.append(
            st36.cited(patent, "examiner") if patent is not None
            else Citation(number, "examiner") if number else None
        )  # fmt: skip
    found += [st36.cited(one, "applicant") for one in every(element, "description//patcit")]
    return found
