"""Related words under all thresholds at once: measures by threshold and query, kept, so that a table can be resumed.

A sweep is one kind of related words, or several that differ in a second threshold, over the queries of a split.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.corpus.splits import Split
from kakehashi.errors import FileError
from kakehashi.evaluation.judged import JudgedList
from kakehashi.evaluation.measures import Measure, parse_all
from kakehashi.index.index import Index
from kakehashi.lexicon.neighbours import Related
from kakehashi.progress import SILENT, Progress
from kakehashi.query.extended import Extended, QueryWords
from kakehashi.retrieve.extended import ExtendedBm25, ExtendedLm
from kakehashi.retrieve.sparse import cores
from kakehashi.retrieve.sweep import ALWAYS, Candidates, Sweep
from kakehashi.training.measuring import DEPTH
from kakehashi.types import Floats, Floats32, Longs, Text

KIND, VERSION = "sweep", 1
NONE = 2.0  # a threshold that relates no words
FIRST = tuple(round(0.60 + 0.01 * i, 2) for i in range(41))
SECOND = tuple(round(0.50 + 0.02 * i, 2) for i in range(21))
Thresholds = tuple[float, float]  # of the words, and of what filters them or was retrofitted to


@dataclass(frozen=True)
class Part:
    """Words related by one kind, and by another that filters them, under some thresholds."""

    related: Related
    within: Related | None
    steps: Sequence[Thresholds]
    named: Sequence[Thresholds]  # what the steps are called: a kind may itself depend on a threshold


@dataclass(frozen=True)
class Swept:
    """(thresholds, queries, measures); NaN for a query that a measure leaves out."""

    thresholds: Sequence[Thresholds]
    values: Floats


class Sweeper:
    """Sweeps over the queries of one split."""

    def __init__(
        self,
        index: Index,
        terms: tuple[str, ...],
        split: Split,
        weighting: ExtendedBm25 | ExtendedLm,
        words: QueryWords,
        measures: Sequence[str],
    ):
        self.index, self.terms, self.split = index, terms, split
        self._sweep, self._words = Sweep(index, weighting), words
        self._measures = parse_all(measures)

    @cached_property
    def query_words(self) -> Longs:
        """The model's words that any query is searched with: what is related to others is not needed."""
        numbers = {term: number for number, term in enumerate(self.terms)}
        asked = {term for query in self.split.queries for term in self._words.chosen(query)}
        return np.array(sorted(numbers[term] for term in asked if term in numbers), dtype=np.int64)

    def run(self, parts: Iterator[Part], threads: int = 0, progress: Progress = SILENT) -> Swept:
        named: list[Thresholds] = []
        values = []
        for part in parts:
            named += part.named
            values.append(self._part(part, threads, progress))
        return Swept(named, np.concatenate(values))

    def _part(self, part: Part, threads: int, progress: Progress) -> Floats:
        compilers = self._compilers(part)
        steps = np.array(part.steps, dtype=np.float32)

        def measured(query: Text) -> Floats:
            candidates = _candidates(query, *compilers)
            found = self._of_query(query, candidates, steps)
            progress.advance()
            return found

        progress.start("sweeping thresholds", len(self.split))
        try:
            with ThreadPoolExecutor(threads or cores()) as pool:
                found = list(pool.map(measured, self.split.queries))
        finally:
            progress.finish()
        return np.stack(found, axis=1)

    def _compilers(self, part: Part) -> tuple[Extended, Extended | None]:
        lowest = [min(step[i] for step in part.steps) for i in (0, 1)]
        kept, second = part.related.above(lowest[0]), None
        if part.within is not None:
            kept = kept.within(part.within, lowest[1])
            other = Related(kept.starts, kept.words, kept.similarity_in(part.within))
            second = Extended(self.index, self.terms, other, self._words)
        return Extended(self.index, self.terms, kept, self._words), second

    def _of_query(self, query: Text, candidates: Candidates, steps: Floats32) -> Floats:
        """(steps, measures)"""
        judged = {doc: level for doc, level in self.split.qrels[query.id].items() if level > 0}
        places = [self.index.place(doc) for doc in judged]
        asked = np.array([-1 if place is None else place[1] for place in places], dtype=np.int64)
        ranks = self._sweep.ranks(candidates, steps, asked, self._allowed(query))
        mates = np.array([level == self.split.mate_level for level in judged.values()], dtype=bool)
        known: dict[bytes, list[float]] = {}  # many steps change nothing
        values = []
        for row in ranks:
            key = row.tobytes()
            if key not in known:
                known[key] = [score(measure, row, mates) for measure in self._measures]
            values.append(known[key])
        return np.array(values)

    def _allowed(self, query: Text) -> Any:
        allowed, scope = self._in_scope, self.split.scope
        place = self.index.place(query.id) if scope.not_itself else None
        if place is not None:
            allowed = allowed.copy()
            allowed[place[1]] = False
        return allowed

    @cached_property
    def _in_scope(self) -> Any:
        allowed = self.index.allowed(0, self.split.scope.where, self.split.scope.expression)
        return np.ones(self.index.n_docs, dtype=bool) if allowed is None else allowed


def _candidates(query: Text, first: Extended, second: Extended | None) -> Candidates:
    """Weights of related words are their similarities, so a second compiler tells the second similarities."""
    compiled = first.compile(query)
    own = np.zeros(len(compiled.terms), dtype=bool)
    own[compiled.starts[:-1]] = True
    always = np.full(len(own), ALWAYS, dtype=np.float32)
    others = second.compile(query).term_weights.astype(np.float32) if second else always
    similarities = compiled.term_weights.astype(np.float32)
    return Candidates(compiled, np.where(own, ALWAYS, similarities), np.where(own, ALWAYS, others))


def score(measure: Measure, ranks: Any, mates: Any) -> float:
    """A measure of ranks alone; 0 stands for a document that was not found."""
    found = np.where((ranks > 0) & (ranks <= DEPTH), ranks, 0).astype(np.int64)
    relevant = found
    if measure.subset:
        relevant = found[~mates]
        above = np.searchsorted(np.sort(found[mates & (found > 0)]), relevant)
        relevant = np.where(relevant > 0, relevant - above, 0)
        if not len(relevant):
            return float("nan")
    empty = np.zeros(0, dtype=np.int64)
    seen = JudgedList(empty, empty.astype(bool), empty, np.sort(relevant[relevant > 0]), len(relevant))
    return measure.score(seen)


def serpentine(first: Sequence[float], second: Sequence[float]) -> list[Thresholds]:
    """Every pair, in an order in which neighbours differ in one threshold."""
    rows = [first if i % 2 == 0 else first[::-1] for i in range(len(second))]
    return [(one, other) for other, row in zip(second, rows, strict=True) for one in row]


def kept_sweep(work: Path, depends: Any, make: Callable[[], Swept]) -> Swept:
    """What was swept before, if nothing it depends on has changed."""
    told = msgspec.json.encode(depends, order="deterministic")
    folder = work / f"sweep-{hashlib.blake2b(told, digest_size=8).hexdigest()}"
    try:
        artifact = store.read(folder, KIND, VERSION)
        thresholds = [(one, other) for one, other in artifact.meta.settings["thresholds"]]
        return Swept(thresholds, np.asarray(artifact.array("values")))
    except FileError:
        swept = make()
    with store.Writer(folder, KIND, VERSION) as writer:
        writer.put({"values": swept.values})
        writer.commit({"thresholds": [list(each) for each in swept.thresholds]})
    return swept
