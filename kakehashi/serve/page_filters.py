"""The filters of the page: fields to choose from, with the number of documents that every choice would leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kakehashi.corpus.class_titles import ClassTitles
from kakehashi.corpus.facts import APPLICANTS, CLASSES
from kakehashi.index.holdings import Holdings
from kakehashi.index.metadata import any_of, parse_condition
from kakehashi.serve.dating import fields_of
from kakehashi.serve.field_counts import count_documents, field_counts
from kakehashi.serve.page_search import PageSearch
from kakehashi.serve.shelf import Volume

LISTED = 30  # values of a filter
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

    @property
    def chosen(self) -> str:
        """The values that were chosen, or how many; empty for none."""
        names = [option.shown for option in self.options if option.is_chosen]
        said = ", ".join(names)
        return said if len(said) <= BRIEF else f"{len(names)} chosen"


@dataclass(frozen=True)
class Filters:
    fields: Sequence[Filter] = ()
    years: tuple[str, str] = ("", "")  # the first and the last in which documents were published
    documents: int = 0  # that pass


def filters_of(volume: Volume, search: PageSearch) -> Filters:
    library = volume.library
    published = fields_of(library.index.fields).publication
    where = replace(search, text="x", id="", cursor="").asked(published).where
    counts = field_counts(library, where, "", LISTED)
    order = [*CLASSES, *APPLICANTS, *FIRST]
    shown = [one for one in counts if _is_shown(one, search.chosen)]
    shown.sort(key=lambda one: order.index(one["field"]) if one["field"] in order else len(order))
    dated = [one.get("values", []) for one in counts if one["field"] == published and one["kind"] == "date"]
    years = [one["value"] for one in dated[0]] if dated else []
    return Filters(
        [_filter(library, one, search, where) for one in shown],
        (years[0], years[-1]) if years else ("", ""),
        count_documents(library.index, where, ""),
    )


def _is_shown(counted: Mapping[str, Any], chosen: Mapping[str, object]) -> bool:
    name = counted["field"]
    return counted["kind"] == "keyword" and name not in HIDDEN and (counted["distinct"] > 1 or name in chosen)


def _filter(
    library: Holdings, counted: Mapping[str, Any], search: PageSearch, where: Sequence[str]
) -> Filter:
    """The commonest values; before them those that were chosen and are rarer."""
    name: str = counted["field"]
    chosen, star = search.chosen.get(name, ()), "*" if counted["by_prefix"] else ""
    listed = {f"{one['value']}{star}": one["documents"] for one in counted["values"]}
    others = [one for one in where if parse_condition(one).field != name]
    rare = {
        value: count_documents(library.index, [*others, any_of(name, [value])], "")
        for value in chosen
        if value not in listed
    }
    titles = library.class_titles if name.lower() in CLASSES else ClassTitles({}, {})
    options = []
    for value, documents in {**rare, **listed}.items():
        code = value.removesuffix(star) if star else value
        options.append(Option(value, code, titles.of(code), documents, value in chosen))
    return Filter(name, name.upper() if star else name.replace("_", " ").capitalize(), options)
