"""Package descriptions: synopsis and paragraphs, and how the paragraphs of two languages are paired; reads no index."""

import re
from dataclasses import dataclass

from kakehashi.corpus.parallel_text.cleaning import same_letters

BULLET = re.compile(r"^\s*(?:[*+•·‐–-]|o(?=\s)|\d{1,2}[.)])\s+")
# a line break between two of these is not a word break
CLOSE = re.compile(
    r"(?<=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])\n(?=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])"
)


@dataclass(frozen=True)
class Description:
    """One binary package's description in one language."""

    synopsis: str
    paragraphs: tuple[tuple[str, ...], ...]  # each the items of a list, or one item

    @property
    def passages(self) -> list[str]:
        return [item for paragraph in self.paragraphs for item in paragraph]


def parse_description(value: str) -> Description:
    """The value of a Description field: ` .` separates paragraphs, a bullet starts an item."""
    synopsis, *lines = value.split("\n")
    paragraphs: list[tuple[str, ...]] = []
    items: list[list[str]] = [[]]
    for line in [*lines, " ."]:
        if line.strip() == ".":
            whole = tuple(text for text in map(_joined, items) if text)
            if whole:
                paragraphs.append(whole)
            items = [[]]
        elif BULLET.match(line):
            items.append([BULLET.sub("", line)])
        else:
            items[-1].append(line)
    return Description(_joined([synopsis]), tuple(paragraphs))


def pair_up(source: Description, target: Description) -> list[tuple[str, str]]:
    """Synopsis and paragraphs in pairs, item by item if both have the same number; only translated ones."""
    pairs = [(source.synopsis, target.synopsis)]
    if len(source.paragraphs) == len(target.paragraphs):
        for here, there in zip(source.paragraphs, target.paragraphs, strict=True):
            if len(here) == len(there):
                pairs += zip(here, there, strict=True)
            else:
                pairs.append((" ".join(here), " ".join(there)))
    return [(here, there) for here, there in pairs if here and there and not same_letters(here, there)]


def _joined(lines: list[str]) -> str:
    text = "\n".join(line.strip() for line in lines)
    return " ".join(CLOSE.sub("", text).split())
