"""Measures as values that parse and print the same way: `parse("PRES@1000")` prints as `PRES@1000`.

A measure scores one query from 0 to 1; averaging over queries happens in `scores.py`. Every measure takes a
depth (`@k`: only the first k documents count) and a suffix that says which relevant documents count; all
others are removed from judgments and ranking before measuring:

    -mate     without the query's own translations
    :cited    only documents that some training judgment calls relevant; no translations
    :new      only documents that none does; no translations

In the formulas, R is the number of relevant documents of the query, found or not; r_1 < r_2 < ... are the
ranks at which relevant documents were found, from 1.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Self, get_args

import numpy as np

from kakehashi.errors import InputError
from kakehashi.evaluation.judged import JudgedList, Subset
from kakehashi.types import Floats, Longs


@dataclass(frozen=True)
class Measure(ABC):
    """A name, a depth, and which relevant documents count."""

    cutoff: int | None = None
    subset: Subset = ""
    name: ClassVar[str]

    def __post_init__(self) -> None:
        if self.cutoff is not None and self.cutoff < 1:
            raise InputError(f"{self.name}@{self.cutoff}: the depth must be 1 or more")

    def __str__(self) -> str:
        depth = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.name}{depth}{self.subset}"

    def over(self, subset: Subset) -> Self:
        """The same measure over other relevant documents."""
        return replace(self, subset=subset)

    @abstractmethod
    def score(self, seen: JudgedList) -> float:
        """One query's score; 0 if nothing is relevant."""

    def ranks(self, seen: JudgedList) -> Longs:
        """Ranks of the relevant documents down to the depth."""
        return seen.ranks if self.cutoff is None else seen.ranks[seen.ranks <= self.cutoff]


class MAP(Measure):
    """Mean average precision: (1/R) sum_i i / r_i, the precision at each relevant document."""

    name = "MAP"

    def score(self, seen: JudgedList) -> float:
        ranks = self.ranks(seen)
        if not len(ranks):
            return 0.0
        return float((np.arange(1, len(ranks) + 1) / ranks).sum() / seen.n_relevant)


class NDCG(Measure):
    """Normalised discounted gain: sum of level / log2(rank + 1), over the same sum for an ideal ranking."""

    name = "NDCG"

    def score(self, seen: JudgedList) -> float:
        ideal = _discounted(seen.ideal[: self.cutoff])
        return _discounted(seen.levels[: self.cutoff]) / ideal if ideal else 0.0


class Precision(Measure):
    """Precision: relevant documents among the first k, divided by k; without a depth, by all returned."""

    name = "P"

    def score(self, seen: JudgedList) -> float:
        size = self.cutoff or len(seen.levels)
        return len(self.ranks(seen)) / size if size else 0.0


class Recall(Measure):
    """Recall: relevant documents among the first k, divided by all relevant: |{r_i <= k}| / R."""

    name = "R"

    def score(self, seen: JudgedList) -> float:
        return len(self.ranks(seen)) / seen.n_relevant if seen.n_relevant else 0.0


class MRR(Measure):
    """Mean reciprocal rank: 1 / r_1, the rank of the first relevant document."""

    name = "MRR"

    def score(self, seen: JudgedList) -> float:
        ranks = self.ranks(seen)
        return 1.0 / int(ranks[0]) if len(ranks) else 0.0


@dataclass(frozen=True)
class PRES(Measure):
    """Patent retrieval score: 1 - (mean rank of all R relevant - (R + 1) / 2) / k.

    With m relevant documents in the first k, the missing ones get the ranks k + m + 1 ... k + R, as if they
    followed right after the searcher stopped. So 0 means none found, and 1 means all on top.
    """

    cutoff: int = 1000
    name: ClassVar[str] = "PRES"

    def score(self, seen: JudgedList) -> float:
        n, depth = seen.n_relevant, self.cutoff
        if not n:
            return 0.0
        ranks = self.ranks(seen)
        m = len(ranks)
        missing = (n - m) * depth + (n * (n + 1) - m * (m + 1)) // 2
        # 2 (sum of ranks) - n (n + 1), over 2 n k: integers until the one division, so exact
        above_ideal = 2 * (int(ranks.sum()) + missing) - n * (n + 1)
        return (2 * n * depth - above_ideal) / (2 * n * depth)


class Judged(Measure):
    """Share of the returned documents, or the first k, that have a judgment, relevant or not."""

    name = "Judged"

    def score(self, seen: JudgedList) -> float:
        judged = seen.judged[: self.cutoff]
        return float(judged.mean()) if len(judged) else 0.0


MEASURES: dict[str, type[Measure]] = {
    kind.name.lower(): kind for kind in (MAP, NDCG, Precision, Recall, MRR, PRES, Judged)
}
_SUBSETS = "|".join(map(re.escape, get_args(Subset)))
_SPELLING = re.compile(rf"([A-Za-z]+)(?:@(\d{{1,9}}))?({_SUBSETS})", re.IGNORECASE | re.ASCII)


def parse(text: str) -> Measure:
    """A measure from its name, in any letter case: `map`, `R@100:new`, `PRES@1000-mate`; plain `PRES` is PRES@1000."""
    match = _SPELLING.fullmatch(text.strip())
    kind = MEASURES.get(match[1].lower()) if match else None
    if match is None or kind is None:
        names = ", ".join(known.name for known in MEASURES.values())
        raise InputError(
            f"unknown measure '{text[:40]}': use {names}, with @k for a depth, -mate without mates, :cited or :new "
            "for documents cited in training judgments or not"
        )
    depth = {"cutoff": int(match[2])} if match[2] else {}
    subset: Subset = match[3].lower()  # type: ignore[assignment]  # the pattern admits no others
    return kind(**depth, subset=subset)


def parse_all(texts: Iterable[str]) -> list[Measure]:
    """Measures from names, each of which may be a comma-separated list; a repeated one counts once."""
    names = [name for text in texts for name in text.replace(",", " ").split()]
    if not names:
        raise InputError("no measure is given: use MAP, for example")
    return list(dict.fromkeys(map(parse, names)))


def _discounted(gains: Longs) -> float:
    at = np.flatnonzero(gains)
    discounted: Floats = gains[at] / np.log2(at + 2.0)
    return float(discounted.sum())
