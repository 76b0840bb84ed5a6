"""Reads patent records from files and archives; broken ones are counted with their location and skipped."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from lxml import etree

from kakehashi.corpus.patents.aps import read_aps
from kakehashi.corpus.patents.archives import (
    DAMAGED,
    EMPTY,
    UNREADABLE,
    Stream,
    begun,
    files_of,
    streams,
    why,
)
from kakehashi.corpus.patents.cnipa import read_cn, read_cn_st96
from kakehashi.corpus.patents.documents import Document, DocumentStream, TooLong
from kakehashi.corpus.patents.epo import read_epo
from kakehashi.corpus.patents.epo_texts import is_european, read_european
from kakehashi.corpus.patents.jpo import read_jpo
from kakehashi.corpus.patents.jpo_st96 import KINDS, read_jpo_st96
from kakehashi.corpus.patents.json_records import read_json
from kakehashi.corpus.patents.languages import with_languages
from kakehashi.corpus.patents.marec import read_family_member, read_marec
from kakehashi.corpus.patents.mending import FAULTS
from kakehashi.corpus.patents.patstat import Tables, is_patstat
from kakehashi.corpus.patents.record import BRIEF, Malformed, PatentRecord, Wanted
from kakehashi.corpus.patents.st96 import read_st96
from kakehashi.corpus.patents.tables import is_table, read_table
from kakehashi.corpus.patents.tally import Tally
from kakehashi.corpus.patents.uspto import read_uspto
from kakehashi.corpus.patents.uspto_older import read_patdoc, read_publication
from kakehashi.corpus.xml_records import TooManyTags, fault_of, local_name, stream_records
from kakehashi.progress import SILENT, Progress

LONGEST = 64 << 20  # maximum bytes of one record
MOST_TAGS = 2_000_000  # maximum tags and attributes of one record: some have tables of hundreds of pages
READERS: Mapping[str, Callable[[etree._Element, Wanted], PatentRecord]] = {
    "patent-document": read_marec,
    "exchange-document": read_marec,
    "us-patent-grant": read_uspto,
    "us-patent-application": read_uspto,
    "PATDOC": read_patdoc,
    "patent-application-publication": read_publication,
    "ep-patent-document": read_epo,
    "jp-official-gazette": read_jpo,
    **dict.fromkeys(KINDS, read_jpo_st96),
    "PatentPublication": read_st96,
    "cn-patent-document": read_cn,
    "PatentDocumentAndRelated": read_cn_st96,
    "fulltext-document": read_marec,
    "family-member": read_family_member,
}
OTHERS = {  # kinds of files that are not read, by how they begin
    b"7z\xbc\xaf": "is a 7z archive: unpack it first",
    b"Rar!": "is a RAR archive: unpack it first",
    b"BZh": "is packed with bzip2: unpack it first",
    b"\xfd7zXZ": "is packed with xz: unpack it first",
    b"\x1f\x8b": "is packed with gzip: end its name with .gz",
    b"\xd0\xcf\x11\xe0": "is an old Excel workbook: save it as .xlsx or CSV",
    b"%PDF": "is a PDF: patents are read as XML, JSON or tables",
    b"PAR1": "is a Parquet file: export it as JSON lines or CSV",
}
Form = Callable[[Stream, Tally, Wanted], Iterator[PatentRecord]]
APS = re.compile(rb"^PATN\s*$", re.MULTILINE)
START = re.compile(rf"<(?:[\w.-]+:)?(?:{'|'.join(READERS)})[\s>]".encode())


def read_patents(
    paths: Iterable[Path],
    tally: Tally,
    wanted: Wanted = BRIEF,
    progress: Progress = SILENT,
    folder: Path | None = None,
) -> Iterator[PatentRecord]:
    """All records in files, archives and folders, one at a time, in the format given by their element.

    Tables that must be joined wait in `folder`; their records come last.
    """
    files = files_of(paths)
    progress.start("reading patents", sum(path.stat().st_size for path in files))
    try:
        with Tables(folder) as tables:
            for path in files:
                for stream in streams(path, tally, progress):
                    yield from _in_stream(stream, tally, wanted, tables)
            yield from tables.records(tally)
    finally:
        progress.finish()


def _in_stream(stream: Stream, tally: Tally, wanted: Wanted, tables: Tables) -> Iterator[PatentRecord]:
    try:
        head, stream = begun(stream)
        yield from map(with_languages, _form_of(head, stream, tables)(stream, tally, wanted))
    except DAMAGED as error:
        tally.fault(stream.place, UNREADABLE, why(error))


def _form_of(head: bytes, stream: Stream, tables: Tables) -> Form:
    """The form of a stream by its first bytes: everything that is not recognised is taken for XML."""
    if any(head.startswith(one) for one in OTHERS):
        return _unread
    begins = head.lstrip(b"\xef\xbb\xbf \t\r\n\0")
    if begins[:1] in (b"{", b"["):
        return read_json
    if APS.search(head):
        return read_aps
    if is_european(head):
        return read_european
    if is_patstat(head, stream.place):
        return tables.take
    if is_table(head, stream.place):
        return read_table
    if stream.place.name.lower().endswith(".txt") and begins[:1] != b"<":
        return _nothing
    return _in_documents


def _nothing(stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
    """Notes beside the patents."""
    tally.other_documents += 1
    yield from ()


def _unread(stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
    head = stream.file.read(8)
    tally.fault(stream.place, UNREADABLE, next(why for one, why in OTHERS.items() if head.startswith(one)))
    yield from ()


def _in_documents(stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
    is_empty = True
    for document in DocumentStream(stream.file, LONGEST):
        is_empty = False
        yield from _in_document(document, stream, tally, wanted)
    if is_empty:
        tally.fault(stream.place, EMPTY, "is empty")


def _in_document(document: Document, stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
    """In a document with many records, reading continues after a fault."""
    found = [0]
    whole = document.mended() if document.must_be_mended() else None
    while True:
        file = whole or io.BufferedReader(document, 1 << 15)
        known = found[0] if whole else 0
        etree.clear_error_log()  # otherwise an error names those of earlier documents too
        try:
            yield from _records(file, document, stream, tally, wanted, found, known)
            tally.other_documents += not found[0]
            return
        except etree.XMLSyntaxError as error:
            if whole is None and _can_be_mended(error) and (whole := document.mended()):
                continue
            message = f"is not XML after record {found[0]}{_line(error.lineno)}: {fault_of(error)}"
            tally.fault(stream.place, "broken XML documents", message, document.offset)
        except (TooLong, TooManyTags) as error:
            tally.fault(stream.place, "records that are too long", str(error), document.offset)
        finally:
            if isinstance(file, io.BufferedReader):
                file.detach()  # otherwise it closes the document
        rest = whole.read() if whole else None
        whole = None
        if not document.go_on(START, rest):
            return


def _records(
    file: BinaryIO,
    document: Document,
    stream: Stream,
    tally: Tally,
    wanted: Wanted,
    found: list[int],
    known: int = 0,
) -> Iterator[PatentRecord]:
    """The records of one document but for the first, which are `known`; counts them in `found`."""
    for number, element in enumerate(stream_records(file, READERS, MOST_TAGS), start=1):
        document.record_ended()
        if number <= known:
            continue
        found[0] += 1
        name = local_name(element)
        try:
            record = READERS[name](element, wanted)
        except Malformed as error:
            message = f"record {found[0]}{_line(element.sourceline)} has {error}"
            tally.fault(stream.place, f"records with {error}", message, document.offset)
        else:
            tally.records[name] += 1
            yield record


def _can_be_mended(error: etree.XMLSyntaxError) -> bool:
    """By the first of its faults: the parser may raise one that only follows from it."""
    log: Any = error.error_log
    return any(one.type in FAULTS for one in list(log)[:1]) or getattr(error, "code", 0) in FAULTS


def _line(number: object) -> str:
    return f" (line {number})" if isinstance(number, int) and number > 0 else ""
