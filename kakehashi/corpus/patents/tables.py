"""Patents as rows of a table: exports of databases, tables for research.

A column is recognised by its title, or by the map a user gives. Several rows may be about one patent.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping

import msgspec

from kakehashi.corpus.patents.applications import application_number
from kakehashi.corpus.patents.archives import EMPTY, Stream
from kakehashi.corpus.patents.bodies import split_claims
from kakehashi.corpus.patents.classes import distinct, of_parts, symbol, unspaced_symbol
from kakehashi.corpus.patents.columns_of_tables import MEANINGS, OF_OTHERS
from kakehashi.corpus.patents.languages import KANA, code_of, language_of
from kakehashi.corpus.patents.letters import AS_OLDER
from kakehashi.corpus.patents.marec import who_cites
from kakehashi.corpus.patents.numbers import iso_date, iso_month, publication_number
from kakehashi.corpus.patents.phrases import number_in_words
from kakehashi.corpus.patents.record import (
    Citation,
    Party,
    PatentRecord,
    Wanted,
    distinct_parties,
    full_name,
    joined,
)
from kakehashi.corpus.patents.st36 import citations, earliest, without_country
from kakehashi.corpus.patents.tally import Place, Tally
from kakehashi.corpus.patents.workbooks import day_of_number, is_workbook, rows_of_workbook

LONGEST = 16 << 20  # characters of one field
HEADED_WITHIN = 20  # lines before the titles of the columns, such as the address of the search
SEVERAL = re.compile(r"\s*(?:;;|;|\||\n)\s*")
NUMBERS = re.compile(r"\s*(?:;;|;|\||\n|,(?=\s*[A-Z]{2}))\s*")
HIGH, PAIR = re.compile(rb"[\x80-\xff]"), re.compile(rb"[\x81-\xfe]{2}")
WITHDRAWN = frozenset(["1", "true", "TRUE", "True", "yes", "Y"])
NAME, IPC_PARTS = "table", ("section", "class", "subclass", "group", "subgroup")
TOO_LITTLE = "rows without a publication number"
Row = Mapping[str, str]


def is_table(head: bytes, place: Place) -> bool:
    name = place.name.lower()
    if is_workbook(head):
        return True
    for suffix in (".gz", ".zst"):
        name = name.removesuffix(suffix)
    return name.endswith((".csv", ".tsv", ".tab")) or (
        name.endswith(".txt") and b"\t" in head.split(b"\n")[0]
    )


def read_table(stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
    """The records of a table; rows without a number are counted."""
    head = stream.file.peek(4096)[:4096] if hasattr(stream.file, "peek") else b""
    try:
        rows = rows_of_workbook(stream) if is_workbook(head) else rows_of_text(stream, head, wanted.columns)
        yield from _records(rows, stream, tally, wanted)
    except (csv.Error, UnicodeDecodeError) as error:
        tally.fault(stream.place, "broken tables", f"cannot be read further: {str(error)[:120]}")


def rows_of_text(
    stream: Stream, head: bytes, columns: Mapping[str, str] | None = None
) -> Iterator[list[str]]:
    """The delimiter is the one that parts the most titles of known columns, or the most frequent one of the titles."""
    encoding = encoding_of(head)
    text = io.TextIOWrapper(stream.file, encoding=encoding, errors=AS_OLDER, newline="")
    sample = head.decode(encoding, "ignore").splitlines()[:HEADED_WITHIN]
    csv.field_size_limit(LONGEST)

    def fitting(delimiter: str) -> tuple[int, int]:
        titles = _titles(csv.reader(sample, delimiter=delimiter), columns or {})
        return len(titles or ()), (sample or [""])[0].count(delimiter)

    delimiter = max("\t,;|", key=fitting)
    yield from csv.reader((line.replace("\0", "") for line in text), delimiter=delimiter)


def encoding_of(head: bytes) -> str:
    """UTF-16 by its mark, UTF-8 if it can be, else what older spreadsheets write in Japan, China or Europe."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    if _can_be(head, "utf-8"):
        return "utf-8-sig"
    if _can_be(head, "cp932") and KANA.search(head.decode("cp932", "ignore")):
        return "cp932"
    # letters with accents stand alone between others, Chinese ones are pairs of high bytes
    in_pairs = 2 * len(PAIR.findall(head)) > len(HIGH.findall(head)) / 2
    return "gb18030" if in_pairs and _can_be(head, "gb18030") else "cp1252"


def _can_be(head: bytes, encoding: str) -> bool:
    """Its last character may be cut off."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _records(
    rows: Iterator[list[str]], stream: Stream, tally: Tally, wanted: Wanted
) -> Iterator[PatentRecord]:
    places = _titles(rows, wanted.columns)
    if places is None:
        tally.fault(
            stream.place,
            "tables without a column of numbers",
            "no column is titled as a publication number: name it with --map number=TITLE",
        )
        return
    waiting: list[PatentRecord] = []
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        values = {name: row[place].strip() for name, place in places.items() if place < len(row)}
        if values.get("withdrawn", "0") in WITHDRAWN:
            tally.fault(stream.place, "withdrawn publications", f"{' '.join(row)[:60]!r} was withdrawn")
            continue
        record = _record({name: value for name, value in values.items() if value}, wanted)
        if record is None:
            tally.fault(stream.place, TOO_LITTLE, f"a row has no publication number: {' '.join(row)[:60]!r}")
            continue
        if waiting and waiting[0].number != record.number:
            tally.records[NAME] += 1
            yield _whole(waiting, wanted)
            waiting = []
        waiting.append(record)
    if waiting:
        tally.records[NAME] += 1
        yield _whole(waiting, wanted)
    elif not tally.faults.by_kind().get(TOO_LITTLE):
        tally.fault(stream.place, EMPTY, "has no rows")


def _whole(rows: list[PatentRecord], wanted: Wanted) -> PatentRecord:
    """Of all rows about a patent, which may have a claim each."""
    record = joined(rows)
    n_claims = record.n_claims or max(map(len, record.claims.values()), default=0)
    return msgspec.structs.replace(record, n_claims=n_claims, claims=record.claims if wanted.claims else {})


def _titles(rows: Iterator[list[str]], columns: Mapping[str, str]) -> dict[str, int] | None:
    """Meaning -> column, from the first row that titles a column as a number; None if there is none."""
    own = {title.casefold().strip(): meaning for meaning, title in columns.items()}
    for _, row in zip(range(HEADED_WITHIN), rows, strict=False):
        found: dict[str, int] = {}
        for place, cell in enumerate(row):
            title = re.sub(r"[\s_]+", " ", cell.strip().casefold().removeprefix("\ufeff")).strip()
            meaning = own.get(cell.strip().casefold()) or MEANINGS.get(title)
            if meaning and (meaning not in found or cell.strip().casefold() in own):
                found[meaning] = place
        if "number" in found or "us" in found:
            return _apart(found)
    return None


def _apart(places: dict[str, int]) -> dict[str, int]:
    """Tables of research have one kind of fact each: their other columns are about the patent cited or claimed."""
    for other, title, meaning in OF_OTHERS:
        if "us" in places and other in places and title in places:
            places[meaning] = places.pop(title)
    return places


def _record(row: Row, wanted: Wanted) -> PatentRecord | None:
    published = iso_date(_day(row.get("publication", "")))
    number = _number(row, published)
    if not number:
        return None
    language = code_of(row.get("language", "")) or language_of(
        # English stands for all that is written in Latin letters
        f"{row.get('title', '')} {row.get('abstract', '')}",
        {"JP": "ja", "KR": "ko"}.get(number[:2], "en"),
    )
    filing = iso_date(_day(row.get("filing", "")))
    first = iso_date(_day(row.get("priority", "")))
    claims = split_claims(row["claims"]) if row.get("claims") else ()
    inventors = _people(row, "inventors")
    office = number[:2]

    def text(name: str) -> dict[str, str]:
        words = " ".join(row.get(name, "").split())
        return {language: words} if words else {}

    return PatentRecord(
        number=number,
        titles=text("title"),
        abstracts=text("abstract"),
        first_claims=text("first_claim") or ({language: claims[0]} if claims else {}),
        n_claims=int(row["n_claims"]) if row.get("n_claims", "").isdecimal() else 0,
        claims={language: claims} if claims else {},
        descriptions=text("description") if wanted.description else {},
        ipc=_classes(row, "ipc") or distinct([of_parts(*(row.get(f"ipc_{part}", "") for part in IPC_PARTS))]),
        cpc=_classes(row, "cpc") or _parted(row),
        inventors=inventors,
        applicants=_people(row, "applicants"),
        filing=filing,
        priority=first or earliest([], filing),
        publication=published,
        application=_application(row.get("application", ""), office, filing),
        priorities=distinct(_priorities(row)),
        family=row.get("family", "") or _members(row, number),
        citations=citations(_cited(row, office)),
    )


def _day(text: str) -> str:
    """2012-01-31 of 31/01/2012, 2012/01/31 or a time of day after it; the first of several days."""
    text = (text.split() or [""])[0].split("T")[0]
    if day := day_of_number(text.partition(".")[0]):
        return day
    if found := re.fullmatch(r"(\d{1,2})[./](\d{1,2})[./](\d{4})", text):
        return f"{found[3]}{int(found[2]):02d}{int(found[1]):02d}"
    return text.replace("/", "-").replace(".", "-") if "-" in text or "/" in text or "." in text else text


def _number(row: Row, published: str) -> str:
    if us := row.get("us"):
        return publication_number("US", us, row.get("kind", ""), published)
    given = row.get("number", "")
    first = NUMBERS.split(given)[0] if given else ""
    if country := row.get("country", ""):
        return publication_number(country, first, row.get("kind", ""), published)
    return publication_number(
        first[:2], first[2:].lstrip(" -"), row.get("kind", ""), published
    ) or number_in_words(first)


def _application(text: str, office: str, filing: str) -> str:
    """US 201514865040 A 20150925, as the Lens writes it: number, kind, date."""
    parts = text.strip().split()
    date = iso_date(parts[-1]) if len(parts) > 2 else ""
    if date:
        parts = parts[:-1]
    country = parts[0][:2] if parts and re.match("[A-Za-z]{2}", parts[0]) else office
    number = " ".join(parts)
    as_the_lens = len(parts) > 2 and len(parts[-1]) <= 2
    return application_number(country, number, date or filing, docdb=as_the_lens) if number else ""


def _priorities(row: Row) -> Iterator[str]:
    yield from (_application(one, "", "") for one in NUMBERS.split(row.get("priorities", "")))
    if claimed := row.get("claimed", ""):
        date = iso_date(_day(row.get("claimed_date", "")))
        yield application_number(row.get("claimed_country", ""), claimed, date)


def _members(row: Row, number: str) -> str:
    """The smallest number of a list of members names the family, as each of them has the same list."""
    found = [
        publication_number(one[:2], one[2:].strip(" -"))
        for one in NUMBERS.split(row.get("members", ""))
        if len(one) > 4
    ]
    return min([number, *(one for one in found if one)]) if found else ""


def _classes(row: Row, scheme: str) -> tuple[str, ...]:
    given = re.split(r"\s*(?:;;|;|\||\n|,)\s*", row.get(scheme, ""))
    return distinct(symbol(one) or unspaced_symbol(one) for one in given)


def _parted(row: Row) -> tuple[str, ...]:
    """Tables of PatentsView have section, class, subclass and group in columns of their own."""
    group = row.get("cpc_group", "")
    found = symbol(group) or of_parts(row.get("cpc_section", ""), *[""] * 4) if group else ""
    return (found,) if found else ()


def _people(row: Row, role: str) -> tuple[Party, ...]:
    firm, last = row.get(f"{role}_firm", ""), row.get(f"{role}_last", "")
    if firm or last:
        name = firm or full_name(last, row.get(f"{role}_first", ""))
        return (Party(name, organization=bool(firm)),)
    found = (without_country(one) for one in SEVERAL.split(row.get(role, "")))
    return distinct_parties(Party(name, country) for name, country in found)


def _cited(row: Row, office: str) -> list[Citation | None]:
    by = who_cites([row.get("cited_by", "")])
    found: list[Citation | None] = []
    for one in NUMBERS.split(row.get("cited", "")):
        country = row.get("cited_country") or (one[:2] if one[:2].isalpha() and "us" not in row else office)
        number = publication_number(
            country, one, row.get("cited_kind", ""), iso_month(row.get("cited_date", ""))
        )
        found.append(Citation(number, by) if number else None)
    return found
