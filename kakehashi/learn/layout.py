"""Where the weight of a word pair is stored: one weight per pair, or hashed into 2^b places.

    rows       a block of one weight per document word for every query word: exact
    blocks     a block of 2^n places for every query word, sized by how many pairs training can touch; inside it
               document words are folded over each other (hashed where they have several places or a
               sign). A query reads a few blocks that fit the caches, not the whole memory
    scattered  all pairs hashed over all 2^b places, as in the papers

A hashed pair may have several places (multiple binning), each with a sign (signed hashing).
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from kakehashi.compiled import inline_kernel
from kakehashi.errors import InputError
from kakehashi.soundness import Unsound, within
from kakehashi.types import Array, Floats, Longs

LayoutName = Literal["rows", "blocks", "scattered"]
MOST_ROWS, AUTO_BITS = 1 << 26, 25  # `auto`: rows of up to this many weights, else blocks of 2^25
MAX_BITS = 30
MAX_EXACT = 1 << 31
SMALLEST_BLOCK = 4  # bits
_GOLDEN, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)


class Layout(NamedTuple):
    """The places of all pairs; every query word has a block."""

    offsets: Array  # (query words,) int64: where a block starts
    bits: Array  # (query words,) int64: a block has 2^bits hashed places; -1: one place per document word
    copies: int  # places of a pair
    signed: bool
    n_weights: int
    n_columns: int  # document words
    folded: bool = False  # small blocks map document words onto each other instead of hashing them


class Positions(NamedTuple):
    """Words that stand for a target at a position; their weights lie where those of the targets do."""

    places: Array  # (words,) int32: the position, below n_places
    targets: Array  # (words,) int32: the target's number, below n_targets
    n_places: int
    n_targets: int


def rows_layout(n_query_words: int, n_document_words: int) -> Layout:
    n_weights = n_query_words * n_document_words
    if n_weights > MAX_EXACT:
        raise InputError(
            f"{n_query_words} query words times {n_document_words} document words are {n_weights:,} weights: "
            "set fewer words, or layout=blocks"
        )
    offsets = np.arange(n_query_words, dtype=np.int64) * n_document_words
    return Layout(offsets, np.full(n_query_words, -1, np.int64), 1, False, n_weights, n_document_words)


def hashed_layout(
    name: LayoutName,
    bits: int,
    demand: Floats,
    n_document_words: int,
    copies: int = 1,
    signed: bool = False,
) -> Layout:
    """demand (query words,): how many pairs of each query word training may touch; it sets the size of `blocks`."""
    if not SMALLEST_BLOCK <= bits <= MAX_BITS:
        raise InputError(f"bits must be {SMALLEST_BLOCK} to {MAX_BITS}, not {bits}")
    n_query_words, n_weights = len(demand), 1 << bits
    if name == "scattered":
        zeros = np.zeros(n_query_words, dtype=np.int64)
        return Layout(zeros, zeros + bits, copies, signed, n_weights, n_document_words)
    sizes = _block_bits(np.minimum(demand, n_document_words), bits)
    places = 1 << sizes
    if copies == 1 and not signed:  # if there is room for every document word, nothing needs to be hashed
        exact = places >= n_document_words
        sizes, places = np.where(exact, -1, sizes), np.where(exact, n_document_words, places)
    ends = np.cumsum(places)
    folded = copies == 1 and not signed  # several places and signs need real hashes
    return Layout(ends - places, sizes, copies, signed, n_weights, n_document_words, folded)


def checked_layout(layout: Layout) -> Layout:
    """A layout whose blocks lie inside the weights."""
    bits = within("bits", layout.bits, MAX_BITS + 1, -1)
    if (bits == 0).any():
        raise Unsound("bits has a block of one place")
    sizes = np.where(bits < 0, layout.n_columns, np.int64(1) << np.maximum(bits, 0))
    offsets = within("offsets", layout.offsets, layout.n_weights + 1)
    if (offsets + sizes > layout.n_weights).any():
        raise Unsound("offsets has a block that ends beyond the weights")
    return layout


def _block_bits(demand: Floats, bits: int) -> Longs:
    """The largest power-of-two blocks in proportion to demand that fit into 2^bits."""
    if len(demand) << SMALLEST_BLOCK > 1 << bits:
        raise InputError(f"{len(demand)} query words do not fit into 2^{bits} weights: set more bits")

    def sizes(places: float) -> Floats:
        """The sizes of blocks if a unit of demand gets this many places."""
        wanted = np.ceil(np.log2(np.maximum(demand * places, 1.0)))
        return np.clip(wanted, SMALLEST_BLOCK, bits)

    low, high = 0.0, 2.0 * (1 << bits)
    for _ in range(60):
        middle = (low + high) / 2
        fits = float((2.0 ** sizes(middle)).sum()) <= 1 << bits
        low, high = (middle, high) if fits else (low, middle)
    return sizes(low).astype(np.int64)


@inline_kernel
def row_key(i: int, copy: int) -> Any:
    """The seed of the hashes of one query word and one copy."""
    key = (np.uint64(i) * np.uint64(64) + np.uint64(copy) + np.uint64(1)) * _GOLDEN
    key ^= key >> np.uint64(29)
    return (key * _MIX) | np.uint64(1)


@inline_kernel
def hashed(key: int, j: int) -> Any:
    """A 64-bit hash of the pair; its high bits are the place, its lowest bit the sign."""
    value = (np.uint64(j) + np.uint64(1)) * key
    value ^= value >> np.uint64(32)
    return value * _GOLDEN


@inline_kernel
def sign(value: int) -> Any:
    return np.float32(1.0) - np.float32(2.0) * np.float32(value & np.uint64(1))
