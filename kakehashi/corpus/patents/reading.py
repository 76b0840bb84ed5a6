"""Reads patent records from files and archives; broken ones are counted with their location and skipped."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from lxml import etree

from kakehashi.corpus.patents.archives import DAMAGED, EMPTY, UNREADABLE, Stream, files_of, streams, why
from kakehashi.corpus.patents.documents import Document, DocumentStream, TooLong
from kakehashi.corpus.patents.epo import read_epo
from kakehashi.corpus.patents.jpo import read_jpo
from kakehashi.corpus.patents.jpo_st96 import KINDS, read_jpo_st96
from kakehashi.corpus.patents.marec import read_marec
from kakehashi.corpus.patents.record import BRIEF, Malformed, PatentRecord, Wanted
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
}
START = re.compile(rf"<(?:[\w.-]+:)?(?:{'|'.join(READERS)})[\s>]".encode())


def read_patents(
    paths: Iterable[Path], tally: Tally, wanted: Wanted = BRIEF, progress: Progress = SILENT
) -> Iterator[PatentRecord]:
    """All records in files, archives and folders, one at a time, in the format given by their element."""
    files = files_of(paths)
    progress.start("reading patents", sum(path.stat().st_size for path in files))
    try:
        for path in files:
            for stream in streams(path, tally, progress):
                yield from _in_stream(stream, tally, wanted)
    finally:
        progress.finish()


def _in_stream(stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
    is_empty = True
    try:
        for document in DocumentStream(stream.file, LONGEST):
            is_empty = False
            yield from _in_document(document, stream, tally, wanted)
        if is_empty:
            tally.fault(stream.place, EMPTY, "is empty")
    except DAMAGED as error:
        tally.fault(stream.place, UNREADABLE, why(error))


def _in_document(document: Document, stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
    """In a document with many records, reading continues after a fault."""
    found = 0
    while True:
        file = io.BufferedReader(document, 1 << 15)
        try:
            for element in stream_records(file, READERS, MOST_TAGS):
                found += 1
                document.record_ended()
                try:
                    record = READERS[local_name(element)](element, wanted)
                except Malformed as error:
                    message = f"record {found}{_line(element.sourceline)} has {error}"
                    tally.fault(stream.place, f"records with {error}", message, document.offset)
                else:
                    tally.records[local_name(element)] += 1
                    yield record
            tally.other_documents += not found
            return
        except etree.XMLSyntaxError as error:
            message = f"is not XML after record {found}{_line(error.lineno)}: {fault_of(error)}"
            tally.fault(stream.place, "broken XML documents", message, document.offset)
        except (TooLong, TooManyTags) as error:
            tally.fault(stream.place, "records that are too long", str(error), document.offset)
        finally:
            file.detach()  # otherwise it closes the document
        if not document.go_on(START):
            return


def _line(number: object) -> str:
    return f" (line {number})" if isinstance(number, int) and number > 0 else ""
