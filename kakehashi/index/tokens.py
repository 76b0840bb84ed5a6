"""The words of every document in their order, which the index does not keep: analysed once, packed and mapped.

Documents are known by the hash of their content, so after an update only new and changed ones are read again.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kakehashi import store
from kakehashi.corpus import lines
from kakehashi.corpus.collection import decode_text
from kakehashi.errors import InputError
from kakehashi.index.builder import content_hash
from kakehashi.index.holdings import INDEX, Holdings
from kakehashi.progress import SILENT, Progress
from kakehashi.soundness import ascending, starts, typed, within
from kakehashi.text.analyzer import Analyzer
from kakehashi.types import Array, Ints, Longs, Text

FOLDER, KIND, VERSION = "tokens", "tokens", 1
DOCUMENTS = "documents.jsonl"


class Tokens(NamedTuple):
    """Document d, numbered across all segments, has words[starts[rows[d]]:starts[rows[d] + 1]]."""

    terms: list[str]  # that words are numbers of, in no special order
    starts: Longs
    words: Ints
    rows: Longs  # (documents,) -1 for a dead one

    def of(self, documents: Longs) -> tuple[Longs, Ints]:
        """(starts, words) of live documents, side by side."""
        rows = self.rows[documents]
        sizes = self.starts[rows + 1] - self.starts[rows]
        ends = np.append(0, np.cumsum(sizes)).astype(np.int64)
        places = np.arange(int(ends[-1])) + np.repeat(self.starts[rows] - ends[:-1], sizes)
        return ends, np.asarray(self.words[places], np.int32)


class _Packed(NamedTuple):
    hashes: Array  # (texts,) uint64, ascending
    starts: Longs
    words: Ints
    terms: list[str]


def ordered_terms(analyzer: Analyzer, text: Text) -> list[str]:
    """In the order of the text, without n-grams."""
    return analyzer.terms_of_chunks(analyzer.segment(text.content))


def content_hashes(holdings: Holdings) -> Array:
    """(documents,) uint64, numbered across all segments."""
    return holdings.index.numbering.column("hashes").astype(np.uint64)


def read_tokens(holdings: Holdings, progress: Progress = SILENT) -> Tokens:
    """Those kept beside the index; what it has and they lack is read from the collection's file."""
    index, folder = holdings.index, holdings.folder / INDEX / FOLDER
    hashes, live = content_hashes(holdings), index.numbering.live
    made_from = {"analyzer": index.analyzer.fingerprint}
    kept = store.read_kept(folder, KIND, VERSION, made_from, _packed)
    if kept is None:
        kept = _Packed(np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0, np.int32), [])
    wanted = np.unique(hashes[live])
    missing = np.setdiff1d(wanted, kept.hashes)
    if len(missing):
        kept = _merged(kept, _analysed(holdings, missing, progress), wanted)
        _keep(folder, kept, made_from)
    rows = np.full(len(hashes), -1, np.int64)
    rows[live] = np.searchsorted(kept.hashes, hashes[live])
    return Tokens(kept.terms, kept.starts, kept.words, rows)


def _packed(artifact: store.Artifact) -> _Packed:
    hashes, begins, words = (artifact.array(name) for name in ("hashes", "starts", "words"))
    found = _Packed(hashes, begins, words, list(artifact.strings("terms")))
    ascending("hashes", typed("hashes", hashes, (np.uint64,), None))
    typed("words", words, (np.int32,), None)
    starts("starts", begins, len(hashes), len(words))
    within("words", words, len(found.terms))
    return found


def _analysed(holdings: Holdings, wanted: Array, progress: Progress) -> dict[int, list[str]]:
    analyzer, left, found = holdings.index.analyzer, {*wanted.tolist()}, dict[int, list[str]]()
    progress.start("reading documents", len(left))
    try:
        for text in _documents(holdings.folder):
            key = content_hash(text)
            if key in left:
                left.discard(key)
                found[key] = ordered_terms(analyzer, text)
                progress.advance(1)
                if not left:
                    break
    finally:
        progress.finish()
    if left:
        raise InputError(
            f"{holdings.folder / DOCUMENTS} lacks {len(left)} documents of the index, or has them in another form: "
            f"run kakehashi index {holdings.folder}"
        )
    return found


def _documents(folder: Path) -> Iterator[Text]:
    path = lines.require(folder, DOCUMENTS, "is missing: the order of words is read from it")
    for number, line in lines.read_lines(path):
        if line:
            yield decode_text(path, number, line)


def _merged(kept: _Packed, new: dict[int, list[str]], wanted: Array) -> _Packed:
    """Texts in the order of their hashes; those that nobody wants any more are dropped."""
    terms = {term: number for number, term in enumerate(kept.terms)}
    hashes, parts = sorted({*wanted.tolist()}), []
    places = {key: row for row, key in enumerate(np.asarray(kept.hashes).tolist())}
    for key in hashes:
        if key in new:
            numbers = [terms.setdefault(term, len(terms)) for term in new[key]]
            parts.append(np.array(numbers, np.int32))
        else:
            row = places[key]
            parts.append(np.asarray(kept.words[kept.starts[row] : kept.starts[row + 1]]))
    starts = np.append(0, np.cumsum([len(part) for part in parts])).astype(np.int64)
    words = np.concatenate([*parts, np.zeros(0, np.int32)]).astype(np.int32)
    return _Packed(np.array(hashes, np.uint64), starts, words, list(terms))


def _keep(folder: Path, packed: _Packed, made_from: dict[str, str]) -> None:
    try:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put({"hashes": packed.hashes, "starts": packed.starts, "words": packed.words})
            writer.put(store.strings_arrays("terms", packed.terms))
            writer.commit({}, made_from)
    except (OSError, InputError):  # another user's folder, or one that is being written: they stay in memory
        pass
