"""What every format is written from: one search and its hits, as plain values."""

import math
from dataclasses import dataclass, field
from typing import Any

from kakehashi.corpus.facts import Facts
from kakehashi.text.marking import Piece
from kakehashi.types import PASSAGE, Explanation, Part, Share, largest_first

MANY_WORDS = 3  # document words named for one word of the query
BIG, BIG_PARTS = 0.1, 3  # of all that parts gave: whose words are named; and of how many parts at most
METADATA = "metadata: "  # begins the name of a part that holds no words


@dataclass(frozen=True)
class Entry:
    """One hit."""

    rank: int
    id: str
    score: float
    title: str
    facts: Facts
    passage: list[Piece]
    why: Explanation
    family: list[str] = field(default_factory=list)  # others of its family, where a search lists one of each


@dataclass(frozen=True)
class Listing:
    """A search as it was asked and what it found."""

    query: str
    language: str
    system: str
    settings: dict[str, str]  # what was asked for besides, filters included
    collection: str
    made: str  # the day, as 2006-12-31
    entries: list[Entry]
    as_dict: dict[str, Any]  # as `search --json` prints it

    @property
    def digits(self) -> int:
        """After the point, for shares."""
        return 2 + (more_digits(self.entries[0].score) if self.entries else 0)


def more_digits(best: float) -> int:
    """Shares of a whole list are small: as many digits more as the best score has zeros after the point."""
    return min(9, max(0, math.ceil(-math.log10(abs(best))) - 1)) if best else 0


def reason(share: Share, digits: int = 2) -> str:
    """A share as `query word → document word: share`."""
    met = f" → {share.document}" if share.document not in ("", share.query) else ""
    return f"{share.query}{met}: {share.share:.{digits}f}"


def reason_lines(explanation: Explanation, most: int, digits: int = 2) -> list[list[str]]:
    """Lines of units. Of a combination: subtotals, then a line of words for each big part; else one line of words.

    At most this many words are named in a line. The rest of a single line is summed up; that of a part is not, for
    its subtotal says how much there is.
    """
    parts = explanation.parts
    if not parts:
        shares = by_word(explanation.shares)
        shown, rest = shares[:most], shares[most:]
        more = [f"{len(rest)} more: {sum(one.share for one in rest):.{digits}f}"] if rest else []
        return [[*_introduction(shares), *_named(shown, digits), *more]]
    lines = [_subtotals(parts, digits)]
    total = sum(abs(part.share) for part in parts)
    told = [part for part in parts if any(one.document for one in part.shares)]
    for part in told[:BIG_PARTS]:
        if abs(part.share) >= BIG * total or part is told[0]:
            shares = by_word(part.shares)
            lines.append([f"{part.name}:", *_introduction(shares), *_named(shares[:most], digits)])
    return lines


def _introduction(shares: list[Share]) -> list[str]:
    """How many earlier queries voted, or which passage was nearest: both stand in brackets."""
    if not shares or not all(one.document.startswith("(") for one in shares):
        return []
    if all(_is_estimate(one) for one in shares):
        return [f'nearest passage "{shares[0].document.removeprefix(PASSAGE)[:-1]} …", estimated:']
    return [f"cited by {len(shares)} similar earlier {'query' if len(shares) == 1 else 'queries'}:"]


def _is_estimate(share: Share) -> bool:
    return share.document.startswith(PASSAGE)


def _named(shares: list[Share], digits: int) -> list[str]:
    """A passage is named once, before them all."""
    return [
        f"{one.query}: {one.share:.{digits}f}" if _is_estimate(one) else reason(one, digits) for one in shares
    ]


def brief_reasons(explanation: Explanation, digits: int = 2) -> list[str]:
    """The first line alone."""
    return reason_lines(explanation, len(explanation.shares), digits)[0]


def _subtotals(parts: list[Part], digits: int) -> list[str]:
    """As `psq 3.10`, `metadata: tags 0.80`, `citations 0.40`; inputs first."""
    inputs = [f"{part.name} {part.share:.{digits}f}" for part in parts if not part.name.startswith(METADATA)]
    features = [
        f"{part.name.removeprefix(METADATA)} {part.share:.{digits}f}"
        for part in parts
        if part.name.startswith(METADATA)
    ]
    return [*inputs, *(METADATA * (number == 0) + one for number, one in enumerate(features))]


def by_word(shares: list[Share]) -> list[Share]:
    """One share for each word of the query, with the document's words that gave most; largest first."""
    found: dict[str, list[Share]] = {}
    for one in shares:
        found.setdefault(one.query, []).append(one)
    return largest_first([_together(of_word) for of_word in found.values()])


def _together(shares: list[Share]) -> Share:
    if len(shares) == 1:
        return shares[0]
    met = [one.document for one in largest_first(shares) if one.document]
    words = list(dict.fromkeys(word for document in met for word in document.split(", ")))
    return Share(shares[0].query, ", ".join(words[:MANY_WORDS]), sum(one.share for one in shares))
