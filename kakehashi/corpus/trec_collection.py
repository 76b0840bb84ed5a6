"""Collections as TREC documents, topics and judgments, in both directions."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from kakehashi.corpus.assemble import Assembled, assemble
from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.folders import whole_folder
from kakehashi.corpus.trec import read_qrels, write_qrels
from kakehashi.corpus.trec_text import read_documents, read_topics, write_documents, write_topics
from kakehashi.progress import SILENT, Progress


def import_trec(
    documents: Iterable[Path],
    topics: Iterable[Path],
    qrels: Mapping[str, Path],
    folder: Path,
    info: CollectionInfo,
    fields: Sequence[str] = ("title", "desc"),
    force: bool = False,
    progress: Progress = SILENT,
) -> Assembled:
    """A collection folder; `qrels` has one file per split, `fields` are the parts of a topic to use."""
    judged = {split: read_qrels(path) for split, path in qrels.items()}
    queries = [text for path in topics for text in read_topics(path, info.source_language, fields)]
    texts = chain.from_iterable(read_documents(path, info.target_language) for path in documents)
    return assemble(folder, info, texts, queries, judged, force, progress)


def export_trec(collection: Collection, out: Path) -> None:
    """documents.trec, topics.trec and SPLIT.qrels, which cannot store languages and metadata."""
    with whole_folder(out) as folder:
        write_documents(folder / "documents.trec", collection.documents())
        write_topics(folder / "topics.trec", collection.queries())
        for split in collection.splits:
            write_qrels(folder / f"{split}.qrels", collection.qrels(split))
