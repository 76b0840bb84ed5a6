"""The options of `search` and `rank` for prior art, and the summary printed with its hits."""

from collections.abc import Sequence
from dataclasses import fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.retrieve.prior_art import Rules


class Undated(StrEnum):
    keep = "keep"
    drop = "drop"


PRIOR_ART = typer.Option(
    False,
    "--prior-art",
    help="Only documents published before the query's priority date, none of its own family, one per family.",
)
BEFORE = typer.Option(
    "",
    "--before",
    metavar="DATE",
    help="Only documents published before this date; with --prior-art it replaces the query's own.",
)
ONE_PER_FAMILY = typer.Option(
    False, "--one-per-family", help="Only the best document of each family; included in --prior-art."
)
UNDATED = typer.Option(
    Undated.keep, "--undated", help="With --prior-art or --before: keep or drop documents without a date."
)
FIELD = typer.Option(
    [],
    "--field",
    metavar="ROLE=NAME",
    help="Name of the metadata field used as publication, priority, filing or family (repeatable).",
)


def rules_of(
    prior_art: bool, before: str, one_per_family: bool, undated: Undated, field: Sequence[str]
) -> "Rules | None":
    """The rules given by the options; None for a plain search."""
    by_date = prior_art or bool(before)
    if undated is Undated.drop and not by_date:
        raise InputError("--undated drop has no effect without --prior-art or --before")
    if not (by_date or one_per_family):
        if field:
            raise InputError("--field has no effect without --prior-art, --before or --one-per-family")
        return None
    from kakehashi.index.bibliography import PATENT_FIELDS
    from kakehashi.library import Library

    named = replace(PATENT_FIELDS, **_roles(field))
    return Library.rules(prior_art, before, one_per_family, undated.value, named)


def _roles(given: Sequence[str]) -> dict[str, str]:
    from kakehashi.index.bibliography import Fields

    known = [field.name for field in fields(Fields)]
    roles = {}
    for text in given:
        role, _, name = (part.strip() for part in text.partition("="))
        if role not in known or not name:
            raise InputError(f"'{text}' is not a field: write ROLE=NAME, with ROLE one of {', '.join(known)}")
        roles[role] = name
    return roles
