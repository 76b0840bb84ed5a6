"""External translators: text in, text out; whatever they do wrong becomes a one-line error.

An engine calls the translator and may fail; `External` checks its answers. `linking` adds word links.
"""

import hashlib
from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple, Protocol

import msgspec

from kakehashi.corpus.parallel_text.cleaning import tidy
from kakehashi.errors import InputError
from kakehashi.lexicon.decoder import LARGEST_LIST
from kakehashi.lexicon.translator import Translation

LONGEST_NAME, LONGEST_QUOTE = 100, 200  # characters shown in errors


class Answer(NamedTuple):
    text: str
    score: float  # a logarithm: differences count


class Failure(Exception):
    """What went wrong, as the rest of a sentence that starts with the translator's name."""


class TranslatorError(InputError):
    """An external translator failed; its earlier translations are kept."""

    def __init__(self, name: str, what: str):
        again = "fix it or choose another with --set translator=, then rerun: finished translations are kept"
        super().__init__(f"translator '{quoted(name, LONGEST_NAME)}' {what}; {again}")


class Engine(Protocol):
    """Something that translates lines of text."""

    @property
    def name(self) -> str: ...

    def state(self) -> Any:
        """Everything its answers depend on, as plain values."""
        ...

    def ask(self, texts: Sequence[str], n: int) -> list[list[Answer]]:
        """At most n answers to each text, at least one, the best first; raises Failure."""
        ...


class External:
    """A `Translator` whose words are separated by white space, with capitals and punctuation."""

    def __init__(self, engine: Engine):
        self._engine = engine

    @property
    def identity(self) -> str:
        return hashlib.blake2b(msgspec.json.encode(self._engine.state()), digest_size=8).hexdigest()

    def translate(self, sentences: Sequence[Sequence[str]], n: int = 1) -> list[list[Translation]]:
        if not 1 <= n <= LARGEST_LIST:
            raise InputError(f"a list of translations has 1 to {LARGEST_LIST}, not {n}")
        texts = [tidy(" ".join(words)) for words in sentences]
        asked = [text for text in texts if text]
        try:
            answers = iter(_checked(asked, self._engine.ask(asked, n), n) if asked else [])
        except Failure as failure:
            raise TranslatorError(self._engine.name, str(failure)) from None
        return [next(answers) if text else [Translation((), (), 0.0)] for text in texts]


def quoted(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Foreign text made safe for an error: one short line that cannot move a terminal's cursor."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * longest])
    line = " ".join(shown.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def most_characters(text: str) -> int:
    """Longer translations are rejected; a translation may always be ten times as long as its text."""
    return 10_000 + 10 * len(text)


def _checked(texts: Sequence[str], answers: Sequence[Sequence[Answer]], n: int) -> list[list[Translation]]:
    if len(answers) != len(texts):
        raise Failure(f"answered {len(answers)} of {len(texts)} sentences")
    if len(texts) > 1 and not any(each.text.strip() for found in answers for each in found):
        raise Failure(f"answered {len(texts)} sentences with only white space")
    return [_read(text, found[:n]) for text, found in zip(texts, answers, strict=True)]


def _read(text: str, answers: Sequence[Answer]) -> list[Translation]:
    if not answers:
        raise Failure(f"gave no answer to '{quoted(text, 40)}'")
    for each in answers:
        if len(each.text) > most_characters(text):
            raise Failure(f"answered '{quoted(text, 40)}' with {len(each.text):,} characters")
        if "\0" in each.text:
            raise Failure(f"answered '{quoted(text, 40)}' with a NUL character")
        if not isfinite(each.score):
            raise Failure(f"gave a translation of '{quoted(text, 40)}' the score {each.score}")
    # what cannot be translated is used as it is, as in our own decoder
    said = [(tidy(each.text) or text, each.score) for each in answers]
    return [Translation(tuple(line.split()), (), score) for line, score in said]
