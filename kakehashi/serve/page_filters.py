"""The filters of the page: fields to choose from, with the number of documents that every choice would leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kakehashi.corpus.class_titles import ClassTitles
from kakehashi.corpus.facts import APPLICANTS, CLASSES
from kakehashi.serve.dating import fields_of
from kakehashi.serve.field_counts import count_documents, field_counts
from kakehashi.serve.page_search import PageSearch
from kakehashi.serve.shelf import Volume

LISTED = 30  # values of a filter
FIRST = ("office", "country", "section", "lang")  # shown before others, after classes and applicants
HIDDEN = ("family",)


@dataclass(frozen=True)
class Option:
    value: str
    shown: str
    title: str  # of a class; empty for anything else
    documents: int | None  # None: it is not among the commonest
    is_chosen: bool


@dataclass(frozen=True)
class Filter:
    """A field; a document passes if it has one of the values that were chosen, or if none was."""

    name: str
    label: str
    options: list[Option]

    @property
    def chosen(self) -> list[Option]:
        return [option for option in self.options if option.is_chosen]


@dataclass(frozen=True)
class Filters:
    fields: Sequence[Filter] = ()
    years: tuple[str, str] = ("", "")  # the first and the last in which documents were published
    documents: int = 0  # that pass


def filters_of(volume: Volume, search: PageSearch) -> Filters:
    library = volume.library
    published = fields_of(library.index.fields).publication
    asked = replace(search, text="x", id="", cursor="").asked(published)
    counts = field_counts(library, asked.where, "", LISTED)
    order = [*CLASSES, *APPLICANTS, *FIRST]
    shown = [one for one in counts if _is_shown(one, search.chosen)]
    shown.sort(key=lambda one: order.index(one["field"]) if one["field"] in order else len(order))
    dated = [one.get("values", []) for one in counts if one["field"] == published and one["kind"] == "date"]
    years = [one["value"] for one in dated[0]] if dated else []
    return Filters(
        [_filter(one, search.chosen.get(one["field"], ()), library.class_titles) for one in shown],
        (years[0], years[-1]) if years else ("", ""),
        count_documents(library.index, asked.where, ""),
    )


def _is_shown(counted: Mapping[str, Any], chosen: Mapping[str, object]) -> bool:
    name = counted["field"]
    return counted["kind"] == "keyword" and name not in HIDDEN and (counted["distinct"] > 1 or name in chosen)


def _filter(counted: Mapping[str, Any], chosen: Sequence[str], titles: ClassTitles) -> Filter:
    star = "*" if counted["by_prefix"] else ""
    listed = [
        Option(value, one["value"], one.get("title", ""), one["documents"], value in chosen)
        for one in counted["values"]
        for value in (f"{one['value']}{star}",)
    ]
    known = {option.value for option in listed}
    name: str = counted["field"]
    rare = [
        Option(value, code, titles.of(code) if name.lower() in CLASSES else "", None, True)
        for value in chosen
        if value not in known
        for code in (value.removesuffix(star) if star else value,)
    ]
    label = name.upper() if counted["by_prefix"] else name.replace("_", " ").capitalize()
    return Filter(name, label, [*rare, *listed])
