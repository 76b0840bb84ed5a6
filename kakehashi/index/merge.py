"""Merges the live documents of several segments into one without analysing any text again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi.index import builder, metadata
from kakehashi.index.segment import Segment
from kakehashi.index.term_order import fresh_order
from kakehashi.index.vocabulary import Vocabulary, vocabulary_arrays
from kakehashi.store import Writer, strings_arrays
from kakehashi.types import Array, Bools, Text


def merge(
    folder: Path,
    segments: Sequence[Segment],
    dead: Sequence[Bools | None],
    vocabulary: Vocabulary,
    fields: Mapping[str, str],
) -> None:
    """Write one segment with every live document: exactly the arrays that a build from their texts would write.

    Terms are renumbered, and those that only dead documents contain are dropped.
    """
    places = []
    for i, segment in enumerate(segments):
        gone = dead[i]
        for number, doc_id in enumerate(segment.ids):
            if gone is None or not gone[number]:
                places.append((doc_id, i, number))
    places.sort(reverse=True)
    texts = [_without_text(segments[i], number, fields) for _, i, number in places]
    hashes = np.array(
        [segments[i].artifact.array("hashes")[number] for _, i, number in places], dtype=np.uint64
    )
    ends, old_terms, tfs, lengths = _rows(segments, places)
    terms, numbers = _renumbered(vocabulary, old_terms, tfs)
    with Writer(folder, builder.KIND, builder.VERSION) as writer:
        writer.put(builder.postings_arrays(ends, numbers, tfs, lengths, len(terms)))
        writer.put(vocabulary_arrays(terms))
        writer.put(strings_arrays("ids", [text.id for text in texts]))
        writer.put(strings_arrays("titles", [text.title for text in texts]))
        writer.put({"hashes": hashes})
        writer.put(metadata.column_arrays(fields, texts))
        writer.commit({"n_docs": len(texts), "first_term": 0, "fields": dict(fields)})


def _rows(
    segments: Sequence[Segment], places: Sequence[tuple[str, int, int]]
) -> tuple[Array, Array, Array, Array]:
    """(row ends, terms, tfs, lengths) of the documents in their new order."""
    rows = [segments[i].document_terms(number) for _, i, number in places]
    ends = np.cumsum([len(terms) for terms, _ in rows], dtype=np.int64)
    empty = [np.zeros(0, dtype=np.int32)]
    terms = np.concatenate([terms for terms, _ in rows] or empty).astype(np.int32)
    tfs = np.concatenate([tfs for _, tfs in rows] or empty).astype(np.int32)
    lengths = np.array([segments[i].lengths[number] for _, i, number in places], dtype=np.int32)
    return ends, terms, tfs, lengths


def _renumbered(vocabulary: Vocabulary, terms: Array, tfs: Array) -> tuple[list[str], Array]:
    """(the terms that occur, numbered as in a fresh build; the new number of each of `terms`)."""
    cf = np.bincount(terms, weights=tfs, minlength=len(vocabulary)).astype(np.int64)
    order = fresh_order(vocabulary, cf)
    new = np.empty(len(order), dtype=np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    names = vocabulary.all_terms()
    return [names[number] for number in order[: np.count_nonzero(cf)].tolist()], new[terms]


def _without_text(segment: Segment, number: int, fields: Mapping[str, str]) -> Text:
    meta: dict[str, Any] = {}
    for field, kind in fields.items():
        found = metadata.values(segment.artifact, segment.fields, field, number)
        if kind == "keyword":
            meta[field] = found
        elif found and kind == "number":  # from its array: as a person writes it, -0.0 has no sign
            meta[field] = float(segment.artifact.array(f"meta.{field}")[number])
        elif found:
            meta[field] = found[0]
    lang = metadata.values(segment.artifact, segment.fields, "lang", number)[0]
    return Text(segment.ids[number], lang, "", segment.titles[number], meta)
