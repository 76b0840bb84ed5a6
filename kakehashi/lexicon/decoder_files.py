"""The files of a decoder: what is kept of them, and what is checked before thot reads them.

thot is written in C++ and trusts its files: a wrong list of word classes or a word number out of range ends the
process. So it gets no byte of an artifact that was not looked at. Files that only training needs are written anew,
empty or constant, however the artifact has them. Meaning is not checked: wrong counts give wrong translations.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from kakehashi.lexicon.phrases import FIXED, LANGUAGE, MODEL, language_weights
from kakehashi.soundness import Unsound, finite, setting_count, typed, within
from kakehashi.types import Array

DIRECTIONS = f"{MODEL}_swm", f"{MODEL}_invswm"
PHRASES = f"{MODEL}.ttable"
OF_A_DIRECTION = "svcb", "tvcb", "fa_lexnd", "size_counts", "params", "yml"
KEPT = (LANGUAGE, PHRASES, *(f"{each}.{part}" for each in DIRECTIONS for part in OF_A_DIRECTION))
NONE = "NULL\t0\n"  # the only word class
WRITTEN_ANEW = {
    "aligns": "", "anji": "", "src_classes": "", "trg_classes": "", "src_class_names": NONE, "trg_class_names": NONE,
}  # fmt: skip
SENTENCES = {
    "src": "x\n",
    "trg": "x\n",
    "srctrgc": "1\n",
}  # thot asks how many there were, not what they said
LONGEST_ORDER, MOST_WEIGHT, MOST_SENTENCES, LONGEST_SENTENCE = 5, 1e6, 100_000_000, 1024
LINK = np.dtype([("source", "<u4"), ("target", "<u4"), ("above", "<f4"), ("below", "<f4")])

# quantifiers are possessive: nothing is tried twice, so a match takes linear time
_COUNT = rb"[0-9]{1,15}"
_NUMBER = rb"[0-9]{1,15}(?:\.[0-9]{1,20})?(?:e[+-][0-9]{1,2})?"
_WORD = rb"[^\x00\t\n\v\f\r ]++"
_PART = rb"(?!\|\|\|[ \n])" + _WORD
_PHRASE = _PART + rb"(?: " + _PART + rb"){0,59}+"
_PHRASE_LINE = re.compile(_PHRASE + rb" \|\|\| " + _PHRASE + rb" \|\|\| " + _NUMBER + b" " + _NUMBER + b"\n")
_NUMBERED = re.compile(b"(" + _COUNT + b") (" + _WORD + b")\n")
_SIZES = re.compile(b"([0-9]{1,4}) ([0-9]{1,4}) ([0-9]{1,9})\n")
_PARAMETERS = re.compile(rb"-?" + _NUMBER + b" " + _NUMBER + rb"\n?")
_SETTINGS = re.compile(
    rb"model: fastAlign\nvariationalBayes: (?:true|false)\nalpha: 0\.[0-9]{1,9}\n"
    rb"emitTrainingAlignments: (?:true|false)\nfastAlignP0: 0\.[0-9]{1,9}\n?"
)


def checked_files(array: Callable[[str], Array], order: int) -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of every file that thot asks for, where `array` gives what is stored under a name."""
    for name, text in FIXED.items():
        yield f"{MODEL}.{name}", text.encode()
    yield f"{LANGUAGE}.weights", language_weights(order).encode()
    yield f"{LANGUAGE}.wp", b""
    yield PHRASES, _lines(PHRASES, _bytes(array, PHRASES), _PHRASE_LINE)
    yield LANGUAGE, _lines(LANGUAGE, _bytes(array, LANGUAGE), _language_line(order))
    for direction in DIRECTIONS:
        for part, text in WRITTEN_ANEW.items():
            yield f"{direction}.{part}", text.encode()
        yield from _alignment(direction, array)


def checked_order(settings: Mapping[str, Any]) -> int:
    return setting_count(settings["training"], "order", LONGEST_ORDER + 1, 1)


def checked_weights(weights: Any, n: int) -> list[float]:
    """Weights of the decoder's features, all of them."""
    fits = isinstance(weights, list) and len(weights) == n
    if not fits or not all(type(each) in (int, float) and abs(each) <= MOST_WEIGHT for each in weights):
        raise Unsound(f"weights are not {n} numbers")
    return [float(each) for each in weights]


def _alignment(direction: str, array: Callable[[str], Array]) -> Iterator[tuple[str, bytes]]:
    """Files of one direction: both vocabularies, probabilities of words, lengths of sentences, and short ones."""
    sizes = []
    for part in ("svcb", "tvcb"):
        name = f"{direction}.{part}"
        words = _bytes(array, name)
        sizes.append(_count_words(name, words))
        yield name, words
    name = f"{direction}.fa_lexnd"
    links = _bytes(array, name)
    _check_links(name, links, *sizes)
    yield name, links
    name = f"{direction}.size_counts"
    counts = _bytes(array, name)
    n_sentences = _count_sentences(name, counts)
    yield name, counts
    for part, line in SENTENCES.items():
        yield f"{direction}.{part}", (line * n_sentences).encode()
    for part, form in (("params", _PARAMETERS), ("yml", _SETTINGS)):
        name = f"{direction}.{part}"
        found = _bytes(array, name)
        if not form.fullmatch(found):
            raise Unsound(f"{name} is {found[:40]!r}")
        yield name, found


def _bytes(array: Callable[[str], Array], name: str) -> bytes:
    return typed(name, array(name), (np.uint8,), None).tobytes()


@cache
def _language_line(order: int) -> re.Pattern[bytes]:
    more = b"(?: " + _WORD + b"){0,%d}" % (order - 1)
    return re.compile(_WORD + more + b" " + _COUNT + b" " + _COUNT + b"\n")


def _lines(name: str, data: bytes, form: re.Pattern[bytes]) -> bytes:
    """The data, of which every line has this form."""
    place, match = 0, form.match
    while place < len(data):
        found = match(data, place)
        if found is None:
            raise Unsound(f"{name} has a line {data[place : place + 40].splitlines()[0]!r}")
        place = found.end()
    return data


def _count_words(name: str, data: bytes) -> int:
    """How many words a vocabulary has; their numbers are 0 to one less than that."""
    lines = _NUMBERED.findall(_lines(name, data, _NUMBERED))
    numbers = np.array([int(number) for number, _ in lines], np.int64)
    if not np.array_equal(np.sort(numbers), np.arange(len(lines))):
        raise Unsound(f"{name} does not number {len(lines)} words")
    if len({word for _, word in lines}) != len(lines):
        raise Unsound(f"{name} has a word twice")
    return len(lines)


def _check_links(name: str, data: bytes, n_sources: int, n_targets: int) -> None:
    """Numerators and denominators of p(target | source), as logarithms."""
    if len(data) % LINK.itemsize:
        raise Unsound(f"{name} has {len(data)} bytes")
    links = np.frombuffer(data, LINK)
    within(f"{name}, sources", links["source"], n_sources)
    within(f"{name}, targets", links["target"], n_targets)
    finite(f"{name}, numerators", links["above"])
    finite(f"{name}, denominators", links["below"])


def _count_sentences(name: str, data: bytes) -> int:
    """How many sentences there were of all lengths together."""
    found = np.array(_SIZES.findall(_lines(name, data, _SIZES)), np.int64).reshape(-1, 3)
    within(f"{name}, lengths", found[:, :2], LONGEST_SENTENCE + 1, 1)
    total = int(found[:, 2].sum())
    if not 1 <= total <= MOST_SENTENCES:
        raise Unsound(f"{name} counts {total} sentences")
    return total
