"""`kakehashi show related`: which words count as related to a word."""

from collections.abc import Container
from pathlib import Path

import typer

from kakehashi.cli.options import JSON
from kakehashi.cli.output import print_json
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError

Row = list[tuple[str, float]]


def related(
    folder: Path = typer.Argument(..., metavar="DIR", help="A collection folder with trained related words."),
    words: list[str] = typer.Argument(..., metavar="WORD", help="Words to look up."),
    model: str = typer.Option("", "--model", help="The model's name. [default: related, or mapped]"),
    kind: str = typer.Option("", "--kind", help="A kind of related words (default: all that the model has)."),
    across: bool = typer.Option(
        False,
        "--across",
        help="The words are in the queries' language: show the nearest words of the documents' language "
        "(kakehashi train mapped).",
    ),
    least: float = typer.Option(0.0, "--least", help="Words below this similarity are left out."),
    n: int = typer.Option(10, "-n", min=1, max=100_000, help="How many words of each kind at most."),
    as_json: bool = JSON,
) -> None:
    """The words related to a word, with their similarities, as extended-bm25 and extended-lm use them."""
    from kakehashi.library import Library
    from kakehashi.systems.mapped import MODEL as MAPPED
    from kakehashi.systems.mapped import read_mapped
    from kakehashi.systems.related import MODEL, read_related

    if across and kind:
        raise InputError("--kind names related words of one language: leave it out with --across")
    library = Library(folder)
    analyzer = library.index.source_analyzer if across else library.index.analyzer
    terms = [term for word in words for term in analyzer.terms(word)]
    if not terms:
        raise InputError("nothing is left of these words after analysis: they may be stop words")
    rows: list[tuple[str, str, Row]]
    if across:
        near = read_mapped(library, model or MAPPED)
        known: Container[str] = near.numbers
        rows = [(term, MAPPED, near.row(term, least)[:n]) for term in terms]
    else:
        found = read_related(library, model or MODEL)
        kinds, known = [kind] if kind else list(found.kinds), found.numbers
        rows = [(term, one, found.row(one, term, least)[:n]) for term in terms for one in kinds]
    if as_json:
        listed = [
            {"word": term, "kind": one, "related": [{"word": word, "similarity": s} for word, s in row]}
            for term, one, row in rows
        ]
        print_json({"words": listed})
        return
    for term, one, row in rows:
        missing = "not related to any word" if term in known else "too rare for a vector"
        say(f"{term} ({one}): {'  '.join(f'{word} {s:.3f}' for word, s in row) or missing}")
