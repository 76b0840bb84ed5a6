"""Sentence pairs from plain lines: two columns of one file, or two parallel files (as used by Moses)."""

import math
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from kakehashi.corpus import lines
from kakehashi.corpus.parallel_text.sentence_pair import SentencePair
from kakehashi.errors import FileError

MOST_WEIGHT = 100.0  # an aligner reads a pair of weight 100 a hundred times
ENTRY = "entry"


def read_columns(path: Path) -> Iterator[SentencePair]:
    """source TAB target, optionally TAB weight, and TAB entry for a dictionary entry.

    The weight of an entry is its share of `dictionary_weight`.
    """
    for number, line in lines.read_lines(path):
        row = line.split("\t")
        if len(row) not in (2, 3, 4):
            message = f"has {len(row)} tab-separated columns, needs 2 to 4: source target [weight [{ENTRY}]]"
            raise FileError(path, number, message)
        if row[3:] not in ([], [ENTRY]):
            raise FileError(
                path, number, f"its fourth column is '{row[3][:20]}': write {ENTRY} or leave it out"
            )
        most = 1.0 if row[3:] else MOST_WEIGHT
        weight = _weight(path, number, row[2], most) if len(row) > 2 else 1.0
        yield SentencePair(row[0], row[1], weight, is_entry=bool(row[3:]))


def line_of(pair: SentencePair) -> str:
    """The line from which `read_columns` reads the pair."""
    columns = [pair.source, pair.target, f"{pair.weight:.4g}", *([ENTRY] if pair.is_entry else [])]
    return "\t".join(columns) + "\n"


def read_side_by_side(source: Path, target: Path) -> Iterator[SentencePair]:
    """Line n of one file translates line n of the other."""
    for here, there in zip_longest(lines.read_lines(source), lines.read_lines(target)):
        if here is None or there is None:
            (shorter, longer), number = (source, target), (here or there)[0]
            if there is None:
                shorter, longer = longer, shorter
            message = f"ends before line {number}, {longer} does not: both need the same number of lines"
            raise FileError(shorter, number, message)
        yield SentencePair(here[1], there[1])


def _weight(path: Path, number: int, text: str, most: float) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0.0 < weight <= most:  # false for NaN as well
        raise FileError(
            path, number, f"weight '{text[:20]}' is not a number above 0 and up to {most:g}: change it"
        )
    return weight
