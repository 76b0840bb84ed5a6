"""Builds a collection from patent records: queries in one language, documents in another, citations as judgments.

A record with text in both languages is a query and a document, but never its own answer; its text in the
documents' language is also the query's original. Queries that nothing judges are kept: they can be searched with.
Every record is read from its file once; then only what the collection needs is kept in an unnamed temporary file.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from kakehashi.corpus.assemble import Assembled
from kakehashi.corpus.check import UNJUDGED
from kakehashi.corpus.citations import (
    CATEGORY_LEVELS,
    CATEGORY_WORDS,
    LEVELS,
    PARTICULAR,
    SAME_FAMILY,
    WORDS,
    citation_qrels,
    split_by_year,
)
from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.patents.archives import files_of
from kakehashi.corpus.patents.classes import class_edges
from kakehashi.corpus.patents.columns_of_tables import NAMES as COLUMNS
from kakehashi.corpus.patents.families import Kin, Numbers, families, kin_of
from kakehashi.corpus.patents.reading import READERS, read_patents
from kakehashi.corpus.patents.record import Citation, PatentRecord, Wanted
from kakehashi.corpus.patents.spool import Spool, spool
from kakehashi.corpus.patents.tally import Tally
from kakehashi.corpus.patents.texts import FIELDS, PARTS, has_text, meta_of, text_in, trimmed
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import InputError
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Qrels

Day = Literal["priority", "filing", "publication"]


class Selection(msgspec.Struct, frozen=True):
    """Which records become queries and documents, and which of their parts are text."""

    source: str
    target: str
    years: Mapping[str, tuple[int, int]]  # first and last year of each split's queries
    day: Day = "priority"
    query_text: Sequence[str] = ("title", "abstract")
    document_text: Sequence[str] = ("title", "abstract")
    query_offices: Sequence[str] = ()  # empty: all
    document_offices: Sequence[str] = ()
    extended_families: bool = False
    other_as_applicant: bool = False
    categories: bool = False  # a level of its own for what the examiner calls particularly relevant
    columns: Mapping[str, str] = {}  # of tables: what a column means -> its title

    def __post_init__(self) -> None:
        unknown = [name for name in self.columns if name not in COLUMNS]
        if unknown:
            raise InputError(f"'{unknown[0]}' is not what a column can be: choose from {', '.join(COLUMNS)}")
        for parts in (self.query_text, self.document_text):
            if not parts or not set(parts) <= set(PARTS):
                raise InputError(
                    f"'{','.join(parts)}' is not a valid choice of text: choose from {', '.join(PARTS)}"
                )
        split_by_year({}, self.years)  # rejects overlapping ranges before anything is read

    @property
    def wanted(self) -> Wanted:
        parts = {*self.query_text, *self.document_text}
        return Wanted("claims" in parts, "description" in parts, self.columns)

    def year(self, record: PatentRecord) -> int | None:
        date: str = getattr(record, self.day)
        return int(date[:4]) if date else None

    def is_query(self, record: PatentRecord) -> bool:
        if self.query_offices and record.country not in self.query_offices:
            return False
        return has_text(record, self.source, self.query_text)

    def is_document(self, record: PatentRecord) -> bool:
        if self.document_offices and record.country not in self.document_offices:
            return False
        return has_text(record, self.target, self.document_text)


@dataclass
class _Plan:
    """What is known after all records have been read."""

    documents: list[str] = field(default_factory=list)
    queries: dict[str, int | None] = field(default_factory=dict)  # number -> year
    citing: list[tuple[str, str, str]] = field(default_factory=list)  # of queries
    kin: dict[str, Kin] = field(default_factory=dict)
    unused: int = 0


def import_patents(
    paths: Sequence[Path],
    folder: Path,
    name: str,
    selection: Selection,
    tally: Tally,
    force: bool = False,
    progress: Progress = SILENT,
) -> Assembled:
    """Write the collection; afterwards `tally` reports what was read and what was broken."""
    files_of(paths)  # rejects missing files before a folder is created
    with (
        CollectionWriter(folder, _info(name, selection), force) as writer,
        spool(writer.folder.parent) as records,
    ):
        for record in read_patents(paths, tally, selection.wanted, progress, writer.folder.parent):
            records.add(trimmed(record, (selection.source, selection.target)))
        if not records:
            known = ", ".join(READERS)
            raise InputError(f"{paths[0]}: no patent was found; records are elements {known}{_faults(tally)}")
        plan = _plan(records, selection)
        numbers, family = Numbers(plan.kin), families(plan.kin, selection.extended_families)
        qrels = _judge(plan, numbers, family, selection)
        n_judged = sum(map(len, qrels.values()))
        _refuse_emptiness(plan, selection)
        _write(writer, records, selection, plan, numbers, family, progress)
        for split, levels in qrels.items():
            writer.qrels(split, levels)
        left_out = {"records that do not apply": plan.unused, **tally.faults.by_kind()}
        counts = {UNJUDGED: len(plan.queries) - n_judged, **left_out}
        made_with = {"records": sum(tally.records.values()), **{what: n for what, n in counts.items() if n}}
        writer.info = msgspec.structs.replace(
            writer.info,
            exclude_self=not plan.queries.keys().isdisjoint(plan.documents),
            made_with={**writer.info.made_with, **made_with},
        )
    judgments = {split: sum(map(len, levels.values())) for split, levels in qrels.items() if levels}
    note = _note(plan, n_judged, selection)
    return Assembled(len(plan.documents), len(plan.queries), judgments, left_out, note)


def _info(name: str, selection: Selection) -> CollectionInfo:
    return CollectionInfo(
        name=name,
        source_language=selection.source,
        target_language=selection.target,
        levels=dict(CATEGORY_WORDS if selection.categories else WORDS),
        mate_level=SAME_FAMILY + selection.categories,
        fields=FIELDS,
        made_with={"command": "data get patents", **msgspec.to_builtins(selection)},
    )


def _plan(records: Spool, selection: Selection) -> _Plan:
    plan = _Plan()
    for record in records:
        plan.kin[record.number] = kin_of(record)
        is_query, is_document = selection.is_query(record), selection.is_document(record)
        if is_query:
            plan.queries[record.number] = selection.year(record)
            plan.citing += [(record.number, one.number, kind_of(one, selection)) for one in record.citations]
        if is_document:
            plan.documents.append(record.number)
        plan.unused += not is_query and not is_document
    return plan


def _judge(
    plan: _Plan, numbers: Numbers, family: Mapping[str, str], selection: Selection
) -> dict[str, Qrels]:
    levels = CATEGORY_LEVELS if selection.categories else LEVELS
    links = []
    for citing, cited, kind in plan.citing:
        found = numbers.find(cited)
        if found is not None and kind in levels:
            links.append((citing, found, kind))
    years = {number: year for number, year in plan.queries.items() if year is not None}
    splits = split_by_year(years, selection.years)
    return {
        split: citation_qrels(queries, plan.documents, links, family, levels, max(levels.values()) + 1)
        for split, queries in splits.items()
    }


def kind_of(citation: Citation, selection: Selection) -> str:
    """What the level of a citation follows from."""
    if citation.by == "other" and selection.other_as_applicant:
        return "applicant"
    is_particular = selection.categories and citation.by == "examiner" and set("XYE") & set(citation.category)
    return PARTICULAR if is_particular else citation.by


def _refuse_emptiness(plan: _Plan, selection: Selection) -> None:
    if not plan.documents:
        raise InputError(
            f"no patent has {' or '.join(selection.document_text)} in {selection.target}: choose another --target "
            "or --document-text"
        )


def _note(plan: _Plan, n_judged: int, selection: Selection) -> str:
    """Why nothing can be trained or measured, and what would help; empty if something can."""
    if n_judged:
        return ""
    can = "documents can be searched, but nothing can be trained or measured"
    if not plan.queries:
        text = " or ".join(selection.query_text)
        return f"no patent has {text} in {selection.source}, so there are no queries: {can}"
    if any(kind == "other" for _, _, kind in plan.citing):
        can += " (some citations do not say who made them: --other-as-applicant counts these)"
    years = selection.years.values()
    if not any(year and first <= year <= last for year in plan.queries.values() for first, last in years):
        return f"none of {len(plan.queries)} queries is of these years: {can} without other --train, --dev, --test"
    return (
        f"none of {len(plan.queries)} queries cites one of {len(plan.documents)} documents or shares a family with "
        f"one: {can}; give files that contain the cited patents, or try --extended-families"
    )


def _write(
    writer: CollectionWriter,
    records: Spool,
    selection: Selection,
    plan: _Plan,
    numbers: Numbers,
    family: Mapping[str, str],
    progress: Progress,
) -> None:
    documents, symbols = set(plan.documents), Counter[str]()
    here = documents | plan.queries.keys()
    for record in track(records, "writing the collection", len(records), progress):
        number = record.number
        if number in here:
            symbols.update((*record.ipc, *record.cpc))
            _write_links(writer, record, numbers, here)
        if number in documents:
            meta = meta_of(record, family[number], selection.target)
            writer.document(text_in(record, selection.target, selection.document_text, meta))
        if number in plan.queries:
            meta = meta_of(record, family[number], selection.source)
            writer.query(text_in(record, selection.source, selection.query_text, meta))
            if selection.source != selection.target and has_text(
                record, selection.target, selection.query_text
            ):
                writer.original(text_in(record, selection.target, selection.query_text, {}))
    for child, parent in class_edges(sorted(symbols)):
        writer.class_edge(child, parent)


def _write_links(writer: CollectionWriter, record: PatentRecord, numbers: Numbers, here: set[str]) -> None:
    links: dict[tuple[str, str], None] = {}
    for citation in record.citations:
        cited = numbers.find(citation.number)
        if cited in here and cited is not None and cited != record.number:
            links[cited, f"{citation.by} {citation.category}".rstrip()] = None
    for cited, by in links:
        writer.link(record.number, cited, by)


def _faults(tally: Tally) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in tally.faults.by_kind().items())
    return f"; faults: {kinds}" if kinds else ""
