"""Compiled gettext catalogues (.mo): English messages and their translations, from one file or a folder.

    magic, revision, n, place of the messages, place of the translations     5 numbers of 32 bits
    n times (length, place) of messages, the same of translations

A message may start with its context and \\x04; plural forms are separated by \\x00. Reading stays inside the file.
"""

import os
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from kakehashi.corpus.parallel_text.cleaning import without_marks
from kakehashi.corpus.parallel_text.sentence_pair import Languages, SentencePair, is_language
from kakehashi.errors import FileError, InputError

MAGIC = 0x950412DE
LARGEST = 64 << 20  # bytes; the largest known catalogue has a tenth of that
MOST_PLACES = 200_000  # files and folders below a folder of catalogues; a whole system has more
MOST_SHARED = 4  # maximum total length of the strings relative to the file: some strings share their bytes
CONTEXT, FORMS = b"\x04", b"\x00"
CHARSET = re.compile(rb"charset=([\w.:-]{1,40})", re.ASCII)
LANGUAGE = re.compile(rb"^Language:[ \t]*([A-Za-z]{2,3}(?![A-Za-z])[\w@.-]{0,40})", re.MULTILINE)
BROKEN = "is not a complete gettext catalogue (.mo): recompile it with msgfmt"

Skip = Callable[[FileError], None]  # called with the reason why a file is skipped


def refuse(error: FileError) -> None:
    """For callers that do not skip files."""
    raise error


def read_catalogue(path: Path, languages: Languages, placed: bool = False) -> Iterator[SentencePair]:
    """Pairs of one file; its header must not name a language other than the collection's.

    A file `placed` in the folder of its language needs no header, and some headers are wrong.
    """
    wanted = needed_language(path, languages)
    strings = _Strings(path, _content(path))
    named = LANGUAGE.search(strings.header)
    if named and not placed and not _says(named[1].decode("ascii"), wanted):
        raise FileError(
            path, None, f"translates into {named[1].decode('ascii')}: the collection needs {wanted}"
        )
    charset = CHARSET.search(strings.header)
    encoding = charset[1].decode("ascii") if charset else "utf-8"
    for message, translation in strings:
        if message:
            for english, other in _forms(path, message, translation, encoding):
                yield SentencePair(*languages.in_order("en", english, other))


def read_folder(folder: Path, languages: Languages, skip: Skip) -> Iterator[SentencePair]:
    """Pairs of all catalogues of `catalogue_files`, in the order of their paths."""
    files = catalogue_files(folder, languages)
    return read_usable(files, languages, files[0].parent != folder, skip)


def read_usable(
    files: Sequence[Path], languages: Languages, placed: bool, skip: Skip
) -> Iterator[SentencePair]:
    """Pairs of the files that can be read completely; a folder of many programs often has a broken one."""
    for path in files:
        try:
            pairs = list(read_catalogue(path, languages, placed))
        except FileError as error:
            skip(error)
        else:
            yield from pairs


def catalogue_files(folder: Path, languages: Languages) -> list[Path]:
    """LANG/LC_MESSAGES/*.mo below a folder such as /usr/share/locale, otherwise the .mo files in it."""
    wanted = needed_language(folder, languages)
    found = files_of_language(folder, wanted) or sorted(
        path for path in folder.glob("*.mo") if path.is_file()
    )
    if not found:
        raise FileError(folder, None, f"has no catalogues: put {wanted}/LC_MESSAGES/*.mo or files *.mo in it")
    return found


def files_of_language(folder: Path, language: str) -> list[Path]:
    """LANG/LC_MESSAGES/*.mo anywhere below; sr@latin and similar are another script and are skipped."""
    found, seen = [], 0
    for place, folders, files in os.walk(folder):
        seen += len(folders) + len(files)
        if seen > MOST_PLACES:
            raise FileError(
                folder, None, f"holds more than {MOST_PLACES:,} files: name the folder of catalogues"
            )
        here = Path(place)
        if (
            here.name == "LC_MESSAGES"
            and is_language(here.parent.name, language)
            and "@" not in here.parent.name
        ):
            found += [here / name for name in files if name.endswith(".mo") and (here / name).is_file()]
    return sorted(found)


def needed_language(path: Path, languages: Languages) -> str:
    """The language a catalogue must translate English into."""
    wanted = languages.with_english()
    if wanted is None:
        raise InputError(
            f"{path}: catalogues translate from English, this collection from {languages.source} to "
            f"{languages.target}: give other parallel text"
        )
    return wanted


def _says(tag: str, wanted: str) -> bool:
    """sr@latin is Serbian in another script, which only the same tag selects."""
    return is_language(tag, wanted) and ("@" not in tag or tag == wanted)


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise FileError(path, None, f"cannot be opened: {error.strerror or error}") from None
    if len(data) > LARGEST:
        raise FileError(
            path,
            None,
            f"is longer than {LARGEST >> 20} MiB, so it is not a gettext catalogue (.mo): leave it out",
        )
    return data


class _Strings:
    """(message, translation) of a catalogue, read from the file one after the other."""

    def __init__(self, path: Path, data: bytes):
        order = {struct.pack(end + "I", MAGIC): end for end in "<>"}.get(data[:4])
        if order is None or len(data) < 20:
            raise FileError(path, None, BROKEN)
        revision, n, *tables = struct.unpack_from(order + "4I", data, 4)
        if revision >> 16 > 1 or max(tables) + 8 * n > len(data):
            raise FileError(path, None, BROKEN)
        places = [np.frombuffer(data, order + "u4", 2 * n, table).reshape(n, 2) for table in tables]
        self._places = np.concatenate(places, axis=1).astype(np.int64)  # (n, length and start of both)
        lengths, starts = self._places[:, ::2], self._places[:, 1::2]
        # strings may overlap, so a small file could contain more text than fits into memory
        if (starts + lengths > len(data)).any() or lengths.sum() > MOST_SHARED * len(data):
            raise FileError(path, None, BROKEN)
        self._data = data

    @property
    def header(self) -> bytes:
        """The translation of the empty message; empty if there is none."""
        found = np.flatnonzero(self._places[:, 0] == 0)
        return self._pair(int(found[0]))[1] if len(found) else b""

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        return map(self._pair, range(len(self._places)))

    def _pair(self, i: int) -> tuple[bytes, bytes]:
        length, start, translated, place = self._places[i].tolist()
        return self._data[start : start + length], self._data[place : place + translated]


def _forms(path: Path, message: bytes, translation: bytes, encoding: str) -> Iterator[tuple[str, str]]:
    """Pair singular with singular, and plural with the last form, which is that of many."""
    message = message.rpartition(CONTEXT)[2]
    english, other = message.split(FORMS), translation.split(FORMS)
    pairs = [(english[0], other[0])]
    if len(english) > 1 and len(other) > 1:
        pairs.append((english[1], other[-1]))
    elif len(english) > 1:
        pairs = [(english[1], other[0])]  # a language with one form: it means "files" rather than "file"
    for pair in pairs:
        try:
            here, there = (without_marks(part.decode(encoding)) for part in pair)
        except (LookupError, ValueError):
            raise FileError(
                path, None, f"is not in {encoding}, which it declares: recompile it with msgfmt"
            ) from None
        yield here, there
