"""The commands `model pack`, `model unpack` and `model show`: models that travel as one file."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kakehashi.cli.options import COLLECTION, JSON
from kakehashi.cli.terminal import say

if TYPE_CHECKING:
    from kakehashi.building.packing import Card

app = typer.Typer(help="Take models to another collection as one file.", no_args_is_help=True)
FILE = typer.Argument(..., metavar="FILE", help="A file of packed models.")


@app.callback()
def group() -> None:
    """Take models to another collection as one file."""


@app.command()
def pack(
    folder: Path = COLLECTION,
    file: Path = typer.Argument(..., metavar="FILE", help="The file to write, such as de-en.kakehashi."),
) -> None:
    """Write a collection's models, analyzers and a card to one file.

    The file holds words and weights, but no document, no query and no judgment of the collection.
    """
    from kakehashi.building.packing import pack
    from kakehashi.cli.progress import progress
    from kakehashi.library import Library

    _show(pack(Library(folder), file, progress()))
    say(f"{file}: {file.stat().st_size / 1e6:.1f} MB; use it with kakehashi build DIR --from {file}")


@app.command()
def unpack(
    file: Path = FILE,
    folder: Path = typer.Argument(..., metavar="DIR", help="A new folder."),
) -> None:
    """Unpack models into a folder after checking every name, size and checksum; nothing in the file is executed."""
    from kakehashi.building.packing import unpack
    from kakehashi.cli.progress import progress

    _show(unpack(file, folder, progress()))
    say(f"{folder}: use it with kakehashi build DIR --from {folder}")


@app.command()
def show(file: Path = FILE, as_json: bool = JSON) -> None:
    """Show the card of packed models: what they were trained on, when, and how good they were there."""
    from kakehashi.building.packing import read_card
    from kakehashi.cli.output import print_json

    card = read_card(file)
    if as_json:
        print_json(card)
    else:
        _show(card)


def _show(card: "Card") -> None:
    say(f"{card.collection}: {card.source_language} to {card.target_language}, {card.documents} documents")
    say(f"made on {card.made_on} by {card.made_by}; licence of the texts: {card.licence or 'not given'}")
    say(f"models: {', '.join(card.models)}")
    if card.best.get("measure"):
        say(f"best there: {card.best['system']} ({card.best['measure']} {card.best['value']:.4f} on dev)")
