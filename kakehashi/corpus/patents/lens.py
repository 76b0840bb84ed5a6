"""Short patent records as JSON lines, in the style of the Lens, become a collection judged by families and citations.

Every patent is a document, and also a query if another one is in its family (extended: any shared priority) or is
cited by it. A family stays in one split, that of its first year: a mate seen in training would reveal test
answers. Citations come from a second file, which does not say who made them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from kakehashi.corpus import lines
from kakehashi.corpus.assemble import Assembled
from kakehashi.corpus.citations import (
    SAME_FAMILY,
    WORDS,
    citation_qrels,
    families_by_priority,
    split_by_year,
)
from kakehashi.corpus.collection import CollectionInfo, FieldKind
from kakehashi.corpus.json_lines import read_records
from kakehashi.corpus.patents.classes import class_edges, distinct, symbol
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import FileError, InputError
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Qrels, Text

CITATION = "citation"
LEVELS = {CITATION: 1}
LANGUAGE = "en"
KEYWORDS = ("ipc", "cpc", "applicants", "family", "office")
FIELDS: Mapping[str, FieldKind] = {**dict.fromkeys(KEYWORDS, "keyword"), "year": "number"}
Years = Mapping[str, tuple[int, int]]  # first and last year of each split's families


class BriefPatent(msgspec.Struct, frozen=True):
    """One line; other keys are ignored."""

    id: str
    title: str
    year: Annotated[int, msgspec.Meta(ge=0, le=9999)]
    jurisdiction: str = ""
    priority_numbers: tuple[str, ...] = ()
    applicants: tuple[str, ...] = ()
    cpc: tuple[str, ...] = ()
    ipc: tuple[str, ...] = ()


_decoder = msgspec.json.Decoder(BriefPatent)


def read_brief_patents(path: Path) -> Iterator[BriefPatent]:
    """The patents of a plain, .gz or .zst file; empty lines are skipped."""
    seen: set[str] = set()
    for number, patent in read_records(path, _decoder, "patent"):
        if patent.id.split() != [patent.id]:
            raise FileError(
                path, number, f"an id must not be empty or contain white space: {patent.id[:60]!r}"
            )
        if patent.id in seen:
            raise FileError(path, number, f"is a second record of '{patent.id}'")
        seen.add(patent.id)
        yield patent


def read_citing_pairs(path: Path) -> Iterator[tuple[str, str, str]]:
    """(citing, cited, `citation`) of lines `citing TAB cited`."""
    for number, line in lines.read_lines(path):
        row = line.split("\t")
        if len(row) != 2 or not all(row):
            raise FileError(path, number, "needs two tab-separated columns: citing cited")
        yield row[0], row[1], CITATION


def import_lens(
    patents_file: Path,
    citations_file: Path,
    folder: Path,
    years: Years,
    name: str = "lens",
    force: bool = False,
    progress: Progress = SILENT,
) -> Assembled:
    """Write the collection; patents without a title are skipped and counted."""
    split_by_year({}, years)  # rejects overlapping ranges before anything is read
    read = list(track(read_brief_patents(patents_file), "reading patents", None, progress))
    patents = [patent for patent in read if patent.title.strip()]
    if not patents:
        raise FileError(patents_file, None, "contains no patent with a title")
    # untitled members still connect a family, so families are built from all records
    family = families_by_priority({patent.id: patent.priority_numbers for patent in read}, extended=True)
    known = {patent.id for patent in patents}
    links = [link for link in read_citing_pairs(citations_file) if link[0] in known]
    qrels = _judge(read, [patent.id for patent in patents], links, family, years)
    judged = {query for split in qrels.values() for query in split}
    if not judged:
        raise InputError(
            f"{patents_file}: no patent of these years cites another or shares a family with one: choose others "
            "with --train, --dev, --test"
        )
    left_out = {
        "patents without a title": len(read) - len(patents),
        "unreadable class symbols": sum(map(_odd_symbols, patents)),
        "queries without judgments": len(patents) - len(judged),
    }
    with CollectionWriter(folder, _info(name, years, left_out), force) as writer:
        _write(writer, patents, links, family, qrels, progress)
    judgments = {split: sum(map(len, levels.values())) for split, levels in qrels.items()}
    return Assembled(len(patents), len(judged), judgments, left_out)


def _info(name: str, years: Years, left_out: Mapping[str, int]) -> CollectionInfo:
    counts = {what: count for what, count in left_out.items() if count}
    return CollectionInfo(
        name=name,
        source_language=LANGUAGE,
        target_language=LANGUAGE,
        description="patents by title, classes and applicants; judged by families and citations",
        levels={"3": WORDS["3"], "1": "cited"},
        mate_level=SAME_FAMILY,
        fields=FIELDS,
        exclude_self=True,
        made_with={"command": "data get lens", "years": msgspec.to_builtins(years), **counts},
    )


def _judge(
    read: Iterable[BriefPatent],
    documents: Sequence[str],
    links: Sequence[tuple[str, str, str]],
    family: Mapping[str, str],
    years: Years,
) -> dict[str, Qrels]:
    first: dict[str, int] = {}
    for patent in read:
        own = family[patent.id]
        first[own] = min(patent.year, first.get(own, patent.year))
    splits = split_by_year({id: first[family[id]] for id in documents}, years)
    return {
        split: citation_qrels(queries, documents, links, family, LEVELS) for split, queries in splits.items()
    }


def _write(
    writer: CollectionWriter,
    patents: Sequence[BriefPatent],
    links: Iterable[tuple[str, str, str]],
    family: Mapping[str, str],
    qrels: Mapping[str, Qrels],
    progress: Progress,
) -> None:
    judged = {query for split in qrels.values() for query in split}
    held_out = {query for split, levels in qrels.items() if split != "train" for query in levels}
    documents = {patent.id for patent in patents}
    symbols: set[str] = set()
    for patent in track(patents, "writing patents", len(patents), progress):
        meta = _meta(patent, family[patent.id])
        symbols.update(meta.get("ipc", ()), meta.get("cpc", ()))
        text = Text(patent.id, LANGUAGE, "", patent.title.strip(), meta)
        writer.document(text)
        if patent.id in judged:
            writer.query(text)
    for citing, cited, kind in dict.fromkeys(links):
        # links from dev and test queries are the answers themselves
        if cited in documents and cited != citing and citing not in held_out:
            writer.link(citing, cited, kind)
    for child, parent in class_edges(sorted(symbols)):
        writer.class_edge(child, parent)
    for split, levels in qrels.items():
        writer.qrels(split, levels)


def _meta(patent: BriefPatent, family: str) -> dict[str, Any]:
    """With the field names used by all patent collections here; unknown values have no entry."""
    meta = {
        "ipc": list(distinct(map(symbol, patent.ipc))),
        "cpc": list(distinct(map(symbol, patent.cpc))),
        "applicants": list(distinct(patent.applicants)),
        "family": family,
        "office": patent.jurisdiction,
        "year": patent.year,
    }
    return {name: value for name, value in meta.items() if value}


def _odd_symbols(patent: BriefPatent) -> int:
    return sum(not symbol(code) for code in (*patent.ipc, *patent.cpc))
