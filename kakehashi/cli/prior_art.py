"""The options of `search` and `rank` that look for prior art only, and what is said about its hits."""

from collections.abc import Sequence
from dataclasses import fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.corpus.collection import Collection
    from kakehashi.retrieve.prior_art import Rules
    from kakehashi.retrieve.system import IndexSystem
    from kakehashi.types import Run, Text


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
    False, "--one-per-family", help="Of each family only the best document; part of --prior-art."
)
UNDATED = typer.Option(
    Undated.keep, "--undated", help="With dates asked for: documents that have none stay, or are left out."
)
FIELD = typer.Option(
    [],
    "--field",
    metavar="ROLE=NAME",
    help="The metadata field that is publication, priority, filing or family here (repeatable).",
)


class Hits(NamedTuple):
    """What prior-art rules add to a list of hits."""

    headline: str
    summary: dict[str, Any]
    facts: list[dict[str, Any]]  # per hit


def rules_of(
    prior_art: bool, before: str, one_per_family: bool, undated: Undated, field: Sequence[str]
) -> "Rules | None":
    """What the options ask for; None for a plain search."""
    by_date = prior_art or bool(before)
    if undated is Undated.drop and not by_date:
        raise InputError("--undated drop does nothing without --prior-art or --before")
    if not (by_date or one_per_family):
        if field:
            raise InputError("--field does nothing without --prior-art, --before or --one-per-family")
        return None
    from kakehashi.retrieve.prior_art import Rules

    named = replace(Rules().fields, **_roles(field))
    return Rules(by_date, prior_art, prior_art or one_per_family, before, undated.value, named)


def _roles(given: Sequence[str]) -> dict[str, str]:
    from kakehashi.retrieve.prior_art import Fields

    known = [field.name for field in fields(Fields)]
    roles = {}
    for text in given:
        role, _, name = (part.strip() for part in text.partition("="))
        if role not in known or not name:
            raise InputError(f"'{text}' names no field: write ROLE=NAME, ROLE one of {', '.join(known)}")
        roles[role] = name
    return roles


def wrapped(system: "IndexSystem", rules: "Rules | None") -> "IndexSystem":
    from kakehashi.retrieve.prior_art import PriorArt

    return PriorArt(system, rules) if rules else system


def with_bibliography(collection: "Collection", queries: "Sequence[Text]") -> "list[Text]":
    """Queries in other words, such as originals, have the dates and family of the collection's query of that id."""
    import msgspec

    wanted = {query.id for query in queries}
    known = {query.id: query.meta for query in collection.queries() if query.id in wanted}
    return [
        msgspec.structs.replace(query, meta={**known.get(query.id, {}), **query.meta}) for query in queries
    ]


def warn(system: "IndexSystem", queries: "Sequence[Text]", run: "Run") -> None:
    from kakehashi.retrieve.prior_art import PriorArt

    for line in system.warnings(queries, run) if isinstance(system, PriorArt) else ():
        typer.echo(f"warning: {line}", err=True)


def about_hits(system: "IndexSystem", query: "Text", run: "Run") -> Hits | None:
    """Dates and families of the hits of one query; None for a plain search."""
    from kakehashi.retrieve.prior_art import PriorArt

    if not isinstance(system, PriorArt):
        return None
    facts = []
    for doc_id in run.rankings[query.id].docs:
        about = system.about(query, doc_id)
        dated: dict[str, Any] = {"publication": about.published} if system.rules.by_date else {}
        facts.append(dated | ({"family": about.family} if system.rules.one_per_family else {}))
    found = system.date_of(query) if system.rules.by_date else None
    own = system.families_of(query) if system.rules.not_own_family else []
    parts = [
        f"documents published before {found}{f' ({found.field})' if found.field else ''}" if found else "",
        f"none of family {', '.join(own)}" if own else "",
        "the best document of each family" if system.rules.one_per_family else "",
    ]
    summary = {
        "before": str(found) if found else None,
        "by": (found.field or None) if found else None,
        "not_of": own,
        "warnings": system.warnings([query], run),
    }
    return Hits("only " + ", ".join(part for part in parts if part), summary, facts)
