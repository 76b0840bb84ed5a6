"""The hash of features against published values, the published definition and another implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.learn.murmur import Prefixes, feature, pair_hash, prefixes, suffixes
from tests.learn.plain_boosting import murmur3

PUBLISHED = [  # of SMHasher's verification and of encyclopedias, seed 0
    (b"", 0x0),
    (b"\0", 0x514E28B7),
    (b"\0\0", 0x30F4C306),
    (b"\0\0\0", 0x85F0B427),
    (b"\0\0\0\0", 0x2362F9DE),
    (b"\x21", 0x72661CF4),
    (b"\x21\x43", 0xA0F7B07A),
    (b"\x21\x43\x65", 0x7E4A8634),
    (b"test", 0xBA6BD213),
    (b"Hello, world!", 0xC0363E43),
    (b"The quick brown fox jumps over the lazy dog", 0x2E4FF723),
]
NOTHING = Prefixes(np.zeros(1, np.uint32), np.zeros(1, np.uint32))  # as if there were no query word
ALPHABETS = ["ab z", "äöß", "汉字仮名かなカナ", "😀𠮷", "a発é😀\t\0"]
sized = st.integers(0, 20).flatmap(lambda n: st.text("abcxyz", min_size=n, max_size=n))
words = st.one_of(sized, st.text(max_size=12), *(st.text(letters, max_size=20) for letters in ALPHABETS))


@pytest.mark.parametrize(("data", "value"), PUBLISHED)
def test_published_values(data: bytes, value: int) -> None:
    assert murmur3(data) == value
    assert pair_hash(NOTHING, 0, suffixes([data.decode()]), 0) == value


def test_published_values_with_bytes_that_are_no_text_or_another_seed() -> None:
    assert murmur3(b"\xff\xff\xff\xff") == 0x76293B50
    assert murmur3(b"\x21\x43\x65\x87") == 0xF55B516B
    assert murmur3(b"", 1) == 0x514E28B7
    assert murmur3(b"test", 0x9747B28C) == 0x704B81DC


@given(st.lists(words, min_size=1, max_size=5), st.lists(words, min_size=1, max_size=5))
def test_the_hash_of_a_pair_is_the_hash_of_its_feature(query: list[str], document: list[str]) -> None:
    before, after = prefixes(query), suffixes(document)
    for i, first in enumerate(query):
        for j, second in enumerate(document):
            assert pair_hash(before, i, after, j) == murmur3(feature(first, second))


@pytest.mark.parametrize("letter", ["a", "é", "語", "😀"])
def test_every_length(letter: str) -> None:
    lengths = [letter * n + "x" * rest for n in range(6) for rest in range(5)]
    before, after = prefixes(lengths), suffixes(lengths)
    for i, first in enumerate(lengths):
        for j, second in enumerate(lengths):
            assert pair_hash(before, i, after, j) == murmur3(feature(first, second))


def test_features_are_words_with_tabs_between_them() -> None:
    assert feature("", "") == b"\t\t\t\t"
    assert feature("abc", "d") == b"abc\td"
    assert feature("abcd", "e") == b"abcd\t\t\t\te"
    assert feature("語", "Wort") == b"\xe8\xaa\x9e\tWort"


@given(words, words)
def test_another_implementation_agrees(first: str, second: str) -> None:
    mmh3 = pytest.importorskip("mmh3")
    data = feature(first, second)
    assert pair_hash(prefixes([first]), 0, suffixes([second]), 0) == mmh3.hash(data, 0, signed=False)
