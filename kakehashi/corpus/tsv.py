"""Collections in the format of BoostCLIR and WikiCLIR, with one pool of documents for each split X.

    X.queries   id TAB text
    X.docs      id TAB text                 the pool of split X; or shared.docs, one pool for all
    X.qrels     query TAB document TAB level

X is train, dev or test, with any prefix (de-en.train.docs). The union of the pools becomes
documents.jsonl, where the metadata field `pool` lists the splits a document is a candidate for.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import xxhash

from kakehashi.corpus import lines
from kakehashi.corpus.assemble import Assembled, assemble
from kakehashi.corpus.collection import Collection, CollectionInfo, FieldKind
from kakehashi.corpus.folders import whole_folder
from kakehashi.corpus.ids import refuse_bad_id
from kakehashi.corpus.metadata_lines import NOTHING, More, read_edges, read_metadata, with_metadata
from kakehashi.corpus.pools import POOL, pool_documents
from kakehashi.corpus.trec import read_three_columns
from kakehashi.corpus.trec_text import read_id_texts
from kakehashi.corpus.writing import CollectionWriter, encoded
from kakehashi.errors import FileError, InputError
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Qrels, Text

SHARED = "shared"
LEVELS: Mapping[str, Mapping[str, str]] = {
    "boostclir": {"3": "same patent family", "2": "cited by the examiner", "1": "cited by the applicant"},
    "wikiclir": {"3": "the same article", "2": "linked in both directions with the same article"},
}


def read_qrels(path: Path) -> Qrels:
    return read_three_columns(path, ("query", "document", "level"))


def import_tsv(
    source: Path,
    folder: Path,
    info: CollectionInfo,
    swap_dev_test: bool = False,
    query_texts: Path | None = None,
    force: bool = False,
    progress: Progress = SILENT,
    more: More = NOTHING,
) -> Assembled:
    """A collection folder from X.queries, X.docs and X.qrels.

    `swap_dev_test` exchanges the names of dev and test: one of the publications on these patents calls dev what
    the others call test. `query_texts` (id TAB text) supplies the text of queries published only as ids.
    """
    meta, edges = read_metadata(more.metadata), read_edges(more.classes)
    stems = _stems(source, swap_dev_test)
    qrels = {split: read_qrels(lines.require(source, f"{stem}.qrels")) for split, stem in stems.items()}
    pools = _pools(source, stems)
    made_with = {**info.made_with, "swap_dev_test": swap_dev_test}
    fields: dict[str, FieldKind] = dict(info.fields)
    fields |= {field: "keyword" for own in meta.values() for field in own}
    if SHARED not in pools:
        fields[POOL] = "keyword"
    info = msgspec.structs.replace(info, fields=fields, made_with=made_with)
    documents = _replaced(_union(pools, info.target_language), more.document_texts)
    queries = _queries(source, stems, info.source_language, query_texts)

    def also(writer: CollectionWriter) -> None:
        for child, parent in edges:
            writer.class_edge(child, parent)

    made = with_metadata(documents, meta), with_metadata(queries, meta)
    return assemble(folder, info, *made, qrels, force, progress, also)


def _stems(source: Path, swap_dev_test: bool) -> dict[str, str]:
    """Split -> the names of its files before the last dot."""
    names = [lines.stem(path) for path in sorted(source.glob("*"))] if source.is_dir() else []
    found = [name.removesuffix(".qrels") for name in names if name.endswith(".qrels")]
    if not found:
        raise FileError(source, None, "has no judgments: put X.queries, X.docs and X.qrels here")
    swapped = {"dev": "test", "test": "dev"} if swap_dev_test else {}
    stems: dict[str, str] = {}
    for stem in dict.fromkeys(found):
        last = stem.replace("-", ".").replace("_", ".").split(".")[-1]
        split = last if last in ("train", "dev", "test") else stem
        split = swapped.get(split, split)
        if split in stems:
            raise FileError(source, None, f"has two sets of judgments for {split}: {stems[split]} and {stem}")
        stems[split] = stem
    return {split: stems[split] for split in sorted(stems, key=["train", "dev", "test", *stems].index)}


def _pools(source: Path, stems: Mapping[str, str]) -> dict[str, Path]:
    """Split -> its documents; {SHARED: ...} if all splits have the same."""
    shared = lines.find(source, f"{SHARED}.docs")
    if shared is not None:
        return {SHARED: shared}
    return {split: lines.require(source, f"{stem}.docs") for split, stem in stems.items()}


def _union(pools: Mapping[str, Path], lang: str) -> Iterator[Text]:
    """Every document once, with its pools; two passes, because the last pool may contain documents of the first."""
    names = list(pools)
    digests: dict[str, int] = {}
    member: dict[str, int] = {}  # id -> bit p is set if it is in pool p
    for place, path in enumerate(pools.values()):
        for text in read_id_texts(path, lang):
            digest = xxhash.xxh3_64_intdigest(text.text.encode())
            if digests.setdefault(text.id, digest) != digest:
                raise FileError(
                    path,
                    None,
                    f"document '{text.id}' has a different text in another pool: use the same text",
                )
            if member.get(text.id, 0) >> place & 1:
                raise FileError(path, None, f"document '{text.id}' occurs twice")
            member[text.id] = member.get(text.id, 0) | 1 << place
    for path in pools.values():
        for text in read_id_texts(path, lang):
            bits = member.pop(text.id, 0)
            if bits:
                yield msgspec.structs.replace(text, meta=_pool_meta(names, bits))


def _pool_meta(names: Sequence[str], bits: int) -> dict[str, list[str]]:
    return (
        {} if names == [SHARED] else {POOL: [name for place, name in enumerate(names) if bits >> place & 1]}
    )


def _replaced(documents: Iterator[Text], path: Path | None) -> Iterator[Text]:
    """Documents with other texts, such as first claims; one that has none is left out as empty."""
    if path is None:
        yield from documents
        return
    texts = {text.id: text.text for text in read_id_texts(path, "")}
    for document in documents:
        yield msgspec.structs.replace(document, text=texts.get(document.id, ""))


def _queries(source: Path, stems: Mapping[str, str], lang: str, query_texts: Path | None) -> Iterator[Text]:
    texts = {text.id: text.text for text in read_id_texts(query_texts, lang)} if query_texts else {}
    for stem in stems.values():
        path = lines.require(source, f"{stem}.queries")
        for number, line in lines.read_lines(path):
            id, _, text = line.partition("\t")
            text = texts.get(id, text)
            if not id or id.split() != [id]:
                raise FileError(path, number, f"id {id[:60]!r} is empty or contains white space")
            if not text.strip():
                raise FileError(
                    path, number, f"query '{id}' has no text: give a file of id TAB text (--texts)"
                )
            yield Text(id, lang, text)


def export_tsv(collection: Collection, out: Path, flatten: bool = False) -> None:
    """The collection in this format; `flatten` joins title and text into one line with single spaces."""
    with whole_folder(out) as folder:
        if POOL not in collection.info.fields:
            _write_texts(folder / f"{SHARED}.docs", collection.documents(), flatten)
        for split in collection.splits:
            if POOL in collection.info.fields:
                _write_texts(folder / f"{split}.docs", pool_documents(collection, split), flatten)
            _write_texts(folder / f"{split}.queries", iter(collection.split_queries(split)), flatten)
            _write_qrels(folder / f"{split}.qrels", collection.qrels(split))


def _write_qrels(path: Path, qrels: Qrels) -> None:
    with lines.write_file(path) as file:
        for query, judged in qrels.items():
            rows = "".join([f"{query}\t{document}\t{level}\n" for document, level in judged.items()])
            file.write(encoded(rows, str(path)))


def _write_texts(path: Path, texts: Iterator[Text], flatten: bool) -> None:
    with lines.write_file(path) as file:
        for text in texts:
            refuse_bad_id(str(path), text.id)
            content = " ".join(text.content.split()) if flatten else text.content
            if "\n" in content or "\r" in content:
                raise InputError(
                    f"{path}: '{text.id}' has a title or a line break, which one line cannot hold: add --flatten"
                )
            file.write(encoded(f"{text.id}\t{content}\n", str(path)))
