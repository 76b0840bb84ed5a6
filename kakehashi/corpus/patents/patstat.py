"""PATSTAT of the European Patent Office: tables that refer to each other by internal numbers, joined on disk.

Each table is copied, without what is not needed, into a database that is removed at the end. When all files have
been read, every publication becomes a record. Memory does not grow with the tables.
"""

import csv
import re
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Self

from kakehashi.corpus.folders import hidden_folder
from kakehashi.corpus.patents.applications import application_number
from kakehashi.corpus.patents.archives import Stream
from kakehashi.corpus.patents.classes import distinct, symbol
from kakehashi.corpus.patents.marec import who_cites
from kakehashi.corpus.patents.numbers import iso_date, publication_number
from kakehashi.corpus.patents.record import Citation, Party, PatentRecord, Wanted, distinct_parties
from kakehashi.corpus.patents.st36 import citations, earliest
from kakehashi.corpus.patents.tables import rows_of_text
from kakehashi.corpus.patents.tally import Place, Tally
from kakehashi.corpus.patents.writings import country_code

NAME, BLOCK = "patstat", 10_000  # rows that are copied at a time
# table: its columns here; those before the bar tell it from others, the first of all is looked up
_COLUMNS = {
    "applications": "appln_id appln_auth appln_nr | appln_kind appln_filing_date receiving_office docdb_family_id "
    "earliest_filing_date",
    "titles": "appln_id appln_title | appln_title_lg",
    "abstracts": "appln_id appln_abstract | appln_abstract_lg",
    "priorities": "appln_id prior_appln_id | prior_appln_seq_nr",
    "continuations": "appln_id parent_appln_id |",
    "persons": "person_id person_name | person_ctry_code psn_sector",
    "parties": "appln_id person_id applt_seq_nr | invt_seq_nr",
    "ipc": "appln_id ipc_class_symbol |",
    "cpc": "appln_id cpc_class_symbol |",
    "publications": "appln_id pat_publn_id publn_auth publn_nr | publn_kind publn_date publn_claims",
    "citations": "pat_publn_id citn_id cited_pat_publn_id | citn_origin cited_appln_id citn_replenished",
    "categories": "pat_publn_id citn_id citn_categ | citn_replenished",
}
TABLES: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    table: (columns.partition("|")[0].split(), columns.replace("|", "").split())
    for table, columns in _COLUMNS.items()
}
JOINED = frozenset(
    ["appln_title", "person_name", "appln_abstract"]
)  # beside publications: a table joined by the user
HEADER = re.compile(rb'(?:\xef\xbb\xbf)?[\w",;\t ]*\b(?:appln_id|person_id|pat_publn_id)\b', re.IGNORECASE)
NAMED = re.compile(r"tls\d{3}_", re.IGNORECASE)  # as its files are named
UNKNOWN_DAY = "9999-12-31"
COMPANIES = frozenset(["COMPANY", "UNIVERSITY", "HOSPITAL", "GOV NON-PROFIT"])
APPLICATION = "appln_auth, appln_nr, appln_kind, appln_filing_date, receiving_office"
PUBLICATION = "publn_auth, publn_nr, publn_kind, publn_date"


def table_of(head: bytes) -> str:
    """Which table begins so; empty if it is not one of these."""
    if not HEADER.match(head):
        return ""
    titles = {
        one.strip(' "\r').lower()
        for one in re.split("[,;\t]", head.split(b"\n")[0].decode("utf-8-sig", "replace"))
    }
    if "publn_nr" in titles and titles & JOINED:
        return ""
    fitting = (table for table, (telling, _) in TABLES.items() if titles.issuperset(telling))
    return next(fitting, "")


def is_patstat(head: bytes, place: Place) -> bool:
    """Whether it is one of the tables, also of those that say nothing a record needs."""
    return bool(table_of(head)) or bool(NAMED.match(place.name))


class Tables:
    """Copies tables, then reads publications with what the others say about them."""

    def __init__(self, folder: Path | None = None):
        self._folder = folder
        self._last = Place(Path())  # where the last table was
        self._place = ExitStack()
        self._database: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._database is not None:
            self._database.close()
        self._place.close()

    def take(self, stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
        """Copy one table; records follow when all are read."""
        head = stream.file.peek(4096)[:4096] if hasattr(stream.file, "peek") else b""
        table = table_of(head)
        if not table:
            tally.other_documents += 1
            return
        self._last = stream.place
        columns = TABLES[table][1]
        rows = rows_of_text(stream, head)
        try:
            titles = [title.strip().lower() for title in next(rows)]
            places = [titles.index(name) if name in titles else None for name in columns]
            values = ([_cell(row, place) for place in places] for row in rows if row)
            marks = ", ".join("?" * len(columns))
            while block := list(islice(values, BLOCK)):
                self._opened().executemany(f"insert into {table} values ({marks})", block)
        except (csv.Error, UnicodeDecodeError) as error:
            tally.fault(stream.place, "broken tables", f"cannot be read further: {str(error)[:120]}")
        yield from ()

    def records(self, tally: Tally) -> Iterator[PatentRecord]:
        """One for each publication."""
        if self._database is None:
            return
        for table, (_, columns) in TABLES.items():
            self._database.execute(f"create index {table}_by_id on {table} ({columns[0]})")
        self._database.execute("create index publications_by_own_id on publications (pat_publn_id)")
        if not next(self._database.execute("select count(*) from publications"))[0]:
            tally.fault(
                self._last, "tables without publications", "PATSTAT needs tls211_pat_publn beside this table"
            )
        without = 0
        for row in self._database.execute(
            f"select pat_publn_id, publications.appln_id, {PUBLICATION}, publn_claims from publications"
        ):
            number = _publication(row[2:6])
            if number:
                tally.records[NAME] += 1
                yield self._record(number, row[0], row[1], iso_date(row[5]), row[6])
            else:
                without += 1  # stands for an application that was never published
        tally.other_documents += without

    def _record(self, number: str, id: str, application: str, published: str, n_claims: str) -> PatentRecord:
        own = next(
            self._found(f"{APPLICATION}, docdb_family_id, earliest_filing_date", "applications", application),
            ("",) * 7,
        )
        filing = _day(own[3])
        first = _day(own[6])
        applicants, inventors = self._people(application)
        return PatentRecord(
            number=number,
            titles=self._texts("appln_title", "titles", application),
            abstracts=self._texts("appln_abstract", "abstracts", application),
            n_claims=int(n_claims) if n_claims.isascii() and n_claims.isdigit() and len(n_claims) < 6 else 0,
            ipc=distinct(symbol(one) for (one,) in self._found("ipc_class_symbol", "ipc", application)),
            cpc=distinct(symbol(one) for (one,) in self._found("cpc_class_symbol", "cpc", application)),
            inventors=inventors,
            applicants=applicants or inventors,
            filing=filing,
            priority=earliest([first] if first else [], filing),
            publication=published if published != UNKNOWN_DAY else "",
            application=_application(own[:5]),
            priorities=self._priorities(application),
            family=own[5] if own[5].isdigit() and int(own[5]) > 0 else "",
            citations=citations(self._cited(id)),
        )

    def _found(self, columns: str, table: str, id: str) -> Iterator[tuple[str, ...]]:
        sought = f"select {columns} from {table} where {TABLES[table][1][0]} = ?"
        return iter(self._opened().execute(sought, (id,)))

    def _texts(self, column: str, table: str, application: str) -> dict[str, str]:
        found = self._found(f"{column}_lg, {column}", table, application)
        return {
            (lang or "en").lower()[:2]: words for lang, text in found if (words := " ".join(text.split()))
        }

    def _people(self, application: str) -> tuple[tuple[Party, ...], tuple[Party, ...]]:
        """(applicants, inventors), each in the order of its numbers."""
        rows = self._opened().execute(
            "select applt_seq_nr, invt_seq_nr, person_name, person_ctry_code, psn_sector from parties join persons "
            "on persons.person_id = parties.person_id where parties.appln_id = ?",
            (application,),
        )
        people = [((_number(one[0]), _number(one[1])), _party(*one[2:])) for one in rows]

        def of(role: int) -> tuple[Party, ...]:
            ordered = sorted((places[role], n) for n, (places, _) in enumerate(people) if places[role])
            return distinct_parties(people[n][1] for _, n in ordered)

        return of(0), of(1)

    def _priorities(self, application: str) -> tuple[str, ...]:
        found: list[str] = []
        for table, column in (("priorities", "prior_appln_id"), ("continuations", "parent_appln_id")):
            for (id,) in self._found(column, table, application):
                found += [_application(row) for row in self._found(APPLICATION, "applications", id)]
        return distinct(found)

    def _cited(self, id: str) -> Iterator[Citation | None]:
        letters: dict[tuple[str, str], set[str]] = {}
        for citation, categories, again in self._found(
            "citn_id, citn_categ, citn_replenished", "categories", id
        ):
            letters.setdefault((citation, again), set()).update(filter(str.isalpha, categories.upper()))
        columns = "citn_id, cited_pat_publn_id, citn_origin, cited_appln_id, citn_replenished"
        for citation, cited, origin, application, again in self._found(columns, "citations", id):
            number = self._cited_number(cited, application)
            category = "".join(sorted(letters.get((citation, again), ())))[:6]
            yield Citation(number, who_cites([origin]), category) if number else None

    def _cited_number(self, publication: str, application: str) -> str:
        """A citation names a publication, else an application, of which the first publication is taken."""
        for column, id in (("pat_publn_id", publication), ("appln_id", application)):
            rows = self._opened().execute(f"select {PUBLICATION} from publications where {column} = ?", (id,))
            found = [number for row in rows if _number(id) and (number := _publication(row))]
            if found:
                return found[0]
        return ""

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            if self._folder:
                place = self._place.enter_context(hidden_folder(self._folder / "patstat"))
            else:
                place = Path(self._place.enter_context(tempfile.TemporaryDirectory()))
            self._database = sqlite3.connect(place / "tables", isolation_level=None)
            self._database.execute("pragma journal_mode = off")
            self._database.execute("pragma synchronous = off")
            for table, (_, columns) in TABLES.items():
                self._database.execute(
                    f"create table {table} ({', '.join(f'{one} text' for one in columns)})"
                )
            self._database.execute("begin")
        return self._database


def _cell(row: Sequence[str], place: int | None) -> str:
    return row[place].strip() if place is not None and place < len(row) else ""


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _day(text: str) -> str:
    """Of a day that may have a time behind it; the end of the year 9999 stands for an unknown one."""
    day = iso_date(text[:10])
    return "" if day == UNKNOWN_DAY else day


def _publication(row: Sequence[str]) -> str:
    office, number, kind, date = row
    return publication_number(office, number, kind, _day(date))


def _application(row: Sequence[str]) -> str:
    office, number, kind, date, receiving = row
    if kind.startswith("W") and country_code(receiving):
        office = receiving  # of an international application
    return application_number(office, number, _day(date), kind, docdb=True)


def _party(name: str, country: str, sector: str) -> Party:
    organization = {"INDIVIDUAL": False, "": None}.get(
        sector.upper(), True if sector.upper() in COMPANIES else None
    )
    return Party(name.rstrip(" ,;"), country_code(country), organization=organization)
