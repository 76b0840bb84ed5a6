"""`kakehashi show related`: which words count as related to a word."""

from pathlib import Path

import typer

from kakehashi.cli.options import JSON
from kakehashi.cli.output import print_json
from kakehashi.errors import InputError


def related(
    folder: Path = typer.Argument(..., metavar="DIR", help="A collection folder with trained related words."),
    words: list[str] = typer.Argument(..., metavar="WORD", help="Words to look up."),
    model: str = typer.Option("related", "--model", help="The model's name."),
    kind: str = typer.Option("", "--kind", help="A kind of related words (default: all that the model has)."),
    least: float = typer.Option(0.0, "--least", help="Words below this similarity are left out."),
    n: int = typer.Option(10, "-n", min=1, max=100_000, help="How many words of each kind at most."),
    as_json: bool = JSON,
) -> None:
    """The words related to a word, with their similarities, as extended-bm25 and extended-lm use them."""
    from kakehashi.library import Library
    from kakehashi.systems.related import read_related

    library = Library(folder)
    found = read_related(library, model)
    terms = [term for word in words for term in library.index.analyzer.terms(word)]
    if not terms:
        raise InputError("nothing is left of these words after analysis: they may be stop words")
    kinds = [kind] if kind else list(found.kinds)
    rows = [(term, one, found.row(one, term, least)[:n]) for term in terms for one in kinds]
    if as_json:
        listed = [
            {"word": term, "kind": one, "related": [{"word": word, "similarity": s} for word, s in row]}
            for term, one, row in rows
        ]
        print_json({"words": listed})
        return
    for term, one, row in rows:
        missing = "not related to any word" if term in found.numbers else "too rare for a vector"
        print(f"{term} ({one}): {'  '.join(f'{word} {s:.3f}' for word, s in row) or missing}")
