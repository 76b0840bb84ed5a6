"""Every table by its name."""

from kakehashi.errors import InputError
from kakehashi.experiments import newsgroups, newsgroups_cfh, patent_choices, patents, translation
from kakehashi.experiments.tables import Recipe

TABLES = {
    recipe.name: recipe
    for recipe in (
        *newsgroups.RECIPES,
        *newsgroups_cfh.RECIPES,
        *patents.RECIPES,
        *patent_choices.RECIPES,
        *translation.RECIPES,
    )
}


def recipe_of(name: str) -> Recipe:
    if name not in TABLES:
        raise InputError(f"no table is called '{name}': choose one of {', '.join(TABLES)}")
    return TABLES[name]
