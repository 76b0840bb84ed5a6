"""The command `index`."""

from pathlib import Path

import typer

from kakehashi.cli.options import COLLECTION, typed_pairs
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError


def index(
    folder: Path = COLLECTION,
    rebuild: bool = typer.Option(False, "--rebuild", help="Rebuild everything, even what did not change."),
    verify: bool = typer.Option(False, "--verify", help="Only verify the index against its checksums."),
    allow_empty: bool = typer.Option(
        False, "--allow-empty", help="Delete all documents of the index where the collection has none."
    ),
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
    """Analyse and index a collection; rerun it to process only changes."""
    from kakehashi.cli.progress import progress
    from kakehashi.library import Library

    library = Library(folder)
    if not verify:
        changes = library.update_index(
            typed_pairs(target), typed_pairs(source), rebuild, progress(), allow_empty=allow_empty
        )
        say(
            f"{changes.added} added, {changes.replaced} replaced, {changes.deleted} deleted, "
            f"{changes.unchanged} unchanged"
        )
    found = library.index
    faults = found.faults() if verify else []
    for fault in faults:
        say(fault)
    say(f"{found.folder}: {found.n_docs} documents, {len(found.vocabulary)} terms, {found.fingerprint}")
    if faults:
        raise InputError("the index is damaged: run kakehashi index DIR --rebuild")
