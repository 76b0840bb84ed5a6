"""Every table by its name."""

from collections.abc import Iterator
from typing import NamedTuple

from kakehashi.errors import InputError
from kakehashi.experiments import (
    ablation,
    boosting,
    collection_facts,
    combinations,
    dense_choices,
    earlier,
    encoders,
    fusion_figures,
    lengths,
    memory_latency,
    neural,
    newsgroups,
    newsgroups_cfh,
    newsgroups_figures,
    overlap,
    overview,
    patent_choices,
    patent_figures,
    patents,
    posters,
    related_across,
    related_words,
    translation,
    word_lists,
)
from kakehashi.experiments.tables import Listing, Recipe

TABLES: dict[str, Recipe | Listing] = {
    recipe.name: recipe
    for recipe in (
        *newsgroups.RECIPES,
        *newsgroups_cfh.RECIPES,
        *newsgroups_figures.RECIPES,
        *patents.RECIPES,
        *patent_choices.RECIPES,
        *patent_figures.RECIPES,
        *translation.RECIPES,
        *boosting.RECIPES,
        *combinations.RECIPES,
        *posters.RECIPES,
        *overview.RECIPES,
        *earlier.RECIPES,
        *encoders.RECIPES,
        *lengths.RECIPES,
        *neural.RECIPES,
        *overlap.RECIPES,
        *related_across.RECIPES,
        *related_words.RECIPES,
        *dense_choices.RECIPES,
        *fusion_figures.RECIPES,
        *collection_facts.RECIPES,
        *boosting.LISTINGS,
        *ablation.LISTINGS,
        *word_lists.LISTINGS,
        *memory_latency.LISTINGS,
    )
}


def table_of(name: str) -> Recipe | Listing:
    if name not in TABLES:
        raise InputError(f"there is no table '{name}': choose one of {', '.join(TABLES)}")
    return TABLES[name]


def recipe_of(name: str) -> Recipe:
    """A table of measures."""
    table = table_of(name)
    if not isinstance(table, Recipe):
        raise InputError(f"{name} shows examples: it measures nothing")
    return table


class Figure(NamedTuple):
    """A published figure as a table of this program quotes it."""

    table: str
    row: str
    measure: str
    value: float | str


def published() -> Iterator[Figure]:
    """Every published figure that stands beside a measured one."""
    for table in TABLES.values():
        if isinstance(table, Recipe):
            for one in table.configurations:
                yield from (Figure(table.name, one.label, *pair) for pair in one.published.items())
        else:
            for row, columns in table.published.items():
                for column, values in columns.items():
                    several = values if isinstance(values, tuple) else (values,)
                    for number, value in enumerate(several, 1):
                        name = f"{column} {number}" if len(several) > 1 else column
                        yield Figure(table.name, row, name, value)
