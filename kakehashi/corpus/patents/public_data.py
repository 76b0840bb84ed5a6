"""Google's public patent data, as BigQuery exports the table `publications`: one patent per JSON line."""

from collections.abc import Mapping
from typing import Any

from kakehashi.corpus.patents.applications import application_number
from kakehashi.corpus.patents.bodies import split_claims
from kakehashi.corpus.patents.classes import distinct, fi_symbol, symbol
from kakehashi.corpus.patents.marec import APPLICANTS, EXAMINERS, who_cites
from kakehashi.corpus.patents.numbers import iso_date, publication_number
from kakehashi.corpus.patents.record import Citation, Malformed, Party, PatentRecord, Wanted, distinct_parties
from kakehashi.corpus.patents.st36 import citations, earliest
from kakehashi.corpus.patents.writings import country_code

Json = Mapping[str, Any]
PHASES = EXAMINERS | APPLICANTS | {"OPP", "115", "TPO", "FOP", "APL", "NPL"}


def read_public_data(record: Json, wanted: Wanted) -> PatentRecord:
    published = _date(record.get("publication_date"))
    number = _publication(str(record.get("publication_number") or ""), published)
    if not number:
        raise Malformed("no publication number")
    filing = _date(record.get("filing_date"))
    claimed = [(one, _date(one.get("filing_date"))) for one in _list(record, "priority_claim")]
    numbers = distinct(_application(str(one.get("application_number") or ""), date) for one, date in claimed)
    inventors = _parties(record, "inventor")
    first = _date(record.get("priority_date"))
    claims = {lang: split_claims(text) for lang, text in _texts(record, "claims").items()}
    return PatentRecord(
        number=number,
        titles=_texts(record, "title"),
        abstracts=_texts(record, "abstract"),
        first_claims={lang: texts[0] for lang, texts in claims.items() if texts},
        n_claims=max(map(len, claims.values()), default=0),
        claims=claims if wanted.claims else {},
        descriptions=_texts(record, "description") if wanted.description else {},
        ipc=distinct(symbol(str(one.get("code") or "")) for one in _list(record, "ipc")),
        cpc=distinct(symbol(str(one.get("code") or "")) for one in _list(record, "cpc")),
        fi=distinct(fi_symbol(str(one.get("code") or "")) for one in _list(record, "fi")),
        inventors=inventors,
        applicants=_parties(record, "assignee") or inventors,
        filing=filing,
        priority=first or earliest([date for _, date in claimed if date], filing),
        publication=published,
        application=_application(str(record.get("application_number") or ""), filing),
        priorities=numbers,
        family=_family(record.get("family_id")),
        citations=citations(map(_citation, _list(record, "citation"))),
    )


def _list(record: Json, name: str) -> list[Json]:
    return [one for one in record.get(name) or [] if isinstance(one, Mapping)]


def _date(value: Any) -> str:
    """20100119, as a number or a string; 0 if unknown."""
    return iso_date(str(value or ""))


def _family(value: Any) -> str:
    """-1 and 0 mean that the patent has none."""
    text = str(value or "").strip()
    return text if text.isdigit() and int(text) > 0 else ""


def _publication(text: str, date: str = "") -> str:
    country, _, rest = text.partition("-")
    number, _, kind = rest.partition("-")
    return publication_number(country, number, kind, date)


def _application(text: str, date: str) -> str:
    country, _, rest = text.partition("-")
    number, _, kind = rest.partition("-")
    return application_number(country, number, date, kind, docdb=True)


def _texts(record: Json, name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in _list(record, f"{name}_localized"):
        text = "\n".join(
            line for part in str(one.get("text") or "").splitlines() if (line := " ".join(part.split()))
        )
        if text:
            found.setdefault(str(one.get("language") or "en").lower()[:2], text)
    return found


def _parties(record: Json, role: str) -> tuple[Party, ...]:
    """Harmonised names have the country; without them there are only names."""
    named = [
        Party(str(one.get("name") or "").strip(), country_code(str(one.get("country_code") or "")))
        for one in _list(record, f"{role}_harmonized")
    ]
    return distinct_parties(named or [Party(str(name).strip()) for name in record.get(role) or []])


def _citation(one: Json) -> Citation | None:
    """One of two fields says in which phase it was cited (SEA, APP), the other how relevant it is (X, Y)."""
    number = _publication(str(one.get("publication_number") or ""))
    words = [str(one.get(name) or "").strip().upper() for name in ("type", "category")]
    letters = {letter for word in words if word not in PHASES for letter in word if letter.isalpha()}
    return Citation(number, who_cites(words), "".join(sorted(letters))[:5]) if number else None
