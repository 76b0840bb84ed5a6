"""The commands `index`, `rank` and `search`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from kakehashi.cli.prior_art import BEFORE, FIELD, ONE_PER_FAMILY, PRIOR_ART, UNDATED, Undated, rules_of
from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.cli.prior_art import Hits
    from kakehashi.cli.search_output import Word
    from kakehashi.corpus.collection import Collection
    from kakehashi.index.index import Index
    from kakehashi.query.edits import Edit, Edited
    from kakehashi.retrieve.sparse import Scope
    from kakehashi.retrieve.system import IndexSystem
    from kakehashi.types import Compiler, Run, Text

COLLECTION = typer.Argument(..., metavar="DIR", help="A collection folder.")
WHERE = typer.Option(
    [],
    "--where",
    help="Only documents with field=value, field=prefix*, field!=value, date<2006-01-01 (repeatable).",
)
BOOLEAN = typer.Option("", "--boolean", help="Only documents in this set: '(laser OR led) AND NOT printer'.")
SETTING = typer.Option([], "--set", metavar="NAME=VALUE", help="A setting of the system (repeatable).")
EDITS = typer.Option(
    None, "--edits", metavar="FILE", help="Changes to translations, as --save-edits writes them."
)


def index(
    folder: Path = COLLECTION,
    rebuild: bool = typer.Option(False, "--rebuild", help="Build anew, even what did not change."),
    verify: bool = typer.Option(False, "--verify", help="Only compare the index with its checksums."),
    target: list[str] = typer.Option(
        [],
        "--target",
        metavar="NAME=VALUE",
        help="Analyzer setting for documents, such as stop=large (repeatable).",
    ),
    source: list[str] = typer.Option(
        [], "--source", metavar="NAME=VALUE", help="Analyzer setting for queries (repeatable)."
    ),
) -> None:
    """Analyse and index a collection; run again after a change, it takes up only what is new."""
    from kakehashi.cli.progress import progress
    from kakehashi.corpus.collection import Collection
    from kakehashi.index.index import Index
    from kakehashi.index.prepare import index_collection, index_folder

    collection = Collection(folder)
    if not verify:
        changes = index_collection(collection, _typed(target), _typed(source), rebuild, progress())
        print(
            f"{changes.added} added, {changes.replaced} replaced, {changes.deleted} deleted, "
            f"{changes.unchanged} unchanged"
        )
    found = Index(index_folder(collection))
    faults = found.faults() if verify else []
    for fault in faults:
        print(fault)
    print(
        f"{index_folder(collection)}: {found.n_docs} documents, {len(found.vocabulary)} terms, {found.fingerprint}"
    )
    if faults:
        raise InputError("the index is damaged: run kakehashi index DIR --rebuild")


def rank(
    system: str = typer.Argument(
        ..., metavar="SYSTEM", help="A system's short name, such as bm25 or monolingual."
    ),
    folder: Path = COLLECTION,
    out: Path = typer.Option(..., "--out", help="The TREC run file to write."),
    split: str = typer.Option("test", "--split", help="Which queries: those judged in this split."),
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
    threads: int = typer.Option(0, "--threads", min=0, help="0: one per core."),
) -> None:
    """Rank the documents for every query of a split and write a TREC run."""
    from kakehashi.cli.prior_art import warn, with_bibliography, wrapped
    from kakehashi.cli.progress import progress
    from kakehashi.corpus import trec
    from kakehashi.corpus.collection import Collection
    from kakehashi.query.edits import read_edits
    from kakehashi.registry import spec_of

    rules = rules_of(prior_art, before, one_per_family, undated, field)
    collection = Collection(folder)
    spec = spec_of(system)
    if not collection.has(spec.queries):
        raise InputError(f"{system} needs {spec.queries}, which {folder} does not have")
    queries = collection.split_queries(split, spec.queries)
    built = _system(system, collection, settings, _scope(collection, where, boolean, pool or split))
    changes = read_edits(edits) if edits else []
    edited = _edit(built, changes) if changes else None
    queries = with_bibliography(collection, queries) if rules else queries
    asked = wrapped(built, rules)
    asked.threads, asked.progress = threads, progress()
    run = asked.search(queries, k)
    trec.write_run(out, run)
    print(f"{out}: {len(run.rankings)} queries, {sum(map(len, run.rankings.values()))} documents")
    warn(asked, queries, run)
    _name_unused(edited)


def search(
    folder: Path = COLLECTION,
    text: str = typer.Argument("", metavar="TEXT", help="The query."),
    file: Path | None = typer.Option(
        None, "--file", help="Read the query from a file ('-': standard input)."
    ),
    query_id: str = typer.Option("", "--id", help="Take the collection's query of this id."),
    system: str = typer.Option("bm25", "--system", help="A system's short name."),
    lang: str = typer.Option(
        "", "--lang", help="Language of the text (default: the collection's source language)."
    ),
    k: int = typer.Option(10, "-k", min=1, max=10_000, help="Documents to show."),
    explain: bool = typer.Option(False, "--explain", help="Show where each score comes from."),
    translations: bool = typer.Option(
        False, "--translations", help="Show what each word of the query is looked for as."
    ),
    drop: list[str] = typer.Option([], "--drop", metavar="F=E", help="Leave a translation out (repeatable)."),
    boost: list[str] = typer.Option(
        [], "--boost", metavar="F=E:2", help="Let a translation count so many times more (repeatable)."
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
    as_json: bool = typer.Option(False, "--json", help="One JSON object on standard output, nothing else."),
) -> None:
    """Search with one query."""
    from kakehashi.cli.prior_art import about_hits, warn, with_bibliography, wrapped
    from kakehashi.cli.search_output import words_of
    from kakehashi.corpus.collection import Collection
    from kakehashi.query.edits import write_edits

    rules = rules_of(prior_art, before, one_per_family, undated, field)
    collection = Collection(folder)
    query = _query(collection, text, file, query_id, lang, system)
    if rules and query_id:
        [query] = with_bibliography(collection, [query])
    built = _system(system, collection, settings, _scope(collection, where, boolean, "all"))
    changes = _changes(drop, boost, add, edits)
    edited = _edit(built, changes) if changes else None
    compiler = _compiler(built) if translations else None
    asked = wrapped(built, rules)
    run = asked.search([query], k)
    words = words_of(compiler.compile(query), built.index) if compiler else None
    _show(built, query, run, words, about_hits(asked, query, run), explain, as_json)
    warn(asked, [query], run)
    _name_unused(edited)
    if save_edits is not None:
        write_edits(save_edits, changes)


def _show(
    system: "IndexSystem",
    query: "Text",
    run: "Run",
    words: "Sequence[Word] | None",
    about: "Hits | None",
    explain: bool,
    as_json: bool,
) -> None:
    """What was found, as a table or as JSON, which always has the reasons."""
    from kakehashi.cli import search_output as output

    ranking = run.rankings[query.id]
    explanations = [system.explain(query, doc) for doc in ranking.docs] if explain or as_json else []
    titles = [system.index.title(doc) for doc in ranking.docs]
    if as_json:
        output.json_hits(ranking, titles, explanations, words, about)
    else:
        output.show_words(words or [])
        output.show_hits(query, ranking, titles, explanations, about)


def _system(name: str, collection: "Collection", settings: Sequence[str], scope: "Scope") -> "IndexSystem":
    from kakehashi.registry import build

    return build(name, open_index(collection), setting_pairs(settings), scope)


def _changes(drop: list[str], boost: list[str], add: list[str], file: Path | None) -> "list[Edit]":
    """Those of the file, then those of the options."""
    from kakehashi.query.edits import parse_edit, read_edits

    given = [
        parse_edit(kind, text)
        for kind, texts in (("drop", drop), ("boost", boost), ("add", add))
        for text in texts
    ]
    return [*(read_edits(file) if file else ()), *given]


def _edit(system: "IndexSystem", changes: "Sequence[Edit]") -> "Edited":
    """Let the system compile its queries with these changes."""
    from kakehashi.query.edits import Edited
    from kakehashi.retrieve.sparse import Sparse

    compiler = _compiler(system)
    assert isinstance(system, Sparse)
    system.compiler = edited = Edited(compiler, system.index, changes)
    return edited


def _name_unused(edited: "Edited | None") -> None:
    for change in edited.edits if edited else ():
        if edited and change not in edited.used:
            typer.echo(f"{change}: changes nothing here, see search --translations", err=True)


def _compiler(system: "IndexSystem") -> "Compiler":
    """What makes groups of translations of a query's words; other systems have nothing to show or to change."""
    from kakehashi.retrieve.sparse import Sparse
    from kakehashi.types import SourcedCompiler

    if not isinstance(system, Sparse) or isinstance(system.compiler, SourcedCompiler):
        raise InputError(
            f"{system.name} has no translations to show or change as it is set: take dt, psq, psq-hmm or psq-nbest, "
            "without indexed=true"
        )
    return system.compiler


def open_index(collection: "Collection") -> "Index":
    from kakehashi.errors import FileError
    from kakehashi.index.index import Index
    from kakehashi.index.prepare import index_folder

    try:
        return Index(index_folder(collection))
    except FileError as error:
        raise InputError(f"{error} (kakehashi index {collection.folder})") from None


def _scope(collection: "Collection", where: Sequence[str], boolean: str, pool: str) -> "Scope":
    from kakehashi.corpus.pools import POOL
    from kakehashi.index.metadata import Condition, parse_condition
    from kakehashi.retrieve.sparse import Scope

    conditions = [parse_condition(text) for text in where]
    if POOL in collection.info.fields and pool != "all":
        conditions.append(Condition(POOL, "=", pool))
    return Scope(tuple(conditions), boolean, collection.info.exclude_self)


def _query(
    collection: "Collection", text: str, file: Path | None, query_id: str, lang: str, system: str
) -> "Text":
    from kakehashi.corpus.lines import read_text
    from kakehashi.registry import spec_of
    from kakehashi.types import Text

    if sum((bool(text), file is not None, bool(query_id))) != 1:
        raise InputError("give the query as TEXT, or with --file, or with --id: one of the three")
    if query_id:
        name = spec_of(system).queries
        for found in collection.texts(name):
            if found.id == query_id:
                return found
        raise InputError(f"{collection.path(name)} has no query '{query_id}'")
    content = text or read_text(file or Path("-"))
    return Text("query", lang or collection.info.source_language, content)


def setting_pairs(settings: Sequence[str]) -> dict[str, str]:
    values = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not (name and equals):
            raise InputError(f"'{setting}' is no setting: write NAME=VALUE")
        values[name.strip()] = value.strip()
    return values


def _typed(settings: Sequence[str]) -> dict[str, Any]:
    """Values as JSON where they are JSON (true, 30000, ["s"]), else as strings."""
    values: dict[str, Any] = {}
    for name, value in setting_pairs(settings).items():
        try:
            values[name] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            values[name] = value
    return values
