"""What every format is written from: one search and its hits, as plain values."""

import math
from dataclasses import dataclass, field
from typing import Any

from kakehashi.corpus.facts import Facts
from kakehashi.text.marking import Piece
from kakehashi.types import Share


@dataclass(frozen=True)
class Entry:
    """One hit."""

    rank: int
    id: str
    score: float
    title: str
    facts: Facts
    passage: list[Piece]
    why: list[Share]
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


def reasons(shares: list[Share], most: int, digits: int = 2) -> list[str]:
    """The largest shares; the rest is summed up, so that what is shown still adds up to the score."""
    shown, rest = shares[:most], shares[most:]
    more = [f"{len(rest)} more: {sum(share.share for share in rest):.{digits}f}"] if rest else []
    return [*(reason(share, digits) for share in shown), *more]
