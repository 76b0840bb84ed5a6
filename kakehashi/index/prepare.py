"""Indexes a collection folder: learns the analysis of both languages, then builds or updates the index.

The index is the folder `index/` inside the collection's folder.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.pools import pool_documents
from kakehashi.errors import InputError, UnreadableError
from kakehashi.index.index import Index
from kakehashi.index.update import Analyzers, Changes, build_index
from kakehashi.progress import SILENT, Progress
from kakehashi.text.learn import learn
from kakehashi.text.settings import AnalyzerSettings, read_settings, settings_for
from kakehashi.types import Text

FOLDER = "index"


def index_folder(collection: Collection) -> Path:
    return collection.folder / FOLDER


def index_collection(
    collection: Collection,
    target: Mapping[str, Any] | None = None,
    source: Mapping[str, Any] | None = None,
    rebuild: bool = False,
    progress: Progress = SILENT,
    keep_settings: bool = False,
    analyzers: Analyzers | None = None,
    allow_empty: bool = False,
) -> Changes:
    """Build the index, or update it with what changed; `target` and `source` override analyzer settings.

    A collection without documents is refused where the index has some, unless `allow_empty` says that all are to be
    deleted: more often, a file was lost. With `keep_settings` those of an index that is there already stay as they
    are. Analyzers that are given are used as they are, with what they learned from other texts.

    What the analyzers learned from the first texts (how often words occur) stays until a rebuild, for otherwise
    one new document would change the analysis of all others.
    """
    folder, fields = index_folder(collection), {**collection.info.fields}
    wanted = (
        _settings(collection.info.target_language, target),
        _settings(collection.info.source_language, source),
    )
    if analyzers is None and not rebuild:
        analyzers = _known(folder, *wanted, keep_settings)
    if analyzers is None:
        analyzers = Analyzers(
            learn(wanted[0], _target_texts(collection), progress),
            learn(wanted[1], _source_texts(collection), progress),
        )
    documents = collection.documents() if allow_empty else _not_empty(collection, folder)
    return build_index(folder, documents, analyzers, fields, rebuild=rebuild, progress=progress)


def _not_empty(collection: Collection, folder: Path) -> Iterator[Text]:
    """The documents; an error if there are none, but some in the index."""
    n = 0
    for n, text in enumerate(collection.documents(), 1):  # noqa: B007
        yield text
    if n == 0 and (indexed := _size(folder)):
        raise InputError(
            f"{collection.path('documents.jsonl')} holds no documents, the index has {indexed}: run kakehashi index "
            f"{collection.folder} --allow-empty to delete them all"
        )


def _size(folder: Path) -> int:
    """Documents in the index; 0 where there is none to lose."""
    try:
        return Index(folder).n_docs
    except InputError:
        return 0


def _known(
    folder: Path, target: AnalyzerSettings, source: AnalyzerSettings, keep_settings: bool
) -> Analyzers | None:
    """The analyzers of the index there, if it has the wanted settings."""
    try:
        index = Index(folder)
        analyzers = Analyzers(index.analyzer, index.source_analyzer)
    except UnreadableError:
        raise
    except InputError:
        return None  # no index, or one of another format: it will be built
    same = analyzers.target.settings == target and analyzers.source.settings == source
    return analyzers if same or keep_settings else None


def _settings(lang: str, changes: Mapping[str, Any] | None) -> AnalyzerSettings:
    defaults = msgspec.to_builtins(settings_for(lang))
    return read_settings({**defaults, **(changes or {})})


def _target_texts(collection: Collection) -> Iterator[str]:
    """Documents; where a collection has pools, those of the pool `train`: nothing is learned from others."""
    has_train = "train" in collection.splits
    documents = pool_documents(collection, "train") if has_train else collection.documents()
    return (text.content for text in documents)


def _source_texts(collection: Collection) -> Iterator[str]:
    """Texts of the source language: training queries (all if there is no such split) and parallel text.

    Dev and test queries are left out: nothing may be learned from them, not even word counts.
    """
    train = collection.qrels("train") if "train" in collection.splits else None
    for text in collection.queries() if collection.has("queries.jsonl") else ():
        if train is None or text.id in train:
            yield text.content
    if collection.has("parallel.tsv"):
        for source, _ in collection.parallel():
            yield source
