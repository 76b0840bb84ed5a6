"""Families: one or more offices publish an invention in English, and some also in Japanese."""

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.random import Generator

from kakehashi.errors import InputError
from kakehashi.types import Longs

EPOCH = date(1993, 1, 1)
TRAIN_YEARS, DEV_YEARS, TEST_YEARS = (2003, 2004, 2005), (2006,), (2007,)
_LAST_YEAR = 2007
_OFFICES = ("US", "EP", "WO", "GB", "CA")
_OFFICE_ORDER_WEIGHT = np.log([8.0, 3.0, 2.0, 0.7, 0.7])


@dataclass(frozen=True)
class Members:
    """English family members, in order of publication; `invention` says of what."""

    invention: Longs
    office: Longs
    filed: Longs
    published: Longs

    def __len__(self) -> int:
        return len(self.invention)

    def id(self, i: int) -> str:
        # the S means synthetic: no office ever issued such a number
        return f"{_OFFICES[int(self.office[i])]}-S{i + 1:07d}"

    def office_name(self, i: int) -> str:
        return _OFFICES[int(self.office[i])]


def family_sizes(documents: int, rng: Generator) -> Longs:
    """How many English members each invention has; the sum is `documents`."""
    sizes = rng.choice(np.array([1, 2, 3]), documents, p=[0.77, 0.18, 0.05])
    n = int(np.searchsorted(np.cumsum(sizes), documents)) + 1
    sizes = sizes[:n]
    sizes[-1] -= int(sizes.sum()) - documents
    return sizes


def priority_days(n: int, rng: Generator) -> Longs:
    """Ascending days since EPOCH, more of them in later years."""
    last = (date(_LAST_YEAR, 12, 31) - EPOCH).days
    return np.sort((last * rng.random(n) ** 0.7).astype(np.int64))


def publish(sizes: Longs, priority: Longs, rng: Generator) -> Members:
    n = len(sizes)
    invention = np.repeat(np.arange(n), sizes)
    place = np.arange(len(invention)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    liking = _OFFICE_ORDER_WEIGHT + rng.gumbel(0.0, 1.0, (n, len(_OFFICES)))
    office = np.argsort(-liking, axis=1)[invention, place]
    filed = priority[invention] + rng.integers(0, 366, len(invention))
    published = filed + 480 + rng.integers(0, 120, len(invention))
    order = np.lexsort((invention, published))
    return Members(invention[order], office[order], filed[order], published[order])


def first_published(members: Members, n: int) -> tuple[Longs, Longs]:
    """For every invention, its earliest member and the publication day of that member."""
    first = np.full(n, -1, dtype=np.int64)
    first[members.invention[::-1]] = np.arange(len(members))[::-1]  # members are in order of publication
    return first, members.published[first]


def choose_queries(priority: Longs, documents: int, rng: Generator) -> dict[str, Longs]:
    """Inventions that also have a Japanese member, by split; the splits are in different years."""
    years = (np.datetime64(EPOCH) + priority).astype("datetime64[Y]").astype(np.int64) + 1970
    chosen = {}
    for split, period, share in (
        ("train", TRAIN_YEARS, 0.08),
        ("dev", DEV_YEARS, 0.01),
        ("test", TEST_YEARS, 0.01),
    ):
        pool = np.flatnonzero(np.isin(years, period))
        wanted = max(20, round(share * documents))
        if wanted > len(pool):
            raise InputError(f"{documents} documents are too few for a {split} split: choose a larger number")
        chosen[split] = np.sort(rng.choice(pool, wanted, replace=False))
    return chosen


def iso(day: int) -> str:
    return (EPOCH + timedelta(days=int(day))).isoformat()
