"""Reads patents as JSON: one record per line, or one value per file; knows the forms by their keys."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

import msgspec

from kakehashi.corpus.patents.archives import Stream
from kakehashi.corpus.patents.hupd import read_hupd
from kakehashi.corpus.patents.lens_records import read_lens
from kakehashi.corpus.patents.public_data import read_public_data
from kakehashi.corpus.patents.record import Malformed, PatentRecord, Wanted
from kakehashi.corpus.patents.services_json import ANSWER, is_record, read_answer, records_of
from kakehashi.corpus.patents.tally import Tally

LONGEST = 64 << 20  # bytes of one line, or of a file that is one value
LISTS = ("data", "results", "patents", "documents")  # where the answer of a service has its records
BROKEN = "broken JSON records"
Reader = Callable[[Mapping[str, Any], Wanted], PatentRecord]
_decoder = msgspec.json.Decoder()


def read_json(stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
    """The records of a stream; faults are counted with their line."""
    for place, value in _values(stream, tally):
        name, reader = _form_of(value)
        if reader is None:
            tally.fault(
                stream.place, "JSON records of unknown forms", f"{place} is not a patent in a known form"
            )
            continue
        try:
            record = reader(value, wanted)
        except Malformed as error:
            tally.fault(stream.place, f"records with {error}", f"{place} has {error}")
        except (TypeError, ValueError, AttributeError, KeyError, IndexError, RecursionError) as error:
            tally.fault(stream.place, BROKEN, f"{place} has another shape than its form: {str(error)[:100]}")
        else:
            tally.records[name] += 1
            yield record


def _form_of(value: Any) -> tuple[str, Reader | None]:
    if is_record(value):
        return next(iter(value)), read_answer
    keys = value.keys() if isinstance(value, dict) else ()
    if "lens_id" in keys or {"biblio", "doc_number"} <= set(keys):
        return "lens", read_lens
    if "publication_number" in keys and {"title_localized", "abstract_localized", "family_id"} & set(keys):
        return "public-data", read_public_data
    if "application_number" in keys and {"main_cpc_label", "decision", "main_ipcr_label"} & set(keys):
        return "hupd", read_hupd
    return "", None


def _values(stream: Stream, tally: Tally) -> Iterator[tuple[str, Any]]:
    """(place, value) of every record; a file that is one value is read as a whole."""
    number = 0
    while line := stream.file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            tally.fault(
                stream.place, "records that are too long", f"line {number} is over {LONGEST >> 20} MiB long"
            )
            _skip_line(stream.file)
            continue
        if not line.strip(b"\xef\xbb\xbf \t\r\n"):
            continue
        try:
            value = _decoder.decode(line.removeprefix(b"\xef\xbb\xbf"))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if number == 1:
                yield from _whole(line, stream, tally)
                return
            tally.fault(stream.place, BROKEN, f"line {number}: {str(error)[:120]}")
            continue
        yield from _listed(value, f"line {number}")


def _whole(start: bytes, stream: Stream, tally: Tally) -> Iterator[tuple[str, Any]]:
    """A value over many lines; where the first line is broken and others are not, these are read."""
    data = start + stream.file.read(LONGEST + 1)
    if len(data) > LONGEST:
        tally.fault(
            stream.place, "records that are too long", f"is one value of over {LONGEST >> 20} MiB: use lines"
        )
        return
    try:
        yield from _listed(_decoder.decode(data.removeprefix(b"\xef\xbb\xbf")), "the file")
        return
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fault = str(error)[:120]
    found = 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip().startswith(b"{") and line.strip().endswith(b"}"):
            try:
                value = _decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                tally.fault(stream.place, BROKEN, f"line {number}: {str(error)[:120]}")
                continue
            if _form_of(value)[1] is not None:
                found += 1
                yield f"line {number}", value
    if not found:
        tally.fault(stream.place, BROKEN, fault)
    elif not start.strip().endswith(b"}"):
        tally.fault(stream.place, BROKEN, f"line 1: {fault}")


def _listed(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and ANSWER in value:
        value = list(records_of(value)) or value
    if isinstance(value, dict):
        inner = next((value[name] for name in LISTS if isinstance(value.get(name), list)), None)
        value = value if inner is None or _form_of(value)[1] else inner
    if not isinstance(value, list):
        yield place, value
        return
    for number, one in enumerate(value, start=1):
        yield f"{place}, record {number}", one


def _skip_line(file: BinaryIO) -> None:
    while (more := file.readline(1 << 20)) and not more.endswith(b"\n"):
        pass
