"""Dictionaries as pairs of words: edict (Japanese-English), ding (de-en and similar), FreeDict in TEI.

The translations that an entry gives for a word share a weight of 1, so that an entry with many senses does not
count more than one with a single sense; a word in two entries counts twice. The caller decides how much an entry
counts relative to a sentence; `WEIGHT` is a good value.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree

from kakehashi.corpus import lines
from kakehashi.corpus.parallel_text.sentence_pair import Languages, SentencePair, is_language
from kakehashi.corpus.xml_records import local_name, read_records
from kakehashi.errors import FileError, InputError

# A dictionary says that a translation exists, not how common it is: it decides for words that are rare in
# sentences, and is outvoted where they are frequent.
WEIGHT = 0.5  # total weight of the translations an entry gives for a word; a sentence has 1
MOST_GLOSSES = 20  # maximum glosses of one entry, and maximum headwords
BRACKETS = (re.compile(r"\{[^{}]*\}"), re.compile(r"\[[^\[\]]*\]"), re.compile(r"\([^()]*\)"))
TRANSLATES = ("trans", "translation")
DEEPEST = 2  # brackets inside brackets
FORMS, WORDS = "|", ";"  # separators of the forms of a ding entry, and of the words of one form
SOMEBODY = re.compile(r"\b(?:sb|sth|jdn|jdm|jds|etw|jd)\b\.?(?:/(?:sb|sth|jdn|jdm|etw)\b\.?)*")


def read_edict(path: Path, languages: Languages) -> Iterator[SentencePair]:
    """Lines such as 漢字 [かな] /(n) gloss/gloss/, in UTF-8 or EUC-JP."""
    _require(path, languages, "ja", "en")
    encoding = ""
    for number, raw in lines.read_raw_lines(path):
        if not encoding and not raw.isascii():
            encoding = "utf-8" if _decodes(raw, "utf-8") else "euc-jp"
        try:
            line = raw.decode(encoding or "ascii").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            message = f"is neither UTF-8 nor EUC-JP like the lines before, at byte {error.start}: convert it"
            raise FileError(path, number, message) from None
        before, slash, after = line.partition(" /")
        if not slash:
            if number > 1 and line.strip():  # the first line may name the source of the file
                raise FileError(path, number, "is not an entry such as 漢字 [かな] /gloss/gloss/")
            continue
        headwords = [_bare(word) for word in before.partition(" [")[0].split(WORDS)]
        glosses = [_bare(gloss) for gloss in after.split("/") if not gloss.startswith("EntL")]
        yield from _entry(languages, "ja", headwords, glosses)


def read_ding(path: Path, languages: Languages, first: str, second: str) -> Iterator[SentencePair]:
    """Lines such as Haus {n}; Gebäude {n} | Häuser {pl} :: house; building | houses."""
    _require(path, languages, first, second)
    for number, line in lines.read_lines(path):
        if line.startswith("#") or not line.strip():
            continue
        here, parted, there = line.partition("::")
        if not parted:
            raise FileError(
                path, number, "is not an entry such as Haus {n} :: house: it lacks the two colons"
            )
        forms = here.split(FORMS), there.split(FORMS)
        if len(forms[0]) == len(forms[1]):  # otherwise it is unclear which forms correspond
            for form, translated in zip(*forms, strict=True):
                sides = (_without_brackets(side).split(WORDS) for side in (form, translated))
                words = ([_bare(word) for word in side] for side in sides)
                yield from _entry(languages, first, *words)


def read_tei(path: Path, languages: Languages, first: str, second: str) -> Iterator[SentencePair]:
    """FreeDict: the headwords of an entry and the quotations that translate it."""
    _require(path, languages, first, second)
    entries = 0
    for entry in read_records(path, "entry"):
        entries += 1
        yield from _entry(languages, first, _headwords(entry), _quotations(entry))
    if not entries:
        raise FileError(path, None, "has no entries: give a FreeDict dictionary in TEI")


def _require(path: Path, languages: Languages, first: str, second: str) -> None:
    ours = {languages.source, languages.target}
    if not all(any(is_language(own, other) for own in ours) for other in (first, second)):
        raise InputError(
            f"{path}: translates between {first} and {second}, this collection from {languages.source} to "
            f"{languages.target}: give another dictionary"
        )


def _entry(
    languages: Languages, first: str, headwords: Sequence[str], glosses: Sequence[str]
) -> Iterator[SentencePair]:
    """Every headword with every gloss; the weights of a source word sum to 1."""
    words, translated = (
        list(dict.fromkeys(filter(None, each)))[:MOST_GLOSSES] for each in (headwords, glosses)
    )
    targets = translated if is_language(first, languages.source) else words
    for word in words:
        for gloss in translated:
            source, target = languages.in_order(first, word, gloss)
            yield SentencePair(source, target, 1.0 / len(targets), is_entry=True)


def _bare(text: str) -> str:
    """Without grammar, subjects, remarks and placeholder words; empty if no letter is left."""
    words = SOMEBODY.sub(" ", _without_brackets(text)).split()
    return " ".join(words) if any(map(str.isalnum, "".join(words))) else ""


def _without_brackets(text: str) -> str:
    for _ in range(DEEPEST):
        for brackets in BRACKETS:
            text = brackets.sub(" ", text)
    return text


def _headwords(entry: etree._Element) -> list[str]:
    return [
        _text(element)
        for element in entry.iter()
        if local_name(element) == "orth" and _is_in(element, "form")
    ]


def _quotations(entry: etree._Element) -> list[str]:
    """Quotations that are translations; an example is also a quotation and has its own translation."""
    return [
        _text(element)
        for element in entry.iter()
        if local_name(element) == "quote"
        and _is_in(element, "cit")
        and all(cit.get("type") in TRANSLATES for cit in element.iterancestors() if local_name(cit) == "cit")
    ]


def _is_in(element: etree._Element, name: str) -> bool:
    parent = element.getparent()
    return parent is not None and local_name(parent) == name


def _text(element: etree._Element) -> str:
    return _bare("".join(map(str, element.itertext())))


def _decodes(raw: bytes, encoding: str) -> bool:
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
