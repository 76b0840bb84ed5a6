"""Collections from ir_datasets: any object that can iterate over documents, queries and judgments.

Loads only what is passed to `load`; ir_datasets may then download it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import msgspec
import xxhash

from kakehashi.corpus.assemble import Assembled, assemble
from kakehashi.corpus.collection import CollectionInfo
from kakehashi.errors import InputError, KakehashiError, MissingDependency
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Qrels, Text

TITLES = ("title", "headline")
TEXTS = (
    "text", "abstract", "body", "description", "summary", "detailed_description", "eligibility", "extra_text",
    "code", "query",
)  # fmt: skip


class Dataset(Protocol):
    """The part of ir_datasets.Dataset used here; the records are named tuples."""

    def docs_iter(self) -> Iterable[Any]: ...
    def queries_iter(self) -> Iterable[Any]: ...
    def qrels_iter(self) -> Iterable[Any]: ...


def load(name: str) -> Dataset:
    """The ir_datasets dataset of that name."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingDependency("ir-datasets", "datasets") from None
    try:
        dataset: Dataset = ir_datasets.load(name)
    except KeyError:
        raise InputError(f"ir_datasets has no dataset '{name}': run ir_datasets list") from None
    return dataset


def import_datasets(
    datasets: Mapping[str, Dataset],
    folder: Path,
    info: CollectionInfo,
    document_fields: Sequence[str] = (),
    query_fields: Sequence[str] = (),
    force: bool = False,
    progress: Progress = SILENT,
) -> Assembled:
    """A collection folder with one split per dataset; all use the documents of the first."""
    try:
        qrels = {split: read_qrels(dataset) for split, dataset in datasets.items()}
        documents = read_documents(next(iter(datasets.values())), info.target_language, document_fields)
        queries = _distinct(
            read_queries(dataset, info.source_language, query_fields) for dataset in datasets.values()
        )
        return assemble(folder, info, documents, queries, qrels, force, progress)
    except (KakehashiError, KeyboardInterrupt):
        raise
    except Exception as error:  # a download can fail in many ways, all of them inside the dataset
        raise InputError(
            f"ir_datasets cannot provide the data: {str(error) or type(error).__name__}"
        ) from error


def read_documents(dataset: Dataset, lang: str, fields: Sequence[str] = ()) -> Iterator[Text]:
    return (_text(record, record.doc_id, lang, fields) for record in dataset.docs_iter())


def read_queries(dataset: Dataset, lang: str, fields: Sequence[str] = ()) -> Iterator[Text]:
    return (_text(record, record.query_id, lang, fields) for record in dataset.queries_iter())


def read_qrels(dataset: Dataset) -> Qrels:
    """If several assessors or subtopics judged a pair, the highest level counts."""
    qrels: Qrels = {}
    for record in dataset.qrels_iter():
        judged = qrels.setdefault(str(record.query_id), {})
        judged[str(record.doc_id)] = max(int(record.relevance), judged.get(str(record.doc_id), -9))
    return qrels


def _text(record: Any, id: object, lang: str, fields: Sequence[str]) -> Text:
    """Title and text of a record: the requested fields, otherwise those that usually contain text."""
    strings = {
        name: getattr(record, name) for name in record._fields if isinstance(getattr(record, name), str)
    }
    missing = [name for name in fields if name not in strings]
    wanted = fields or [name for name in (*TITLES, *TEXTS) if name in strings]
    if missing or not wanted:
        raise InputError(f"record '{id}' has no text field {', '.join(missing)}: it has {', '.join(strings)}")
    title = next((strings[name] for name in wanted if name in TITLES), "")
    return Text(str(id), lang, "\n".join(strings[name] for name in wanted if name not in TITLES), title)


def _distinct(parts: Iterable[Iterator[Text]]) -> Iterator[Text]:
    """Datasets of one family often list all queries in each; the same query is used once."""
    seen: dict[str, int] = {}
    for text in chain.from_iterable(parts):
        digest = xxhash.xxh3_64_intdigest(msgspec.json.encode(text))
        if text.id not in seen:
            yield text
        if seen.setdefault(text.id, digest) != digest:
            raise InputError(f"query '{text.id}' has two texts: import the datasets one by one")
