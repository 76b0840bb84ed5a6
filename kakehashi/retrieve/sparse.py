"""The Sparse kind of system: a compiler, a weighting and an inverted index."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from queue import Empty, SimpleQueue

import numpy as np

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.segment import Segment
from kakehashi.index.statistics import Statistics
from kakehashi.progress import SILENT, Progress
from kakehashi.query.edits import Edit, edited
from kakehashi.retrieve import accumulate, exhaustive, forward, topk
from kakehashi.retrieve.kept_groups import KeptGroups, can_keep
from kakehashi.retrieve.kernels import Batch, SegmentArrays
from kakehashi.retrieve.lists import DocIds, merged, without
from kakehashi.retrieve.packing import unpack_rows
from kakehashi.retrieve.planning import Queries, bind, plan_queries, segment_arrays, unbound
from kakehashi.retrieve.reasons import ByGroup, ByWord, by_group, by_word
from kakehashi.retrieve.recent import Recent
from kakehashi.retrieve.scratch import Scratch, new_scratch
from kakehashi.retrieve.sparse_probe import SparseProbe
from kakehashi.retrieve.system import prepare
from kakehashi.retrieve.weighting import Weighting
from kakehashi.types import (
    EVERYTHING,
    Array,
    Bools,
    Compiler,
    CountingCompiler,
    Explanation,
    Floats,
    Ints,
    Longs,
    Ranking,
    Run,
    Scope,
    Share,
    SourcedCompiler,
    TermQuery,
    Text,
    largest_first,
)

BLOCK = 128  # queries planned and answered together: enough for `exhaustive`, few enough for the caches
NOTHING_EXCLUDED = np.zeros(0, dtype=bool)


@dataclass
class Sparse:
    """Answers queries from an inverted index; one object serves any number of threads."""

    name: str
    compiler: Compiler
    weighting: Weighting
    index: Index
    statistics: Statistics | None = (
        None  # the index's own, unless others are injected (shards, a training pool)
    )
    arrays: Callable[[Segment, Weighting, Statistics], SegmentArrays] = segment_arrays
    _segments: "list[_SegmentSearch]" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        own = self.index.statistics  # whatever is injected, terms are in the order of the index
        self._statistics = replace(self.statistics, ranks=own.ranks) if self.statistics else own
        self._longest = self.index.longest
        self._segments = [_SegmentSearch(self, i) for i in range(len(self.index.segments))]
        self._unedited: Recent[TermQuery] = Recent()
        self._asked: Recent[tuple[TermQuery, Queries]] = Recent()

    @cached_property
    def takes_edits(self) -> bool:
        """Only if groups are words of the query."""
        return not isinstance(self.compiler, SourcedCompiler)

    @cached_property
    def _counting(self) -> CountingCompiler | None:
        """Worked out once: to ask what a compiler can do takes longer than to compile a query."""
        return self.compiler if isinstance(self.compiler, CountingCompiler) else None

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        prepare(self.compiler, queries, progress)

    def compiled(self, query: Text) -> TermQuery:
        """The query as it is searched, including the user's edits."""
        found = self._unedited.of(query, self.compiler.compile)
        found = edited(found, query, self.index)[0] if self.takes_edits else found
        return found if self._counting is None else self._counting.counted(found)

    def known_words(self, query: Text) -> int:
        """How many different words of the query are searched for; 0 where groups are not words of the query."""
        return len(self._unedited.of(query, self.compiler.compile).labels)

    def used_edits(self, query: Text) -> set[Edit]:
        """The edits that have an effect on this query."""
        return (
            edited(self._unedited.of(query, self.compiler.compile), query, self.index)[1]
            if self.takes_edits
            else set()
        )

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best documents of each query; fewer if fewer match."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        rankings: dict[str, Ranking] = {}
        self.prepare(queries, progress)
        progress.start(f"searching with {self.name}", len(queries))
        try:
            for start in range(0, len(queries), BLOCK):
                some = queries[start : start + BLOCK]
                found = self._rank_block([self.compiled(query) for query in some], some, k, scope, threads)
                rankings |= zip((query.id for query in some), found, strict=True)
                progress.advance(len(some))
        finally:
            progress.finish()
        return Run(self.name, rankings)

    def rank_compiled(
        self, compiled: Sequence[TermQuery], k: int, scope: Scope = EVERYTHING, threads: int = 0
    ) -> Iterator[Ranking]:
        """Rankings of compiled queries, which have no documents of their own."""
        for start in range(0, len(compiled), BLOCK):
            yield from self._rank_block(compiled[start : start + BLOCK], (), k, scope, threads)

    def _rank_block(
        self, compiled: Sequence[TermQuery], queries: Sequence[Text], k: int, scope: Scope, threads: int
    ) -> Iterator[Ranking]:
        planned = plan_queries(compiled, self.weighting, self._statistics, self._longest)
        not_itself = scope.not_itself and bool(queries)
        parts = [
            segment.search(planned, k + 1 if not_itself else k, scope, threads) for segment in self._segments
        ]
        units, offsets = planned.units.tolist(), planned.plan.offsets.tolist()
        for q in range(len(compiled)):
            lists = [
                (segment.ids.of(part[q][0]), part[q][1])
                for segment, part in zip(self._segments, parts, strict=True)
            ]
            ids, quanta = merged(lists)
            if not_itself:
                ids, quanta = without(queries[q].id, ids, quanta)
            if len(ids) > k:
                ids, quanta = ids[:k], quanta[:k]
            scores = quanta / units[q]
            yield Ranking(ids, scores + offsets[q] if offsets[q] else scores)

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """Scores of given documents; NaN for one that is unknown or shares nothing with the query."""
        _, planned = self._asked.of(query, self._planned)
        scores = np.full(len(doc_ids), np.nan)
        places = [self.index.place(doc_id) for doc_id in doc_ids]
        for i, segment in enumerate(self._segments):
            here = [n for n, place in enumerate(places) if place and place[0] == i]
            docs = np.array([place[1] for place in places if place and place[0] == i], dtype=np.int64)
            quanta = segment.score(planned, docs)
            found = quanta != forward.MISSING
            values = quanta[found] / planned.units[0] + planned.plan.offsets[0]
            scores[np.array(here, dtype=np.int64)[found]] = values
        return scores

    def score_numbers(
        self, query: Text, numbers: Ints, scope: Scope = EVERYTHING
    ) -> tuple[list[str], Floats]:
        """(ids, scores) of documents numbered across all segments, ascending; NaN for what cannot be found."""
        _, planned = self._asked.of(query, self._planned)
        ids: list[str] = []
        scores = np.full(len(numbers), np.nan)
        first = 0
        for segment, part in zip(self._segments, self.index.segments, strict=True):
            here = np.flatnonzero((numbers >= first) & (numbers < first + part.n_docs))
            docs = numbers[here].astype(np.int64) - first
            quanta = segment.score(planned, docs)
            found = (quanta != forward.MISSING) & segment.may_be_found(docs, scope)
            scores[here[found]] = quanta[found] / planned.units[0] + planned.plan.offsets[0]
            ids += segment.ids.of(docs)
            first += part.n_docs
        return ids, scores

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        """Scores of all documents, numbered across all segments; NaN for one that shares nothing with the query."""
        _, planned = self._asked.of(query, self._planned)
        parts = [np.zeros(0)]
        for segment, part in zip(self._segments, self.index.segments, strict=True):
            quanta = segment.score(planned, np.arange(part.n_docs, dtype=np.int64))
            scores = quanta / planned.units[0] + planned.plan.offsets[0]
            scores[quanta == forward.MISSING] = np.nan
            parts.append(scores)
        return self.index.without_dead(np.concatenate(parts))

    def probe(self, query: Text) -> SparseProbe:
        return SparseProbe(
            self._asked.of(query, self._planned)[1], self.weighting.form, self.index, self._segments
        )

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        """Which word of the query matched which word of each document, and its share of the score."""
        places = [self.index.known_place(doc_id) for doc_id in doc_ids]
        compiled, planned = self._asked.of(query, self._planned)
        given = [self._segments[place[0]].shares(planned, place[1]) for place in places]
        matching = np.unique(np.concatenate([np.zeros(0, np.int64), *(np.flatnonzero(q) for q, _ in given)]))
        reasons = self._reasons(query, compiled, matching.tolist())
        return [
            self._explained(reasons, planned, place, quanta, prior)
            for place, (quanta, prior) in zip(places, given, strict=True)
        ]

    def _explained(
        self, reasons: ByGroup | ByWord, planned: Queries, place: tuple[int, int], quanta: Array, prior: int
    ) -> Explanation:
        unit, offset = planned.units[0], planned.plan.offsets[0]
        held = set(self.index.segments[place[0]].document_terms(place[1])[0].tolist())
        groups = np.flatnonzero(quanta)
        shares = largest_first(reasons.shares(groups, quanta[groups] / unit, held))
        background = float(prior / unit + offset)
        if background != 0.0:
            shares.append(Share("(length and background)", "", background))
        return Explanation(float((quanta.sum() + prior) / unit + offset), shares)

    def _reasons(self, query: Text, compiled: TermQuery, groups: Sequence[int]) -> ByGroup | ByWord:
        """For these groups, by which documents are explained."""
        words = self.index.vocabulary
        if isinstance(self.compiler, SourcedCompiler):
            return by_word(
                compiled, groups, words, self.compiler.sources(query, compiled.terms[list(groups)])
            )
        return by_group(compiled, groups, words)

    def _planned(self, query: Text) -> tuple[TermQuery, Queries]:
        compiled = self.compiled(query)
        return compiled, plan_queries([compiled], self.weighting, self._statistics, self._longest)


class _SegmentSearch:
    """One segment under one weighting, with working memory for each thread."""

    def __init__(self, system: Sparse, number: int):
        self._system, self._segment = system, system.index.segments[number]
        self._statistics = system._statistics
        self._arrays = system.arrays(self._segment, system.weighting, self._statistics)
        self._number = number
        self._idle: SimpleQueue[tuple[Scratch, Array]] = SimpleQueue()
        share = self._segment.n_docs / max(len(system.index.numbering), 1)
        self._kept = KeptGroups(self._arrays, system.weighting.form, share)
        self._arrays = self._kept.arrays
        self.ids = DocIds(self._segment)

    def search(self, queries: Queries, k: int, scope: Scope, threads: int) -> list[tuple[Array, Array]]:
        """Per query: (documents best first, scores in quanta)."""
        k, workers, allowed = min(k, self._segment.n_docs), threads or cores(), self._allowed(scope)
        batch = self._bound(queries)
        form = self._system.weighting.form
        if exhaustive.pays(batch, self._arrays, form):
            slots = np.zeros(len(self._statistics.df), dtype=np.int32)
            return exhaustive.search(k, allowed, self._arrays, batch, form, workers, slots)
        keys = np.zeros((len(queries), k), dtype=np.int64)
        counts = np.zeros(len(queries), dtype=np.int64)

        def work(part: range) -> None:
            scratch, slots = self._work_space()
            topk.top_keys_of_many(
                part.start, part.stop, k, allowed, self._arrays, batch, form, scratch, keys, counts
            )
            self._idle.put((scratch, slots))

        run_parts(work, len(queries), workers)
        return unpack_rows(keys, counts)

    def score(self, queries: Queries, docs: Array) -> Array:
        scratch, slots = self._work_space()
        form = self._system.weighting.form
        scores: Array = forward.score_documents(docs, 0, slots, self._arrays, unbound(queries), form)
        self._idle.put((scratch, slots))
        return scores

    def score_all(self, queries: Queries, by_documents: bool) -> Array:
        """(documents,) in quanta, added up from the postings or read from the documents: the same numbers."""
        if by_documents:
            return self.score(queries, np.arange(self._segment.n_docs, dtype=np.int64))
        batch, form = self._bound(queries), self._system.weighting.form
        scratch, slots = self._work_space()
        scores: Array = accumulate.every_score(0, self._arrays, batch, form, scratch)
        self._idle.put((scratch, slots))
        return scores

    def _bound(self, queries: Queries) -> Batch:
        """Over this segment's postings; sums that take long are kept for the next query."""
        batch = bind(queries, self._segment, self._system.weighting, self._statistics)
        if can_keep(self._system.weighting.form, queries):
            scratch, slots = self._work_space()
            batch = self._kept.bound(queries, batch, scratch)
            self._idle.put((scratch, slots))
        return batch

    def may_be_found(self, docs: Longs, scope: Scope) -> Bools:
        """Whether documents are live and in the scope."""
        allowed = self._allowed(scope)
        return allowed[docs] if len(allowed) else np.ones(len(docs), dtype=bool)

    def _allowed(self, scope: Scope) -> Bools:
        allowed = self._system.index.allowed(self._number, scope.where, scope.expression)
        return NOTHING_EXCLUDED if allowed is None else allowed

    def shares(self, queries: Queries, doc: int) -> tuple[Array, int]:
        """(groups,) shares of one document in quanta, and its prior."""
        scratch, slots = self._work_space()
        batch = unbound(queries)
        shares = forward.shares_of_document(doc, 0, slots, self._arrays, batch, self._system.weighting.form)
        self._idle.put((scratch, slots))
        return shares, int(forward.prior_of(doc, 0, self._arrays, batch))

    def _work_space(self) -> tuple[Scratch, Array]:
        try:
            return self._idle.get_nowait()  # never wait for another thread: it may be in a long search
        except Empty:
            slots = np.zeros(len(self._statistics.df), dtype=np.int32)
            return new_scratch(self._segment.n_docs), slots


def cores() -> int:
    """The cores available to this process."""
    return len(os.sched_getaffinity(0))


def run_parts(work: "exhaustive.Work", n: int, workers: int) -> None:
    """Call work(range) on equal parts of range(n), on threads; the kernels release the interpreter lock."""
    workers = min(workers, n)
    if workers <= 1:
        work(range(n))
        return
    step = -(-n // (4 * workers))  # more parts than threads, because queries differ in cost
    parts = [range(start, min(start + step, n)) for start in range(0, n, step)]
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, parts))
