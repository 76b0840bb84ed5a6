"""Related words of two languages, alone and as inputs of combinations, beside the same without them.

`psq-related` spreads translations over related words of the documents' language; `psq-mapped` over the words nearest
to a query word in a space of both languages.
"""

from typing import Any

from kakehashi.experiments.combinations import row
from kakehashi.experiments.overview import (
    CITATIONS,
    EXAMPLES,
    LEARNED,
    TITLES,
    TRANSLATED,
    has_rows,
    measure_one,
    measure_rows,
    rows_state,
)
from kakehashi.experiments.tables import Configuration, Recipe

MEASURES = ("MAP-mate", "MAP", "R@100-mate", "PRES@1000")
ADDED = {"related words": "psq-related", "near words": "psq-mapped"}
BASES: dict[str, dict[str, Any]] = {  # what a combination knows besides these
    "text": {"features": False, "also": [*TITLES, *LEARNED]},
    "all but citations received": {"without": [CITATIONS], "also": [*TITLES, *LEARNED, *EXAMPLES]},
}


def rows() -> list[Configuration]:
    found = [row("PSQ", "alone", ["psq"], measures=MEASURES)]
    for label, system in ADDED.items():
        found.append(row(f"PSQ, {label}", "alone", [system], (), "PSQ", MEASURES))
    sets = {**{label: [system] for label, system in ADDED.items()}, "both": [*ADDED.values()]}
    for base, settings in BASES.items():
        found.append(row(base, "linear", TRANSLATED, (), "", MEASURES, **settings))
        for label, systems in sets.items():
            of = [*TRANSLATED, *systems]
            found.append(row(f"{base} + {label}", "linear", of, (), base, MEASURES, **settings))
    return found


RECIPES = (
    Recipe(
        "related-across",
        "related words of two languages, alone and in combinations (no published figures)",
        "a collection with trained systems, and kakehashi train related DIR, kakehashi train mapped DIR",
        (
            "weights are learned on dev, rows are measured on test, on all queries unless --queries limits them; mates "
            "are left out of MAP-mate and R@100-mate",
            "*text* combines `psq`, `psq-hmm`, `titles`, `bilinear`, `boosted`, `lowrank` and `topics`, as far as they "
            "are trained, without metadata; *all but citations received* adds metadata and `examples`",
            "related words are used with their default settings, which were chosen on dev",
            "a row is tested against the same without related words",
        ),
        rows(),
        MEASURES,
        measure_one,
        state=rows_state,
        has=has_rows,
        relative_to="PSQ",
        drawn="MAP-mate",
        together=measure_rows,
        takes_queries=True,
    ),
)
