"""The terms of every document's title, analysed once and stored; the index itself does not tell title from text."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.progress import SILENT, Progress, track
from kakehashi.soundness import starts, typed, within
from kakehashi.types import Array, Longs

KIND, VERSION = "titles", 1
BLOCK = 1 << 14  # titles whose terms are looked up together


class Titles(NamedTuple):
    """Document d, numbered across all segments, has the distinct terms[starts[d]:starts[d + 1]] in its title."""

    starts: Longs  # (documents + 1,)
    terms: Array  # (entries,) int32, in each title by the order of a fresh index


def has_titles(index: Index) -> bool:
    """Whether any document has a title, without reading them."""
    return any(len(segment.artifact.array("titles.bytes")) for segment in index.segments)


def read_titles(index: Index, folder: Path | None = None, progress: Progress = SILENT) -> Titles:
    """Those stored in `folder` if they still match the index; otherwise they are analysed and stored."""
    made_from = {"titles": _contents(index), "analyzer": index.analyzer.fingerprint}
    found = _kept(folder, made_from, index) if folder else None
    if found is None:
        if folder:
            index.verify()
        found = _analysed(index, progress)
        if folder:
            _keep(folder, found, made_from)
    return _in_order(found, index)


def _contents(index: Index) -> list[Any]:
    """Distinguishes the titles and term numbers of this index from any others."""
    titles = [segment.artifact.meta.arrays["titles.bytes"].xxh3 for segment in index.segments]
    return [*index.contents, titles]


def _analysed(index: Index, progress: Progress) -> Titles:
    analyzer, vocabulary = index.analyzer, index.vocabulary
    sizes, parts = [0], [np.zeros(0, np.int32)]
    block: list[tuple[str, ...]] = []

    def look_up() -> None:
        numbers = vocabulary.numbers([term for terms in block for term in terms])
        owners = np.repeat(np.arange(len(block)), [len(terms) for terms in block])
        known = numbers != UNKNOWN  # in a dead document, a word may be unknown
        sizes.extend(np.bincount(owners[known], minlength=len(block)).tolist())
        parts.append(numbers[known])
        block.clear()

    titles = [title for segment in index.segments for title in segment.titles]
    for title in track(titles, "reading titles", len(titles), progress):
        block.append(tuple(dict.fromkeys(analyzer.terms_of_chunks(analyzer.segment(title)))))
        if len(block) == BLOCK:
            look_up()
    look_up()
    return Titles(np.cumsum(sizes).astype(np.int64), np.concatenate(parts).astype(np.int32))


def _in_order(titles: Titles, index: Index) -> Titles:
    """Sums over a title follow this order, so that they do not depend on the history of the index."""
    owners = np.repeat(np.arange(len(titles.starts) - 1), np.diff(titles.starts))
    order = np.lexsort((index.statistics.rank_of(np.asarray(titles.terms)), owners))
    return Titles(titles.starts, np.asarray(titles.terms)[order])


def _kept(folder: Path, made_from: dict[str, Any], index: Index) -> Titles | None:
    def read(artifact: store.Artifact) -> Titles:
        terms = typed("terms", artifact.array("terms"), (np.int32,), None)
        places = starts("starts", artifact.array("starts"), len(index.numbering), len(terms))
        return Titles(places, within("terms", terms, len(index.vocabulary)))

    return store.read_kept(folder, KIND, VERSION, made_from, read)


def _keep(folder: Path, titles: Titles, made_from: dict[str, Any]) -> None:
    try:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(titles._asdict())
            writer.commit({}, made_from)
    except (OSError, InputError):  # another user's folder, or one that is being written: they stay in memory
        pass
