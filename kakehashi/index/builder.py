"""Turns texts into the arrays of one segment.

Words repeat, so each distinct chunk is analysed once (see `Analyzer`): a text costs one dictionary
lookup per token, and everything after that is array work. Documents are numbered by *descending* id,
so that breaking ties by the smaller number gives trec_eval's order.
"""

from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import xxhash

from kakehashi.compiled import kernel
from kakehashi.index.metadata import column_arrays
from kakehashi.index.vocabulary import UNKNOWN, Vocabulary, vocabulary_arrays
from kakehashi.store import Writer, strings_arrays
from kakehashi.text.analyzer import Analyzer
from kakehashi.types import Array, Ints, Longs, Text

KIND, VERSION = "segment", 3
MAX_TOKENS = 100_000_000  # a segment is closed here, which limits the memory of a build
MAX_TOP_TERMS, MIN_TOP_SHARE = (
    24,
    50,
)  # frequent terms stored document by document: those in more than 1/50 of all
_encoder = msgspec.json.Encoder(order="sorted")


def content_hash(text: Text) -> int:
    """Distinguishes a changed document from an unchanged one."""
    return xxhash.xxh3_64_intdigest(_encoder.encode(text))


class _Numbers(dict[str, int]):
    """Gives every new string the next number."""

    def __missing__(self, key: str) -> int:
        number = self[key] = len(self)
        return number


class SegmentBuilder:
    """Takes documents one by one and writes them as a segment."""

    def __init__(self, analyzer: Analyzer, fields: Mapping[str, str]):
        self._analyzer, self._fields = analyzer, fields
        self._chunks = _Numbers()
        self._tokens = array("i")  # chunk numbers of all documents, concatenated
        self._ends = array("q")
        self._texts: list[Text] = []  # without their text, which is no longer needed
        self._hashes = array("Q")

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def is_full(self) -> bool:
        return len(self._tokens) >= MAX_TOKENS

    def add(self, text: Text) -> None:
        analyzer = self._analyzer
        chunks = analyzer.segment(text.content) if analyzer.is_chunk_local else analyzer.terms(text.content)
        self._tokens.extend(map(self._chunks.__getitem__, chunks))
        self._ends.append(len(self._tokens))
        self._hashes.append(content_hash(text))
        self._texts.append(Text(text.id, text.lang, "", text.title, text.meta))

    def write(self, folder: Path, vocabulary: Vocabulary) -> None:
        order = sorted(range(len(self)), key=lambda i: self._texts[i].id, reverse=True)
        texts = [self._texts[i] for i in order]
        new_terms, chunk_starts, chunk_terms = self._term_numbers(vocabulary)
        n_terms = len(vocabulary) + len(new_terms)
        row_ends, terms, tfs, lengths = _count(
            np.frombuffer(self._tokens, dtype=np.int32),
            np.frombuffer(self._ends, dtype=np.int64),
            np.array(order, dtype=np.int64),
            chunk_starts,
            chunk_terms,
            n_terms,
        )
        with Writer(folder, KIND, VERSION) as writer:
            writer.put(postings_arrays(row_ends, terms, tfs, lengths, n_terms))
            writer.put(vocabulary_arrays(new_terms))
            writer.put(strings_arrays("ids", [text.id for text in texts]))
            writer.put(strings_arrays("titles", [text.title for text in texts]))
            writer.put({"hashes": np.frombuffer(self._hashes, dtype=np.uint64)[order]})
            writer.put(column_arrays(self._fields, texts))
            writer.commit({"n_docs": len(self), "first_term": len(vocabulary), "fields": dict(self._fields)})

    def _term_numbers(self, vocabulary: Vocabulary) -> tuple[list[str], Longs, Ints]:
        """The terms that first occur in this segment, and the term numbers of every chunk: (new, starts, numbers)."""
        local = _Numbers()
        starts = np.zeros(len(self._chunks) + 1, dtype=np.int64)
        flat = array("i")
        chunk_terms = self._analyzer.chunk_terms if self._analyzer.is_chunk_local else lambda chunk: (chunk,)
        for i, chunk in enumerate(self._chunks):
            flat.extend(map(local.__getitem__, chunk_terms(chunk)))
            starts[i + 1] = len(flat)
        uses = np.bincount(np.frombuffer(self._tokens, dtype=np.int32), minlength=len(self._chunks))
        flat_terms = np.frombuffer(flat, dtype=np.int32)
        frequency = np.bincount(flat_terms, weights=np.repeat(uses, np.diff(starts)), minlength=len(local))
        terms = list(local)
        numbers = vocabulary.numbers(terms)
        unseen = [i for i in range(len(terms)) if numbers[i] == UNKNOWN]
        unseen.sort(key=lambda i: (-frequency[i], terms[i]))
        numbers[unseen] = np.arange(len(vocabulary), len(vocabulary) + len(unseen), dtype=np.int32)
        return [terms[i] for i in unseen], starts, numbers[flat_terms]


def postings_arrays(doc_ends: Longs, terms: Ints, tfs: Ints, lengths: Ints, n_terms: int) -> dict[str, Array]:
    """Inverted and forward index of documents given as rows of (term, tf), in any order within a row."""
    starts, docs, inverted_tfs = transpose(doc_ends, terms, tfs, n_terms)
    _, forward_terms, forward_tfs = transpose(starts[1:], docs, inverted_tfs, len(lengths))
    used = np.flatnonzero(np.diff(starts)).astype(np.int32)
    bound_tf, bound_length, cf = _bounds(starts, docs, inverted_tfs, lengths)
    return {
        "post.terms": used,  # (used,) the segment's terms, ascending
        "post.starts": np.append(starts[:-1][used], starts[-1]),  # (used + 1,)
        "post.docs": docs,
        **_code_arrays(docs, inverted_tfs, lengths),
        "post.cf": cf[used],
        "post.max_tf": bound_tf[used],  # with min_length: bounds for pruning, whatever the weighting
        "post.min_length": bound_length[used],
        **_top_arrays(used, starts, docs, inverted_tfs, len(lengths)),
        "fwd.starts": np.append(0, doc_ends),
        "fwd.terms": forward_terms,
        "fwd.tfs": _narrow(forward_tfs),
        "lengths": lengths.astype(np.uint16 if lengths.max(initial=0) < 1 << 16 else np.uint32),
    }


def _code_arrays(docs: Ints, tfs: Ints, lengths: Ints) -> dict[str, Array]:
    """The (tf, document length) of each posting as a number into a table of the pairs that occur, frequent ones first.

    Most weightings depend on a posting through these two alone. There are a few thousand pairs, so a search
    looks a value up in a small table instead of computing it, and needs no random access to lengths.
    """
    width = int(lengths.max(initial=0)) + 1
    pairs = tfs.astype(np.int64) * width + lengths[docs]
    by_table = (
        width * (int(tfs.max(initial=0)) + 1) <= 1 << 26
    )  # counting all possible pairs is faster than sorting
    if by_table:
        counts = np.bincount(pairs)
        distinct = np.flatnonzero(counts)
        uses = counts[distinct]
    else:
        distinct, uses = np.unique(pairs, return_counts=True)
    order = np.argsort(-uses, kind="stable")
    rank = np.empty(len(order), dtype=np.uint16 if len(order) <= 1 << 16 else np.uint32)
    rank[order] = np.arange(len(order))
    if by_table:
        table = np.zeros(len(counts), dtype=rank.dtype)
        table[distinct] = rank
        codes = table[pairs]
    else:
        codes = rank[np.searchsorted(distinct, pairs)]
    return {
        "post.codes": codes,
        "pairs.tfs": (distinct[order] // width).astype(np.int32),
        "pairs.lengths": (distinct[order] % width).astype(np.int32),
    }


def _top_arrays(used: Ints, starts: Longs, docs: Ints, tfs: Ints, n_docs: int) -> dict[str, Array]:
    """The most frequent terms once more, with a tf for every document, zero or not.

    Reading such a column from end to end costs less than the postings of a term that is nearly everywhere; and
    a search that knows its candidates reads their places alone.
    """
    df = np.diff(starts)[used]
    by_df = np.argsort(-df, kind="stable")[:MAX_TOP_TERMS]
    rows = np.sort(by_df[df[by_df] * MIN_TOP_SHARE >= n_docs])
    columns = np.full(len(used), -1, dtype=np.int16)
    columns[rows] = np.arange(len(rows))
    values = np.zeros((len(rows), n_docs), dtype=np.int32)
    for column, term in enumerate(used[rows]):
        values[column, docs[starts[term] : starts[term + 1]]] = tfs[starts[term] : starts[term + 1]]
    return {"post.columns": columns, "top.tfs": _narrow(values)}


def _narrow(tfs: Ints) -> Array:
    """One byte each if that is enough, as it nearly always is; otherwise four."""
    return tfs.astype(np.uint8 if tfs.max(initial=0) < 256 else np.uint32)


@kernel
def _count(
    tokens: Array, ends: Array, order: Array, chunk_starts: Array, chunk_terms: Array, n_terms: int
) -> Any:
    """Rows of (term, tf) per document in `order`: (row ends, terms, tfs, document lengths)."""
    total = 0
    for token in tokens:
        total += chunk_starts[token + 1] - chunk_starts[token]
    terms, tfs = np.empty(total, np.int32), np.empty(total, np.int32)
    row_ends, lengths = np.empty(len(order), np.int64), np.zeros(len(order), np.int32)
    place = np.full(n_terms, -1, np.int64)  # position of a term in the current row
    used = 0
    for row in range(len(order)):
        doc, row_start = order[row], used
        first = ends[doc - 1] if doc > 0 else 0
        for token in tokens[first : ends[doc]]:
            for term in chunk_terms[chunk_starts[token] : chunk_starts[token + 1]]:
                lengths[row] += 1
                if place[term] >= row_start:
                    tfs[place[term]] += 1
                else:
                    place[term] = used
                    terms[used], tfs[used] = term, 1
                    used += 1
        row_ends[row] = used
    return row_ends, terms[:used].copy(), tfs[:used].copy(), lengths


@kernel
def transpose(row_ends: Array, columns: Array, values: Array, n_columns: int) -> Any:
    """Rows to columns by counting: (starts, rows ascending within each column, values)."""
    starts = np.zeros(n_columns + 1, np.int64)
    for column in columns:
        starts[column + 1] += 1
    for i in range(n_columns):
        starts[i + 1] += starts[i]
    cursor = starts[:-1].copy()
    rows, out = np.empty(len(columns), np.int32), np.empty(len(columns), values.dtype)
    place = 0
    for row in range(len(row_ends)):
        while place < row_ends[row]:
            target = cursor[columns[place]]
            rows[target], out[target] = row, values[place]
            cursor[columns[place]] = target + 1
            place += 1
    return starts, rows, out


@kernel
def _bounds(starts: Array, docs: Array, tfs: Array, lengths: Array) -> Any:
    """Per term: the largest tf, the shortest document that contains it, and the collection frequency."""
    n_terms = len(starts) - 1
    max_tf, min_length = np.zeros(n_terms, np.int32), np.zeros(n_terms, np.int32)
    cf = np.zeros(n_terms, np.int64)
    for term in range(n_terms):
        shortest = np.int32(2147483647)
        for p in range(starts[term], starts[term + 1]):
            cf[term] += tfs[p]
            max_tf[term] = max(max_tf[term], tfs[p])
            shortest = min(shortest, lengths[docs[p]])
        min_length[term] = shortest
    return max_tf, min_length, cf
