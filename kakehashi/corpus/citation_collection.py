"""Derives judgments from a collection's own links: families and citations in, qrels per range of years out."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from kakehashi.corpus.assemble import Assembled
from kakehashi.corpus.citations import LEVELS, SAME_FAMILY, WORDS, citation_qrels, split_by_year
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import FileError, InputError
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Qrels, Text


def import_citations(
    source: Path,
    folder: Path,
    years: Mapping[str, tuple[int, int]],
    force: bool = False,
    progress: Progress = SILENT,
) -> Assembled:
    """A copy of the collection `source` whose judgments follow from links.tsv and the meta field `family`.

    `years` gives the first and last year of each split's queries, by their meta field `date`.
    """
    old = Collection(source)
    ids, family = _ids_and_families(old)
    query_years = {text.id: _year(old, text) for text in old.queries()}
    family |= {text.id: text.meta["family"] for text in old.queries() if _has_family(text)}
    # the category of a search report may follow: `examiner X`
    named = ((citing, cited, kind.partition(" ")[0]) for citing, cited, kind in old.links())
    links = [link for link in named if link[2] in LEVELS]
    splits = split_by_year(query_years, years)
    qrels = {split: citation_qrels(queries, ids, links, family) for split, queries in splits.items()}
    info = msgspec.structs.replace(old.info, levels=dict(WORDS), mate_level=SAME_FAMILY)
    with CollectionWriter(folder, info, force) as writer:
        _copy(old, writer, qrels, progress)
    judgments = {split: sum(map(len, judged.values())) for split, judged in qrels.items()}
    unjudged = len(query_years) - sum(map(len, qrels.values()))
    return Assembled(
        len(ids), len(query_years) - unjudged, judgments, {"queries without judgments": unjudged}
    )


def _ids_and_families(collection: Collection) -> tuple[list[str], dict[str, str]]:
    ids, family = [], {}
    for text in collection.documents():
        ids.append(text.id)
        if _has_family(text):
            family[text.id] = text.meta["family"]
    return ids, family


def _has_family(text: Text) -> bool:
    return isinstance(text.meta.get("family"), str)


def _year(collection: Collection, text: Text) -> int:
    year = str(text.meta.get("date", ""))[:4]
    if not (year.isascii() and year.isdigit()):
        path = collection.path("queries.jsonl")
        raise FileError(path, None, f"query '{text.id}' has no meta field date, which determines the split")
    return int(year)


def _copy(old: Collection, writer: CollectionWriter, qrels: Mapping[str, Qrels], progress: Progress) -> None:
    judged = {query for split in qrels.values() for query in split}
    if not judged:
        raise InputError(
            f"{old.folder}: no query of these years cites a document or shares a family with one"
        )
    for text in track(old.documents(), "documents", None, progress):
        writer.document(text)
    for name, write in (("queries.jsonl", writer.query), ("originals.jsonl", writer.original)):
        if old.has(name):
            for text in old.texts(name):
                if text.id in judged:
                    write(text)
    for split, levels in qrels.items():
        writer.qrels(split, levels)
    for citing, cited, kind in old.links():
        writer.link(citing, cited, kind)
    for source, target in old.parallel() if old.has("parallel.tsv") else []:
        writer.parallel(source, target)
    for child, parent in old.classes() if old.has("classes.tsv") else []:
        writer.class_edge(child, parent)
    for code, title in old.class_titles() if old.has("class_titles.tsv") else []:
        writer.class_title(code, title)
    for source, target in old.class_links() if old.has("class_links.tsv") else []:
        writer.class_link(source, target)
