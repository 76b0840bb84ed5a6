"""Hits as RIS records, which reference managers such as Zotero read."""

import re

from kakehashi.export.listing import Entry, Listing
from kakehashi.text.marking import plain

_DATE = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")


def ris_bytes(listing: Listing) -> bytes:
    """Lines end as RIS asks, with carriage return and line feed."""
    lines = [f"{tag}  - {value}" for entry in listing.entries for tag, value in _record(entry, listing)]
    return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "replace")


def _record(entry: Entry, listing: Listing) -> list[tuple[str, str]]:
    facts, date = entry.facts, _DATE.match(entry.facts.date)
    people = facts.inventors or facts.applicants
    found = [
        ("ID", entry.id),
        ("TI", entry.title or entry.id),
        *(("AU", name) for name in people),
        *(
            ("PB", name) for name in facts.applicants if facts.is_patent
        ),  # a patent's publisher is its assignee
        *([("PY", date[1]), ("DA", "/".join(part or "" for part in date.groups()))] if date else []),
        *([("SN", entry.id)] if facts.is_patent else []),  # a patent's number
        ("AB", plain(entry.passage)),
        *(("KW", name) for name in facts.classes),
        ("UR", facts.url),
        ("DB", listing.collection),
        ("N1", f"rank {entry.rank}, score {entry.score:.6g} by {listing.system} for: {listing.query[:500]}"),
    ]
    said = [(tag, one_line) for tag, value in found if (one_line := " ".join(value.split()))]
    return [("TY", "PAT" if facts.is_patent else "GEN"), *said, ("ER", "")]
