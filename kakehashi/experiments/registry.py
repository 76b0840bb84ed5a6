"""Every table by its name."""

from kakehashi.errors import InputError
from kakehashi.experiments import (
    ablation,
    boosting,
    combinations,
    earlier,
    encoders,
    lengths,
    neural,
    newsgroups,
    newsgroups_cfh,
    overlap,
    overview,
    patent_choices,
    patents,
    related_words,
    translation,
    uncited,
)
from kakehashi.experiments.tables import Listing, Recipe

TABLES: dict[str, Recipe | Listing] = {
    recipe.name: recipe
    for recipe in (
        *newsgroups.RECIPES,
        *newsgroups_cfh.RECIPES,
        *patents.RECIPES,
        *patent_choices.RECIPES,
        *translation.RECIPES,
        *boosting.RECIPES,
        *combinations.RECIPES,
        *overview.RECIPES,
        *earlier.RECIPES,
        *encoders.RECIPES,
        *lengths.RECIPES,
        *neural.RECIPES,
        *overlap.RECIPES,
        *related_words.RECIPES,
        *uncited.RECIPES,
        *boosting.LISTINGS,
        *ablation.LISTINGS,
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
