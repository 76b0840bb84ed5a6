"""The documents of an index under query words: precomputed structured queries.

A row is one group of a structured query. It contains every document with any term of the group, and the sum
Σ_t G[g, t]·tf[t, d] in the very order in which a search adds it up, so scores come out equal to the last bit. What
φ makes of these sums is computed when the index is opened; a search then only adds.
"""

import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi import store
from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.segment import Segment
from kakehashi.index.segment_layout import ascending
from kakehashi.index.statistics import Statistics
from kakehashi.progress import SILENT, Progress
from kakehashi.query.psq import Psq
from kakehashi.retrieve.kernels import NONE_KEPT, STORED, SegmentArrays, at, phi
from kakehashi.retrieve.planning import by_rank, plan_queries
from kakehashi.retrieve.source_rows import Rows, summed, workers
from kakehashi.retrieve.weighting import Groups, Plan, Weighting, sums
from kakehashi.soundness import finite, starts, typed
from kakehashi.types import Array, Bools, Condition, Floats, Floats32, Ints, Longs, TermQuery, Text

KIND, VERSION = "source-index", 1
DENSE = 3  # a row with at least one of this many documents is also stored document by document
MOST_CELLS = 1 << 26  # of such rows together, over all segments
NOTHING = np.zeros(0, np.float32)


class SourceSegment(Segment):
    """A segment's documents under other words; ids, titles and metadata are its own."""

    def __init__(self, segment: Segment, rows: Rows, most_columns: int):
        self.artifact, self.name, self.fields = segment.artifact, segment.name, segment.fields
        self.n_docs, self.first_term = segment.n_docs, segment.first_term
        self.postings_by_group, self._most_columns = rows, min(most_columns, np.iinfo(np.int16).max)

    @cached_property
    def starts(self) -> Array:
        return self.postings_by_group.starts

    @cached_property
    def terms(self) -> Array:
        return np.arange(len(self.postings_by_group.most), dtype=np.int32)

    @cached_property
    def max_tf(self) -> Array:
        return self.postings_by_group.most

    @cached_property
    def min_length(self) -> Array:
        return self.postings_by_group.shortest

    @cached_property
    def columns(self) -> Array:
        """The rows stored document by document: those with most documents, as far as memory allows."""
        sizes = np.diff(self.postings_by_group.starts)
        chosen = np.flatnonzero(sizes * DENSE > self.n_docs)
        chosen = chosen[np.argsort(-sizes[chosen], kind="stable")][: self._most_columns]
        columns = np.full(len(sizes), -1, dtype=np.int16)
        columns[chosen] = np.arange(len(chosen))
        return columns

    def rows(self, terms: Ints) -> Longs:
        return terms.astype(np.int64)


class SourceIndex(Index):
    """An index seen through a translation table; its terms are the groups of a `Psq`."""

    def __init__(self, index: Index, statistics: Statistics, groups: TermQuery, rows: Sequence[Rows]):
        self._index, self._statistics, self._groups = index, statistics, groups
        self.folder, self.artifact, self.fields = index.folder, index.artifact, index.fields
        self.n_docs, self.longest, self.fingerprint = index.n_docs, index.longest, index.fingerprint
        columns = MOST_CELLS // max(1, sum(segment.n_docs for segment in index.segments))
        self.segments = [SourceSegment(*pair, columns) for pair in zip(index.segments, rows, strict=True)]

    @cached_property
    def statistics(self) -> Statistics:
        base, groups = self._statistics, self._groups
        df = sums(groups.starts, groups.term_weights * base.df[groups.terms])
        cf = sums(groups.starts, groups.term_weights * base.cf[groups.terms])
        return Statistics(base.n_docs, base.total_length, df, cf)

    def allowed(
        self, segment: int, conditions: Sequence[Condition] = (), expression: str = ""
    ) -> Bools | None:
        # a Boolean query is in the documents' words
        return self._index.allowed(segment, conditions, expression)


@dataclass(frozen=True)
class RowQueries:
    """The compiler for a `SourceIndex`: every group of the query is one row."""

    psq: Psq

    def compile(self, query: Text) -> TermQuery:
        return row_query(self.psq, self.psq.counts(query))


def row_query(psq: Psq, counts: Mapping[int, float]) -> TermQuery:
    """Rows of a `SourceIndex`, each as often as it occurs in the query."""
    rows = np.fromiter(counts, np.int32, len(counts))
    weights = np.fromiter(counts.values(), np.float64, len(counts))
    return TermQuery(
        weights, np.arange(len(rows) + 1), rows, np.ones(len(rows)), tuple(map(psq.label, counts))
    )


@dataclass(frozen=True)
class Stored:
    """A weighting whose φ is precomputed."""

    inner: Weighting

    @property
    def form(self) -> int:
        return STORED

    def plan(self, groups: Groups, statistics: Statistics) -> Plan:
        return self.inner.plan(groups, statistics)

    def length_factors(self, longest: int, statistics: Statistics) -> Floats32:
        return self.inner.length_factors(longest, statistics)

    def doc_scales(self, segment: Segment, statistics: Statistics) -> Floats32:
        return self.inner.doc_scales(segment, statistics)

    def priors(self, longest: int) -> Floats:
        return self.inner.priors(longest)

    def bounds(self, plan: Plan, most: Floats, shortest: Floats, statistics: Statistics) -> Floats:
        return self.inner.bounds(plan, most, shortest, statistics)


def stored_arrays(segment: Segment, weighting: Weighting, statistics: Statistics) -> SegmentArrays:
    """φ of every posting."""
    assert isinstance(segment, SourceSegment)
    assert isinstance(weighting, Stored)
    rows, n = segment.postings_by_group, len(segment.postings_by_group.most)
    every = TermQuery(np.ones(n), np.arange(n + 1), np.arange(n, dtype=np.int32), np.ones(n), ())
    rates = plan_queries([every], weighting, statistics, 0).plan.rates.astype(np.float32)
    lengths = np.asarray(segment.lengths)
    longest = int(lengths.max(initial=0))
    factors = weighting.length_factors(longest, statistics)
    doc_factors = factors[lengths] if len(factors) else factors
    doc_scales = weighting.doc_scales(segment, statistics)
    values = np.empty(len(rows.docs), np.float32)
    parts = np.linspace(0, n, 9).astype(np.int64).tolist()

    def fill(part: int) -> None:
        bounds = parts[part], parts[part + 1]
        _fill_values(bounds, rows, weighting.inner.form, rates, doc_factors, doc_scales, values)

    with ThreadPoolExecutor(workers()) as pool:
        list(pool.map(fill, range(8)))
    none, nothing = np.zeros(0, np.uint16), NOTHING
    return SegmentArrays(
        docs=np.asarray(rows.docs),
        codes=none,
        pair_tfs=nothing,
        pair_values=values,
        lengths=lengths,
        doc_factors=nothing,
        doc_scales=nothing,
        priors=weighting.priors(longest),
        top_tfs=_columns(segment.columns, rows.starts, rows.docs, values, segment.n_docs),
        fwd_starts=np.zeros(segment.n_docs + 1, np.int64),
        fwd_terms=np.zeros(0, np.int32),
        fwd_tfs=np.zeros(0, np.uint8),
        **NONE_KEPT,
    )


def source_index(
    psq: Psq, index: Index, statistics: Statistics, folder: Path | None, progress: Progress = SILENT
) -> SourceIndex:
    """The one stored in `folder` if it still matches the index and the table; otherwise it is built and stored."""
    groups = _all_groups(psq, index)
    made_from = {"segments": index.contents, "groups": _key(groups)}
    rows = _kept(folder, made_from, index, len(groups)) if folder else None
    if rows is None:
        if folder:
            index.verify()
        rows = [summed(segment, groups, progress) for segment in index.segments]
        if folder and _keep(folder, rows, made_from):
            rows = _kept(folder, made_from, index, len(groups)) or rows
    return SourceIndex(index, statistics, groups, rows)


def _all_groups(psq: Psq, index: Index) -> TermQuery:
    """Every group, with its entries as `plan_queries` orders them; another order makes another `_key`."""
    table, own = psq.of_table(), np.arange(len(psq) - len(psq.table), dtype=np.int32)
    return by_rank(
        TermQuery(
            np.ones(len(psq)),
            np.append(table.starts, table.starts[-1] + 1 + own.astype(np.int64)),
            np.append(table.terms, own),
            np.append(table.term_weights, np.ones(len(own))),
            (),
        ),
        index.statistics,
    )


def _key(groups: TermQuery) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for array in (groups.starts, groups.terms, groups.term_weights):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _kept(folder: Path, made_from: dict[str, Any], index: Index, n_rows: int) -> list[Rows] | None:
    def read(artifact: store.Artifact) -> list[Rows]:
        parts = [
            Rows(*(artifact.array(f"{i}.{name}") for name in Rows._fields))
            for i in range(len(index.segments))
        ]
        return [
            _checked(part, n_rows, segment.n_docs)
            for part, segment in zip(parts, index.segments, strict=True)
        ]

    return store.read_kept(folder, KIND, VERSION, made_from, read)


def _checked(rows: Rows, n_rows: int, n_docs: int) -> Rows:
    """Rows that stay inside their arrays and the segment's documents."""
    typed("docs", rows.docs, (np.uint32,), None)
    starts("starts", rows.starts, n_rows, len(rows.docs))
    ascending("docs", rows.docs, rows.starts, n_docs)
    finite("tfs", typed("tfs", rows.tfs, (np.float32,), len(rows.docs)))
    finite("most", typed("most", rows.most, (np.float32,), n_rows))
    typed("shortest", rows.shortest, (np.int32,), n_rows)
    return rows


def _keep(folder: Path, rows: Sequence[Rows], made_from: dict[str, Any]) -> bool:
    """Whether it could be written; a search needs it, but not on disk."""
    try:
        with store.Writer(folder, KIND, VERSION) as writer:
            for i, part in enumerate(rows):
                writer.put({f"{i}.{name}": array for name, array in part._asdict().items()})
            writer.commit({"postings": sum(len(part.docs) for part in rows)}, made_from)
    except (OSError, InputError):  # another user's folder, or another search that is writing the same
        return False
    return True


@kernel
def _fill_values(
    bounds: Any, rows: Rows, form: int, rates: Array, doc_factors: Array, doc_scales: Array, values: Array
) -> None:
    docs, tfs = rows.docs, rows.tfs
    for r in range(bounds[0], bounds[1]):
        for p in range(rows.starts[r], rows.starts[r + 1]):
            d = docs[p]
            values[p] = phi(form, tfs[p], rates[r], at(doc_factors, d), at(doc_scales, d))


@kernel
def _columns(columns: Array, starts: Array, docs: Array, values: Array, n_docs: int) -> Array:
    """(columns, docs) the values of rows that are stored document by document."""
    found = np.zeros((columns.max() + 1 if len(columns) else 0, n_docs), np.float32)
    for r in range(len(columns)):
        if columns[r] >= 0:
            for p in range(starts[r], starts[r + 1]):
                found[columns[r], docs[p]] = values[p]
    return found
