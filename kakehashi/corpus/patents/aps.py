"""American grants from 1976 to 2001 as text in columns (APS, the "green book"): a tag of four letters, then a value."""

import re
from collections.abc import Iterator, Sequence

from kakehashi.corpus.patents.applications import application_number, roots
from kakehashi.corpus.patents.archives import Stream
from kakehashi.corpus.patents.bodies import claim_texts
from kakehashi.corpus.patents.classes import distinct, symbol
from kakehashi.corpus.patents.numbers import iso_date, iso_month, publication_number
from kakehashi.corpus.patents.record import Citation, Malformed, Party, PatentRecord, Wanted, distinct_parties
from kakehashi.corpus.patents.st36 import citations, earliest
from kakehashi.corpus.patents.tally import Tally
from kakehashi.corpus.patents.writings import country_code

LANGUAGE, OFFICE, NAME = "en", "US", "aps"
LONGEST = 64 << 20  # bytes of one record
START = b"PATN"
CODED = re.compile(r"([A-Z]{2})[A-Z\d ]?")  # JPX, DE2: two letters and one that says nothing
NUMBER = re.compile(r"([A-Z]{0,2})0*(\d+)")
KINDS = {"1": "A", "2": "E", "4": "S", "5": "I5", "6": "P", "7": "H"}  # type of the application
PARENTS = frozenset(
    ["71", "72", "74", "84", "86", "90", "91", "92", "93"]
)  # continuations, divisions, provisionals
LETTERED = {"D": "S", "P": "P", "R": "E", "H": "H", "T": "I4"}
TEXTS = ("PAL", "PAR", "PAC", "PA0", "PA1", "PA2", "PA3", "PA4", "PA5", "TBL", "EQU", "CLM")

Field = tuple[str, str]
Section = tuple[str, list[Field]]


def read_aps(stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
    for number, lines in enumerate(_records(stream, tally), start=1):
        try:
            record = _record(_sections(lines), wanted)
        except Malformed as error:
            tally.fault(stream.place, f"records with {error}", f"record {number} has {error}")
        else:
            tally.records[NAME] += 1
            yield record


def _records(stream: Stream, tally: Tally) -> Iterator[list[str]]:
    """The lines of each record; what comes before the first is a header of the tape."""
    lines: list[str] | None = None
    size = 0
    while raw := stream.file.readline(1 << 16):
        if raw.rstrip() == START:
            if lines:
                yield lines
            lines, size = [], 0
        elif lines is not None:
            size += len(raw)
            if size > LONGEST:
                tally.fault(
                    stream.place, "records that are too long", f"a record is over {LONGEST >> 20} MiB long"
                )
                lines = None
            else:
                lines.append(raw.decode("latin-1").rstrip("\r\n"))
    if lines:
        yield lines


def _sections(lines: Sequence[str]) -> list[Section]:
    """A tag alone begins a section; a line without a tag goes on with the value before."""
    found: list[Section] = [("PATN", [])]
    for line in lines:
        tag, value = line[:4].rstrip(), line[5:].strip()
        fields = found[-1][1]
        if tag and not value and len(tag) == 4:
            found.append((tag, []))
        elif tag:
            fields.append((tag, value))
        elif fields:
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.strip()}")
    return found


def _record(sections: Sequence[Section], wanted: Wanted) -> PatentRecord:
    head = dict(reversed(sections[0][1]))
    publication, filing = iso_date(head.get("ISD", "")), iso_date(head.get("APD", ""))
    foreign = [_priority(fields) for fields in _named(sections, "PRIR")]
    entered = [_international(fields) for fields in _named(sections, "PCTA")]
    parents = [one for fields in _named(sections, "RLAP") if (one := _parent(fields))]
    claims = _claims(sections)
    inventors = distinct_parties(_party(fields, False) for fields in _named(sections, "INVT"))
    abstract = _text(sections, ["ABST"])
    description = _text(sections, ["PARN", "GOVT", "BSUM", "DRWD", "DETD"]) if wanted.description else ""
    return PatentRecord(
        number=_number(head, publication),
        titles={LANGUAGE: head["TTL"]} if head.get("TTL") else {},
        abstracts={LANGUAGE: abstract} if abstract else {},
        first_claims={LANGUAGE: claims[0]} if claims else {},
        n_claims=int(head["NCL"]) if head.get("NCL", "").isdecimal() else len(claims),
        claims={LANGUAGE: claims} if claims and wanted.claims else {},
        descriptions={LANGUAGE: description} if description else {},
        ipc=distinct(
            symbol(_spaced(value)) for fields in _named(sections, "CLAS") for tag, value in fields if tag == "ICL"
        ),
        inventors=inventors,
        applicants=distinct_parties(_party(fields, None) for fields in _named(sections, "ASSG")) or inventors,
        filing=filing,
        priority=earliest([date for _, date in [*foreign, *parents, *entered] if date], filing),
        publication=publication,
        application=_application(head.get("APN", ""), head.get("SRC", ""), filing),
        priorities=roots([number for number, _ in [*foreign, *parents]], [number for number, _ in entered]),
        citations=citations(
            _cited(fields, foreign) for name, foreign in (("UREF", False), ("FREF", True))
            for fields in _named(sections, name)
        ),
    )  # fmt: skip


def _named(sections: Sequence[Section], name: str) -> list[list[Field]]:
    return [fields for tag, fields in sections if tag == name]


def _number(head: dict[str, str], publication: str) -> str:
    """The last of nine characters of WKU is a check digit; letters say which kind of patent it is."""
    found = re.match(r"([A-Z]{0,2})(\d+)$", head.get("WKU", "").replace(" ", "")[:8])
    if found is None:
        raise Malformed("no publication number")
    letters, digits = found.groups()
    kind = LETTERED.get(letters[:1]) or KINDS.get(head.get("APT", ""), "A")
    number = publication_number(OFFICE, f"{letters}{int(digits)}", kind, publication)
    if not number:
        raise Malformed("no publication number")
    return number


def _application(number: str, series: str, filing: str) -> str:
    """APN is the serial of six digits, followed by a check digit; a parent has no check digit."""
    serial = number.strip()[:6]
    return application_number(OFFICE, f"{series.strip()}/{serial}" if series.strip() else serial, filing)


def _spaced(text: str) -> str:
    """ICL H04M 1100: three characters of the main group, then the subgroup."""
    text = text.upper()
    return (
        f"{text[:4]}{text[4:7]}/{text[7:9]}"
        if re.fullmatch(r"[A-HY]\d\d[A-Z][ \d]{2}\d\d{2,3}", text)
        else text
    )


def _country(text: str) -> str:
    found = CODED.fullmatch(text.strip().upper())
    return country_code(found[1]) if found else ""


def _priority(fields: Sequence[Field]) -> Field:
    said = dict(fields)
    date = iso_date(said.get("APD", ""))
    return application_number(_country(said.get("CNT", "")), said.get("APN", ""), date), date


def _parent(fields: Sequence[Field]) -> Field | None:
    """(number, filing date) of what the patent continues."""
    said = dict(fields)
    if said.get("COD", "").strip() not in PARENTS:
        return None
    date, number = iso_date(said.get("APD", "")), said.get("APN", "")
    return application_number(
        OFFICE, number, date, "P" if number.strip()[:2] == "60" and "/" in number else ""
    ), date


def _international(fields: Sequence[Field]) -> Field:
    """(number, filing date) of the application under the Patent Cooperation Treaty."""
    said = dict(fields)
    return application_number("WO", said.get("PCN", ""), kind="W"), iso_date(said.get("PD3", ""))


def _party(fields: Sequence[Field], organization: bool | None) -> Party:
    said = dict(reversed(list(fields)))
    country, state = _country(said.get("CNT", "")), said.get("STA", "").strip()
    name = ", ".join(part.strip() for part in said.get("NAM", "").split(";") if part.strip())
    is_firm = organization if organization is not None else ";" not in said.get("NAM", "")
    return Party(name, country or (OFFICE if state else ""), state, said.get("CTY", ""), is_firm)


def _cited(fields: Sequence[Field], foreign: bool) -> Citation | None:
    """Until 2001 grants do not say who cited; most citations are the examiner's."""
    said = dict(reversed(list(fields)))
    country = _country(said.get("CNT", "")) if foreign else OFFICE
    number = publication_number(country, said.get("PNO", ""), "", iso_month(said.get("ISD", "")))
    return Citation(number, "other") if number else None


def _text(sections: Sequence[Section], names: Sequence[str]) -> str:
    return "\n".join(
        " ".join(value.split())
        for name, fields in sections
        if name in names
        for tag, value in fields
        if tag in TEXTS
    )


def _claims(sections: Sequence[Section]) -> tuple[str, ...]:
    """NUM begins a claim; a design has its only one without a number."""
    claims: list[list[str]] = []
    for name, fields in sections:
        if name in ("CLMS", "DCLM"):
            for tag, value in fields:
                if tag == "NUM":
                    claims.append([])
                elif tag in TEXTS and tag != "STM":
                    if not claims:
                        claims.append([])
                    claims[-1].append(value)
    return claim_texts(" ".join(" ".join(parts).split()) for parts in claims)
