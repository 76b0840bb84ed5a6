"""The texts of a record by language: abstract, claims and description; independent of its bibliography."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from lxml import etree

from kakehashi.corpus.patents.elements import every, line_of, raw_text, text_of
from kakehashi.corpus.patents.languages import UNSAID, code_of
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
    claims = claims_of(every(element, where.claims), where.claim, language)
    descriptions = every(element, where.description) if wanted.description else []
    return {
        "abstracts": by_language(every(element, where.abstract), language, _abstract),
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


def _abstract(element: etree._Element) -> str:
    """Without the heading that only says what it is."""
    headings = {line_of(one) for one in every(element, "heading")}
    return "\n".join(line for line in text_of(element).split("\n") if line not in headings)


def _language(element: etree._Element, default: str) -> str:
    """The language of a text as two lower-case letters; `ol` is that of the publication."""
    tag = code_of(element.get("lang") or element.get(LANG) or "")
    return code_of(default) or tag if tag in UNSAID else tag


def claims_of(groups: Iterable[etree._Element], claim: str, default: str) -> dict[str, tuple[str, ...]]:
    """The first set of claims in each language: an office may print further sets for other states."""
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        texts = claim_texts(_each(every(group, claim)))
        if texts:
            found.setdefault(_language(group, default), texts)
    return found


def _each(claims: list[etree._Element]) -> list[str]:
    """One text per claim, also where one element holds all of them, each with its number."""
    parts = every(claims[0], "claim-text") if len(claims) == 1 else []
    if parts and not any(every(part, "claim-text") for part in parts):
        numbered = _numbered_lines("\n".join(raw_text(part).strip() for part in parts))
        if len(numbered) > 1:
            return [" ".join(one.split()) for one in numbered]
    return [line_of(one) for one in claims]


def claim_texts(lines: Iterable[str]) -> tuple[str, ...]:
    """Claims without their numbers, and without cancelled ones."""
    return tuple(
        words for line in lines if not _is_cancelled(line) and (words := NUMBER.sub("", line).strip())
    )


def split_claims(text: str) -> tuple[str, ...]:
    """Claims that are one text, each beginning with its number; the text itself if it has no numbers."""
    lined, inline = _numbered_lines(text), _pieces(text, _inline)
    pieces = lined if len(lined) >= len(inline) else inline
    return claim_texts(" ".join(piece.split()) for piece in pieces or [text])


def _numbered_lines(text: str) -> list[str]:
    """What begins on a line of its own with 1, 2, 3 and so on; what precedes the first is left out."""
    return _pieces(text, _at_start_of_line)


def _pieces(text: str, number_at: Callable[[int], re.Pattern[str]]) -> list[str]:
    starts = list(_starts(text, number_at))
    ends = [*starts[1:], len(text)]
    return [text[start:end] for start, end in zip(starts, ends[: len(starts)], strict=True)]


def _starts(text: str, number_at: Callable[[int], re.Pattern[str]]) -> Iterator[int]:
    after = 0
    for number in range(1, 1_000):
        found = number_at(number).search(text, after)
        if found is None:
            return
        yield found.start()
        after = found.end()


@cache
def _inline(number: int) -> re.Pattern[str]:
    """But not the number of a claim that the text refers to, as in `the hoe of claim 1.`"""
    own = r"(?:^|(?<=[.;:])|(?<=[.;:]\s))(?:claim )?|(?<=\s)(?<!claim\s)(?<!claims\s)(?<!or\s)(?<!and\s)"
    return re.compile(rf"(?:{own}){number}\s*[.．)](?!\d)\s*", re.IGNORECASE)


@cache
def _at_start_of_line(number: int) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*(?:claim )?{number}\s*[.．、)](?!\d)\s*", re.IGNORECASE | re.MULTILINE)


def _is_cancelled(claim: str) -> bool:
    return len(claim) < 80 and MARKS.sub(" ", claim).strip().casefold() in CANCELLED


def _count(said: etree._Element | None, claims: Mapping[str, Sequence[str]]) -> int:
    """The number of claims given in the record, otherwise the number found."""
    number = line_of(said) if said is not None else ""
    if number.isascii() and number.isdigit() and len(number) < 6:
        return int(number)
    return max(map(len, claims.values()), default=0)
