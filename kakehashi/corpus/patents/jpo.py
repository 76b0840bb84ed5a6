"""Gazettes of the Japan Patent Office from 2004 to 2021: `jp-official-gazette`, ST.36 with additional elements."""

import re

from lxml import etree

from kakehashi.corpus.patents import st36
from kakehashi.corpus.patents.applications import roots
from kakehashi.corpus.patents.bodies import by_language, texts_of
from kakehashi.corpus.patents.classes import distinct, fi_symbol, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of
from kakehashi.corpus.patents.japanese_addresses import at_address
from kakehashi.corpus.patents.numbers import KIND
from kakehashi.corpus.patents.record import Citation, Party, PatentRecord, Wanted, distinct_parties

LANGUAGE, OFFICE = "ja", "JP"
REPUBLISHED = "S"
CODES = {"T": "A", REPUBLISHED: "A1"}  # kinds of its own, for what follows an international application
IN_BRACKETS = re.compile(r"[(（]\s*([A-Z]\d?)\s*[)）]")  # 公開特許公報(A)


def read_jpo(element: etree._Element, wanted: Wanted) -> PatentRecord:
    data = st36.bibliography(element, "bibliographic-data")
    publication = st36.reference_id(data, "publication-reference")
    application, filing = st36.application(data, OFFICE)
    claimed = [*every(data, ".//priority-claim"), *every(data, ".//parent-doc")]
    priorities, dates = st36.priorities(claimed, OFFICE)
    return PatentRecord(
        number=st36.required(_number(element, publication)),
        titles=by_language(every(data, "invention-title"), LANGUAGE, line_of),
        ipc=st36.classes(every(data, "classifications-ipcr/classification-ipcr"))
        or distinct(map(symbol, _classes(data, "classification-ipc"))),
        fi=distinct(map(fi_symbol, _classes(data, "classification-national"))),
        inventors=distinct_parties(map(_party, every(data, "parties/inventors/inventor"))),
        applicants=distinct_parties(map(_party, every(data, "parties//applicant"))),
        filing=filing,
        priority=st36.earliest(dates, filing),
        publication=st36.date_of(publication),
        application=application,
        priorities=roots(priorities, [st36.international(data)]),
        citations=st36.citations(_citations(element, data)),
        **texts_of(element, wanted, LANGUAGE, find(data, "number-of-claims")),
    )


def kind_in_words(text: str) -> str:
    """A of 公開特許公報(A); empty if there is no kind."""
    printed = IN_BRACKETS.search(text)
    return printed[1] if printed else ""


def is_republished(words: str) -> bool:
    """Whether it is an international application, published again in Japanese: 再公表特許(A1)."""
    return "再公表" in words


def republished(number: str) -> str:
    """JP-WO2004012345 of JP-2004012345, which is also the number of another application."""
    return number if number.startswith("JP-WO") else number.replace("JP-", "JP-WO", 1)


def _number(element: etree._Element, publication: etree._Element | None) -> str:
    """The kind is stored as a code in an attribute, and printed in words."""
    if publication is None:
        return ""
    words, of_japan = line_at(publication, "kind"), element.get("kind-of-jp", "").strip().upper()
    kind = element.get("kind-of-st16", "").strip().upper()
    if not KIND.fullmatch(kind):
        kind = kind_in_words(words) or CODES.get(of_japan, of_japan if KIND.fullmatch(of_japan) else "")
    number = st36.number_of(publication, OFFICE)
    if is_republished(words) or of_japan == REPUBLISHED:
        number = republished(number)
    return f"{number}-{kind}" if number.count("-") == 1 and kind else number


def _classes(data: etree._Element, scheme: str) -> list[str]:
    return [line_of(one) for tag in ("main-clsf", "further-clsf") for one in every(data, f"{scheme}/{tag}")]


def _party(element: etree._Element) -> Party:
    """Addresses are one line of text."""
    return at_address(st36.party(element), line_at(element, "addressbook/address/text"))


def _citations(element: etree._Element, data: etree._Element) -> list[Citation | None]:
    """The references of a granted patent are the examiner's; those in the description the applicant's."""
    found: list[Citation | None] = []
    for one in every(data, ".//references-cited/citation"):
        patent = find(one, "patcit")
        found.append(
            st36.cited_in_words(line_of(one), "examiner")
            if patent is None
            else st36.cited(patent, "examiner")
        )
    found += [st36.cited(one, "applicant") for one in every(element, "description//patcit")]
    return found
