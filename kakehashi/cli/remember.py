"""The command `remember`: finished searches that later ones learn from."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kakehashi.cli.options import COLLECTION, JSON
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.library import Library
    from kakehashi.types import Text


def remember(
    folder: Path = COLLECTION,
    given: list[str] = typer.Argument(
        None,
        metavar="[TEXT] DOC[=LEVEL]...",
        help="The query, unless --file or --id gives it, and the documents that were relevant to it.",
    ),
    file: Path | None = typer.Option(
        None, "--file", help="Read the query from a file ('-': standard input)."
    ),
    query_id: str = typer.Option("", "--id", help="Take the collection's query of this id."),
    show: bool = typer.Option(False, "--list", help="List the searches that are remembered."),
    forget: list[str] = typer.Option(
        [], "--forget", metavar="ID", help="Forget the search of this id (repeatable)."
    ),
    as_json: bool = JSON,
) -> None:
    """Remember a finished search: `examples`, and `dense` with it, learn from it at once, without training."""
    from kakehashi.library import Library

    library = Library(folder)
    given = given or []
    if forget and (given or file or query_id):
        raise InputError("remember a search or forget some, one at a time")
    if forget:
        library.searches.forget(*forget)
    elif given or not show:
        query, named = _query(library, given, file, query_id)
        made = library.searches.add(query, _levels(library, named))
        if not (show or as_json):
            say(f"{made.query.id}: {_counted(len(made.documents), 'document')}")
    if show or as_json:
        _show(library, as_json)
    else:
        say(f"{folder}: {_counted(len(library.searches), 'search', 'searches')} remembered")


def _query(
    library: "Library", given: list[str], file: Path | None, query_id: str
) -> "tuple[str | Text, list[str]]":
    from kakehashi.corpus.query_files import read_query_text

    if file is not None and query_id:
        raise InputError("give the query as TEXT, or with --file, or with --id: one of the three")
    if query_id:
        return library.known_query(query_id, "examples"), given
    if file is not None:
        return read_query_text(file), given
    if len(given) < 2:
        raise InputError("give the query and at least one relevant document: TEXT DOC ...")
    return given[0], given[1:]


def _levels(library: "Library", named: list[str]) -> dict[str, int]:
    """DOC, or DOC=LEVEL; an id may hold an equals sign itself. 0 stands for the lowest level."""
    found = {}
    for text in named:
        doc, equals, level = text.rpartition("=")
        if equals and level.isdecimal() and len(level) <= 4 and library.index.place(text) is None:
            if int(level) < 1:
                raise InputError(f"'{text}': only relevant documents are remembered, from level 1 on")
            found[doc] = int(level)
        else:
            found[text] = 0
    return found


def _show(library: "Library", as_json: bool) -> None:
    from kakehashi.cli.output import add_row, print_json, show, table_with
    from kakehashi.retrieve.earlier import title_of

    searches = list(library.searches)
    if as_json:
        print_json({"searches": searches})
        return
    table = table_with("search", "query", "relevant documents", left=3, texts=["query", "relevant documents"])
    for one in searches:
        named = ", ".join(f"{doc} ({level})" for doc, level in one.documents.items())
        add_row(table, one.query.id, title_of(one.query), named)
    show(table)


def _counted(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"
