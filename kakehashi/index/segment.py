"""One immutable part of an index: its documents' postings, forward rows, ids, titles and metadata."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.corpus.collection import FieldKind
from kakehashi.index import builder, metadata
from kakehashi.index.segment_layout import check_segment
from kakehashi.index.vocabulary import Vocabulary, read_part
from kakehashi.soundness import setting_count
from kakehashi.store import Artifact, Strings
from kakehashi.types import Array, Bools, Condition, Ints, Longs


class Segment:
    """Mapped arrays; documents are numbered by descending id from 0."""

    def __init__(self, folder: Path):
        self.artifact: Artifact = store.read(folder, builder.KIND, builder.VERSION, check_segment)
        self.name, settings = folder.name, self.artifact.meta.settings
        with store.reading(folder):
            self.n_docs = setting_count(settings, "n_docs")
            self.first_term = setting_count(settings, "first_term")
            self.fields: Mapping[str, str] = msgspec.convert(settings["fields"], dict[str, FieldKind])

    @cached_property
    def ids(self) -> Strings:
        return self.artifact.strings("ids")

    @cached_property
    def titles(self) -> Strings:
        return self.artifact.strings("titles")

    @cached_property
    def lengths(self) -> Array:
        return self.artifact.array("lengths")

    @cached_property
    def terms(self) -> Array:
        """The terms that occur here, ascending; rows of the arrays below."""
        return self.artifact.array("post.terms")

    @cached_property
    def starts(self) -> Array:
        return self.artifact.array("post.starts")

    @cached_property
    def docs(self) -> Array:
        return self.artifact.array("post.docs")

    @cached_property
    def codes(self) -> Array:
        """The row of each posting in `pairs`."""
        return self.artifact.array("post.codes")

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """(tfs, document lengths): the combinations that occur in the segment's postings."""
        return self.artifact.array("pairs.tfs"), self.artifact.array("pairs.lengths")

    @cached_property
    def cf(self) -> Array:
        return self.artifact.array("post.cf")

    @cached_property
    def max_tf(self) -> Array:
        return self.artifact.array("post.max_tf")

    @cached_property
    def min_length(self) -> Array:
        return self.artifact.array("post.min_length")

    @cached_property
    def columns(self) -> Array:
        """A term's row in `top_tfs`, or -1."""
        return self.artifact.array("post.columns")

    @cached_property
    def top_tfs(self) -> Array:
        """(columns, docs) frequencies of the segment's most frequent terms."""
        return self.artifact.array("top.tfs")

    @cached_property
    def forward(self) -> tuple[Array, Array, Array]:
        """(starts, terms, tfs): document d contains terms[starts[d]:starts[d + 1]], ascending."""
        array = self.artifact.array
        return array("fwd.starts"), array("fwd.terms"), array("fwd.tfs")

    def rows(self, terms: Ints) -> Longs:
        """The row of each term, -1 if the segment does not contain it."""
        if len(self.terms) == 0:
            return np.full(len(terms), -1, dtype=np.int64)
        if len(terms) > len(self.terms):  # of many queries, or of a learned one: a table is faster
            table = np.full(max(int(self.terms[-1]), int(terms.max(initial=0))) + 1, -1, dtype=np.int64)
            table[self.terms] = np.arange(len(self.terms))
            return table[terms]
        rows = np.searchsorted(self.terms, terms).astype(np.int64)
        rows[rows == len(self.terms)] = 0
        rows[self.terms[rows] != terms] = -1
        return rows

    def postings(self, term: int) -> tuple[Array, Array]:
        """(documents, tfs) of one term."""
        row = int(self.rows(np.array([term], dtype=np.int32))[0])
        if row < 0:
            return self.docs[:0], self.pairs[0][:0]
        start, end = int(self.starts[row]), int(self.starts[row + 1])
        return self.docs[start:end], self.pairs[0][self.codes[start:end]]

    def document_terms(self, doc: int) -> tuple[Array, Array]:
        """(terms, tfs) of one document."""
        starts, terms, tfs = self.forward
        return terms[starts[doc] : starts[doc + 1]], tfs[starts[doc] : starts[doc + 1]]

    def number(self, doc_id: str) -> int:
        """The document's number, or -1; ids descend, so this is a binary search."""
        low, high = 0, self.n_docs
        while low < high:
            middle = (low + high) // 2
            if self.ids[middle] > doc_id:
                low = middle + 1
            else:
                high = middle
        return low if low < self.n_docs and self.ids[low] == doc_id else -1

    def matching(self, conditions: Sequence[Condition]) -> Bools | None:
        """Which documents satisfy every condition; None if there are no conditions."""
        mask = None
        for condition in conditions:
            found = metadata.matching(self.artifact, self.fields, condition, self.n_docs)
            mask = found if mask is None else mask & found
        return mask


def vocabulary_of(segments: Sequence[Segment], df: Array | None = None) -> Vocabulary:
    """The terms added by the segments, one part each; see `Vocabulary` for `df`."""
    return Vocabulary([read_part(segment.artifact, segment.first_term) for segment in segments], df)
