"""Records as the Lens exports them: one patent per JSON line, with texts, families and citations.

The brief records that only name titles and classes, judged by a second file of citations, are those of `lens.py`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from kakehashi.corpus.patents.applications import application_number
from kakehashi.corpus.patents.bodies import claim_texts
from kakehashi.corpus.patents.classes import distinct, symbol
from kakehashi.corpus.patents.marec import who_cites
from kakehashi.corpus.patents.numbers import iso_date, publication_number
from kakehashi.corpus.patents.record import Citation, Malformed, Party, PatentRecord, Wanted, distinct_parties
from kakehashi.corpus.patents.st36 import citations, earliest, without_country
from kakehashi.corpus.patents.writings import country_code

Json = Mapping[str, Any]


def read_lens(record: Json, wanted: Wanted) -> PatentRecord:
    biblio = record.get("biblio") or {}
    reference = {**record, **(biblio.get("publication_reference") or {})}
    number = _publication(reference, date := record.get("date_published") or reference.get("date") or "")
    if not number:
        raise Malformed("no publication number")
    application, filing = _application(biblio.get("application_reference") or {})
    claimed = [_application(one) for one in (biblio.get("priority_claims") or {}).get("claims") or []]
    first = iso_date(((biblio.get("priority_claims") or {}).get("earliest_claim") or {}).get("date") or "")
    parties = biblio.get("parties") or {}
    inventors = _parties(parties.get("inventors"))
    claims = _claims(record.get("claims") or [], record.get("lang") or "en")
    return PatentRecord(
        number=number,
        titles=_texts(biblio.get("invention_title"), record),
        abstracts=_texts(record.get("abstract"), record),
        first_claims={lang: texts[0] for lang, texts in claims.items()},
        n_claims=max(map(len, claims.values()), default=0),
        claims=claims if wanted.claims else {},
        descriptions=_texts(record.get("description"), record) if wanted.description else {},
        ipc=_classes(biblio.get("classifications_ipcr")),
        cpc=_classes(biblio.get("classifications_cpc")),
        inventors=inventors,
        applicants=_parties(parties.get("applicants")) or _parties(parties.get("owners_all")) or inventors,
        filing=filing,
        priority=earliest([*(one for _, one in claimed if one), *([first] if first else [])], filing),
        publication=iso_date(date),
        application=application,
        priorities=distinct(one for one, _ in claimed),
        family=_family(record, number),
        citations=citations(map(_citation, (biblio.get("references_cited") or {}).get("citations") or [])),
    )


def _publication(id: Json, date: str = "") -> str:
    return publication_number(
        str(id.get("jurisdiction") or id.get("country") or ""),
        str(id.get("doc_number") or ""),
        str(id.get("kind") or ""),
        iso_date(date or str(id.get("date") or "")),
    )


def _application(id: Json) -> tuple[str, str]:
    """(number, filing date), as the European office writes them."""
    date = iso_date(str(id.get("date") or ""))
    country = str(id.get("jurisdiction") or id.get("country") or "")
    return application_number(
        country, str(id.get("doc_number") or ""), date, str(id.get("kind") or ""), True
    ), date


def _family(record: Json, number: str) -> str:
    """Members name each other, so the smallest number names the family."""
    family = (record.get("families") or {}).get("simple_family") or {}
    members = [_publication(one.get("document_id") or {}) for one in family.get("members") or []]
    return min([number, *(one for one in members if one)])


def _texts(given: Any, record: Json) -> dict[str, str]:
    """One text or a list of them, each with its language."""
    found: dict[str, str] = {}
    for one in given if isinstance(given, list) else [given] if given else []:
        said = one if isinstance(one, Mapping) else {"text": one}
        text = " ".join(str(said.get("text") or "").split())
        if text:
            found.setdefault(_language(said.get("lang") or record.get("lang")), text)
    return found


def _language(tag: Any) -> str:
    return str(tag or "en").strip().lower()[:2]


def _claims(groups: Iterable[Json], language: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        lines = [" ".join(map(str, one.get("claim_text") or [])) for one in group.get("claims") or []]
        if texts := claim_texts(" ".join(line.split()) for line in lines):
            found.setdefault(_language(group.get("lang") or language), texts)
    return found


def _classes(given: Any) -> tuple[str, ...]:
    return distinct(
        symbol(str(one.get("symbol") or "")) for one in (given or {}).get("classifications") or []
    )


def _parties(given: Any) -> tuple[Party, ...]:
    return distinct_parties(map(_party, given or []))


def _party(one: Json) -> Party:
    given = one.get("extracted_name") or one.get("name") or ""
    if isinstance(given, Mapping):
        given = given.get("value") or given.get("name") or ""
    name, said = without_country(str(given).strip())
    country = country_code(str(one.get("residence") or one.get("extracted_country") or "")) or said
    return Party(name, country)


def _citation(one: Json) -> Citation | None:
    patent = one.get("patcit")
    number = _publication(patent.get("document_id") or {}) if patent else ""
    letters = one.get("category") or []
    letters = "".join(
        sorted({letter for word in letters for letter in str(word).upper() if letter.isalpha()})
    )
    return Citation(number, who_cites([str(one.get("cited_phase") or "")]), letters[:6]) if number else None
