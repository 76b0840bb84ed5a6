"""The Examples kind of system: earlier queries like the query vote for the documents that were relevant to them.

    score(q, d) = Σ_{e in N(q)} cos(q, e)^power · w(level of d for e) / n(d)^rarity

N(q) are the nearest earlier queries, w is `mates` for a translation of the earlier query itself and 1 for any other
relevant document, n(d) counts the earlier queries that d is relevant to. A document without a vote is not found.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN
from kakehashi.progress import SILENT, Progress
from kakehashi.query.terms import source_terms
from kakehashi.retrieve.earlier import Earlier, Idf, relatives, vector_of
from kakehashi.retrieve.recent import Recent
from kakehashi.retrieve.sparse import cores
from kakehashi.types import (
    EVERYTHING,
    Array,
    Bools,
    Explanation,
    Floats,
    Longs,
    Ranking,
    Run,
    Scope,
    Share,
    Text,
    largest_first,
)

DUPLICATE = 0.95  # cosine from which two texts are one text
BLOCK = 64  # queries between two words to the progress bar


class Votes(msgspec.Struct, frozen=True):
    """How many earlier queries vote, and what a vote counts."""

    neighbours: int = 100
    power: float = 3.0
    mates: float = 1.0
    rarity: float = 0.0


class Neighbours(NamedTuple):
    """Earlier queries, nearest first."""

    parts: Longs  # (neighbours,) which set of earlier queries
    rows: Longs  # (neighbours,)
    likeness: Floats  # (neighbours,)


class Ballot(NamedTuple):
    """Votes of neighbours, nearest first."""

    voters: Longs  # (votes,) places among the neighbours
    places: Longs  # (votes,) of documents, in the order of ids
    levels: Longs  # (votes,)
    amounts: Floats  # (votes,)


@dataclass
class Examples:
    """Answers from earlier queries; one object serves any number of threads.

    Of the first set, training queries, none votes that is the same text as the query. The second set is what a
    searcher has added: there, asking again is the purpose, not a leak.
    """

    name: str
    index: Index
    parts: Sequence[Earlier]  # training queries, then a searcher's own
    votes: Votes = Votes()  # noqa: RUF009  it is frozen
    levels: Mapping[str, str] = field(default_factory=dict)  # what to call them
    mate_level: int | None = None

    @cached_property
    def doc_ids(self) -> list[str]:
        """Of all documents that may get a vote, ascending."""
        return sorted({doc for part in self.parts for doc in part.doc_ids})

    @cached_property
    def _places(self) -> list[Longs]:
        """By part: where its documents are in `doc_ids`."""
        places = {doc: place for place, doc in enumerate(self.doc_ids)}
        return [np.array([places[doc] for doc in part.doc_ids], np.int64) for part in self.parts]

    @cached_property
    def numbers(self) -> Longs:
        """(doc_ids,) numbers in the index."""
        return self.index.numbering.of(self.doc_ids)

    @cached_property
    def _worth(self) -> Floats:
        """(doc_ids,) what a vote is multiplied by."""
        counts = np.zeros(len(self.doc_ids))
        for part, places in zip(self.parts, self._places, strict=True):
            counts += np.bincount(places[part.docs], minlength=len(counts))
        return np.asarray(np.maximum(counts, 1.0) ** -self.votes.rarity)

    @property
    def _idf(self) -> Idf:
        """Of the training queries; without any, of the searcher's own."""
        return next((part.weights for part in self.parts if len(part)), self.parts[0].weights)

    def __post_init__(self) -> None:
        self._near: Recent[Neighbours] = Recent()

    def neighbours(self, query: Text) -> Neighbours:
        return self._near.of(query, self._nearest)

    def _nearest(self, query: Text) -> Neighbours:
        """The nearest earlier queries that are neither the query itself, nor of its family, nor a copy of it."""
        terms = source_terms(self.index, query)
        vector, own = vector_of(terms, self._idf), relatives(query)
        known = [value for word, value in vector.items() if any(word in part.numbers for part in self.parts)]
        length = float(np.sqrt(sum(value * value for value in known))) or 1.0
        found = []
        for number, part in enumerate(self.parts):
            likeness = part.likeness(vector)
            likeness[part.kin_of(own)] = 0.0
            if number == 0:
                likeness[likeness >= DUPLICATE] = 0.0  # unknown words make a text another one
            likeness /= length  # but are not part of the query where it is compared
            rows = _best(likeness, self.votes.neighbours)
            found.append(Neighbours(np.full(len(rows), number), rows, likeness[rows]))
        if len(found) == 1:
            return found[0]
        parts, rows, likeness = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        ids = [self.parts[part].ids[row] for part, row in zip(parts.tolist(), rows.tolist(), strict=True)]
        by_id = sorted(range(len(ids)), key=ids.__getitem__, reverse=True)
        order = np.array(by_id, np.int64)
        order = order[np.argsort(-likeness[order], kind="stable")][: self.votes.neighbours]
        return Neighbours(parts[order], rows[order], likeness[order])

    def ballot(self, near: Neighbours) -> Ballot:
        voters, places, levels = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for number, part in enumerate(self.parts):
            here = np.flatnonzero(near.parts == number)
            starts, ends = part.judged[near.rows[here]], part.judged[near.rows[here] + 1]
            chosen = _ranges(starts, ends)
            voters.append(np.repeat(here, ends - starts))
            places.append(self._places[number][part.docs[chosen]])
            levels.append(part.levels[chosen].astype(np.int64))
        order = np.argsort(np.concatenate(voters), kind="stable")
        voter, place, level = (np.concatenate(each)[order] for each in (voters, places, levels))
        worth = np.where(level == self.mate_level, self.votes.mates, 1.0)
        amounts = near.likeness[voter] ** self.votes.power * worth * self._worth[place]
        kept = (amounts > 0.0) & (self.numbers[place] != UNKNOWN)
        return Ballot(voter[kept], place[kept], level[kept], amounts[kept])

    def voted(self, query: Text) -> tuple[Longs, Floats]:
        """(places of documents, ascending; the sums of their votes); votes are added nearest first."""
        ballot = self.ballot(self.neighbours(query))
        places, inverse = np.unique(ballot.places, return_inverse=True)
        sums = np.bincount(inverse, ballot.amounts, len(places))
        return places, sums.astype(np.float64)  # an empty one counts whole numbers

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k documents with most votes; none for a query that is like no earlier one."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        allowed = self.index.numbering.allowed(scope.where, scope.expression)
        workers = min(threads or cores(), len(queries))
        progress.start(f"searching with {self.name}", len(queries))

        def best(query: Text) -> Ranking:
            return self._ranked(query, k, allowed, scope.not_itself)

        rankings: dict[str, Ranking] = {}
        try:
            with ThreadPoolExecutor(max(workers, 1)) as pool:
                for some in _blocks(queries):
                    found = pool.map(best, some) if workers > 1 else map(best, some)
                    rankings |= {query.id: ranking for query, ranking in zip(some, found, strict=True)}
                    progress.advance(len(some))
        finally:
            progress.finish()
        return Run(self.name, rankings)

    def _ranked(self, query: Text, k: int, allowed: Bools, not_itself: bool) -> Ranking:
        places, scores = self.voted(query)
        kept = allowed[self.numbers[places]]
        if not_itself:
            kept &= np.array([self.doc_ids[place] != query.id for place in places.tolist()], bool)
        places, scores = places[kept][::-1], scores[kept][::-1]  # descending ids, as ties are broken
        order = np.argsort(-scores, kind="stable")[:k]
        return Ranking([self.doc_ids[place] for place in places[order].tolist()], scores[order])

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        """(documents,) NaN without a vote."""
        scores = np.full(len(self.index.numbering), np.nan)
        places, values = self.voted(query)
        scores[self.numbers[places]] = values
        return scores

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """NaN for a document that is unknown or has no vote."""
        numbers, scores = self.index.numbering.of(doc_ids), self.score_all(query)
        return np.array([np.nan if number == UNKNOWN else scores[number] for number in numbers.tolist()])

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        """Which earlier query voted for a document, and as what it was relevant to it."""
        for doc_id in doc_ids:
            self.index.known_place(doc_id)
        near = self.neighbours(query)
        ballot = self.ballot(near)
        return [self._explained(doc_id, near, ballot) for doc_id in doc_ids]

    def _explained(self, doc_id: str, near: Neighbours, ballot: Ballot) -> Explanation:
        place = bisect_left(self.doc_ids, doc_id)
        here = np.flatnonzero(ballot.places == place)
        if place == len(self.doc_ids) or self.doc_ids[place] != doc_id or not len(here):
            return Explanation(0.0, [])
        amounts = ballot.amounts[here]
        shares = [
            Share(self._named(near, voter), f"({self._level(level)})", amount)
            for voter, level, amount in zip(
                ballot.voters[here].tolist(), ballot.levels[here].tolist(), amounts.tolist(), strict=True
            )
        ]
        return Explanation(
            float(np.bincount(np.zeros(len(here), np.int64), amounts)[0]), largest_first(shares)
        )

    def _named(self, near: Neighbours, voter: int) -> str:
        part, row = self.parts[int(near.parts[voter])], int(near.rows[voter])
        return f"{part.ids[row]} {part.titles[row]}".rstrip()

    def _level(self, level: int) -> str:
        return self.levels.get(str(level)) or f"level {level}"


def _best(likeness: Floats, k: int) -> Longs:
    """The rows with the highest values above 0, best first; among equals the first."""
    rows = np.flatnonzero(likeness > 0.0)
    if len(rows) > k:
        least = np.partition(likeness[rows], len(rows) - k)[len(rows) - k]
        rows = rows[likeness[rows] >= least]
    return rows[np.argsort(-likeness[rows], kind="stable")][:k]


def _ranges(starts: Array, ends: Array) -> Longs:
    """start, start + 1, ... of every range, one after the other."""
    sizes = (ends - starts).astype(np.int64)
    firsts = np.append(0, np.cumsum(sizes))[:-1]
    return np.asarray(np.repeat(starts - firsts, sizes) + np.arange(sizes.sum()), np.int64)


def _blocks(queries: Sequence[Text]) -> Iterator[Sequence[Text]]:
    return (queries[start : start + BLOCK] for start in range(0, len(queries), BLOCK))
