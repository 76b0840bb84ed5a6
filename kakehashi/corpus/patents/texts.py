"""From a record to the texts and metadata of a collection."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from kakehashi.corpus.collection import FieldKind
from kakehashi.corpus.patents.classes import distinct
from kakehashi.corpus.patents.record import PatentRecord
from kakehashi.types import Text

PARTS = ("title", "abstract", "first-claim", "claims", "description")
KEYWORDS = (
    "ipc",
    "cpc",
    "fi",
    "inventors",
    "applicants",
    "independent",
    "country",
    "state",
    "city",
    "family",
    "office",
)
DATES = ("filing", "priority", "publication")
FIELDS: Mapping[str, FieldKind] = {
    **dict.fromkeys(KEYWORDS, "keyword"),
    "claims": "number",
    **dict.fromkeys(DATES, "date"),
}


def text_in(record: PatentRecord, language: str, parts: Sequence[str], meta: Mapping[str, Any]) -> Text:
    title = record.titles.get(language, "") if "title" in parts else ""
    return Text(record.number, language, "\n".join(_passages(record, language, parts)), title, meta)


def has_text(record: PatentRecord, language: str, parts: Sequence[str]) -> bool:
    """A title alone is not a text unless only titles are requested: offices translate titles."""
    if set(parts) == {"title"}:
        return bool(record.titles.get(language))
    return bool(_passages(record, language, parts))


def _passages(record: PatentRecord, language: str, parts: Sequence[str]) -> list[str]:
    said = {
        "abstract": record.abstracts.get(language) or _instead(record, language, parts),
        "first-claim": record.first_claims.get(language),
        "claims": "\n".join(record.claims.get(language, ())),
        "description": record.descriptions.get(language),
    }
    return [passage for part in parts if (passage := said.get(part))]


def _instead(record: PatentRecord, language: str, parts: Sequence[str]) -> str:
    """European grants have no abstract, but claims in three languages: the first one says what the patent is about."""
    return "" if {"first-claim", "claims"} & set(parts) else record.first_claims.get(language, "")


def meta_of(record: PatentRecord, family: str, language: str) -> dict[str, Any]:
    """With the field names used by all patent collections here; unknown values have no entry."""
    meta: dict[str, Any] = {
        "ipc": list(record.ipc),
        "cpc": list(record.cpc),
        "fi": list(record.fi),
        "inventors": [party.name for party in record.inventors],
        "applicants": [party.name for party in record.applicants],
        "claims": record.n_claims,
        # as in the published features, people have addresses and companies do not
        "country": list(distinct(party.country for party in record.inventors)),
        "state": list(distinct(party.state for party in record.inventors)),
        "city": list(distinct(party.city for party in record.inventors)),
        "filing": record.filing,
        "priority": record.priority,
        "publication": record.publication,
        "family": family,
        "office": record.country,
        "first_claim": record.first_claims.get(language, ""),
    }
    meta = {name: value for name, value in meta.items() if value}
    if record.inventors and record.applicants:
        meta["independent"] = record.independent
    return meta


def trimmed(record: PatentRecord, languages: Collection[str]) -> PatentRecord:
    """The record without texts in languages that are not needed."""
    texts = ("titles", "abstracts", "first_claims", "claims", "descriptions")
    kept = {
        name: {lang: text for lang, text in getattr(record, name).items() if lang in languages}
        for name in texts
    }
    return msgspec.structs.replace(record, **kept)
