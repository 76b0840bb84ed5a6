"""The filters of the page: fields to choose from, with the number of documents that every choice would leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kakehashi.corpus.class_titles import ClassTitles
from kakehashi.corpus.facts import APPLICANTS, CLASSES
from kakehashi.index.holdings import Holdings
from kakehashi.index.metadata import any_of, parse_condition
from kakehashi.serve.dating import fields_of
from kakehashi.serve.field_counts import SUBCLASS, count_documents, field_counts
from kakehashi.serve.page_search import PageSearch
from kakehashi.serve.shelf import Volume

LISTED = 30  # values of a filter
KEPT = 64  # choices whose counts are kept
BRIEF = 26  # letters of chosen values that are listed; more are counted
FIRST = ("office", "country", "section", "lang")  # shown before others, after classes and applicants
HIDDEN = ("family",)


@dataclass(frozen=True)
class Option:
    value: str
    shown: str
    title: str  # of a class; empty for anything else
    documents: int
    is_chosen: bool


@dataclass(frozen=True)
class Filter:
    """A field; a document passes if it has one of the values that were chosen, or if none was."""

    name: str
    label: str
    options: list[Option]
    hint: str  # what else can be entered; empty where all values are listed

    @property
    def chosen(self) -> str:
        """The values that were chosen, or how many; empty for none."""
        names = [option.shown for option in self.options if option.is_chosen]
        said = ", ".join(names)
        return said if len(said) <= BRIEF else f"{len(names)} chosen"


@dataclass(frozen=True)
class Year:
    """In which documents were published."""

    name: str
    documents: int
    part: float  # of the fullest year


@dataclass(frozen=True)
class Filters:
    fields: Sequence[Filter] = ()
    years: Sequence[Year] = ()  # oldest first
    documents: int = 0  # that pass
    families: int = 0  # of these documents; 0 where the collection does not say


def filters_of(volume: Volume, search: PageSearch) -> Filters:
    library = volume.library
    published = fields_of(library.index.fields).publication
    asked = replace(search, text="x", id="", cursor="").asked(published)
    where, boolean = asked.where, asked.boolean
    counts = _counts(volume, where, boolean)
    order = [*CLASSES, *APPLICANTS, *FIRST]
    shown = [one for one in counts if _is_shown(one, search.chosen)]
    shown.sort(key=lambda one: order.index(one["field"]) if one["field"] in order else len(order))
    return Filters(
        [_filter(library, one, search, where, boolean) for one in shown],
        next((_years(one) for one in counts if one["field"] == published and one["kind"] == "date"), ()),
        count_documents(library.index, where, boolean),
        next((one.get("distinct", 0) for one in counts if one["field"] in HIDDEN), 0),
    )


def _counts(volume: Volume, where: Sequence[str], boolean: str) -> list[dict[str, Any]]:
    """Kept, because they are the same for every query and take longer than a search."""
    key = tuple(where), boolean
    found: list[dict[str, Any]] | None = volume.counts.get(key)
    if found is None:
        if len(volume.counts) >= KEPT:
            volume.counts.clear()
        found = volume.counts[key] = field_counts(volume.library, where, boolean, LISTED)
    return found


def _years(counted: Mapping[str, Any]) -> list[Year]:
    values = counted.get("values", [])
    most = max((one["documents"] for one in values), default=1)
    return [Year(one["value"], one["documents"], one["documents"] / most) for one in values]


def _is_shown(counted: Mapping[str, Any], chosen: Mapping[str, object]) -> bool:
    name = counted["field"]
    return counted["kind"] == "keyword" and name not in HIDDEN and (counted["distinct"] > 1 or name in chosen)


def _filter(
    library: Holdings, counted: Mapping[str, Any], search: PageSearch, where: Sequence[str], boolean: str
) -> Filter:
    """The commonest values; before them those that were chosen and are rarer."""
    name: str = counted["field"]
    chosen, star = search.chosen.get(name, ()), "*" if counted["by_prefix"] else ""
    listed = {f"{one['value']}{star}": one["documents"] for one in counted["values"]}
    others = [one for one in where if parse_condition(one).field != name]
    rare = {
        value: count_documents(library.index, [*others, any_of(name, [value])], boolean)
        for value in chosen
        if value not in listed
    }
    titles = library.class_titles if name.lower() in CLASSES else ClassTitles({}, {})
    options = []
    for value, documents in {**rare, **listed}.items():
        code = value.removesuffix(star) if star else value
        shown = code if len(code) <= SUBCLASS else value  # a narrower class is shown as it was entered
        options.append(Option(value, shown, titles.of(code), documents, value in chosen))
    label = name.upper() if star else name.replace("_", " ").capitalize()
    return Filter(name, label, options, _hint(counted))


def _hint(counted: Mapping[str, Any]) -> str:
    """Classes are listed by their first letters, other fields with their commonest values."""
    values, more = counted["values"], counted["distinct"] - len(counted["values"])
    if counted["by_prefix"] and values:
        return f"narrower: {values[0]['value']} 1*"
    return f"one of {more:,} more" if more > 0 else ""
