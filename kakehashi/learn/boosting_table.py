"""Where W⁺ and W⁻ of a feature are stored: in its own place, or hashed into one of 2^b places.

Exact places exist only for active words. The gain of a feature is at most the weight of the instances in which its
query word, or its document word, occurs. If that is too little for the feature to be chosen, the word is dormant and
needs no sums. Hashed places are those of the papers: all features have one.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import inline_kernel
from kakehashi.errors import InputError
from kakehashi.learn.murmur import Prefixes, Suffixes, pair_hash, prefixes, suffixes
from kakehashi.types import Array, Bools

MAX_BITS = 30
ASLEEP = -1
BYTES_PER_PLACE = 9  # two sums, and a bit or two


class Table(NamedTuple):
    """The places of features; a word's row or column is its number among the active words, or ASLEEP."""

    hashed: bool
    mask: int  # of hashed places
    rows: Array  # (query words,) int32
    columns: Array  # (document words,) int32
    row_words: Array  # (awake query words,) int32
    column_words: Array  # (awake document words,) int32
    n_places: int
    prefixes: Prefixes  # of hashed words
    suffixes: Suffixes


def hashed_table(query_words: Sequence[str], document_words: Sequence[str], bits: int) -> Table:
    everything = _awake(np.ones(len(query_words), bool)), _awake(np.ones(len(document_words), bool))
    (rows, row_words), (columns, column_words) = everything
    mask = (1 << bits) - 1
    hashes = prefixes(query_words), suffixes(document_words)
    return Table(True, mask, rows, columns, row_words, column_words, 1 << bits, *hashes)


def exact_table(query_words: Bools, document_words: Bools) -> Table:
    """One place for each pair of active words."""
    (rows, row_words), (columns, column_words) = _awake(query_words), _awake(document_words)
    n_places = len(row_words) * len(column_words)
    return Table(False, 0, rows, columns, row_words, column_words, n_places, prefixes([]), suffixes([]))


def check_memory(n_places: int) -> None:
    """Reject sums that would not fit, before the system kills the process."""
    needed, free = BYTES_PER_PLACE * n_places, available_memory()
    if needed > free:
        raise InputError(
            f"sums need {needed / 2**30:.1f} GiB, and {free / 2**30:.1f} are free: "
            "use fewer --threads, or set fewer bits, query_words or document_words"
        )


def available_memory() -> int:
    """Bytes available without swapping."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found = dict(line.split(":", 1) for line in lines)
        return int(found["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError, ValueError):  # not Linux: all memory
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check_bits(bits: int) -> None:
    if not 4 <= bits <= MAX_BITS:
        raise InputError(f"bits must be 4 to {MAX_BITS}, not {bits}")


def _awake(chosen: Bools) -> tuple[Array, Array]:
    """(number among the chosen or ASLEEP, the chosen)."""
    words = np.flatnonzero(chosen).astype(np.int32)
    numbers = np.full(len(chosen), ASLEEP, np.int32)
    numbers[words] = np.arange(len(words))
    return numbers, words


@inline_kernel
def place_of(table: Table, row: int, column: int) -> Any:
    if table.hashed:
        return np.uint64(pair_hash(table.prefixes, row, table.suffixes, column)) & np.uint64(table.mask)
    return np.uint64(row) * np.uint64(len(table.column_words)) + np.uint64(column)
