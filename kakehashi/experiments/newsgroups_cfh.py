"""T13 Table 4.8: the correlated words printed for five words of 20 Newsgroups, and how many of them we find."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kakehashi.corpus.splits import pool_conditions
from kakehashi.experiments.newsgroups import indexed
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.lexicon.company import CfhSettings
from kakehashi.lexicon.correlated import correlate_index
from kakehashi.progress import Progress

MEASURE = "found of 5"
PRINTED = {
    "epidemic": "providers vaccine infected genes killer",
    "liklihood": "contention acknowledge likelihood implying difficulties",
    "chemotherapy": "radiation treatments occuring histories lone",
    "painless": "cruel viewers painful execution gifs",
    "tinnitus": "ears iss loud depression sleep",
}
WORDS = 10_000


def measure(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """How many of a word's printed correlated words are among ours."""
    library = indexed(folder, progress)
    conditions = pool_conditions(library.collection, "train") if settings["over"] == "train" else []
    found = correlate_index(library.index, CfhSettings(WORDS, 5, settings["count"]), conditions, progress)
    scores = {
        word: float(len({target for target, _ in found.row(word)} & {*printed.split()}))
        for word, printed in PRINTED.items()
    }
    return Measured({MEASURE: scores}, {"of 25": sum(scores.values())})


RECIPES = (
    Recipe(
        "t13-4.8",
        "20 Newsgroups: which co-occurrence count gives the printed words",
        "20 Newsgroups (data get newsgroups)",
        ("the thesis does not say which count it uses; its five printed rows show it",),
        [
            Configuration(f"{count} over {over}", {"count": count, "over": over})
            for count in ("min", "binary", "max")
            for over in ("train", "all")
        ],
        (MEASURE,),
        measure,
    ),
)
