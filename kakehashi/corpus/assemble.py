"""Builds a collection folder from documents, queries and judgments of other sources.

Records without any text, and judgments of documents or queries that do not exist, are skipped and counted.
Negative levels, which some test collections use for junk, become 0.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import InputError
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Qrels, Text


@dataclass(frozen=True)
class Assembled:
    """What was added to the folder, and what was skipped."""

    documents: int
    queries: int
    judgments: dict[str, int]
    left_out: dict[
        str, int
    ]  # "empty documents", "empty queries", "judgments of unknown documents or queries"
    note: str = ""  # what the collection cannot be used for yet

    def __str__(self) -> str:
        splits = ", ".join(f"{count} judgments in {split}" for split, count in self.judgments.items())
        skipped = ", ".join(f"{count} {what}" for what, count in self.left_out.items() if count)
        out = f"; skipped: {skipped}" if skipped else ""
        return f"{self.documents} documents, {self.queries} queries, {splits or 'no judgments'}{out}"


def assemble(
    folder: Path,
    info: CollectionInfo,
    documents: Iterable[Text],
    queries: Iterable[Text],
    qrels: Mapping[str, Qrels],
    force: bool = False,
    progress: Progress = SILENT,
    also: Callable[[CollectionWriter], None] = lambda writer: None,
) -> Assembled:
    """Write the folder; levels that occur but have no name in `info` are declared as `level n`.

    `also` writes further files.
    """
    _refuse_leaks(qrels)
    with CollectionWriter(folder, _with_levels(info, qrels), force) as writer:
        document_ids, empty_documents = _write(writer.document, track(documents, "documents", None, progress))
        query_ids, empty_queries = _write(writer.query, track(queries, "queries", None, progress))
        if not document_ids or not query_ids:
            raise InputError(
                f"{folder}: no {'queries' if document_ids else 'documents'} with text were found"
            )
        also(writer)
        judgments, unknown = {}, 0
        for split, judged in qrels.items():
            kept = dict(_known(judged, query_ids, document_ids))
            writer.qrels(split, kept)
            judgments[split] = sum(map(len, kept.values()))
            unknown += sum(map(len, judged.values())) - judgments[split]
        left_out = {
            "empty documents": empty_documents,
            "empty queries": empty_queries,
            "judgments of unknown documents or queries": unknown,
        }
        made_with = {**writer.info.made_with, **{what: count for what, count in left_out.items() if count}}
        writer.info = msgspec.structs.replace(writer.info, made_with=made_with)
    return Assembled(len(document_ids), len(query_ids), judgments, left_out)


def _write(write: Callable[[Text], None], texts: Iterable[Text]) -> tuple[set[str], int]:
    ids: set[str] = set()
    empty = 0
    for text in texts:
        if text.text.strip() or text.title.strip():
            write(text)
            ids.add(text.id)
        else:
            empty += 1
    return ids, empty


def _known(judged: Qrels, queries: set[str], documents: set[str]) -> Iterator[tuple[str, dict[str, int]]]:
    for query, levels in judged.items():
        kept = {document: max(level, 0) for document, level in levels.items() if document in documents}
        if query in queries and kept:
            yield query, kept


def _with_levels(info: CollectionInfo, qrels: Mapping[str, Qrels]) -> CollectionInfo:
    found = {level for judged in qrels.values() for levels in judged.values() for level in levels.values()}
    words = {str(level): f"level {level}" for level in sorted(found, reverse=True) if level > 0}
    return msgspec.structs.replace(info, levels={**words, **info.levels})


def _refuse_leaks(qrels: Mapping[str, Qrels]) -> None:
    split_of: dict[str, str] = {}
    for split, judged in qrels.items():
        for query in judged:
            if split_of.setdefault(query, split) != split:
                raise InputError(
                    f"query '{query}' is judged in {split_of[query]} and in {split}: keep it in one"
                )
