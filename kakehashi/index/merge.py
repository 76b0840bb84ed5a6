"""Merges the live documents of several segments into one, without analysing anything again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi.index import builder, metadata
from kakehashi.index.segment import Segment
from kakehashi.index.vocabulary import Vocabulary, vocabulary_arrays
from kakehashi.store import Array, Writer, strings_arrays
from kakehashi.types import Bools, Text


def merge(
    folder: Path,
    segments: Sequence[Segment],
    dead: Sequence[Bools | None],
    vocabulary: Vocabulary,
    fields: Mapping[str, str],
) -> None:
    """Write one segment holding every live document; terms keep their numbers."""
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
    with Writer(folder, builder.KIND, builder.VERSION) as writer:
        writer.put(builder.postings_arrays(*_rows(segments, places), len(vocabulary)))
        writer.put(vocabulary_arrays(vocabulary.all_terms()))
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


def _without_text(segment: Segment, number: int, fields: Mapping[str, str]) -> Text:
    meta: dict[str, Any] = {}
    for field, kind in fields.items():
        found = metadata.values(segment.artifact, segment.fields, field, number)
        if kind == "keyword":
            meta[field] = found
        elif found:
            meta[field] = float(found[0]) if kind == "number" else found[0]
    lang = metadata.values(segment.artifact, segment.fields, "lang", number)[0]
    return Text(segment.ids[number], lang, "", segment.titles[number], meta)
