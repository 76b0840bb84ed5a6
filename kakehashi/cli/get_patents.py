"""`kakehashi data get patents`: a collection of patent records in the formats of patent offices."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kakehashi.cli.get_formats import DIR, FORCE, NAME, years_of
from kakehashi.cli.progress import progress
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.corpus.patents.tally import Tally

SHOWN = 20  # errors shown on standard error; --faults writes all that were kept


class Day(StrEnum):
    """Dates of a patent."""

    priority = "priority"
    filing = "filing"
    publication = "publication"


def patents(
    folder: Path = DIR,
    paths: list[Path] = typer.Option(
        ..., "--from", help="File, archive (.zip, .tar, .gz, .zst) or folder of patents; repeatable."
    ),
    source: str = typer.Option("ja", "--source", help="Language of the queries."),
    target: str = typer.Option("en", "--target", help="Language of the documents."),
    train: str = typer.Option("2003-2005", "--train", help="Years of the train queries."),
    dev: str = typer.Option("2006-2006", "--dev", help="Years of the dev queries."),
    test: str = typer.Option("2007-2007", "--test", help="Years of the test queries."),
    day: Day = typer.Option(Day.priority, "--by", help="The date whose year determines the split."),
    query_text: str = typer.Option(
        "title,abstract",
        "--query-text",
        help="Parts of a query: title, abstract, first-claim, claims, description.",
    ),
    document_text: str = typer.Option(
        "title,abstract", "--document-text", help="Parts of a document, from the same choices."
    ),
    query_offices: str = typer.Option(
        "", "--query-offices", help="Use only queries of these offices, such as JP; all if empty."
    ),
    document_offices: str = typer.Option(
        "", "--document-offices", help="Use only documents of these offices, such as US,EP; all if empty."
    ),
    extended_families: bool = typer.Option(
        False,
        "--extended-families",
        help="One shared priority makes a family; by default all must be shared.",
    ),
    other_as_applicant: bool = typer.Option(
        False,
        "--other-as-applicant",
        help="Count 'cited by other', used in grants until 2012, as cited by the applicant.",
    ),
    categories: bool = typer.Option(
        False,
        "--categories",
        help="A level of its own for citations of category X, Y or E in a search report.",
    ),
    columns: list[str] = typer.Option(
        [], "--map", metavar="NAME=TITLE", help="What a column of a table means, by its title (repeatable)."
    ),
    faults: Path | None = typer.Option(
        None, "--faults", help="Write the locations of broken records to this file."
    ),
    name: str = NAME,
    force: bool = FORCE,
) -> None:
    """Import patents as offices and databases publish them, with judgments from families and citations."""
    from kakehashi.corpus.patents.patent_collection import Selection, import_patents
    from kakehashi.corpus.patents.tally import Tally

    selection = Selection(
        source=source.lower(),
        target=target.lower(),
        years={"train": years_of(train), "dev": years_of(dev), "test": years_of(test)},
        day=day.value,
        query_text=_words(query_text),
        document_text=_words(document_text),
        query_offices=_words(query_offices.upper()),
        document_offices=_words(document_offices.upper()),
        extended_families=extended_families,
        other_as_applicant=other_as_applicant,
        categories=categories,
        columns=_columns(columns),
    )
    tally = Tally()
    try:
        made = import_patents(
            paths, folder, name or paths[0].resolve().name.split(".")[0], selection, tally, force, progress()
        )
    finally:
        _report(tally, faults)
    kinds = ", ".join(f"{count} {kind}" for kind, count in tally.records.items())
    say(f"{folder}: {made}; read: {kinds}")
    if made.note:
        say(f"note: {made.note}", file=sys.stderr)


def _columns(given: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    for name, equals, title in pairs:
        if not (equals and name and title):
            raise InputError(f"--map {name}: write NAME=TITLE, such as title=Titel")
    return {name.strip(): title.strip() for name, _, title in pairs}


def _words(given: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in given.split(",") if word.strip())


def _report(tally: "Tally", file: Path | None) -> None:
    from kakehashi.corpus import lines

    found = tally.faults.listed()
    if file is not None:
        with lines.write_file(file) as out:
            out.writelines(f"{fault}\n".encode() for fault in found)
    for fault in found[:SHOWN]:
        say(fault, file=sys.stderr)
    if len(found) > SHOWN:
        say(f"{len(found) - SHOWN} more lines: --faults FILE writes all of them", file=sys.stderr)
