"""The one way commands print tables for people and JSON for programs."""

import sys
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from kakehashi.building.choice import Choice

_WIDE = 10_000  # where no terminal sets a width, nothing is cut


def table_with(*columns: str, left: int = 1) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for number, column in enumerate(columns):
        table.add_column(Text(column), justify="left" if number < left else "right", overflow="fold")
    return table


def add_row(table: Table, *cells: str) -> None:
    table.add_row(*map(Text, cells))  # names are text, not rich's markup


def show(table: Table) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE)
    console.print(table)


def tell(choice: "Choice") -> None:
    """Which system answers and why, on standard error, where the user did not name one."""
    for line in filter(None, (choice.note, choice.advice)):
        print(line, file=sys.stderr)


def print_json(found: Any) -> None:
    """One object on standard output, and nothing else."""
    encoded = msgspec.json.encode(found, enc_hook=str)
    sys.stdout.write(msgspec.json.format(encoded, indent=1).decode() + "\n")
