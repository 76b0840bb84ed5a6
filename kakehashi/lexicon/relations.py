"""Lexicons that list related words: lists such as PPDB's and FrameNet's, and WordNet's own files.

Every listed pair counts the same, in both directions. What the analyzer turns into several terms, or into none, is
left out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from kakehashi.corpus.lines import read_lines
from kakehashi.errors import FileError, InputError
from kakehashi.lexicon.neighbours import Related, arranged

WORDNET = {"data.noun": "n", "data.verb": "v", "data.adj": "a", "data.adv": "r"}  # file -> part of speech
BROADER = (
    "@",
    "@i",
)  # hypernyms, of classes and of instances; hyponyms are the same pairs from the other end
PLUS = "+"  # ends the name of a lexicon that takes hypernyms and hyponyms from WordNet, too
Synset = tuple[list[str], list[tuple[str, str]]]  # words; (part of speech, offset) of its hypernyms


def parse_lexicons(text: str) -> dict[str, Path]:
    """`name=path name=path`, as a setting gives them."""
    found = {}
    for one in text.split():
        name, equals, path = one.partition("=")
        if not (equals and path and name.removesuffix(PLUS).isalnum()):
            raise InputError(
                f"'{one}' is not a lexicon: write name=path, with a name of letters and digits, as in ppdb=ppdb.txt.gz"
            )
        found[name] = Path(path)
    return found


def read_lexicon(
    name: str, path: Path, numbers: Mapping[str, int], terms_of: Callable[[str], Sequence[str]]
) -> Related:
    """The pairs of a lexicon between known terms, all with a similarity of 1."""
    if path.is_dir():
        pairs = wordnet_pairs(path, plus=name.endswith(PLUS))
    elif name.endswith(PLUS):
        raise InputError(f"{name} takes more than synonyms from WordNet: give its folder, not {path}")
    else:
        pairs = listed_pairs(path)
    known: dict[str, int | None] = {}

    def number(word: str) -> int | None:
        if word not in known:
            terms = terms_of(word)
            known[word] = numbers.get(terms[0]) if len(terms) == 1 else None
        return known[word]

    found = set()
    for one, other in pairs:
        a, b = number(one), number(other)
        if a is not None and b is not None and a != b:
            found.add((min(a, b), max(a, b)))
    if not found:
        raise InputError(f"{path} relates no two words of the collection: is it of another language?")
    both = np.array(sorted(found), dtype=np.int32)
    return arranged(both[:, 0], both[:, 1], np.ones(len(both), np.float32), len(numbers), both=True)


def listed_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Of lines that begin with a word and go on with the words related to it, with blanks in between."""
    for _, line in read_lines(path):
        first, *others = [word.replace("_", " ") for word in line.split()] or [""]
        yield from ((first, other) for other in others)


def wordnet_pairs(folder: Path, plus: bool = False) -> Iterator[tuple[str, str]]:
    """Words of one synset; with `plus`, also those of a synset and of the ones directly above it."""
    synsets: dict[tuple[str, str], Synset] = {}
    for name, kind in WORDNET.items():
        for number, line in read_lines(folder / name):
            if not line.startswith("  "):  # the licence
                synsets[kind, line.split(" ", 1)[0]] = _synset(folder / name, number, line)
    for words, above in synsets.values():
        yield from _each_with_each(words)
        for place in above if plus else ():
            if place in synsets:
                yield from ((word, other) for word in words for other in synsets[place][0])


def _synset(path: Path, number: int, line: str) -> Synset:
    """A line of WordNet's data files: counts are hexadecimal for words, decimal for pointers."""
    fields = line.split(" | ")[0].split()
    try:
        n_words = int(fields[3], 16)
        words = [word.partition("(")[0].replace("_", " ") for word in fields[4 : 4 + 2 * n_words : 2]]
        first = 5 + 2 * n_words
        pointers = fields[first : first + 4 * int(fields[first - 1])]
        marks = zip(pointers[::4], pointers[1::4], pointers[2::4], strict=True)
    except (IndexError, ValueError):
        raise FileError(path, number, "is not a line of WordNet's data files") from None
    return words, [(kind, offset) for mark, offset, kind in marks if mark in BROADER]


def _each_with_each(words: Sequence[str]) -> Iterable[tuple[str, str]]:
    return ((one, other) for i, one in enumerate(words) for other in words[i + 1 :])
