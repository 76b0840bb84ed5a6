"""MurmurHash3 (x86, 32 bits) of features in a few steps each: the contribution of a word is precomputed.

A feature is written as UTF-8: the words of the query, tabs up to the next multiple of four bytes (one at least), the
words of the document. So the hash of a query word is a state from which the hash of any document word continues,
and hashing a pair costs one step for every four bytes of the document word.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import inline_kernel
from kakehashi.types import Array

_C1, _C2 = 0xCC9E2D51, 0x1B873593
_WORD = 0xFFFFFFFF
_FIVE, _ADD = np.uint32(5), np.uint32(0xE6546B64)
_F1, _F2 = np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)


class Prefixes(NamedTuple):
    """Words of queries, as states of the hash."""

    states: Array  # (words,) uint32
    sizes: Array  # (words,) uint32, bytes with their tabs


class Suffixes(NamedTuple):
    """Words of documents, as the blocks that change a state."""

    starts: Array  # (words + 1,) int64
    blocks: Array  # (blocks,) uint32, mixed
    tails: Array  # (words,) uint32, mixed; 0: the bytes are a multiple of four
    sizes: Array  # (words,) uint32, bytes


def feature(query_word: str, document_word: str) -> bytes:
    """What is hashed."""
    return _prefix(query_word) + document_word.encode()


def prefixes(words: Sequence[str]) -> Prefixes:
    states, sizes = np.empty(len(words), np.uint32), np.empty(len(words), np.uint32)
    for i, word in enumerate(words):
        data = _prefix(word)
        state = 0
        for block in np.frombuffer(data, "<u4").tolist():
            state = _step(state, _mixed(block))
        states[i], sizes[i] = state, len(data)
    return Prefixes(states, sizes)


def suffixes(words: Sequence[str]) -> Suffixes:
    starts, blocks = np.zeros(len(words) + 1, np.int64), []
    tails, sizes = np.zeros(len(words), np.uint32), np.empty(len(words), np.uint32)
    for i, word in enumerate(words):
        data = word.encode()
        whole = len(data) // 4 * 4
        blocks += [_mixed(block) for block in np.frombuffer(data[:whole], "<u4").tolist()]
        tails[i], sizes[i] = _mixed(int.from_bytes(data[whole:], "little")), len(data)
        starts[i + 1] = len(blocks)
    return Suffixes(starts, np.array(blocks, dtype=np.uint32), tails, sizes)


def _prefix(word: str) -> bytes:
    data = word.encode()
    return data + b"\t" * (4 - len(data) % 4)


def _mixed(block: int) -> int:
    block = block * _C1 & _WORD
    return (block << 15 | block >> 17) * _C2 & _WORD


def _step(state: int, mixed: int) -> int:
    state ^= mixed
    return ((state << 13 | state >> 19) * 5 + 0xE6546B64) & _WORD


@inline_kernel
def pair_hash(words: Prefixes, i: int, suffixes: Suffixes, j: int) -> Any:
    """The hash of query word i and document word j."""
    state = words.states[i]
    for b in range(suffixes.starts[j], suffixes.starts[j + 1]):
        state = np.uint32(state ^ suffixes.blocks[b])
        state = np.uint32(
            np.uint32(np.uint32(state << np.uint32(13)) | (state >> np.uint32(19))) * _FIVE + _ADD
        )
    state = np.uint32(state ^ suffixes.tails[j])
    state = np.uint32(state ^ np.uint32(words.sizes[i] + suffixes.sizes[j]))
    state = np.uint32((state ^ (state >> np.uint32(16))) * _F1)
    state = np.uint32((state ^ (state >> np.uint32(13))) * _F2)
    return np.uint32(state ^ (state >> np.uint32(16)))
