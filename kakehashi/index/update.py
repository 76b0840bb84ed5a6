"""Writes an index: builds it, updates it with changes of the collection, merges its segments.

One commit is one rename of the index's meta.json. Segments are written first under names never used
before and are never changed; segments that a commit no longer names are removed after it.
"""

import shutil
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.errors import FileError, InputError, Notice, UnreadableError, one_line
from kakehashi.index import merge
from kakehashi.index.builder import SegmentBuilder, content_hash
from kakehashi.index.index import KIND, RANKED, RANKS, VERSION, Index
from kakehashi.index.segment import Segment, vocabulary_of
from kakehashi.index.statistics import count
from kakehashi.index.term_order import NO_RANKS, term_ranks
from kakehashi.progress import SILENT, Progress, track
from kakehashi.text.analyzer import Analyzer
from kakehashi.types import Bools, Text

MAX_SEGMENTS = 8  # beyond this an update merges them all; each one slows every search a little


@dataclass(frozen=True)
class Analyzers:
    """How documents (target) and queries (source) are analysed; recorded together in the index."""

    target: Analyzer
    source: Analyzer

    @property
    def fingerprint(self) -> str:
        return f"{self.target.fingerprint} {self.source.fingerprint}"


@dataclass(frozen=True)
class Changes:
    """The result of an update."""

    added: int
    replaced: int
    deleted: int
    unchanged: int


class IndexWriter:
    """One update of an index folder: add and delete documents, then commit everything or nothing."""

    def __init__(self, folder: Path, analyzers: Analyzers, fields: Mapping[str, str], fresh: bool = False):
        self._folder, self._analyzers, self._fields = folder, analyzers, fields
        old = None if fresh else _compatible(folder, analyzers, fields)
        self._segments: list[Segment] = list(old.segments) if old else []
        self._dead = [old.dead(i) if old else None for i in range(len(self._segments))]
        self._dead = [None if dead is None else dead.copy() for dead in self._dead]
        self._places = _live_places(self._segments, self._dead)
        self._builder = SegmentBuilder(analyzers.target, fields)
        self._seen: set[str] = set()
        self._generation = next_segment(folder)
        self.added = self.replaced = self.deleted = self.unchanged = 0

    def put(self, text: Text) -> None:
        """Add a document, or replace the one with that id; an unchanged one costs nothing."""
        if text.id in self._seen:
            raise InputError(f"document '{text.id}' occurs twice: run kakehashi data check")
        self._seen.add(text.id)
        place = self._places.get(text.id)
        if place is not None:
            if self._segments[place[0]].artifact.array("hashes")[place[1]] == content_hash(text):
                self.unchanged += 1
                return
            self._kill(place)
            self.replaced += 1
        else:
            self.added += 1
        self._builder.add(text)
        if self._builder.is_full:
            self._flush()

    def delete(self, doc_id: str) -> None:
        if doc_id in self._seen:  # its new text is about to be written to a segment
            raise InputError(f"document '{doc_id}' was added in the same update: delete it in the next one")
        place = self._places.get(doc_id)
        if place is None:
            raise InputError(f"there is no document '{doc_id}' to delete")
        self._kill(place)
        del self._places[doc_id]
        self.deleted += 1

    def delete_unseen(self) -> None:
        """Delete the documents of the index for which `put` was not called."""
        for doc_id in self._places.keys() - self._seen:
            self.delete(doc_id)

    def commit(self) -> Changes:
        self._flush()
        if len(self._segments) > MAX_SEGMENTS:
            self._merge()
        commit_segments(self._folder, self._segments, self._dead, self._analyzers, self._fields)
        return Changes(self.added, self.replaced, self.deleted, self.unchanged)

    def _kill(self, place: tuple[int, int]) -> None:
        dead = self._dead[place[0]]
        if dead is None:
            dead = self._dead[place[0]] = np.zeros(self._segments[place[0]].n_docs, dtype=bool)
        dead[place[1]] = True

    def _flush(self) -> None:
        if len(self._builder) == 0:
            return
        folder = self._new_segment_folder()
        self._builder.write(folder, vocabulary_of(self._segments))
        self._builder = SegmentBuilder(self._analyzers.target, self._fields)
        self._segments.append(Segment(folder))
        self._dead.append(None)

    def _merge(self) -> None:
        folder = self._new_segment_folder()
        merge.merge(folder, self._segments, self._dead, vocabulary_of(self._segments), self._fields)
        self._segments, self._dead = [Segment(folder)], [None]

    def _new_segment_folder(self) -> Path:
        name = f"s{self._generation}"
        self._generation += 1
        return self._folder / "segments" / name


def build_index(
    folder: Path,
    documents: Iterable[Text],
    analyzers: Analyzers,
    fields: Mapping[str, str],
    rebuild: bool = False,
    total: int | None = None,
    progress: Progress = SILENT,
) -> Changes:
    """Update an index to match the documents: process only what is new, changed or gone."""
    with store.locked(folder / "segments"):
        writer = IndexWriter(folder, analyzers, fields, fresh=rebuild)
        for text in track(documents, "indexing", total, progress):
            writer.put(text)
        writer.delete_unseen()
        return writer.commit()


def commit_segments(
    folder: Path,
    segments: Sequence[Segment],
    dead: Sequence[Bools | None],
    analyzers: Analyzers,
    fields: Mapping[str, str],
    made_from: Mapping[str, Any] | None = None,
) -> None:
    """Make these segments the index in `folder` by one rename; segments no longer named are removed.

    The words of a rewritten index are numbered by its map, independent of documents, so they need no ranks.
    """
    live = [None if gone is None else ~gone for gone in dead]
    vocabulary = vocabulary_of(segments)
    statistics = count(zip(segments, live, strict=True), len(vocabulary))
    ranks = NO_RANKS if made_from else term_ranks(vocabulary, statistics.cf)
    settings: dict[str, Any] = {
        "n_docs": statistics.n_docs,
        "total_length": statistics.total_length,
        "longest": max(map(_longest, segments, live), default=0),
        "segments": [segment.name for segment in segments],
        "fields": dict(fields),
        "fingerprint": analyzers.fingerprint,
        RANKED: True,
    }
    with store.Writer(folder, KIND, VERSION) as writer:
        writer.put({"df": statistics.df, "cf": statistics.cf})
        if len(ranks):
            writer.put({RANKS: ranks})
        for segment, gone in zip(segments, dead, strict=True):
            if gone is not None:
                writer.put({f"dead.{segment.name}": gone})
        for side, analyzer in (("target", analyzers.target), ("source", analyzers.source)):
            settings[f"{side}_analyzer"] = msgspec.to_builtins(analyzer.settings)
            writer.put(analyzer.state.arrays(side))
        writer.commit(settings, made_from)
    _remove_unused_segments(folder, {segment.name for segment in segments})


def _longest(segment: Segment, live: Bools | None) -> int:
    lengths = segment.lengths if live is None else segment.lengths[live]
    return int(lengths.max(initial=0))


def _compatible(folder: Path, analyzers: Analyzers, fields: Mapping[str, str]) -> Index | None:
    """The existing index, if it was built the same way; otherwise None, and everything is rebuilt."""
    if not (folder / store.META).exists():
        return None
    index = _whole(folder)
    if index is None:
        return None
    same = index.fingerprint == analyzers.fingerprint and index.fields == dict(fields)
    of_texts = (
        not index.artifact.meta.made_from
    )  # a rewritten index has other words than its analyzers produce
    return index if same and of_texts else None


def _whole(folder: Path) -> Index | None:
    """The index there, compared with its checksums; None if it is of another format or damaged, also at a second look.

    What an update derives from it (numbers, merged segments) gets checksums of its own.
    """
    for last_look in (False, True):
        try:
            index = Index(folder)
            index.verify()
            return index
        except UnreadableError:
            raise
        except FileError as error:
            if last_look:
                warnings.warn(
                    f"the index is built again: {error.path} {one_line(error.message).partition(':')[0]}",
                    Notice,
                    stacklevel=2,
                )
    return None


def _live_places(segments: list[Segment], dead: list[Bools | None]) -> dict[str, tuple[int, int]]:
    places = {}
    for i, segment in enumerate(segments):
        gone = dead[i]
        for number, doc_id in enumerate(segment.ids):
            if gone is None or not gone[number]:
                places[doc_id] = (i, number)
    return places


def next_segment(folder: Path) -> int:
    numbers = [int(path.name[1:]) for path in folder.glob("segments/s*") if path.name[1:].isdigit()]
    return 1 + max(numbers, default=0)


def _remove_unused_segments(folder: Path, used: set[str]) -> None:
    for path in folder.glob("segments/s*"):
        if path.name not in used:
            shutil.rmtree(path, ignore_errors=True)
