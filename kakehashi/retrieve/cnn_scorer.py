"""Scores candidates with a trained CNN ranker; its document encodings are kept beside the model.

Encodings are known by the hash of the document's content, so an update encodes new and changed documents only.
Reasons are approximate: they say how the score changes without a word's windows, not what the network computes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.index.tokens import content_hashes
from kakehashi.learn.cnn_model import CnnModel, Filters
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.cnn_parts import Read, Reader
from kakehashi.soundness import ascending, finite, typed
from kakehashi.types import Array, Floats, Floats32, Ints, Longs, Share, Text, largest_first

KIND, VERSION = "cnn-encodings", 1
BLOCK = 1 << 12  # documents encoded at a time
SHOWN = 8  # words of the query, and of the document, that reasons name
APPROXIMATE = "about"  # begins the part of a reason that was estimated


@dataclass
class CnnScorer:
    """One model over one index; `halves` are U_d c_d of all its documents."""

    name: str
    holdings: Holdings
    model: CnnModel
    readers: Mapping[str, Reader]  # by the names of the model's parts
    folder: Path | None = None  # where encodings are kept

    @cached_property
    def halves(self) -> tuple[Array, Longs]:
        """(texts, hidden), and (documents,) the row of each document, -1 for a dead one."""
        return document_halves(self)

    def scores(self, query: Text, documents: Longs) -> Floats:
        halves, rows = self.halves
        return self.model.scores(self._query_half(query), np.asarray(halves[rows[documents]]))

    def _query_half(self, query: Text) -> Floats32:
        c = [
            filters.encode(read.starts, read.rows, read.vectors)
            for (filters, _), read in zip(self.model.parts.values(), self._of_query(query), strict=True)
        ]
        return self.model.half("query", np.concatenate(c, axis=1))

    def _of_query(self, query: Text) -> list[Read]:
        return [self.readers[name].query(query) for name in self.model.parts]

    def _of_documents(self, documents: Longs) -> list[Read]:
        return [self.readers[name].documents(documents) for name in self.model.parts]

    def encode(self, documents: Longs) -> Floats32:
        """(documents, hidden) U_d c_d, from the texts."""
        c = [
            filters.encode(read.starts, read.rows, read.vectors)
            for (_, filters), read in zip(
                self.model.parts.values(), self._of_documents(documents), strict=True
            )
        ]
        return self.model.half("document", np.concatenate(c, axis=1))

    def shares(self, query: Text, document: int, score: float) -> list[Share]:
        """By the word or class of the query without which the score would change most, and what it goes with."""
        sides = [
            _Said.of(self.model, 0, self._of_query(query), self.readers),
            _Said.of(self.model, 1, self._of_documents(np.array([document])), self.readers),
        ]
        halves = [
            self.model.half(side, said.c) for side, said in zip(("query", "document"), sides, strict=True)
        ]
        asked, answered = sides
        drops = score - self.model.scores(halves[0][1:], np.repeat(halves[1][:1], len(halves[0]) - 1, axis=0))
        back = score - self.model.scores(np.repeat(halves[0][:1], len(halves[1]) - 1, axis=0), halves[1][1:])
        top = np.argsort(-np.abs(drops), kind="stable")[:SHOWN]
        others = np.argsort(-np.abs(back), kind="stable")[:SHOWN]
        shares = []
        for i in top.tolist():
            alike = [j for j in others.tolist() if answered.parts[j] == asked.parts[i]]
            both = score - self.model.scores(
                np.repeat(halves[0][1 + i : 2 + i], len(alike), axis=0), halves[1][[1 + j for j in alike]]
            )
            # what goes with it is what adds most to taking it away
            best = alike[int(np.argmax(both * np.sign(drops[i])))] if alike else None
            label = "" if best is None else answered.labels[best]
            if label and asked.parts[i] != "text":
                label = f"({label})"
            shares.append(Share(asked.labels[i], label, float(drops[i]), f"{APPROXIMATE} {asked.parts[i]}"))
        rest = score - sum(one.share for one in shares)
        return largest_first([one for one in [*shares, Share(self.name, "", rest)] if one.share])


@dataclass
class _Said:
    """One side's encoding, whole and then without each of its words and classes."""

    c: Floats32  # (1 + words, filters of all parts)
    labels: list[str]
    parts: list[str]

    @classmethod
    def of(cls, model: CnnModel, side: int, reads: Sequence[Read], readers: Mapping[str, Reader]) -> "_Said":
        rows: list[Any] = []
        labels: list[str] = []
        parts: list[str] = []
        found = [
            (name, filters[side], own)
            for (name, filters), own in zip(model.parts.items(), reads, strict=True)
        ]
        whole = [filters.encode(own.starts, own.rows, own.vectors)[0] for _, filters, own in found]
        rows.append(np.concatenate(whole))
        for place, (name, filters, own) in enumerate(found):
            distinct, left = _without_each(filters, own)
            for word, c in zip(distinct.tolist(), left, strict=True):
                rows.append(np.concatenate([*whole[:place], c, *whole[place + 1 :]]))
                labels.append(own.name(readers[name].names[side], word))
                parts.append(name)
        return cls(np.array(rows, np.float32), labels, parts)


def _without_each(filters: Filters, read: Read) -> tuple[Ints, Floats32]:
    """(distinct words, c without the windows that contain each)"""
    words = read.rows[: filters.longest]
    _, windows = filters.windows(read.starts, read.rows, read.vectors)
    distinct = np.unique(words)
    if not len(words):
        return distinct, np.zeros((0, len(filters.b)), np.float32)
    n = len(windows)
    inside = np.array([words[i : i + filters.window] for i in range(n)]) if n > 1 else words[None]
    left = []
    for word in distinct.tolist():
        kept = windows[~(inside == word).any(axis=1)]
        left.append(kept.sum(axis=0) / max(len(kept), 1))
    return distinct, np.array(left, np.float32)


def document_halves(scorer: CnnScorer, progress: Progress = SILENT) -> tuple[Array, Longs]:
    """Those kept for this model; documents that they lack are encoded and kept, too."""
    hashes, live = content_hashes(scorer.holdings), scorer.holdings.index.numbering.live
    made_from = {"model": scorer.model.key, "analyzer": scorer.holdings.index.analyzer.fingerprint}
    hidden = scorer.model.layers[0].shape[1]
    found = scorer.folder and store.read_kept(
        scorer.folder, KIND, VERSION, made_from, lambda artifact: _kept(artifact, hidden)
    )
    known, halves = found or (np.zeros(0, np.uint64), np.zeros((0, hidden), np.float32))
    missing = np.flatnonzero(live & ~np.isin(hashes, known))
    if len(missing):
        parts = []
        progress.start("encoding documents", len(missing))
        for first in range(0, len(missing), BLOCK):
            parts.append(scorer.encode(missing[first : first + BLOCK]))
            progress.advance(len(parts[-1]))
        progress.finish()
        wanted = np.isin(known, hashes[live])
        known = np.concatenate([known[wanted], hashes[missing]])
        halves = np.concatenate([halves[wanted], *parts])
        order = np.argsort(known, kind="stable")
        known, halves = known[order], halves[order]
        _keep(scorer.folder, known, halves, made_from)
    rows = np.full(len(hashes), -1, np.int64)
    rows[live] = np.searchsorted(known, hashes[live])
    return halves, rows


def _kept(artifact: store.Artifact, hidden: int) -> tuple[Array, Array]:
    hashes = ascending("hashes", typed("hashes", artifact.array("hashes"), (np.uint64,), None))
    halves = typed("halves", artifact.array("halves"), (np.float32,), len(hashes), hidden)
    return hashes, finite("halves", halves)


def _keep(folder: Path | None, hashes: Array, halves: Array, made_from: dict[str, str]) -> None:
    if folder is None:
        return
    try:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put({"hashes": hashes, "halves": halves})
            writer.commit({}, made_from)
    except (OSError, InputError):  # another user's folder, or another search that is writing the same
        pass
