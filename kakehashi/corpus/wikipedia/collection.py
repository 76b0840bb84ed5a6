"""The large set of Wikipedia articles with English queries (Sasaki and others, 2018), and categories beside it.

    english/wiki_en.queries        id TAB title TAB first sentence without the title's words
    german/wiki_de.documents       id TAB title TAB text, shortened
    german/en2de.rel               query, document, level: 2 the same article, 1 linked with it in both directions

Ids are those of pages in their Wikipedia, which is how categories are found. A query is its sentence; its title, which
the same article has, is left out. The set has no splits: queries are dealt by a hash of their ids, seven parts to
train, one to dev and one to test.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import xxhash

from kakehashi.corpus import lines
from kakehashi.corpus.assemble import Assembled, assemble
from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.trec import add_judgment, parse_level
from kakehashi.corpus.wikipedia.categories import FIELD, Categories, read_categories
from kakehashi.corpus.wikipedia.dumps import Dumps
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import FileError
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Qrels, Text

ENGLISH, MATE = "en", 2
LEVELS = {"2": "the same article", "1": "linked in both directions with the same article"}
PARTS = ("train",) * 7 + ("dev", "test")


class BothDumps(NamedTuple):
    """Folders with the SQL dumps of two Wikipedias."""

    queries: Path
    documents: Path


def import_wikipedia(
    source: Path,
    folder: Path,
    lang: str,
    dumps: BothDumps | None = None,
    name: str = "",
    force: bool = False,
    progress: Progress = SILENT,
) -> Assembled:
    """A collection of English queries and the articles of one language; with dumps, articles have categories."""
    qrels = _split(_judgments(_found(source, f"en2{lang}.rel")))
    judged = {query for split in qrels.values() for query in split}
    queries, documents = _found(source, "wiki_en.queries"), _found(source, f"wiki_{lang}.documents")
    asked = answered = Categories()
    if dumps is not None:
        asked = read_categories(Dumps(dumps.queries, progress), judged, other=lang)
        answered = read_categories(Dumps(dumps.documents, progress), {id for id, *_ in _columns(documents)})

    def also(writer: CollectionWriter) -> None:
        for wiki, found in ((ENGLISH, asked), (lang, answered)):
            for child, parent in sorted(found.graph):
                writer.class_edge(called(wiki, child), called(wiki, parent))
        for one, other in sorted(asked.translations.items()):
            writer.class_link(called(ENGLISH, one), called(lang, other))

    info = CollectionInfo(
        name or f"wikipedia-{ENGLISH}-{lang}", ENGLISH, lang, levels=LEVELS, mate_level=MATE,
        fields={FIELD: "keyword"} if dumps else {}, made_with={"categories": dumps is not None},
    )  # fmt: skip
    texts = (
        (_text(row, lang, answered, title=True) for row in _columns(documents)),
        (_text(row, ENGLISH, asked, title=False) for row in _columns(queries) if row[0] in judged),
    )
    return assemble(folder, info, *texts, qrels, force, progress, also)


def called(lang: str, category: str) -> str:
    """Both Wikipedias have a graph of their own, so names say whose they are."""
    return f"{lang}:{category}"


def _text(row: list[str], lang: str, categories: Categories, title: bool) -> Text:
    id, headline, text = row
    own = [called(lang, name) for name in sorted(categories.of_texts.get(id, ()))]
    return Text(id, lang, text, headline if title else "", {FIELD: own} if own else {})


def _found(source: Path, name: str) -> Path:
    """Every language has a folder of its own."""
    folders = [source, *sorted(path for path in source.glob("*") if path.is_dir())] if source.is_dir() else []
    for folder in folders:
        if path := lines.find(folder, name):
            return path
    raise FileError(source / name, None, "is missing: unpack the published archive here")


def _columns(path: Path) -> Iterator[list[str]]:
    for number, line in lines.read_lines(path):
        if not line:
            continue
        columns = line.split("\t", 2)
        if len(columns) != 3:
            raise FileError(path, number, f"has {len(columns)} tab-separated columns, needs 3: id title text")
        if columns[0].split() != [columns[0]]:
            raise FileError(path, number, f"id {columns[0][:60]!r} is empty or contains white space")
        yield columns


def _judgments(path: Path) -> Qrels:
    qrels: Qrels = {}
    for number, line in lines.read_lines(path):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 3:
            raise FileError(path, number, f"has {len(columns)} columns, needs 3: query document level")
        query, document, level = columns
        add_judgment(qrels, path, number, query, document, parse_level(path, number, level))
    return qrels


def _split(qrels: Qrels) -> dict[str, Qrels]:
    splits: dict[str, Qrels] = {name: {} for name in dict.fromkeys(PARTS)}
    for query, judged in qrels.items():
        place = xxhash.xxh3_64_intdigest(query.encode()) % len(PARTS)
        splits[PARTS[place]][query] = judged
    return {name: judged for name, judged in splits.items() if judged}
