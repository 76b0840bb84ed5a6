"""One published patent of any office; reads no files."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

FIRST_BEYOND_LATIN = 0x370  # Greek and all that follows

CitedBy: TypeAlias = Literal["examiner", "applicant", "other"]


class Malformed(Exception):
    """A record that cannot be used, with a short reason."""


class Wanted(msgspec.Struct, frozen=True):
    """The long parts of a record, which are read only if needed."""

    claims: bool = False
    description: bool = False
    columns: Mapping[str, str] = {}  # of tables: what a column means, by its title


BRIEF = Wanted()


class Party(msgspec.Struct, frozen=True):
    """A person or a company; the family name comes first, as in `Doe, Jane`."""

    name: str
    country: str = ""
    state: str = ""
    city: str = ""
    organization: bool | None = None  # None where the record does not say


def full_name(last: str, first: str) -> str:
    return ", ".join(part for part in (last, first) if part)


def distinct_parties(parties: Iterable[Party]) -> tuple[Party, ...]:
    """Those with a name, each once."""
    return tuple({one.name: one for one in parties if one.name}.values())


class Citation(msgspec.Struct, frozen=True):
    """A patent that another one cites."""

    number: str  # as far as the record gives it: the kind may be missing
    by: CitedBy
    category: str = ""  # letters of the search report, such as X, Y or XP


class PatentRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A publication; texts are by language (`en`), dates are ISO or empty."""

    number: str  # US-7654321-B2
    titles: Mapping[str, str] = {}
    abstracts: Mapping[str, str] = {}
    first_claims: Mapping[str, str] = {}
    n_claims: int = 0
    claims: Mapping[str, tuple[str, ...]] = {}  # only if wanted
    descriptions: Mapping[str, str] = {}  # only if wanted
    ipc: tuple[str, ...] = ()  # A01B 33/08
    cpc: tuple[str, ...] = ()
    fi: tuple[str, ...] = ()  # A01B 33/08,101A
    inventors: tuple[Party, ...] = ()
    applicants: tuple[Party, ...] = ()  # the assignees, if the record names them
    filing: str = ""
    priority: str = ""  # the earliest; the filing date if no priority is claimed
    publication: str = ""
    application: str = ""  # number of the application, without a kind
    priorities: tuple[str, ...] = ()  # numbers of the applications whose priority is claimed
    family: str = ""
    citations: tuple[Citation, ...] = ()

    @property
    def country(self) -> str:
        """The office."""
        return self.number.split("-")[0]

    @property
    def kind(self) -> str:
        """The kind of publication, such as B2; may be empty."""
        return self.number.split("-")[2] if self.number.count("-") > 1 else ""

    @property
    def independent(self) -> bool:
        """Whether inventors apply in their own name."""
        inventors = {_letters(party.name) for party in self.inventors}
        return all(
            not party.organization and (party.organization is False or _letters(party.name) in inventors)
            for party in self.applicants
        )


def _letters(name: str) -> frozenset[str]:
    """DOE, Jane and Jane Doe are the same person."""
    return frozenset(name.casefold().replace(",", " ").replace(".", " ").split())


def merged(records: list[PatentRecord]) -> PatentRecord:
    """Merge several records of the same publication: the next fills in what is missing in the first."""
    first, *others = records
    values = {name: getattr(first, name) for name in first.__struct_fields__}
    for other in others:
        for name, value in values.items():
            theirs = getattr(other, name)
            if isinstance(value, dict):
                values[name] = {**theirs, **value}
            elif name == "citations":
                values[name] = (*value, *(one for one in theirs if one not in value))
            elif name in ("inventors", "applicants"):
                values[name] = _same_parties(value, theirs)
            elif not value:
                values[name] = theirs
    return PatentRecord(**values)


def joined(records: list[PatentRecord]) -> PatentRecord:
    """Several rows about one publication: lists go on from row to row, other fields are filled in."""
    if len(records) == 1:
        return records[0]

    def each(name: str) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(one for record in records for one in getattr(record, name)))

    claims = {
        lang: tuple(dict.fromkeys(one for record in records for one in record.claims.get(lang, ())))
        for lang in each("claims")
    }
    lists = ("ipc", "cpc", "fi", "inventors", "applicants", "priorities", "citations")
    return msgspec.structs.replace(merged(records), claims=claims, **{name: each(name) for name in lists})


def _same_parties(ours: tuple[Party, ...], theirs: tuple[Party, ...]) -> tuple[Party, ...]:
    """Names in Latin script, which documents in other languages share; other records may have their addresses."""
    named, other = (theirs, ours) if theirs and not _is_latin(ours) and _is_latin(theirs) else (ours, theirs)
    if len(named) != len(other):
        return named or other
    return completed(named, other)


def completed(parties: Iterable[Party], same: Iterable[Party]) -> tuple[Party, ...]:
    """As many parties, with what another list of the same parties says beside their names."""
    return tuple(_completed(one, other) for one, other in zip(parties, same, strict=True))


def _completed(one: Party, same: Party) -> Party:
    if one.country and same.country and one.country != same.country:
        return one  # another person, or one of the two is wrong
    own = {name: value for name in one.__struct_fields__ if (value := getattr(one, name)) not in ("", None)}
    return msgspec.structs.replace(same, **own)


def _is_latin(parties: tuple[Party, ...]) -> bool:
    return all(ord(letter) < FIRST_BEYOND_LATIN for party in parties for letter in party.name)
