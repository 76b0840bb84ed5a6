"""Splits a stream of concatenated XML documents, as published in the United States, into its parts."""

import io
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from kakehashi.corpus.patents import mending

DECLARATION, TYPE, COMMENT, COMMENT_END = b"<?xml", b"<!DOCTYPE", b"<!--", b"-->"
WHITE = b" \t\r\n"  # follows the first two
BYTE_ORDER = b"\xef\xbb\xbf"  # may stand before every document
MARK, AHEAD = (
    13,
    400,
)  # bytes needed to recognise a beginning, and the end of a document without one behind it
BEFORE = b" \t\r\n\x00" + BYTE_ORDER
CHUNK = 1 << 16
LONGEST_HEAD = 1 << 16  # bytes before the first record of a document
LONGEST_TAG = 200  # bytes needed to recognise the start of a record
AFTER_DECLARATION, ANY_TYPE = re.compile(rb"(?:<\?xml[^>]*\?>)?"), b'<!DOCTYPE any SYSTEM "any">'
ROOT = re.compile(rb"<([A-Za-z_][\w.:-]*)")
ELEMENT = re.compile(rb"<[^?!\s]")


class TooLong(Exception):
    """A record is longer than any real one."""


class Document(io.RawIOBase):
    """One XML document of the stream, to be read to its end or skipped."""

    def __init__(self, stream: "DocumentStream", offset: int, most: int):
        self._stream, self.offset, self._most = stream, offset, most
        self._since, self._ended = 0, False
        self._head = b""  # how the document begins
        self._waiting = memoryview(b"")  # to be read before the stream
        self._unread: list[bytes] = []  # what was read only to mend it
        self._kept: bytearray | None = bytearray()  # all that was read, as long as it can be mended

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._next(len(buffer))
        self._since += len(data)
        if self._since > self._most:
            raise TooLong(f"a record is over {self._most >> 20} MiB long")
        buffer[: len(data)] = data
        return len(data)

    def _next(self, size: int) -> bytes:
        if self._waiting:
            data, self._waiting = bytes(self._waiting[:size]), self._waiting[size:]
            return data
        data = b"" if self._ended else self._stream.take(size)
        self._ended = not data
        self._keep(data)
        return data

    def _keep(self, data: bytes) -> None:
        if self._kept is not None:
            self._kept += data
            if len(self._kept) > mending.LONGEST:
                self._kept = None
        if len(self._head) < LONGEST_HEAD:
            self._head += data[: LONGEST_HEAD - len(self._head)]

    def must_be_mended(self) -> bool:
        """Whether its beginning shows that it cannot be read as it is."""
        data = self._next(CHUNK)
        self._waiting = memoryview(_with_type(data))
        return mending.must_be_mended(data)

    def mended(self) -> BinaryIO | None:
        """The whole document without small faults; None if it is too long."""
        if self._kept is None:
            return None
        data = bytes(self._kept)
        self._unread, self._waiting = [bytes(self._waiting).replace(ANY_TYPE, b"")], memoryview(b"")
        while self._kept is not None and (more := self._next(CHUNK)):
            self._unread.append(more)
        whole = data + b"".join(self._unread[1:])
        return io.BytesIO(mending.mended(whole)) if self._kept is not None else None

    def go_on(self, start: re.Pattern[bytes], rest: bytes | None) -> bool:
        """After a fault: continue from the next start of a record, as if only the head preceded it.

        False if there is none, or if a record is the whole document. What was read ahead of the fault is lost. `rest`
        is what was not read of the mended document, None if it was not mended.
        """
        first = start.search(self._head)
        self._kept = None
        if first is None or not ELEMENT.search(self._head, 0, first.start()):
            return False
        unread = b"".join([bytes(self._waiting), *self._unread]) if rest is None else rest
        data, self._unread = b"", []
        while more := unread or (b"" if self._ended else self._stream.take(CHUNK)):
            unread = b""
            data = data[-LONGEST_TAG:] + more
            if found := start.search(data):
                self.offset = self._stream.position - len(data) + found.start()
                self._waiting = memoryview(_with_type(self._head[: first.start()]) + data[found.start() :])
                self._since = 0
                return True
        self._ended = True
        return False

    def record_ended(self) -> None:
        """From here on, the length of another record is counted."""
        self._since = 0

    def skip(self) -> None:
        """Skip the rest, whatever it contains."""
        while not self._ended:
            self._ended = not self._stream.take(CHUNK)


def _next_root(head: bytes) -> re.Pattern[bytes] | None:
    """The end of a document's root that is followed by another one, as if files were put behind each other."""
    root = ROOT.search(head)
    name = re.escape(root[1]) if root else b""
    return re.compile(rb"</%b\s*>(?=\s{0,99}<%b[\s>])" % (name, name)) if len(name) < 100 and name else None


def _with_type(head: bytes) -> bytes:
    """The beginning of a document with a DOCTYPE: without any, a parser stops at the first entity it does not know."""
    if TYPE in head or b"\0" in head[:100] or not head.startswith(b"<"):
        return head
    place = AFTER_DECLARATION.match(head).end()  # type: ignore[union-attr]
    return head[:place] + ANY_TYPE + head[place:]


class DocumentStream:
    """Documents one after the other; each starts with an XML declaration or a DOCTYPE, or where the one before ends."""

    def __init__(self, file: BinaryIO, most: int):
        self._file, self._most = file, most
        self._buffer = b""
        self._position = 0  # of the buffer's first byte in the file
        self._at_start, self._ended = True, False
        self._has_type = False  # whether the document's DOCTYPE was read: it has only one
        self._in_comment = False
        self._next_root: re.Pattern[bytes] | None = None
        self._cut: int | None = None  # where the document ends, if another with the same root follows

    def __iter__(self) -> Iterator[Document]:
        while self._find_start():
            self._at_start, self._has_type, self._in_comment = True, False, False
            self._cut, self._next_root = None, _next_root(self._buffer[:CHUNK])
            document = Document(self, self._position, self._most)
            yield document
            document.skip()

    def take(self, size: int) -> bytes:
        """The next bytes of the current document; none at its end."""
        self._fill(size + AHEAD)
        end = len(self._buffer) - (0 if self._ended else AHEAD)
        if (
            self._cut is None
            and self._next_root
            and (last := self._next_root.search(self._buffer, 0, size + AHEAD))
        ):
            self._cut = self._position + last.end() if last.start() < size else None
        if self._cut is not None:
            end = min(end, self._cut - self._position)
        for place, mark in self._marks(min(size, end)):
            if mark in (COMMENT, COMMENT_END):
                self._in_comment = mark == COMMENT
                continue
            is_type = mark == TYPE
            if is_type and self._in_comment:  # a DOCTYPE that is commented out
                continue
            is_first_type = is_type and not self._has_type
            self._has_type = self._has_type or is_first_type
            if not is_first_type and not (self._at_start and place == 0):
                end = place
                break
        data = self._pass(min(size, end))
        self._at_start = self._at_start and not data
        return data

    def _marks(self, before: int) -> list[tuple[int, bytes]]:
        """Where a document may begin, and what is a comment; one search for each mark is faster than a pattern."""
        found, end = [], min(before + MARK - 1, len(self._buffer))
        for mark in (DECLARATION, TYPE, COMMENT, COMMENT_END):
            place = self._buffer.find(mark, 0, end)
            while place >= 0:
                after = place + len(mark)
                if mark in (COMMENT, COMMENT_END):
                    found.append((place, mark))
                elif after < end and self._buffer[after] in WHITE:
                    is_marked = place >= 3 and self._buffer.endswith(BYTE_ORDER, 0, place)
                    found.append((place - 3 * is_marked, mark))
                place = self._buffer.find(mark, after, end)
        return sorted(one for one in found if one[0] < before)

    @property
    def position(self) -> int:
        """How many bytes were read or skipped."""
        return self._position

    def _find_start(self) -> bool:
        """Skip white space between documents; False at the end of the file."""
        while True:
            self._fill(CHUNK)
            if not self._buffer:
                return False
            blanks = len(self._buffer) - len(self._buffer.lstrip(BEFORE))
            self._pass(blanks)
            if self._buffer:
                return True

    def _fill(self, size: int) -> None:
        while len(self._buffer) < size and not self._ended:
            data = self._file.read(CHUNK)
            self._ended = not data
            self._buffer += data

    def _pass(self, n: int) -> bytes:
        data, self._buffer = self._buffer[:n], self._buffer[n:]
        self._position += n
        return data
