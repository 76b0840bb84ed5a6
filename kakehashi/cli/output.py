"""The one way commands print tables and blocks of text for people and JSON for programs."""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kakehashi.cli.terminal import escaped, harmless, say

if TYPE_CHECKING:
    from kakehashi.building.choice import Choice

_WIDE = 10_000  # where nothing sets a width, no line is broken
_HIGH = 25  # lines, which nothing here depends on


def console() -> Console:
    """Standard output: as wide as the terminal, or as COLUMNS says; into a file or a pipe, lines stay whole."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit():
        return Console(
            highlight=False, width=int(columns), height=_HIGH
        )  # rich asks a dumb terminal for neither
    found = Console(highlight=False, soft_wrap=False)
    return found if found.is_terminal else Console(highlight=False, width=_WIDE)


def table_with(*columns: str, left: int = 1, texts: Sequence[str] = ()) -> Table:
    """A table whose cells are broken where they do not fit, never cut; the first columns and `texts` stand left."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for number, column in enumerate(columns):
        is_text = number < left or column in texts
        table.add_column(Text(harmless(column)), justify="left" if is_text else "right", overflow="fold")
    return table


def add_row(table: Table, *cells: str) -> None:
    table.add_row(*(Text(harmless(cell)) for cell in cells))  # names are text, not rich's markup


def show(table: Table) -> None:
    console().print(table)


def tell(choice: "Choice") -> None:
    """Which system answers and why, on standard error, where the user did not name one."""
    for line in filter(None, (choice.note, choice.advice)):
        say(line, file=sys.stderr)


def print_json(found: Any) -> None:
    """One object on standard output, and nothing else."""
    encoded = msgspec.json.encode(found, enc_hook=str)
    sys.stdout.write(escaped(msgspec.json.format(encoded, indent=1).decode()) + "\n")
