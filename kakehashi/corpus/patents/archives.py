"""Streams the contents of files and archives: plain, .gz, .zst, .tar and .zip, also nested.

Nothing is unpacked to disk. A file may expand to at most some hundred times its size, which real text never
exceeds and malicious archives do; a short archive inside another is kept in memory.
"""

import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, Self

import zstandard

from kakehashi.corpus import packed
from kakehashi.corpus.patents.tally import Place, Tally
from kakehashi.errors import FileError
from kakehashi.progress import Progress

TEXTS = (
    ".xml", ".sgml", ".sgm", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".xlsx", ".aps", ".greenbook",
)  # fmt: skip
PACKED = (".gz", ".zst", ".tgz")
ARCHIVES = (".tar", ".zip", *PACKED)
MOST_TIMES, ALWAYS = 200, 64 << 20  # XML compresses to a tenth, rarely to a thirtieth
LARGEST_NESTED = 256 << 20  # maximum bytes of an archive inside another
LARGEST_HEADER = 1 << 20  # maximum bytes of a long name in a tar archive
DEEPEST = 4  # maximum layers, as in .tar.gz with .zip inside
UNREADABLE, EMPTY = "unreadable files", "empty files"
DAMAGED = (
    OSError, EOFError, ValueError, OverflowError, RuntimeError,  # encrypted, unknown methods of compression
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, zstandard.ZstdError,
)  # fmt: skip


class TooMuch(OSError):
    """An archive expanded to more than any text of its size could."""


@dataclass(frozen=True)
class Stream:
    """Bytes to be read once, in order, before the next stream is requested."""

    place: Place
    file: BinaryIO


def begun(stream: Stream, n: int = 4096) -> tuple[bytes, Stream]:
    """How a stream begins, and the stream from its beginning."""
    head = stream.file.read(n)
    waiting = [head] if head else []

    def read(size: int) -> bytes:
        if not waiting:
            return stream.file.read(size)
        data, rest = waiting[0][:size], waiting[0][size:]
        waiting[:] = [rest] if rest else []
        return data

    return head, Stream(stream.place, io.BufferedReader(_Reading(read), 1 << 16))


def files_of(paths: Iterable[Path]) -> list[Path]:
    """The files themselves, and those in folders whose names suggest that they contain patents."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            below = sorted(one for one in path.rglob("*") if _is_of_use(one.name) and one.is_file())
            if not below:
                raise FileError(
                    path, None, f"has no files {', '.join('*' + end for end in TEXTS + ARCHIVES)}"
                )
            found += below
        elif path.is_file():
            found.append(path)
        else:
            raise FileError(path, None, "does not exist: give files, archives or folders of patents")
    return found


def streams(path: Path, tally: Tally, progress: Progress) -> Iterator[Stream]:
    """The contents of a file; unreadable parts are counted and skipped."""
    try:
        raw = _Watched(path, progress.advance)
    except OSError as error:
        tally.fault(Place(path), UNREADABLE, f"cannot be opened: {error.strerror or error}")
        return
    with io.BufferedReader(raw, 1 << 18) as file:
        budget = _Budget(max(ALWAYS, MOST_TIMES * path.stat().st_size))
        yield from _Opener(tally, budget).opened(Place(path), path.name, file, 0)


def why(error: BaseException) -> str:
    """What is wrong with a broken archive, in one short line."""
    return f"cannot be read further: {' '.join(str(error).split())[:200] or type(error).__name__}"


def _is_of_use(name: str) -> bool:
    return name.lower().endswith(TEXTS + ARCHIVES)


class _Opener:
    """Opens one layer after the other; all layers of a file share a budget of bytes."""

    def __init__(self, tally: Tally, budget: "_Budget"):
        self._tally, self._budget = tally, budget

    def opened(self, place: Place, name: str, file: BinaryIO, depth: int) -> Iterator[Stream]:
        suffix = Path(name).suffix.lower()
        if depth > DEEPEST:
            self._tally.fault(
                place, UNREADABLE, f"is nested in more than {DEEPEST} archives: unpack it first"
            )
        elif suffix in PACKED:
            inner = Path(name).stem + (".tar" if suffix == ".tgz" else "")
            plain = packed.decompressed(file, ".gz" if suffix == ".tgz" else suffix)
            yield from self.opened(place, inner, self._bounded(plain), depth + 1)
        elif suffix == ".tar":
            yield from self._tar(place, file, depth)
        elif suffix == ".zip":
            yield from self._zip(place, file, depth)
        else:
            yield Stream(place, file)

    def _tar(self, place: Place, file: BinaryIO, depth: int) -> Iterator[Stream]:
        try:
            with tarfile.open(fileobj=file, mode="r|", tarinfo=_ShortNames) as archive:
                while (member := archive.next()) is not None:
                    vars(archive)["members"].clear()  # otherwise it keeps all of them in memory
                    content = archive.extractfile(member) if _is_plain(member) else None
                    if content is not None:
                        inner = io.BufferedReader(_Reading(content.read))
                        yield from self.opened(place.inside(member.name), member.name, inner, depth + 1)
        except DAMAGED as error:
            self._tally.fault(place, UNREADABLE, why(error))

    def _zip(self, place: Place, file: BinaryIO, depth: int) -> Iterator[Stream]:
        try:
            whole = file if depth == 0 else io.BytesIO(_short(file))
            archive = zipfile.ZipFile(whole)
        except DAMAGED as error:
            self._tally.fault(place, UNREADABLE, why(error))
            return
        with archive:
            # the name of a folder is not a file
            members = [member for member in archive.infolist() if _is_of_use(member.filename)]
            if not members:
                self._tally.fault(place, EMPTY, "contains no files that could be patents")
            for member in members:
                inside = place.inside(member.filename)
                try:
                    content = archive.open(member)
                except DAMAGED as error:
                    self._tally.fault(inside, UNREADABLE, why(error))
                    continue
                with content:
                    plain = self._bounded(content)
                    yield from self.opened(inside, member.filename, plain, depth + 1)

    def _bounded(self, file: IO[bytes]) -> BinaryIO:
        def read(size: int) -> bytes:
            data = file.read(size)
            self._budget.spend(len(data))
            return data

        return io.BufferedReader(_Reading(read), 1 << 18)


@dataclass
class _Budget:
    """How many more bytes a file may expand to."""

    left: int

    def spend(self, n: int) -> None:
        self.left -= n
        if self.left < 0:
            raise TooMuch(f"expands to more than {MOST_TIMES} times its size")


class _Reading(io.RawIOBase):
    """A file that only supports `read`."""

    def __init__(self, read: Callable[[int], bytes]):
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _Watched(io.FileIO):
    """A file that reports how much of it was read."""

    def __init__(self, path: Path, report: Callable[[int], None]):
        super().__init__(path, "rb")
        self._report = report

    def readinto(self, buffer: Any) -> int:
        n = super().readinto(buffer)
        self._report(n)
        return n


class _ShortNames(packed.WholeTar):
    """Headers that name a file; tarfile would read a header of any length into memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        member = super().frombuf(buf, encoding, errors)
        if not member.isfile() and member.size > LARGEST_HEADER:
            raise tarfile.ReadError(f"a header of {member.size} bytes")
        return member


def _is_plain(member: tarfile.TarInfo) -> bool:
    return member.isreg() and not member.issparse() and _is_of_use(member.name)


def _short(file: BinaryIO) -> bytes:
    data = file.read(LARGEST_NESTED + 1)
    if len(data) > LARGEST_NESTED:
        raise TooMuch(f"an archive inside another is over {LARGEST_NESTED >> 20} MiB: unpack the outer one")
    return data
