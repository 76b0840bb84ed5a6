"""Document vectors, computed once from an index's forward rows and stored next to the model.

A vector is whole numbers of up to 20 bits times a power of two. Whole numbers add up alike in any order, so a
score does not depend on the blocks, segments, threads or processor of a matrix product.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kakehashi import store
from kakehashi.compiled import kernel
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.learn.vectors import Rows, checked_rows
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.projection import Projection
from kakehashi.soundness import finite, typed
from kakehashi.types import Array

KIND, VERSION = "document-vectors", 1
BITS = 20  # two such numbers multiplied, and 2^13 of those added, still fit into a float64's 53 bits
MAX_DIMENSIONS = 1 << 13
BLOCK = 1 << 14  # documents projected at a time
NO_ROWS = Rows(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))


class Vectors(NamedTuple):
    """Vectors of texts; numbers is float32, which holds 24 bits and is what a matrix product reads."""

    numbers: Array  # (texts, dimensions) integers
    scales: Array  # (texts,) powers of two; 0 if a text has no known word


def vectors_of(projected: Array, rows: Rows, cosine: bool) -> Vectors:
    if projected.shape[1] > MAX_DIMENSIONS:
        raise InputError(f"vectors have at most {MAX_DIMENSIONS} dimensions, not {projected.shape[1]}")
    return Vectors(*_rounded(projected, np.diff(rows.starts) > 0, cosine))


class DocumentVectors(NamedTuple):
    """For all documents of an index, segment by segment, including dead ones."""

    vectors: Vectors
    rows: Rows | None  # the sparse vectors, if words both sides share count by themselves


def document_vectors(
    index: Index, projection: Projection, folder: Path | None = None, progress: Progress = SILENT
) -> DocumentVectors:
    """Those stored in `folder` if they still match the index and the model; otherwise they are computed and stored."""
    made_from = {"segments": index.contents, "projection": projection.key}
    found = _kept(folder, made_from, index, projection) if folder else None
    if found is not None:
        return found
    if folder:
        index.verify()
    rows = projection.document_words.document_rows(index)
    parts = list(_projected(projection, rows, progress))
    vectors = Vectors(
        np.concatenate([part.numbers for part in parts]), np.concatenate([part.scales for part in parts])
    )
    made = DocumentVectors(vectors, rows if len(projection.shared) else None)
    if folder and _keep(folder, made, made_from):
        return _kept(folder, made_from, index, projection) or made
    return made


def _projected(projection: Projection, rows: Rows, progress: Progress) -> Iterator[Vectors]:
    n = len(rows.starts) - 1
    progress.start("projecting documents", n)
    try:
        for first in range(0, max(n, 1), BLOCK):
            some = part_of(rows, first, min(first + BLOCK, n))
            yield vectors_of(projection.of_documents(some), some, projection.cosine)
            progress.advance(len(some.starts) - 1)
    finally:
        progress.finish()


def part_of(rows: Rows, first: int, last: int) -> Rows:
    start, end = int(rows.starts[first]), int(rows.starts[last])
    return Rows(rows.starts[first : last + 1] - start, rows.columns[start:end], rows.values[start:end])


def _kept(
    folder: Path, made_from: dict[str, Any], index: Index, projection: Projection
) -> DocumentVectors | None:
    n_docs, n_words = len(index.numbering), len(projection.document_words)
    dimensions = projection.of_documents(NO_ROWS).shape[1]

    def read(artifact: store.Artifact) -> DocumentVectors:
        numbers = typed("numbers", artifact.array("numbers"), (np.float32,), n_docs, dimensions)
        scales = typed("scales", artifact.array("scales"), (np.float64,), n_docs)
        rows = None
        if len(projection.shared):
            rows = checked_rows(
                Rows(*(artifact.array(f"rows.{name}") for name in Rows._fields)), n_docs, n_words
            )
        return DocumentVectors(Vectors(finite("numbers", numbers), finite("scales", scales)), rows)

    return store.read_kept(folder, KIND, VERSION, made_from, read)


def _keep(folder: Path, made: DocumentVectors, made_from: dict[str, Any]) -> bool:
    """Whether they could be written; a search needs them, but not on disk."""
    try:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(made.vectors._asdict())
            if made.rows is not None:
                writer.put({f"rows.{name}": array for name, array in made.rows._asdict().items()})
            writer.commit({"dimensions": made.vectors.numbers.shape[1]}, made_from)
    except (OSError, InputError):  # another user's folder, or another search that is writing the same
        return False
    return True


@kernel
def _rounded(projected: Array, known: Array, cosine: bool) -> Any:
    numbers, scales = np.zeros_like(projected), np.zeros(len(projected))
    for r in range(len(projected)):
        largest, squares = 0.0, 0.0
        for i in range(projected.shape[1]):
            value = np.float64(projected[r, i])
            largest = max(largest, abs(value))
            squares += value * value
        length = math.sqrt(squares) if cosine and squares > 0.0 else 1.0
        _, exponent = math.frexp(largest / length)
        scale = math.ldexp(1.0, exponent - BITS) if largest > 0.0 else 1.0
        for i in range(projected.shape[1]):
            numbers[r, i] = np.rint(np.float64(projected[r, i]) / length / scale)
        scales[r] = scale if known[r] else 0.0
    return numbers, scales
