"""Source packages as texts: their binaries' descriptions merged, masked and aligned across languages."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from kakehashi.corpus.debian.descriptions import Description, pair_up, parse_description
from kakehashi.corpus.debian.masking import Masker, own_names
from kakehashi.corpus.debian.packages_index import Binary
from kakehashi.corpus.parallel_text.cleaning import same_letters

SHORTEST = 12  # minimum words of the English text; a shorter one has too little to search for
WORD = re.compile(r"[^\W\d_]{2,}")
Mask = Callable[[str], str]


@dataclass(frozen=True)
class Source:
    """One source package: its English text and the available text in the other language."""

    name: str
    binaries: tuple[Binary, ...]  # the one named like the source first
    title: str
    passages: tuple[str, ...]
    translated: "Translated | None"


@dataclass(frozen=True)
class Translated:
    """A source package in the other language, with the English text of exactly the same binaries."""

    titles: tuple[str, str]  # (translated, English)
    passages: tuple[str, ...]
    originals: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]


def read_sources(
    binaries: Mapping[str, Binary],
    english: Mapping[str, str],
    translations: Mapping[str, str],
    masked: bool = True,
) -> dict[str, Source]:
    """Source packages by name, those with any English text."""
    groups: dict[str, list[Binary]] = defaultdict(list)
    for binary in binaries.values():
        groups[binary.source].append(binary)
    found, masker = {}, Masker(binaries)
    for name in sorted(groups):
        group = sorted(groups[name], key=lambda binary: (binary.name != name, len(binary.name), binary.name))
        names = own_names([name, *(binary.name for binary in group)])
        mask = partial(masker.mask, names=names) if masked else str
        source = _source(name, tuple(group), english, translations, mask)
        if source is not None:
            found[name] = source
    return found


def _source(
    name: str,
    group: tuple[Binary, ...],
    english: Mapping[str, str],
    translations: Mapping[str, str],
    mask: Mask,
) -> Source | None:
    texts = {binary.md5: parse_description(english.get(binary.md5, binary.description)) for binary in group}
    both = {md5: parse_description(translations[md5]) for md5 in texts if md5 in translations}
    title, passages = _merged(texts.values(), mask)
    if _words([title, *passages]) < SHORTEST:
        return None
    return Source(name, group, title, passages, _translated(texts, both, mask))


def _translated(
    texts: Mapping[str, Description], both: Mapping[str, Description], mask: Mask
) -> Translated | None:
    """None if nothing is translated; passages left in English are not part of the query."""
    ours, theirs = _merged(both.values(), mask), _merged((texts[md5] for md5 in both), mask)
    pairs = [pair for md5, description in both.items() for pair in pair_up(description, texts[md5])]
    masked = dict.fromkeys((mask(here), mask(there)) for here, there in pairs)
    passages = tuple(text for text in ours[1] if text not in {theirs[0], *theirs[1]})
    title = "" if not ours[0] or same_letters(ours[0], theirs[0]) else ours[0]
    if not _words([title, *passages]) or _words([theirs[0], *theirs[1]]) < SHORTEST:
        return None
    kept = tuple(pair for pair in masked if _words(pair[:1]) and _words(pair[1:]))
    return Translated((title, theirs[0] if title else ""), passages, theirs[1], kept)


def _merged(descriptions: Iterable[Description], mask: Mask) -> tuple[str, tuple[str, ...]]:
    """The first synopsis, then everything else once: binaries of one source repeat each other."""
    title = ""
    passages: dict[str, None] = {}  # a set that keeps its order
    for description in descriptions:
        synopsis = mask(description.synopsis)
        if not title:
            title = synopsis
        else:
            passages[synopsis] = None
        passages.update(dict.fromkeys(map(mask, description.passages)))
    passages.pop(title, None)
    return title, tuple(passages)


def _words(texts: Iterable[str]) -> int:
    return sum(len(WORD.findall(text)) for text in texts)
