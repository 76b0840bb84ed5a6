"""Both sides of a model's training material: words counted over it, and its vectors."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.learn.vectors import Rows, Values, Words, choose_words, count_df
from kakehashi.retrieve.projection import query_rows
from kakehashi.store import Array, Artifact
from kakehashi.text.idf import Idf
from kakehashi.types import Floats, Text


class WordSettings(Protocol):
    """Which words a model knows and how texts become vectors over them."""

    @property
    def words(self) -> int: ...
    @property
    def max_share(self) -> float: ...
    @property
    def values(self) -> Values: ...
    @property
    def idf(self) -> Idf: ...
    @property
    def unit(self) -> bool: ...


class Sides(NamedTuple):
    query_words: Words
    document_words: Words
    queries: Rows
    documents: Rows


def make_sides(
    index: Index,
    queries: Sequence[Text],
    document_ids: Sequence[str],
    settings: WordSettings,
    one_vocabulary: bool = False,
    counts: bool = False,
) -> Sides:
    """Words and vectors of the given queries and documents, in that order; `counts` leaves the idf out."""
    if one_vocabulary and index.analyzer.fingerprint != index.source_analyzer.fingerprint:
        raise InputError(
            "one model for both sides needs queries and documents of one language: use tied=false"
        )
    numbers = _numbers(index, document_ids)
    terms = index.vocabulary.all_terms()
    document_words = _choose(terms, _df(index, numbers, len(terms)), len(document_ids), settings)
    if counts:
        document_words = _without_idf(document_words)
    query_words = document_words
    if not one_vocabulary:
        counted = count_df(index.source_analyzer.terms(query.content) for query in queries)
        query_words = _choose(*counted, settings)
        if counts:
            query_words = _without_idf(query_words)
    documents = take(document_words.document_rows(index), numbers)
    return Sides(query_words, document_words, query_rows(index, query_words, queries), documents)


def take(rows: Rows, numbers: Array) -> Rows:
    """The given rows, in that order."""
    sizes = np.diff(rows.starts)[numbers]
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    places = np.repeat(rows.starts[numbers] - starts[:-1], sizes) + np.arange(starts[-1])
    return Rows(starts, rows.columns[places], rows.values[places])


def fingerprints(index: Index) -> dict[str, str]:
    """What a model's artifact says of the analyzers it was trained with."""
    return {"query": index.source_analyzer.fingerprint, "document": index.analyzer.fingerprint}


def check_analyzers(artifact: Artifact, index: Index) -> None:
    """Refuse a model whose words were made otherwise than those of the index."""
    trained, now = artifact.meta.settings.get("analyzers", {}), fingerprints(index)
    for side, name in now.items():
        if trained.get(side) != name:
            raise InputError(
                f"model {artifact.folder} was trained with the {side} analyzer {trained.get(side)}, "
                f"the index has {name}: train it again"
            )


def _choose(terms: Sequence[str], df: Floats, n_texts: int, settings: WordSettings) -> Words:
    return choose_words(
        terms, df, n_texts, settings.words, settings.max_share, settings.values, settings.unit, settings.idf
    )


def _without_idf(words: Words) -> Words:
    return replace(words, idf=np.ones_like(words.idf))


def _df(index: Index, numbers: Array, n_terms: int) -> Floats:
    """(terms,) in how many of the chosen documents each term occurs."""
    df, first = np.zeros(n_terms), 0
    for segment in index.segments:
        chosen = np.zeros(segment.n_docs, dtype=bool)
        chosen[numbers[(numbers >= first) & (numbers < first + segment.n_docs)] - first] = True
        starts, terms, _ = segment.forward
        df += np.bincount(terms[np.repeat(chosen, np.diff(starts))], minlength=n_terms)
        first += segment.n_docs
    return df


def _numbers(index: Index, document_ids: Sequence[str]) -> Array:
    """Rows of `Words.document_rows`."""
    firsts = np.cumsum([0, *(segment.n_docs for segment in index.segments)]).tolist()
    numbers = []
    for doc_id in document_ids:
        place = index.place(doc_id)
        if place is None:
            raise InputError(f"training pairs name document '{doc_id}', which the index does not hold")
        numbers.append(firsts[place[0]] + place[1])
    return np.array(numbers, dtype=np.int64)
