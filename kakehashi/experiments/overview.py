"""Every kind of system on every available collection, tuned on dev and measured on test, in one table.

Combinations of two systems are tested against the better of the two, all others against the best single system by
the same measure. `monolingual` and `monolingual-hmm` search with the human translation of the query: they are the
references for comparison.
"""

from kakehashi.experiments.combinations import (
    HERE,
    MEASURES,
    ONE_GRAM,
    has_systems,
    measure_row,
    row,
    row_state,
)
from kakehashi.experiments.tables import Configuration, Recipe

MONOLINGUAL = "monolingual"
WANTS = "a collection with trained systems; rows that need other systems are skipped; PSQ n-best is slow"
SINGLE = {
    "pass-through": "passthrough",
    "pass-through, LM": "lm",
    "pass-through, tf-idf": "tfidf",
    "DT": "dt",
    "PSQ": "psq",
    "PSQ-HMM": "psq-hmm",
    "PSQ n-best": "psq-nbest",
    "titles": "titles",
    "bilinear": "bilinear",
    "Boost-1g": ONE_GRAM,
    "Boost-2g": "boosted",
    "low rank": "lowrank",
    "topics": "topics",
    "knowledge": "knowledge",
}
INPUTS = ("dt", "psq", "psq-hmm", "titles", "bilinear", ONE_GRAM, "lowrank", "topics")


def rows() -> list[Configuration]:
    alone = [row(label, "alone", [system], measures=MEASURES) for label, system in SINGLE.items()]
    than = tuple(SINGLE)
    return [
        row(MONOLINGUAL, "alone", ["monolingual"], measures=MEASURES),
        row("monolingual, HMM", "alone", ["monolingual-hmm"], measures=MEASURES),
        *alone,
        row("Borda DT+PSQ", "borda", ["dt", "psq"], (), ("DT", "PSQ"), MEASURES),
        row("Borda PSQ+Boost-1g", "borda", ["psq", ONE_GRAM], (), ("PSQ", "Boost-1g"), MEASURES),
        row("Borda, all inputs", "borda", [*INPUTS, "knowledge"], (), than, MEASURES),
        row("dense, scores alone", "linear", INPUTS, (), than, MEASURES, features="none"),
        row(
            "dense without citations",
            "linear",
            INPUTS,
            (),
            than,
            MEASURES,
            features="auto",
            without=["citations"],
        ),
        row("dense, all inputs", "linear", INPUTS, (), than, MEASURES, features="auto"),
    ]


RECIPES = (
    Recipe(
        "overview",
        "every kind of system, alone and combined (no published figures)",
        WANTS,
        (
            *HERE[1:],
            "Borda DT+PSQ and Borda PSQ+Boost-1g are tested against the better of their two inputs, the other "
            "combinations against the best single system, always by the same measure",
        ),
        rows(),
        MEASURES,
        measure_row,
        state=row_state,
        has=has_systems,
        relative_to=MONOLINGUAL,
        drawn="MAP-mate",
    ),
)
