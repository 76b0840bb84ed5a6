"""Collections in BEIR format: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv with a header line."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from kakehashi.corpus import lines
from kakehashi.corpus.assemble import Assembled, assemble
from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.folders import whole_folder
from kakehashi.corpus.ids import refuse_bad_id
from kakehashi.corpus.json_lines import read_records
from kakehashi.corpus.trec import read_three_columns
from kakehashi.corpus.writing import encoded
from kakehashi.errors import FileError, InputError
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Qrels, Text

HEADER = ["query-id", "corpus-id", "score"]


class _Record(msgspec.Struct):
    id: str | int = msgspec.field(name="_id")
    text: str | None = ""
    title: str | None = ""
    metadata: dict[str, Any] | None = None


_decoder = msgspec.json.Decoder(_Record)


def read_texts(path: Path, lang: str) -> Iterator[Text]:
    """The records of corpus.jsonl or queries.jsonl; numbers as ids become strings, null an empty text."""
    for number, record in read_records(path, _decoder, "BEIR"):
        id = str(record.id)
        if id.split() != [id]:
            raise FileError(path, number, f"id {id[:60]!r} is empty or contains white space")
        yield Text(id, lang, record.text or "", record.title or "", record.metadata or {})


def write_texts(path: Path, texts: Iterable[Text]) -> None:
    with lines.write_file(path) as file:
        for text in texts:
            refuse_bad_id(str(path), text.id)
            record = {"_id": text.id, "title": text.title, "text": text.text, "metadata": dict(text.meta)}
            try:
                file.write(msgspec.json.encode(record) + b"\n")
            except (UnicodeEncodeError, TypeError, RecursionError) as error:
                raise InputError(f"{path}: record '{text.id}' cannot be written as JSON: {error}") from None


def read_qrels(path: Path) -> Qrels:
    return read_three_columns(path, HEADER, titled=True)


def write_qrels(path: Path, qrels: Qrels) -> None:
    with lines.write_file(path) as file:
        file.write(("\t".join(HEADER) + "\n").encode())
        for query, judged in qrels.items():
            for document, level in judged.items():
                refuse_bad_id(str(path), query)
                refuse_bad_id(str(path), document)
                file.write(encoded(f"{query}\t{document}\t{level}\n", str(path)))


def import_beir(
    source: Path, folder: Path, info: CollectionInfo, force: bool = False, progress: Progress = SILENT
) -> Assembled:
    """Convert a BEIR folder into a collection folder; queries without judgments are kept."""
    splits = Collection.split_names(source)
    if not splits:
        raise FileError(source / "qrels", None, "has no judgments: BEIR keeps them in qrels/SPLIT.tsv")
    qrels = {split: read_qrels(_needed(source, f"qrels/{split}.tsv")) for split in splits}
    documents = read_texts(_needed(source, "corpus.jsonl"), info.target_language)
    queries = read_texts(_needed(source, "queries.jsonl"), info.source_language)
    return assemble(folder, info, documents, queries, qrels, force, progress)


def export_beir(collection: Collection, out: Path) -> None:
    """Export the collection as a BEIR folder, which cannot store languages, originals, links and the like."""
    with whole_folder(out) as folder:
        write_texts(folder / "corpus.jsonl", collection.documents())
        write_texts(folder / "queries.jsonl", collection.queries())
        for split in collection.splits:
            write_qrels(folder / "qrels" / f"{split}.tsv", collection.qrels(split))


def _needed(folder: Path, name: str) -> Path:
    return lines.require(folder, name, "is missing: this is not a BEIR folder")
