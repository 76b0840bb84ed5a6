"""An index of the same documents with n-grams as terms, for models that use more than single words.

The forward rows of an index do not store the order of words, so the documents are read and analysed again; after
that, only changes are.
"""

from pathlib import Path

import msgspec
import numpy as np

from kakehashi.errors import InputError, UnreadableError
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.update import Analyzers, build_index
from kakehashi.progress import SILENT, Progress
from kakehashi.text.analyzer import Analyzer
from kakehashi.types import Array


def has_ngrams(index: Index, n: int) -> bool:
    return index.analyzer.settings.ngrams == n and index.source_analyzer.settings.ngrams == n


def index_ngrams(holdings: Holdings, n: int, folder: Path, progress: Progress = SILENT) -> Index:
    """The index in `folder`, updated to match the collection's if needed; the latter itself if it has these n-grams."""
    index = holdings.index
    if has_ngrams(index, n):
        return index
    analyzers = Analyzers(_longer(index.analyzer, n), _longer(index.source_analyzer, n))
    try:
        found = Index(folder)
        same_ways = found.fingerprint == analyzers.fingerprint and found.fields == index.fields
        if same_ways and _same_documents(found, index):
            return found
    except UnreadableError:
        raise
    except InputError:
        pass  # none yet, or damaged: it can be rebuilt
    documents = holdings.collection.documents()
    build_index(folder, documents, analyzers, index.fields, total=index.n_docs, progress=progress)
    found = Index(folder)
    if not _same_documents(found, index):
        raise InputError(
            f"{holdings.folder} has changed since it was indexed: run kakehashi index {holdings.folder}"
        )
    return found


def _longer(analyzer: Analyzer, n: int) -> Analyzer:
    return Analyzer(msgspec.structs.replace(analyzer.settings, ngrams=n), analyzer.state)


def _same_documents(one: Index, other: Index) -> bool:
    return np.array_equal(_hashes(one), _hashes(other))


def _hashes(index: Index) -> Array:
    """Of all live documents, ascending."""
    parts = [np.zeros(0, np.uint64)]
    for i, segment in enumerate(index.segments):
        allowed = index.allowed(i)
        hashes = segment.artifact.array("hashes")
        parts.append(hashes if allowed is None else hashes[allowed])
    return np.sort(np.concatenate(parts))
