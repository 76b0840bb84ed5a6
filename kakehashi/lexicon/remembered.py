"""Translations cached on disk, so that interrupted work resumes and nothing is translated twice.

One line of JSON per sentence, append-only, by one process at a time. A line truncated by a crash is skipped.
"""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from kakehashi.errors import FileError
from kakehashi.lexicon.translator import Translation, Translator
from kakehashi.progress import SILENT, Progress

AT_ONCE = 16  # sentences translated before they are written


class _Line(msgspec.Struct, array_like=True):
    n: int
    sentence: tuple[str, ...]
    found: list[Translation]


Known = dict[tuple[int, tuple[str, ...]], list[Translation]]


class Remembered:
    """A translator that calls another one only for new sentences; one file per state of that translator."""

    def __init__(self, translator: Translator, folder: Path, at_once: int = AT_ONCE):
        self._translator, self._at_once = translator, at_once
        self._path = folder / f"{translator.identity}.jsonl"
        self._known: Known | None = None

    @property
    def identity(self) -> str:
        return self._translator.identity

    def translate(
        self, sentences: Sequence[Sequence[str]], n: int = 1, progress: Progress = SILENT
    ) -> list[list[Translation]]:
        known = self._read()
        asked = [tuple(sentence) for sentence in sentences]
        missing = [each for each in dict.fromkeys(asked) if (n, each) not in known]
        if missing:
            self._ask(missing, n, known, progress)
        return [known[n, sentence] for sentence in asked]

    def _ask(self, missing: Sequence[tuple[str, ...]], n: int, known: Known, progress: Progress) -> None:
        progress.start("translating", len(missing))
        try:
            for start in range(0, len(missing), self._at_once):
                some = missing[start : start + self._at_once]
                for sentence, found in zip(some, self._translator.translate(some, n), strict=True):
                    known[n, sentence] = found
                self._write([_Line(n, sentence, known[n, sentence]) for sentence in some])
                progress.advance(len(some))
        finally:
            progress.finish()

    def _read(self) -> Known:
        if self._known is None:
            known: Known = {}
            for line in self._lines():
                try:
                    read = msgspec.json.decode(line, type=_Line)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    continue  # cut off by a crash, or the empty end
                if read.found:
                    known[read.n, read.sentence] = read.found
            self._known = known
        return self._known

    def _lines(self) -> list[bytes]:
        try:
            return self._path.read_bytes().split(b"\n") if self._path.exists() else []
        except OSError as error:
            raise FileError(self._path, None, f"cannot be read: {error.strerror}") from None

    def _write(self, lines: Sequence[_Line]) -> None:
        # start a new line after a truncated one
        data = b"".join(b"\n" + msgspec.json.encode(line) for line in lines) + b"\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            _append(self._path, data)
        except OSError as error:
            what = f"translations cannot be saved: {error.strerror}"
            raise FileError(self._path, None, f"{what}; free disk space and rerun to resume") from None


def _append(path: Path, data: bytes) -> None:
    """Write all or nothing; the lock is needed because a long write may happen in pieces."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        before, rest = os.fstat(file).st_size, memoryview(data)
        try:
            while rest:
                rest = rest[os.write(file, rest) :]
        except OSError:
            os.ftruncate(file, before)
            raise
    finally:
        os.close(file)
