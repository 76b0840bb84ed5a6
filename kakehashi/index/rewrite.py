"""Rewrites an index in other words from its forward rows; no text is read or analysed again.

Every term is replaced by its targets, so the frequency of a target in a document is the sum of the frequencies of
the terms it replaces. Documents keep their numbers, ids, titles, metadata and hashes, and dead ones stay dead.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import xxhash

from kakehashi import store
from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.index.builder import KIND, VERSION, postings_arrays
from kakehashi.index.index import Index
from kakehashi.index.segment import Segment
from kakehashi.index.update import Analyzers, commit_segments, next_segment
from kakehashi.index.vocabulary import vocabulary_arrays
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Array, Ints

_UNCHANGED = ("ids.", "titles.", "hashes", "meta.")  # arrays that do not depend on terms
_REWRITING = "rewriting"


class Origin(msgspec.Struct, frozen=True):
    """What a rewritten index was made from: one state of one index, and one table of targets."""

    generation: int
    state: str  # as `state_of` gives it; generations of two indexes may be equal
    targets: str


def rewrite_index(
    index: Index, targets: Ints, terms: Sequence[str], folder: Path, progress: Progress = SILENT
) -> Index:
    """Write the rewritten `index` to `folder` and open it; an existing one is replaced completely.

    Row t of `targets` (index vocabulary, k) contains the numbers in `terms` of what replaces term t, and -1 if
    there are fewer; a term without any is dropped.
    """
    if folder.resolve() == index.folder.resolve():
        raise InputError(f"{folder} is the index itself: write the rewritten index to another folder")
    _refuse_misfits(index, targets, terms)
    index.verify()
    origin = origin_of(index, targets, terms)
    with store.locked(folder / "segments"):
        first, segments = next_segment(folder), []
        for i, old in enumerate(track(index.segments, "rewriting", len(index.segments), progress)):
            place = folder / "segments" / f"s{first + i}"
            _write_segment(place, old, targets, terms, i == 0)
            segments.append(Segment(place))
        dead = [index.dead(i) for i in range(len(segments))]
        analyzers = Analyzers(index.analyzer, index.source_analyzer)
        made_from = {_REWRITING: msgspec.to_builtins(origin)}
        commit_segments(folder, segments, dead, analyzers, index.fields, made_from)
    return Index(folder)


def origin_of(index: Index, targets: Ints, terms: Sequence[str]) -> Origin:
    """What rewriting this index by these targets would record; it is stale if `read_origin` returns something else."""
    digest = xxhash.xxh3_128(np.ascontiguousarray(targets).tobytes())
    digest.update("\n".join(terms).encode())
    return Origin(index.artifact.meta.generation, state_of(index), digest.hexdigest())


def state_of(index: Index) -> str:
    """A checksum over the whole index, computed from the checksums it stores."""
    digest = xxhash.xxh3_128(msgspec.json.encode(index.artifact.meta))
    for segment in index.segments:
        digest.update(msgspec.json.encode(segment.artifact.meta))
    return digest.hexdigest()


def read_origin(index: Index) -> Origin | None:
    """The origin of a rewritten index; None for one that was built from texts."""
    found = index.artifact.meta.made_from.get(_REWRITING)
    return None if found is None else msgspec.convert(found, Origin)


def _refuse_misfits(index: Index, targets: Ints, terms: Sequence[str]) -> None:
    if targets.ndim != 2 or len(targets) != len(index.vocabulary):
        raise InputError(
            f"targets of shape {targets.shape} do not fit {index.folder}, which has {len(index.vocabulary)} terms"
        )
    if targets.min(initial=-1) < -1 or targets.max(initial=-1) >= len(terms):
        raise InputError(f"a target is not one of the {len(terms)} words: build the targets again")


def _write_segment(
    folder: Path, old: Segment, targets: Ints, terms: Sequence[str], brings_terms: bool
) -> None:
    """The first segment adds all words, because all of them are known before the first document."""
    arrays = {
        name: old.artifact.array(name) for name in old.artifact.meta.arrays if name.startswith(_UNCHANGED)
    }
    settings = {
        "n_docs": old.n_docs,
        "first_term": 0 if brings_terms else len(terms),
        "fields": dict(old.fields),
    }
    with store.Writer(folder, KIND, VERSION) as writer:
        writer.put(arrays)
        writer.put(vocabulary_arrays(terms if brings_terms else []))
        ends, columns, tfs, lengths = _rewritten(*old.forward, targets, len(terms))
        writer.put(postings_arrays(ends, columns, tfs, lengths, len(terms)))
        writer.commit(settings)


@kernel
def _rewritten(starts: Array, terms: Array, tfs: Array, targets: Array, n_targets: int) -> Any:
    """Rows of (target, frequency), once to count them and once to write: (row ends, targets, tfs, lengths)."""
    n_docs, k = len(starts) - 1, targets.shape[1]
    ends, lengths = np.empty(n_docs, np.int64), np.zeros(n_docs, np.int32)
    last_seen = np.full(n_targets, -1, np.int32)
    used = 0
    for doc in range(n_docs):
        for i in range(starts[doc], starts[doc + 1]):
            for j in range(k):
                target = targets[terms[i], j]
                if target >= 0 and last_seen[target] != doc:
                    last_seen[target] = doc
                    used += 1
        ends[doc] = used
    columns, new_tfs = np.empty(used, np.int32), np.empty(used, np.int32)
    place = np.full(n_targets, -1, np.int64)  # position of a target in the current row
    used = 0
    for doc in range(n_docs):
        row_start = used
        for i in range(starts[doc], starts[doc + 1]):
            for j in range(k):
                target = targets[terms[i], j]
                if target < 0:
                    continue
                if place[target] < row_start:
                    place[target] = used
                    columns[used], new_tfs[used] = target, 0
                    used += 1
                new_tfs[place[target]] += tfs[i]
                lengths[doc] += tfs[i]
    return ends, columns, new_tfs, lengths
