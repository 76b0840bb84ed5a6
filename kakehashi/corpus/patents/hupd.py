"""The Harvard USPTO dataset: one American application per JSON file."""

from collections.abc import Mapping
from typing import Any

from kakehashi.corpus.patents.applications import application_number
from kakehashi.corpus.patents.bodies import split_claims
from kakehashi.corpus.patents.classes import distinct, symbol, unspaced_symbol
from kakehashi.corpus.patents.numbers import iso_date, publication_number
from kakehashi.corpus.patents.record import (
    Malformed,
    Party,
    PatentRecord,
    Wanted,
    distinct_parties,
    full_name,
)
from kakehashi.corpus.patents.writings import country_code

LANGUAGE, OFFICE = "en", "US"


def read_hupd(record: Mapping[str, Any], wanted: Wanted) -> PatentRecord:
    filing = iso_date(str(record.get("filing_date") or ""))
    number = publication_number(OFFICE, str(record.get("publication_number") or "").partition("-")[0]) or (
        publication_number(OFFICE, str(record.get("patent_number") or ""))
    )
    if not number:
        raise Malformed("no publication number")
    claims = split_claims(str(record.get("claims") or ""))
    inventors = distinct_parties(map(_inventor, record.get("inventor_list") or []))
    return PatentRecord(
        number=number,
        titles=_text(record, "title"),
        abstracts=_text(record, "abstract"),
        first_claims={LANGUAGE: claims[0]} if claims else {},
        n_claims=len(claims),
        claims={LANGUAGE: claims} if claims and wanted.claims else {},
        descriptions=_text(record, "full_description") if wanted.description else {},
        ipc=_classes(record, "ipcr"),
        cpc=_classes(record, "cpc"),
        inventors=inventors,
        applicants=inventors,
        filing=filing,
        priority=filing,
        publication=iso_date(str(record.get("date_published") or "")),
        application=application_number(OFFICE, str(record.get("application_number") or ""), filing),
    )


def _text(record: Mapping[str, Any], name: str) -> dict[str, str]:
    text = " ".join(str(record.get(name) or "").split())
    return {LANGUAGE: text} if text else {}


def _classes(record: Mapping[str, Any], scheme: str) -> tuple[str, ...]:
    """Symbols without blank and slash, such as G06F30481."""
    given = [record.get(f"main_{scheme}_label"), *(record.get(f"{scheme}_labels") or [])]
    return distinct(symbol(one) if "/" in one else unspaced_symbol(one) for one in map(str, given))


def _inventor(one: Mapping[str, Any]) -> Party:
    def said(name: str) -> str:
        return str(one.get(f"inventor_{name}") or "").strip()

    return Party(
        full_name(said("name_last"), said("name_first")),
        country_code(said("country")),
        said("state"),
        said("city"),
        False,
    )
