"""The command `show document`: all that a collection says of one document, and what in it met a query."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kakehashi.cli.options import COLLECTION, JSON, SETTING, setting_pairs
from kakehashi.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from kakehashi.hits import Hit
    from kakehashi.library import Library
    from kakehashi.types import Text


def document(
    folder: Path = COLLECTION,
    doc_id: str = typer.Argument(..., metavar="ID", help="The document's id."),
    query: str = typer.Option("", "--query", metavar="TEXT", help="Mark what met this query."),
    query_id: str = typer.Option(
        "", "--query-id", metavar="ID", help="Mark what met this query of the collection."
    ),
    system: str = typer.Option("", "--system", help="The system that searches (default: as for search)."),
    lang: str = typer.Option(
        "", "--lang", help="Language of the query (default: the collection's source language)."
    ),
    settings: list[str] = SETTING,
    as_json: bool = JSON,
) -> None:
    """Show a document with all its fields; with a query, the words that met it stand out."""
    from kakehashi.cli.output import console, print_json
    from kakehashi.library import Library

    if query and query_id:
        raise InputError("give the query with --query or with --query-id, not with both")
    if not (query or query_id) and (system or lang or settings):
        raise InputError("--system, --lang and --set are for a query: add --query or --query-id")
    library = Library(folder)
    found = library.text(doc_id)
    hit = _met(library, doc_id, query, query_id, system, lang, setting_pairs(settings))
    if as_json:
        print_json(_as_dict(found, hit))
    else:
        _show(console(), found, hit)


def _met(
    library: "Library",
    doc_id: str,
    text: str,
    query_id: str,
    system: str,
    lang: str,
    settings: dict[str, str],
) -> "Hit | None":
    """The document as a hit of the query, if there is one."""
    from kakehashi.hits import hit_of

    if not (text or query_id):
        return None
    named = (system,) if system else ()  # else the library's own choice
    query = library.known_query(query_id, *named) if query_id else library.query(text, lang)
    if not query.content.strip():
        raise InputError("the query is empty: give a text to search with")
    if named:
        return hit_of(query, doc_id, library.system(system, settings), library)
    return hit_of(query, doc_id, library.system(settings=settings), library)


def _as_dict(found: "Text", hit: "Hit | None") -> dict[str, Any]:
    import msgspec

    from kakehashi.hits import parts_dict

    record = {
        "id": found.id,
        "lang": found.lang,
        "title": found.title,
        "text": found.text,
        "meta": found.meta,
    }
    if hit is None:
        return record
    return {
        **record,
        "system": hit.found_by.system.name,
        "score": hit.score,
        "shares": msgspec.to_builtins(hit.why),
        **({"parts": parts_dict(hit.explanation)} if hit.explanation.parts else {}),
        "marked": {
            name: [piece._asdict() for piece in hit.marked(text)]
            for name, text in (("title", found.title), ("text", found.text))
        },
    }


def _show(screen: "Console", found: "Text", hit: "Hit | None") -> None:
    from kakehashi.cli.blocks import columns_of, print_block, print_field, print_units
    from kakehashi.cli.search_output import print_reasons
    from kakehashi.export.listing import more_digits
    from kakehashi.text.marking import Piece

    def pieces(text: str) -> list[Piece]:
        return hit.marked(text) if hit else [Piece(text, False)]

    if found.title:
        print_block(screen, pieces(found.title), style="bold", match="underline")
    fields = {"id": found.id, "lang": found.lang, **found.meta}
    width = max(map(columns_of, fields)) + 2
    for name, value in fields.items():
        many = value if isinstance(value, list | tuple) else [value]
        print_field(screen, name, "; ".join(map(_said, many)), width)
    print_block(screen, [Piece("\n", False), *pieces(found.text)])
    if hit is not None:
        more = more_digits(hit.score)
        score = f"{hit.found_by.system.name} {hit.score:.{3 + more}f}:"
        print_block(screen, [Piece("", False)])
        if hit.why:
            print_reasons(screen, hit, 2 + more, 0, [score])
        else:
            print_units(screen, ["the document shares nothing with the query"], 0, "cyan")


def _said(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
