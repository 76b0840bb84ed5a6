"""Adds to a collection of articles what database dumps of both Wikipedias know of them, as metadata fields.

A query has the categories of the documents' language that its own categories are linked to, so that both sides
compare names of one language; categories without such a link are left out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kakehashi.corpus import lines
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.wikipedia.categories import FIELD, Categories, Ids, read_categories
from kakehashi.corpus.wikipedia.dumps import Dumps
from kakehashi.corpus.wikipedia.links import Links, read_links
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import InputError
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Text

SHARED = ("parallel.tsv", "links.tsv", "class_titles.tsv")
FIELDS = {
    FIELD: "keyword",
    "images": "keyword",
    "links": "keyword",
    "n_images": "number",
    "n_links": "number",
}


@dataclass(frozen=True)
class Enriched:
    """How many texts have what."""

    documents: int
    queries: int
    known_documents: int
    known_queries: int
    translated: int  # categories of queries that have a name in the other language
    categories: int  # all categories of queries
    edges: int

    def __str__(self) -> str:
        return (
            f"{self.known_documents} of {self.documents} documents and {self.known_queries} of {self.queries} "
            f"queries found; {self.translated} of {self.categories} query categories translated; "
            f"{self.edges} edges of the category graph"
        )


def enrich(
    source: Path,
    folder: Path,
    queries: Path,
    documents: Path,
    ids: Ids = "page",
    force: bool = False,
    progress: Progress = SILENT,
) -> Enriched:
    """`queries` and `documents` are the folders with the dumps of the two languages."""
    old = Collection(source)
    if folder.resolve() == source.resolve():
        raise InputError(f"{folder} is the collection itself: choose another folder")
    other = old.info.target_language
    asked = {text.id for text in old.queries()}
    answers = {text.id for text in old.documents()}
    own, own_links = _read(
        Dumps(queries, progress), asked, ids, other if other != old.info.source_language else ""
    )
    theirs, their_links = _read(Dumps(documents, progress), answers, ids)
    known = {name for names in own.of_texts.values() for name in names}
    if other == old.info.source_language:
        own.translations = {name: name for name in known}
    info = msgspec.structs.replace(old.info, fields={**old.info.fields, **FIELDS})
    with CollectionWriter(folder, info, force) as writer:
        n_documents = _write(writer.document, old.documents(), theirs, their_links, lambda names: names)
        n_queries = _write(
            writer.query,
            old.queries(),
            own,
            own_links,
            lambda names: {own.translations[name] for name in names if name in own.translations},
        )
        for child, parent in sorted(theirs.graph):
            writer.class_edge(child, parent)
        for split in old.splits:
            writer.qrels(split, old.qrels(split))
        if old.has("originals.jsonl"):
            for text in old.originals():
                writer.original(text)
        for name in SHARED:
            if path := lines.find(source, name):
                writer.share(path)
    return Enriched(
        n_documents, n_queries, len(theirs.articles), len(own.articles),
        sum(name in own.translations for name in known), len(known), len(theirs.graph),
    )  # fmt: skip


def _read(dumps: Dumps, texts: set[str], ids: Ids, other: str = "") -> tuple[Categories, Links]:
    advice = f" If so, try --ids {'title' if ids == 'page' else 'page'}"
    categories = read_categories(dumps, texts, ids, other, advice)
    return categories, read_links(dumps, categories.articles)


def _write(
    write: Callable[[Text], None],
    texts: Iterator[Text],
    categories: Categories,
    links: Links,
    translated: Callable[[set[str]], set[str]],
) -> int:
    n, found = 0, set(categories.articles.values())
    for text in texts:
        meta = dict(text.meta)
        if text.id in found:
            web, images = links.web.get(text.id, set()), links.images.get(text.id, set())
            meta |= {
                FIELD: sorted(translated(categories.of_texts.get(text.id, set()))),
                "images": sorted(images),
                "links": sorted(web),
                "n_images": len(images),
                "n_links": links.n_links[text.id] + len(web),
            }
        write(msgspec.structs.replace(text, meta=meta))
        n += 1
    return n
