"""Translations kept on disk, so that work that was interrupted goes on and nothing is translated twice.

One line of JSON per sentence, only ever added to. A line that a crash cut off is passed over.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from kakehashi.lexicon.translator import Translation, Translator

AT_ONCE = 16  # sentences translated before they are written


class _Line(msgspec.Struct, array_like=True):
    n: int
    sentence: tuple[str, ...]
    found: list[Translation]


class Remembered:
    """A translator that asks another one only for what it has not seen; one file per state of that other one."""

    def __init__(self, translator: Translator, folder: Path):
        self._translator = translator
        self._path = folder / f"{translator.identity}.jsonl"
        self._known: dict[tuple[int, tuple[str, ...]], list[Translation]] | None = None

    @property
    def identity(self) -> str:
        return self._translator.identity

    def translate(self, sentences: Sequence[Sequence[str]], n: int = 1) -> list[list[Translation]]:
        known = self._read()
        asked = [tuple(sentence) for sentence in sentences]
        missing = [each for each in dict.fromkeys(asked) if (n, each) not in known]
        for start in range(0, len(missing), AT_ONCE):
            some = missing[start : start + AT_ONCE]
            for sentence, found in zip(some, self._translator.translate(some, n), strict=True):
                known[n, sentence] = found
            self._write([_Line(n, sentence, known[n, sentence]) for sentence in some])
        return [known[n, sentence] for sentence in asked]

    def _read(self) -> dict[tuple[int, tuple[str, ...]], list[Translation]]:
        if self._known is None:
            self._known = {}
            if self._path.exists():
                for line in self._path.read_bytes().split(b"\n"):
                    try:
                        read = msgspec.json.decode(line, type=_Line)
                    except msgspec.DecodeError:
                        continue  # cut off by a crash, or the empty end
                    self._known[read.n, read.sentence] = read.found
        return self._known

    def _write(self, lines: Sequence[_Line]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        data = b"".join(
            b"\n" + msgspec.json.encode(line) for line in lines
        )  # begins anew after a cut-off line
        with self._path.open("ab") as file:
            file.write(data + b"\n")
