"""Records on disk while a collection is built, with several records of one number merged."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from kakehashi.corpus.patents.record import PatentRecord, merged

_encoder, _decoder = msgspec.json.Encoder(), msgspec.json.Decoder(PatentRecord)


@contextmanager
def spool(folder: Path) -> Iterator["Spool"]:
    """A spool in an unnamed file, of which nothing remains."""
    with tempfile.TemporaryFile(dir=folder, buffering=1 << 20) as file:
        yield Spool(file)


class Spool:
    """Keeps numbers in memory and the rest in a file."""

    def __init__(self, file: IO[bytes]):
        self._file = file
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._end = 0

    def __len__(self) -> int:
        return len(self._places)

    def add(self, record: PatentRecord) -> None:
        """Only before the first record is read back."""
        data = _encoder.encode(record)
        self._file.write(data)
        self._places.setdefault(record.number, []).append((self._end, len(data)))
        self._end += len(data)

    def __iter__(self) -> Iterator[PatentRecord]:
        """One record for each number, in the order of first occurrence; one without a kind joins the only other."""
        kinds: dict[str, list[str]] = {}
        for number in self._places:
            if number.count("-") > 1:
                kinds.setdefault(number.rpartition("-")[0], []).append(number)
        joining = {number: kinds[number][0] for number in self._places if len(kinds.get(number, ())) == 1}
        more: dict[str, list[tuple[int, int]]] = {}
        for number, whole in joining.items():
            more.setdefault(whole, []).extend(self._places[number])
        for number, places in self._places.items():
            if number not in joining:
                yield merged([self._read(*place) for place in (*places, *more.get(number, ()))])

    def _read(self, start: int, length: int) -> PatentRecord:
        self._file.seek(start)
        return _decoder.decode(self._file.read(length))
