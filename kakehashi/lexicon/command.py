"""Translation by an external program: one sentence per line in, one line of translation per sentence out.

A program with {n} among its arguments writes n-best lists in Moses format instead; {n} is replaced by their length:

    number ||| words ||| score          or          number ||| words ||| features ||| score

where number counts the sentences from 0, and score is a logarithm.
"""

import shlex
from collections.abc import Sequence
from math import isfinite
from typing import Any

from kakehashi import programs
from kakehashi.errors import InputError
from kakehashi.lexicon.external import Answer, Failure, most_characters, quoted

BARS = "|||"
WANTED = "{n}"
MOST_BYTES = 1 << 26  # maximum output, however many sentences it was given
TAIL = 1 << 12  # bytes of error output in which the last line is searched


class Command:
    """A program, started again for every batch."""

    def __init__(self, line: str, label: str, seconds: float):
        try:
            self._arguments = shlex.split(line)
        except ValueError as error:
            raise InputError(f"translator 'command:{quoted(line)}' cannot be parsed: {error}") from None
        if not self._arguments:
            raise InputError("translator 'command:' has no program: write command:PROGRAM ARGUMENTS")
        self._line, self._label, self._seconds = line, label, seconds
        self._lists = any(WANTED in argument for argument in self._arguments)

    @property
    def name(self) -> str:
        return f"command:{self._line}"

    def state(self) -> Any:
        return ["command", self._line, self._label]

    def ask(self, texts: Sequence[str], n: int) -> list[list[Answer]]:
        arguments = [argument.replace(WANTED, str(n)) for argument in self._arguments]
        given = [text.replace(BARS, "|") for text in texts] if self._lists else texts
        most = sum(4 * most_characters(text) for text in texts) * (n if self._lists else 1)
        lines_given = "".join(f"{text}\n" for text in given).encode()
        output = _output_of(arguments, lines_given, self._seconds, min(most, MOST_BYTES))
        lines = _lines(output)
        return _read_lists(lines, len(texts)) if self._lists else _read_lines(lines, len(texts))


def _output_of(command: Sequence[str], given: bytes, seconds: float, most: int) -> bytes:
    """The output of the program with `given` as its standard input; Failure if it is late, too long or fails."""
    try:
        status, output, errors = programs.run(command, seconds, given, most)
    except programs.TooSlow as error:
        raise Failure(f"{error} (--set timeout=){_last_line(error.errors)}") from None
    except programs.TooLong as error:
        raise Failure(f"{error}, far more than it was given") from None
    except programs.NotStarted as error:
        raise Failure(f"cannot be started: {quoted(str(error))}") from None
    if status:
        ending = f"failed with status {status}" if status > 0 else f"was ended by signal {-status}"
        raise Failure(f"{ending}{_last_line(errors)}")
    return output


def _last_line(complaints: bytes) -> str:
    lines = [line for line in complaints[-TAIL:].decode("utf-8", "replace").splitlines() if line.strip()]
    return f", saying: {quoted(lines[-1])}" if lines else ""


def _lines(output: bytes) -> list[str]:
    try:
        text = output.decode("utf-8")
    except UnicodeDecodeError as error:
        line = output[: error.start].count(b"\n") + 1
        raise Failure(f"wrote bytes that are not UTF-8 in line {line} of its output") from None
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _read_lines(lines: Sequence[str], n_texts: int) -> list[list[Answer]]:
    if len(lines) != n_texts:
        raise Failure(f"wrote {len(lines)} lines for {n_texts} sentences")
    return [[Answer(line, 0.0)] for line in lines]


def _read_lists(lines: Sequence[str], n_texts: int) -> list[list[Answer]]:
    found: list[list[Answer]] = [[] for _ in range(n_texts)]
    for number, line in enumerate(lines, 1):
        fields = [field.strip() for field in line.split(BARS)]
        try:
            place, score = int(fields[0]), float(fields[-1])
        except ValueError:
            place, score = -1, 0.0
        if len(fields) not in (3, 4) or not 0 <= place < n_texts or not isfinite(score):
            shape = f"'NUMBER ||| WORDS ||| SCORE' with a number below {n_texts}"
            raise Failure(f"wrote '{quoted(line, 60)}' in line {number} of its list, not {shape}")
        found[place].append(Answer(fields[1], score))
    for place, answers in enumerate(found):
        if not answers:
            raise Failure(f"wrote a list without sentence {place} of {n_texts}")
        answers.sort(key=lambda answer: -answer.score)
    return found
