"""Generates citations: examiners cite by subject and wording, applicants also their own earlier work.

Only patents published before the citing invention was filed can be cited. Arrays in, arrays out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from kakehashi.corpus.world.inventions import FOCUS, Inventions
from kakehashi.corpus.world.people import Cast
from kakehashi.corpus.world.topics import Topics
from kakehashi.progress import Progress
from kakehashi.types import Floats, Longs

EXAMINER, APPLICANT = 2, 1
_BLOCK = 2_000
# candidates drawn from each circle around an invention
_CIRCLES = {
    "line": 16,
    "subgroup": 12,
    "topic": 10,
    "second": 6,
    "related": 8,
    "team": 8,
    "firm": 4,
    "any": 2,
}


@dataclass(frozen=True)
class Citations:
    """One row per citation, citing inventions ascending."""

    citing: Longs
    cited: Longs
    level: Longs  # EXAMINER or APPLICANT


def cite(
    it: Inventions,
    topics: Topics,
    who: Cast,
    filed: Longs,
    published: Longs,
    rng: Generator,
    progress: Progress,
) -> Citations:
    keys = {
        "line": (it.line, it.line),
        "subgroup": (it.subgroup, it.subgroup),
        "topic": (it.topic, it.topic),
        "second": (it.topic, np.maximum(it.second, 0)),
        "related": (it.topic, topics.related[it.topic, rng.integers(0, 3, len(it))]),
        "team": (who.team, who.team),
        "firm": (who.firm, who.firm),
        "any": (np.zeros(len(it), dtype=np.int64), np.zeros(len(it), dtype=np.int64)),
    }
    orders = {name: _order(own, published) for name, (own, _) in keys.items()}
    found: list[tuple[Longs, Longs, Longs]] = []
    progress.start("citations", len(it))
    for start in range(0, len(it), _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, len(it)))
        drawn = [
            _candidates(*orders[name], keys[name][1][rows], filed[rows], size, rng)
            for name, size in _CIRCLES.items()
        ]
        candidates = _without_repeats(np.hstack(drawn))
        found.append(_choose(it, who, rows, candidates, rng))
        progress.advance(len(rows))
    progress.finish()
    return Citations(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _order(group: Longs, published: Longs) -> tuple[Longs, Longs]:
    key = group * (1 << 16) + published
    order = np.argsort(key, kind="stable")
    return order, key[order]


def _candidates(order: Longs, keys: Longs, group: Longs, filed: Longs, size: int, rng: Generator) -> Longs:
    """Earlier members of a group, recent ones more often; -1 if there is none."""
    low = np.searchsorted(keys, group * (1 << 16))[:, None]
    high = np.searchsorted(keys, group * (1 << 16) + filed)[:, None]
    place = low + ((high - low) * rng.random((len(group), size)) ** 0.7).astype(np.int64)
    return np.where(high > low, order[np.minimum(place, len(order) - 1)], -1)


def _without_repeats(candidates: Longs) -> Longs:
    candidates = np.sort(candidates, axis=1)
    candidates[:, 1:][candidates[:, 1:] == candidates[:, :-1]] = -1
    return candidates


def _choose(
    it: Inventions, who: Cast, rows: Longs, candidates: Longs, rng: Generator
) -> tuple[Longs, Longs, Longs]:
    alike = _likeness(it, rows, candidates)
    same_topic = it.topic[rows][:, None] == it.topic[candidates]
    own = who.team[rows][:, None] == who.team[candidates]
    house = who.firm[rows][:, None] == who.firm[candidates]
    n, shape = len(rows), candidates.shape
    line = it.line[rows][:, None] == it.line[candidates]
    examiner = 0.7 * alike + 0.2 * same_topic + 0.6 * own + 2.8 * line + rng.gumbel(0.0, 1.0, shape)
    applicant = (
        0.4 * alike + 0.1 * same_topic + 1.5 * own + 0.8 * house + 2.0 * line + rng.gumbel(0.0, 1.0, shape)
    )
    taken = np.zeros(shape, dtype=bool)
    level = np.zeros(shape, dtype=np.int64)
    wishes = ((EXAMINER, examiner, 1 + rng.poisson(2.8, n)), (APPLICANT, applicant, rng.poisson(3.4, n)))
    for kind, score, wanted in wishes:
        score[(candidates < 0) | taken] = -np.inf
        rank = np.argsort(np.argsort(-score, axis=1), axis=1)
        new = (rank < wanted[:, None]) & np.isfinite(score)
        level[new] = kind
        taken |= new
    row, column = np.nonzero(level)
    return rows[row], candidates[row, column], level[row, column]


def _likeness(it: Inventions, rows: Longs, candidates: Longs) -> Floats:
    """How many focus terms two inventions share; a shared product name counts double."""
    score = np.zeros(candidates.shape)
    for kind, size, weight in (("p", FOCUS, 1.0), ("d", 1, 1.0), ("m", 2, 0.5), ("q", 2, 0.5), ("x", 1, 0.5)):
        mine, theirs = it.slots[kind][rows, :size], it.slots[kind][candidates, :size]
        for i in range(size):
            score += weight * (theirs == mine[:, None, i : i + 1]).any(axis=2)
    named = it.products[rows][:, None]
    score += 2.0 * ((named == it.products[candidates]) & (named >= 0))
    return score
