"""The texts of a record by language: abstract, claims and description; independent of its bibliography."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from lxml import etree

from kakehashi.corpus.patents.elements import every, line_of, text_of
from kakehashi.corpus.patents.record import Wanted
from kakehashi.corpus.xml_records import LANG

PICTURE = "<IMAGE>"  # what remains of a formula in the European office's abstracts
NUMBER = re.compile(r"^(?:claim )?\d{1,3}\s*[.．、)](?!\d)\s*", re.IGNORECASE)  # 1. A hoe
MARKS = re.compile(r"[\W\d_]+")
# what remains of `1-20. (canceled)` without numbers and punctuation: such a claim is empty
CANCELLED = frozenset(
    ["canceled", "cancelled", "deleted", "claim canceled", "claims canceled", "claim cancelled",
     "claims cancelled", "削除", "請求項 削除"]
)  # fmt: skip


class Body(msgspec.Struct, frozen=True):
    """Where a format stores its texts."""

    abstract: str = "abstract"
    claims: str = "claims"  # all claims in one language
    claim: str = "claim"  # inside them
    description: str = "description"


ST36 = Body()


def texts_of(
    element: etree._Element,
    wanted: Wanted,
    language: str,
    count: etree._Element | None = None,
    where: Body = ST36,
) -> dict[str, Any]:
    """The text fields of a PatentRecord; `count` is the element with the number of claims."""
    claims = _claims(every(element, where.claims), where.claim, language)
    descriptions = every(element, where.description) if wanted.description else []
    return {
        "abstracts": by_language(every(element, where.abstract), language),
        "first_claims": {lang: texts[0] for lang, texts in claims.items()},
        "n_claims": _count(count, claims),
        "claims": claims if wanted.claims else {},
        "descriptions": by_language(descriptions, language),
    }


def by_language(
    elements: Iterable[etree._Element], default: str, text: Callable[[etree._Element], str] = text_of
) -> dict[str, str]:
    """The first text in each language; one with marks in place of pictures only if there is no other."""
    found: dict[str, str] = {}
    for element in elements:
        words, language = text(element), _language(element, default)
        if words and (language not in found or (PICTURE in found[language] and PICTURE not in words)):
            found[language] = words
    return found


def _language(element: etree._Element, default: str) -> str:
    """The language of a text as two lower-case letters."""
    tag = element.get("lang") or element.get(LANG) or default
    name = tag.strip().lower().replace("_", "-").split("-")[0][:3]
    return "zh" if name == "cn" else name


def _claims(groups: Iterable[etree._Element], claim: str, default: str) -> dict[str, tuple[str, ...]]:
    """The first set of claims in each language: an office may print further sets for other states."""
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        texts = claim_texts(line_of(one) for one in _single(every(group, claim)))
        if texts:
            found.setdefault(_language(group, default), texts)
    return found


def claim_texts(lines: Iterable[str]) -> tuple[str, ...]:
    """Claims without their numbers, and without cancelled ones."""
    return tuple(
        words for line in lines if not _is_cancelled(line) and (words := NUMBER.sub("", line).strip())
    )


def split_claims(text: str) -> tuple[str, ...]:
    """Claims that are one text, each beginning with its number; the text itself if it has no numbers."""
    starts, after = [], 0
    for number in range(1, 1_000):
        found = re.compile(rf"(?:^|(?<=[\s.;:]))(?:claim )?{number}\s*[.．)](?!\d)\s*", re.I).search(
            text, after
        )
        if found is None:
            break
        starts.append(found.start())
        after = found.end()
    ends = [*starts[1:], len(text)]
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)] if starts else [text]
    return claim_texts(" ".join(piece.split()) for piece in pieces)


def _single(claims: list[etree._Element]) -> list[etree._Element]:
    """One element per claim, also where one element holds the texts of all of them, each with its number."""
    parts = every(claims[0], "claim-text") if len(claims) == 1 else []
    return parts if len(parts) > 1 and all(NUMBER.match(line_of(one)) for one in parts) else claims


def _is_cancelled(claim: str) -> bool:
    return len(claim) < 80 and MARKS.sub(" ", claim).strip().casefold() in CANCELLED


def _count(said: etree._Element | None, claims: Mapping[str, Sequence[str]]) -> int:
    """The number of claims given in the record, otherwise the number found."""
    number = line_of(said) if said is not None else ""
    if number.isascii() and number.isdigit() and len(number) < 6:
        return int(number)
    return max(map(len, claims.values()), default=0)
