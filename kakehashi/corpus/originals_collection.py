"""Derives a monolingual collection: the queries are the originals, in the language of the documents.

Everything else is that of the other collection, so that a system trained here shows what the same learning reaches
where nothing is to translate.
"""

from pathlib import Path

import msgspec

from kakehashi.corpus import lines
from kakehashi.corpus.assemble import Assembled
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import InputError

ORIGINALS, QUERIES = "originals.jsonl", "queries.jsonl"
SHARED = ("documents.jsonl", "classes.tsv", "class_titles.tsv", "class_links.tsv", "links.tsv")


def import_originals(source: Path, folder: Path, force: bool = False) -> Assembled:
    """Documents, classes and links are hard links to the files of `source`, or copies where that is impossible.

    An original has the metadata of its query. Judgments of queries without an original are left out.
    """
    old = Collection(source)
    if not old.has(ORIGINALS):
        raise InputError(
            f"{source} has no {ORIGINALS}: only a collection with the queries' originals will do"
        )
    if folder.resolve() == source.resolve():
        raise InputError(f"{folder} is the collection itself: choose another folder")
    language = old.info.target_language
    info = msgspec.structs.replace(
        old.info,
        name=f"{old.info.name}-originals",
        source_language=language,
        made_with={**old.info.made_with, "originals_of": old.info.name},
    )
    known = {text.id: text.meta for text in old.queries()} if old.has(QUERIES) else {}
    with CollectionWriter(folder, info, force) as writer:
        ids = set()
        for text in old.originals():
            meta = {**known.get(text.id, {}), **text.meta}
            writer.query(msgspec.structs.replace(text, lang=language, meta=meta))
            ids.add(text.id)
        judgments, lost = {}, 0
        for split in old.splits:
            judged = old.qrels(split)
            kept = {query: levels for query, levels in judged.items() if query in ids}
            lost += len(judged) - len(kept)
            judgments[split] = sum(map(len, kept.values()))
            writer.qrels(split, kept)
        for name in SHARED:
            if path := lines.find(source, name):
                writer.share(path)
    n_docs = sum(1 for _, line in lines.read_lines(old.path("documents.jsonl")) if line)
    return Assembled(n_docs, len(ids), judgments, {"judged queries without original": lost})
