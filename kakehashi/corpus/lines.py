"""Lines of UTF-8 text from plain, .gz or .zst files, with limits and errors that name file and line."""

import gzip
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import zstandard

from kakehashi.corpus.packed import DAMAGED, decompressed
from kakehashi.errors import FileError
from kakehashi.store import remove_leftovers

MAX_LINE = 64 << 20  # a longer line is a broken file or an attack, not a document
MAX_EMPTY = (
    1 << 20
)  # and so are more empty lines in a row, of which a small compressed file can hold billions


SUFFIXES = ("", ".zst", ".gz")  # in the order of preference


def find(folder: Path, name: str) -> Path | None:
    """The file of that name, or its .zst or .gz form; None if there is none."""
    for suffix in SUFFIXES:
        path = folder / (name + suffix)
        if path.is_file():
            return path
    return None


def require(folder: Path, name: str, fault: str = "is missing") -> Path:
    """Like `find`, for a file that must exist."""
    path = find(folder, name)
    if path is None:
        raise FileError(folder / name, None, fault)
    return path


def stem(path: Path) -> str:
    """The file's name without .zst or .gz."""
    return path.stem if path.suffix in SUFFIXES[1:] else path.name


def open_bytes(path: Path) -> BinaryIO:
    """The decompressed bytes of a file."""
    try:
        return decompressed(path.open("rb", buffering=1 << 20), path.suffix)
    except OSError as error:
        raise FileError(path, None, f"cannot be opened: {error.strerror or error}") from error


def read_raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(line number, bytes without the line end); for callers that report bad UTF-8 themselves."""
    number = full = 0  # the line, and the last that was not empty
    try:
        with open_bytes(path) as file:
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise FileError(path, number, f"line is longer than {MAX_LINE >> 20} MiB")
                text = line.rstrip(b"\r\n")
                if text:
                    full = number
                elif number - full > MAX_EMPTY:
                    raise FileError(path, number, f"follows {MAX_EMPTY} empty lines: this is not a text file")
                yield number, text
    except (OSError, EOFError, *DAMAGED) as error:
        raise FileError(path, number + 1, f"cannot be read further: {error}") from error


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(line number, text) of every line, including empty ones."""
    for number, raw in read_raw_lines(path):
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise FileError(path, number, f"is not UTF-8 at byte {error.start}: convert the file") from None
        yield number, text.removeprefix("\ufeff") if number == 1 else text


@contextmanager
def write_file(path: Path) -> Iterator[BinaryIO]:
    """A file that appears when the block ends well; compressed if its name says so, always the same way.

    A device or a pipe cannot be replaced and is written as it is; a link stays a link.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with _opened(path, path) as file, _compressing(file, path.suffix) as outer:
            yield outer
        return
    place = path.resolve() if path.is_symlink() else path
    remove_leftovers(place)
    temporary = place.with_name(f".{place.name}.{os.getpid()}.tmp")
    try:
        with _opened(path, temporary) as file:
            with _compressing(file, path.suffix) as outer:
                yield outer
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(place)
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written, before long work is done for it."""
    if path.is_dir():
        raise FileError(path, None, "is a folder: name a file")
    place = path if path.exists() else next(folder for folder in path.absolute().parents if folder.exists())
    if not os.access(place, os.W_OK):
        raise FileError(path, None, "cannot be written: Permission denied")
    if not path.exists() and not place.is_dir():
        raise FileError(path, None, f"cannot be written: {place} is not a folder")


def _opened(path: Path, place: Path) -> BinaryIO:
    """A file opened for writing at a place that stands for the path."""
    if path.is_dir():
        raise FileError(path, None, "is a folder: name a file")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        return place.open("wb", buffering=1 << 20)
    except OSError as error:
        raise FileError(path, None, f"cannot be written: {error.strerror or error}") from None


@contextmanager
def _compressing(file: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    if suffix == ".zst":
        with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as packed:
            yield packed
    elif suffix == ".gz":
        with io.BufferedWriter(gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)) as zipped:
            yield zipped
    else:
        yield file


def read_text(path: Path) -> str:
    """A whole small file as text; `-` is standard input."""
    try:
        data = sys.stdin.buffer.read(MAX_LINE + 1) if str(path) == "-" else _read_bytes(path)
    except OSError as error:
        raise FileError(path, None, f"cannot be read: {error.strerror or error}") from None
    except (EOFError, *DAMAGED) as error:
        raise FileError(path, None, f"cannot be read further: {error}") from None
    if len(data) > MAX_LINE:
        raise FileError(path, None, f"is longer than {MAX_LINE >> 20} MiB")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FileError(path, None, f"is not UTF-8 at byte {error.start}: convert the file") from None


def read_small(path: Path, most: int) -> bytes:
    """A small file whole; a pipe or a device would be waited for, or never end."""
    if path.exists() and not path.is_file():
        raise FileError(path, None, "is not a file")
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise FileError(path, None, f"is longer than {most >> 10} KiB")
    return data


def _read_bytes(path: Path) -> bytes:
    with open_bytes(path) as file:
        return file.read(MAX_LINE + 1)
