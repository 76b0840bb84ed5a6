"""Options shared by several commands, and how settings on the command line are read."""

from collections.abc import Sequence
from typing import Any

import msgspec
import typer

from kakehashi.errors import InputError

COLLECTION = typer.Argument(..., metavar="DIR", help="A collection folder.")
SETTING = typer.Option([], "--set", metavar="NAME=VALUE", help="A setting of the system (repeatable).")
JSON = typer.Option(False, "--json", help="Print one JSON object and nothing else to standard output.")
THREADS = typer.Option(
    0, "--threads", min=0, help="Number of threads; 0 uses one per core. The result does not depend on it."
)


def setting_pairs(settings: Sequence[str]) -> dict[str, str]:
    values = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not (name and equals):
            raise InputError(f"'{setting}' is not a setting: write NAME=VALUE")
        values[name.strip()] = value.strip()
    return values


def typed_pairs(settings: Sequence[str]) -> dict[str, Any]:
    """Values as JSON if they are JSON (true, 30000, ["s"]), otherwise as strings."""
    values: dict[str, Any] = {}
    for name, value in setting_pairs(settings).items():
        try:
            values[name] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            values[name] = value
    return values
