"""Projections: how both sides of a model become dense vectors, and the parts of a pair's score.

Any projection with these few members can be searched by `VectorSearch`; `LowRankProjection` is the trained U and V.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import xxhash

from kakehashi.index.index import Index
from kakehashi.learn.hinge import project_rows
from kakehashi.learn.vectors import Rows, Words
from kakehashi.query.terms import source_terms
from kakehashi.retrieve.reasons import carrying
from kakehashi.retrieve.vector_kernels import products
from kakehashi.types import Array, Floats, Floats32, Ints, Share, Text


class Projection(Protocol):
    """score(q, d) = of_queries(q) · of_documents(d), over the lengths of both if `cosine`, plus shared words."""

    @property
    def query_words(self) -> Words: ...
    @property
    def document_words(self) -> Words: ...
    @property
    def cosine(self) -> bool: ...
    @property
    def shared(self) -> Ints:
        """(query words,) the same word's number among the document words, or -1; empty: no such part."""
        ...

    @property
    def key(self) -> str:
        """Changes when the document vectors would change."""
        ...

    def of_queries(self, rows: Rows) -> Floats32: ...
    def of_documents(self, rows: Rows) -> Floats32: ...
    def shares(self, query: Rows, document: Rows) -> list[Share]:
        """The parts of the score of one query and one document, up to rounding."""
        ...


@dataclass(frozen=True)
class LowRankProjection:
    """f(q, d) = (Uq)·(Vd) [/ |Uq||Vd|] [+ q·d over shared words]."""

    query_words: Words
    document_words: Words
    u: Floats32  # (query words, rank)
    v: Floats32  # (document words, rank)
    shared: Ints
    cosine: bool = False

    def of_queries(self, rows: Rows) -> Floats32:
        vectors: Floats32 = project_rows(rows, self.u)
        return vectors

    def of_documents(self, rows: Rows) -> Floats32:
        vectors: Floats32 = project_rows(rows, self.v)
        return vectors

    @cached_property
    def key(self) -> str:
        return digest(self.document_words, self.v, np.array([len(self.shared) > 0, self.cosine]))

    def shares(self, query: Rows, document: Rows) -> list[Share]:
        left = self.u[query.columns].astype(np.float64) * query.values[:, None]  # (query words, rank)
        right = self.v[document.columns].astype(np.float64) * document.values[:, None]
        table: Floats = products(left, right)  # (query words, document words)
        if self.cosine:
            table /= max(_length(left.sum(axis=0)) * _length(right.sum(axis=0)), 1e-300)
        if len(self.shared):
            same = self.shared[query.columns][:, None] == document.columns[None, :]
            table += same * np.outer(query.values, document.values)
        totals = table.sum(axis=1)
        met = carrying(table, totals, [self.document_words.terms[word] for word in document.columns.tolist()])
        words = [self.query_words.terms[word] for word in query.columns.tolist()]
        return [Share(*parts) for parts in zip(words, met, totals.tolist(), strict=True)]


def digest(words: Words, *arrays: Array) -> str:
    """A checksum of what determines a side's vectors."""
    state = xxhash.xxh3_128("\n".join(words.terms).encode("utf-8", "surrogatepass"))
    state.update(f"{words.values} {words.unit}".encode())
    for array in (words.idf, *arrays):
        state.update(f"{array.shape} {array.dtype}".encode())
        state.update(np.ascontiguousarray(array).tobytes())
    return state.hexdigest()


def query_rows(index: Index, words: Words, queries: Sequence[Text]) -> Rows:
    """Vectors of queries in the source language."""
    return words.rows([source_terms(index, query) for query in queries])


def _length(vector: Floats) -> float:
    return float(np.sqrt(vector @ vector))
