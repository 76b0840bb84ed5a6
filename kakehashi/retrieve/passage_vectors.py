"""Vectors of the passages of all documents, encoded once; only new and changed documents are encoded again.

A document is known by the hash of its contents that the index keeps, so that no text is read twice. Work in progress
is kept in parts, each written whole or not at all: whoever goes on takes what is there.

Vectors have unit length and are stored as whole numbers times a scale: of 8 bits, or of 20 in four bytes. A product
of whole numbers is exact, so a score does not depend on blocks, segments, threads or the history of the index.
"""

import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kakehashi import store
from kakehashi.errors import InputError, Notice
from kakehashi.index.index import Index
from kakehashi.progress import SILENT, Progress
from kakehashi.soundness import finite, starts, typed
from kakehashi.types import Array, Floats32, Longs

KIND, VERSION = "passage-vectors", 1
PARTS = "parts"
PART = 64  # documents whose vectors are lost if work is killed
BYTES, WORDS = 127, (1 << 20) - 1  # the largest number stored

MANY = 1000  # documents whose encoding takes so long that it is announced
Encode = Callable[
    [Sequence[str]], Iterable["Passages"]
]  # ids of documents -> their passages, a part at a time


class Passages(NamedTuple):
    """Vectors of the passages of some documents."""

    hashes: Array  # (documents,) uint64 of their contents
    starts: Longs  # (documents + 1,) where their passages begin
    numbers: Array  # (passages, dimensions) int8, or whole numbers in float32
    scales: Array  # (passages,) float64; 0: the passage says nothing


def passages_of(hashes: Sequence[int], counts: Sequence[int], vectors: Floats32, largest: int) -> Passages:
    """From unit vectors, (passages, dimensions)."""
    numbers, scales = rounded(vectors, largest)
    kind = np.int8 if largest == BYTES else np.float32
    begins = np.cumsum([0, *counts], dtype=np.int64)
    return Passages(np.array(hashes, np.uint64), begins, numbers.astype(kind), scales)


def rounded(vectors: Floats32, largest: int) -> tuple[Array, Array]:
    """(whole numbers of up to `largest`, scales), both float64."""
    most = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float64)
    scales = most / largest
    numbers = np.rint(vectors / np.where(scales > 0.0, scales, 1.0)[:, None])
    return numbers, scales


def hashes_of(index: Index) -> Array:
    """(documents,) across all segments; 0 for the dead, whose texts are gone."""
    found = np.array(index.numbering.column("hashes"), np.uint64)
    found[~index.numbering.live] = 0
    return found


def passage_vectors(
    index: Index, folder: Path, key: str, encode: Encode, progress: Progress | None = None
) -> Passages:
    """Of all documents by number; those stored in `folder` if they still match, else completed by `encode`.

    `key` changes when vectors would change. Without a progress, nobody knows that this may take long, and is told.
    """
    made_from = {"encoder": key, "hashes": _contents(index)}
    if (kept := _kept(folder, made_from, index)) is not None:
        return kept
    index.verify()
    known = _known(folder, key)
    wanted = hashes_of(index)
    missing = _missing(index, known, wanted)
    place = _next_part(folder)
    for number, part in enumerate(_encoded(missing, encode, progress), place):
        _keep_part(folder / PARTS / f"{number:06}", key, part)
        known.append(part)
    places = _places(known, wanted)
    if n := int(((places[0] < 0) & (wanted != 0)).sum()):
        what = f"{n} documents of the index are not in the collection as they were indexed"
        warnings.warn(f"{what}: run kakehashi index, then they are found", Notice, stacklevel=2)
    if not _keep(folder, known, places, wanted, made_from):
        return _gathered(known, places, wanted)
    kept = _kept(folder, made_from, index)
    return _gathered(known, places, wanted) if kept is None else kept


def _contents(index: Index) -> list[str]:
    """Distinguishes the documents of this index and their numbers from any others."""
    return [segment.artifact.meta.arrays["hashes"].xxh3 for segment in index.segments]


def _kept(folder: Path, made_from: dict[str, Any], index: Index) -> Passages | None:
    def read(artifact: store.Artifact) -> Passages:
        found = _read(artifact)
        typed("hashes", found.hashes, (np.uint64,), len(index.numbering))
        return found

    return store.read_kept(folder, KIND, VERSION, made_from, read)


def _read(artifact: store.Artifact) -> Passages:
    found = Passages(*(artifact.array(name) for name in Passages._fields))
    typed("hashes", found.hashes, (np.uint64,), None)
    typed("numbers", found.numbers, (np.int8, np.float32), None, None)
    typed("scales", found.scales, (np.float64,), len(found.numbers))
    starts("starts", found.starts, len(found.hashes), len(found.numbers))
    finite("numbers", found.numbers)
    finite("scales", found.scales)
    return found


def _known(folder: Path, key: str) -> list[Passages]:
    """What was encoded before in the same way, finished or not."""
    found = []
    for path in (folder, *sorted((folder / PARTS).glob("*"))):
        try:
            artifact = store.read(path, KIND, VERSION)
            if artifact.meta.made_from["encoder"] == key:
                artifact.verify()
                with store.reading(path):
                    found.append(_read(artifact))
        except (InputError, KeyError):  # none yet, or cut off by a kill
            continue
    return found


def _missing(index: Index, known: list[Passages], wanted: Array) -> list[str]:
    """Ids of live documents without vectors."""
    have = np.concatenate([np.zeros(1, np.uint64), *(one.hashes for one in known)])
    without = np.flatnonzero(~np.isin(wanted, have)).tolist()
    ids = index.numbering.ids if without else []
    return [ids[i] for i in without]


def _encoded(ids: Sequence[str], encode: Encode, progress: Progress | None) -> Iterator[Passages]:
    if not ids:
        return
    if progress is None and len(ids) >= MANY:
        warnings.warn(f"{len(ids)} documents are new or changed: encoding them now", Notice, stacklevel=2)
    progress = progress or SILENT
    progress.start("encoding documents", len(ids))
    try:
        for part in encode(ids):
            yield part
            progress.advance(len(part.hashes))
    finally:
        progress.finish()


def _next_part(folder: Path) -> int:
    return 1 + max((int(path.name) for path in (folder / PARTS).glob("*") if path.name.isdigit()), default=0)


def _keep_part(folder: Path, key: str, part: Passages) -> None:
    """If the folder cannot be written, vectors stay in memory: a search needs them, but not on disk."""
    try:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(part._asdict())
            writer.commit({}, {"encoder": key})
    except (OSError, InputError):
        pass


def _places(known: Sequence[Passages], wanted: Array) -> tuple[Longs, Longs]:
    """(documents,) in which of the known sets, or -1; and where in it."""
    sets, places = np.full(len(wanted), -1, np.int64), np.zeros(len(wanted), np.int64)
    for number, one in enumerate(known):
        if not len(one.hashes):
            continue
        order = np.argsort(one.hashes, kind="stable")
        at = np.minimum(np.searchsorted(one.hashes, wanted, sorter=order), len(order) - 1)
        found = (one.hashes[order[at]] == wanted) & (wanted != 0)
        sets[found], places[found] = number, order[at[found]]
    return sets, places


def _counts(known: Sequence[Passages], places: tuple[Longs, Longs]) -> Longs:
    counts = np.zeros(len(places[0]), np.int64)
    for number, one in enumerate(known):
        here = places[0] == number
        counts[here] = np.diff(one.starts)[places[1][here]]
    return counts


def _rows(known: Sequence[Passages], places: tuple[Longs, Longs]) -> Iterator[tuple[Array, Array]]:
    """(numbers, scales) of one document after the other."""
    for number, place in zip(*(each.tolist() for each in places), strict=True):
        if number >= 0:
            one = known[number]
            some = slice(one.starts[place], one.starts[place + 1])
            yield one.numbers[some], one.scales[some]


def _gathered(known: Sequence[Passages], places: tuple[Longs, Longs], wanted: Array) -> Passages:
    begins = np.append(0, np.cumsum(_counts(known, places)))
    rows = list(_rows(known, places))
    numbers = np.concatenate([numbers for numbers, _ in rows]) if rows else np.zeros((0, 1), np.int8)
    scales = np.concatenate([scales for _, scales in rows]) if rows else np.zeros(0)
    return Passages(wanted, begins, numbers, scales)


def _keep(
    folder: Path,
    known: Sequence[Passages],
    places: tuple[Longs, Longs],
    wanted: Array,
    made_from: dict[str, Any],
) -> bool:
    """Whether they could be written; then parts are no longer needed."""
    try:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(_gathered(known, places, wanted)._asdict())
            writer.commit({}, made_from)
    except (OSError, InputError):  # another user's folder, or another search that is writing the same
        return False
    shutil.rmtree(folder / PARTS, ignore_errors=True)
    return True
