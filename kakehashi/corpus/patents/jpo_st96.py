"""Gazettes of the Japan Patent Office since 2022, which follow WIPO's ST.96 (`UnexaminedPatentPublication` etc.).

Fields are read only at their own level: a gazette also contains the numbers of earlier publications and the
claims of amendments.
"""

from lxml import etree

from kakehashi.corpus.patents import st36
from kakehashi.corpus.patents.applications import application_number, is_international, roots
from kakehashi.corpus.patents.bodies import Body, by_language, texts_of
from kakehashi.corpus.patents.classes import distinct, fi_symbol, symbol
from kakehashi.corpus.patents.elements import every, find, line_at, line_of
from kakehashi.corpus.patents.japanese_addresses import at_address
from kakehashi.corpus.patents.jpo import is_republished, kind_in_words, republished
from kakehashi.corpus.patents.numbers import iso_date, publication_number
from kakehashi.corpus.patents.record import Citation, Party, PatentRecord, Wanted, distinct_parties
from kakehashi.corpus.patents.writings import country_code
from kakehashi.corpus.xml_records import local_name

LANGUAGE, OFFICE = "ja", "JP"
KINDS = {  # for a publication that does not print its own; an amendment is not a publication and is not read
    "UnexaminedPatentPublication": "A",
    "InternationalPatentPublication": "A",
    "RegisteredPatentPublication": "B2",
    "RegisteredUtilityModelPublication": "U",
}
BODY = Body("Abstract", "Claims", "Claim", "Description")


def read_jpo_st96(element: etree._Element, wanted: Wanted) -> PatentRecord:
    form = local_name(element)
    data = st36.bibliography(element, f"{form}BibliographicData")
    here = "PatentPublicationIdentification"
    words = line_at(data, "PlainLanguageDesignationText")
    number = publication_number(
        OFFICE, line_at(data, f"{here}/PublicationNumber"), kind_in_words(words) or KINDS[form]
    )
    application, filing = _application(data, "ApplicationIdentification")
    claimed = [_application(one, ".") for one in every(data, "PriorityClaimBag/PriorityClaim")]
    parents = every(data, "RelatedDocumentBag//ParentDocument//ApplicationIdentification")
    claimed += [_application(one, ".") for one in parents]
    return PatentRecord(
        number=st36.required(republished(number) if is_republished(words) else number),
        titles=by_language(every(data, "InventionTitle"), LANGUAGE, line_of),
        ipc=distinct(symbol(line_of(one)) for one in _classes(data, "IPCClassification", "Classification")),
        fi=distinct(
            fi_symbol(line_at(one, "PatentClassificationText"))
            for one in _classes(data, "NationalClassification", "NationalClassification")
        ),
        inventors=_parties(data, "Inventor"),
        applicants=_parties(data, "Applicant"),
        filing=filing,
        priority=st36.earliest([date for _, date in claimed if date], filing),
        publication=iso_date(line_at(data, f"{here}/PublicationDate")),
        application=application,
        priorities=roots([number for number, _ in claimed], _international(data)),
        citations=st36.citations(_citations(element, data)),
        **texts_of(element, wanted, LANGUAGE, find(data, ".//ClaimTotalQuantity"), BODY),
    )


def _international(data: etree._Element) -> list[str]:
    """The application under the Patent Cooperation Treaty, wherever it is named."""
    numbers = (application_number(OFFICE, line_of(one)) for one in every(data, ".//ApplicationNumberText"))
    return [one for one in numbers if is_international(one)]


def _application(data: etree._Element, path: str) -> tuple[str, str]:
    """(number, filing date); a priority names its office, an application is Japanese."""
    date = iso_date(line_at(data, f"{path}//FilingDate"))
    number = line_at(data, f"{path}//ApplicationNumberText")
    return application_number(
        country_code(line_at(data, f"{path}/IPOfficeCode")) or OFFICE, number, date
    ), date


def _classes(data: etree._Element, scheme: str, name: str) -> list[etree._Element]:
    return [one for rank in ("Main", "Further") for one in every(data, f"{scheme}/{rank}{name}")]


def _parties(data: etree._Element, role: str) -> tuple[Party, ...]:
    """The first contact is the Japanese one; the name in another language may follow."""
    return distinct_parties(
        at_address(
            Party(line_at(one, "Contact/Name/EntityName")),
            line_at(one, "Contact/PostalAddressBag/PostalAddress/PostalAddressText"),
        )
        for one in every(data, f".//{role}")
    )


def _citations(element: etree._Element, data: etree._Element) -> list[Citation | None]:
    """The references of a granted patent are the examiner's; those in the description the applicant's."""
    found = [
        st36.cited_in_words(line_of(one), "examiner")
        for one in every(data, "ReferenceCitationBag//PatentCitationText")
    ]
    return found + [
        st36.cited_in_words(line_of(one), "applicant")
        for one in every(element, "Description//PatentCitationText")
    ]
