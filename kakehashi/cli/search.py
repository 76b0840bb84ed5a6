"""The commands `rank` and `search`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kakehashi.cli.options import COLLECTION, JSON, SETTING, THREADS, setting_pairs
from kakehashi.cli.prior_art import BEFORE, FIELD, ONE_PER_FAMILY, PRIOR_ART, UNDATED, Undated, rules_of
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.library import Library
    from kakehashi.query.edits import Edit
    from kakehashi.retrieve.system import IndexSystem
    from kakehashi.types import Run, Text

WHERE = typer.Option(
    [],
    "--where",
    help="Only documents with field=value, field=a|b, field=prefix*, field!=value, date<2006-01-01 (repeatable).",
)
BOOLEAN = typer.Option("", "--boolean", help="Only documents in this set: '(laser OR led) AND NOT printer'.")
EDITS = typer.Option(
    None, "--edits", metavar="FILE", help="Changes to translations, as --save-edits writes them."
)


def rank(
    system_or_folder: str = typer.Argument(
        ..., metavar="[SYSTEM]", help="A system's short name (default: the collection's best)."
    ),
    folder_after: Path | None = typer.Argument(None, metavar="DIR", help="A collection folder."),
    out: Path = typer.Option(..., "--out", help="The TREC run file to write."),
    split: str = typer.Option(
        "", "--split", help="Which queries: those judged in this split (default: test)."
    ),
    queries_from: Path | None = typer.Option(
        None, "--queries", metavar="PATH", help="Other queries: a .jsonl file, or a folder of text files."
    ),
    k: int = typer.Option(1000, "-k", min=1, max=1_000_000, help="Documents per query."),
    settings: list[str] = SETTING,
    edits: Path | None = EDITS,
    where: list[str] = WHERE,
    boolean: str = BOOLEAN,
    prior_art: bool = PRIOR_ART,
    before: str = BEFORE,
    one_per_family: bool = ONE_PER_FAMILY,
    undated: Undated = UNDATED,
    field: list[str] = FIELD,
    pool: str = typer.Option(
        "", "--pool", help="Rank this pool, or 'all' (default: the split's own, if any)."
    ),
    threads: int = THREADS,
) -> None:
    """Rank the documents for every query of a split, or of your own, and write a TREC run."""
    system = system_or_folder if folder_after else ""
    folder = folder_after or Path(system_or_folder)
    from kakehashi.cli.output import tell
    from kakehashi.cli.progress import progress
    from kakehashi.corpus import trec
    from kakehashi.corpus.lines import check_writable
    from kakehashi.corpus.query_files import read_queries
    from kakehashi.library import Library
    from kakehashi.query.edits import read_edits, with_edits

    if split and queries_from:
        raise InputError("give the queries with --split or with --queries, not with both")
    rules = rules_of(prior_art, before, one_per_family, undated, field)
    library, changes = Library(folder), read_edits(edits) if edits else []
    check_writable(out)
    choice = library.choice(system)
    system = choice.system
    asked = library.asked(system, setting_pairs(settings), rules, changes)
    if queries_from:
        texts = read_queries(queries_from, library.collection.info.source_language)
    else:
        texts = library.split_queries(split or "test", system, rules)
    queries = [with_edits(query, changes) for query in texts]
    scope = library.scope(where, boolean, pool or ("all" if queries_from else split or "test"))
    run = asked.search(queries, k, scope, threads=threads, progress=progress())
    trec.write_run(out, run)
    tell(choice)
    say(f"{out}: {len(run.rankings)} queries, {sum(map(len, run.rankings.values()))} documents")
    _warn(asked, queries, run, changes)


def search(
    folder: Path = COLLECTION,
    text: str = typer.Argument("", metavar="TEXT", help="The query."),
    file: Path | None = typer.Option(
        None, "--file", help="Read the query from a file ('-': standard input)."
    ),
    query_id: str = typer.Option(
        "", "--id", help="Take the collection's query of this id, else its document of this id."
    ),
    system: str = typer.Option(
        "", "--system", help="A system's short name (default: the collection's best, see kakehashi build)."
    ),
    lang: str = typer.Option(
        "", "--lang", help="Language of the text (default: the collection's source language)."
    ),
    k: int = typer.Option(10, "-k", min=1, max=10_000, help="Documents to show."),
    explain: bool = typer.Option(False, "--explain", help="Show where each score comes from."),
    brief: bool = typer.Option(False, "--brief", help="One row per document, without passages."),
    out: list[Path] = typer.Option(
        [],
        "--out",
        metavar="FILE",
        help="Write the hits to a file instead: .csv, .xlsx, .ris, .html or .json, as its name ends (repeatable).",
    ),
    translations: bool = typer.Option(
        False, "--translations", help="Show what each word of the query is looked for as."
    ),
    drop: list[str] = typer.Option([], "--drop", metavar="F=E", help="Leave a translation out (repeatable)."),
    boost: list[str] = typer.Option(
        [], "--boost", metavar="F=E:2", help="Let a translation count this many times more (repeatable)."
    ),
    add: list[str] = typer.Option(
        [], "--add", metavar="F=E:0.5", help="Add a translation with that share of its word (repeatable)."
    ),
    edits: Path | None = EDITS,
    save_edits: Path | None = typer.Option(
        None, "--save-edits", metavar="FILE", help="Keep all these changes."
    ),
    settings: list[str] = SETTING,
    where: list[str] = WHERE,
    boolean: str = BOOLEAN,
    prior_art: bool = PRIOR_ART,
    before: str = BEFORE,
    one_per_family: bool = ONE_PER_FAMILY,
    undated: Undated = UNDATED,
    field: list[str] = FIELD,
    as_json: bool = JSON,
) -> None:
    """Search with one query, by the collection's best system."""
    from kakehashi.cli import search_output as output
    from kakehashi.cli.output import tell
    from kakehashi.export.writing import check_paths
    from kakehashi.library import Library
    from kakehashi.query.edits import write_edits
    from kakehashi.types import Run

    check_paths(out)
    rules = rules_of(prior_art, before, one_per_family, undated, field)
    library = Library(folder)
    query = _query(library, text, file, query_id, lang, system)
    own = query.lang if query_id and library.is_document(query) else lang
    choice = library.choice(system, own)
    system = choice.system
    if rules and query_id:
        [query] = library.with_bibliography([query])
    changes = _changes(drop, boost, add, edits)
    hits = library.search(
        query, k, system, settings=setting_pairs(settings), where=where, boolean=boolean, rules=rules,
        edits=changes,
    )  # fmt: skip
    words = hits.words if translations else None
    for path in out:
        hits.write(path)
    if as_json:
        output.json_hits(hits, words, brief)
        if not len(hits):
            say(f"nothing found: {hits.nothing}", file=sys.stderr)
    else:
        tell(choice)
        output.show_words(words or [])
        if out:
            output.show_files(hits, out)
        else:
            output.show_hits(hits, explain, brief)
    _warn(hits.system, [hits.query], Run(system, {hits.query.id: hits.ranking}), changes)
    if save_edits is not None:
        write_edits(save_edits, changes)


def _query(library: "Library", text: str, file: Path | None, query_id: str, lang: str, system: str) -> "Text":
    from kakehashi.corpus.query_files import read_query_text

    if sum((bool(text), file is not None, bool(query_id))) != 1:
        raise InputError("give the query as TEXT, or with --file, or with --id: one of the three")
    if query_id:
        return library.known_query(query_id, system)
    if text and not text.strip():
        raise InputError("the query is empty: give a text to search with")
    return library.query(text or read_query_text(file or Path("-")), lang)


def _changes(drop: list[str], boost: list[str], add: list[str], file: Path | None) -> "list[Edit]":
    """Those of the file, then those of the options."""
    from kakehashi.query.edits import parse_edit, read_edits

    given = [
        parse_edit(kind, text)
        for kind, texts in (("drop", drop), ("boost", boost), ("add", add))
        for text in texts
    ]
    return [*(read_edits(file) if file else ()), *given]


def _warn(system: "IndexSystem", queries: "Sequence[Text]", run: "Run", changes: "Sequence[Edit]") -> None:
    """What a reader of the lists should know: dates and families that are missing, edits without effect."""
    from kakehashi.retrieve.prior_art import PriorArt
    from kakehashi.retrieve.system import used_edits

    for line in system.warnings(queries, run) if isinstance(system, PriorArt) else ():
        say(f"warning: {line}", file=sys.stderr)
    if changes:
        used = set().union(*(used_edits([system], query) for query in queries))
        for change in changes:
            if change not in used:
                say(f"{change}: changes nothing here, see search --translations", file=sys.stderr)
