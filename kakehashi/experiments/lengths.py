"""Systems asked with the first words of test queries, and with whole ones: who answers short queries best?

Short queries have no metadata, as if a searcher had typed them; a human translation is cut to the same number of words.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kakehashi.corpus.splits import QUERIES
from kakehashi.evaluation.measures import parse
from kakehashi.experiments.combinations import has_systems, row_state
from kakehashi.experiments.contents import opened
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.progress import Progress
from kakehashi.systems.registry import spec_of
from kakehashi.training.measuring import measure_run
from kakehashi.training.shortening import first_words, own_id
from kakehashi.types import Run

MEASURES = ("MAP", "MAP-mate", "PRES@1000")
WORDS = (3, 5, 10, 30, 0)  # 0: the whole query
SYSTEMS = ("monolingual", "psq", "psq-hmm", "dense")
REFERENCE = "psq"
MOST = 500  # test queries


def label(system: str, words: int) -> str:
    return f"{system}, {words} words" if words else f"{system}, whole"


def rows() -> list[Configuration]:
    return [
        Configuration(
            label(system, words),
            {"of": [system], "words": words, "by": "alone"},
            compared_with="" if system == REFERENCE else label(REFERENCE, words),
        )
        for words in WORDS
        for system in SYSTEMS
    ]


def measure(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    library = opened(folder)
    [name], words = settings["of"], settings["words"]
    spec, most = spec_of(name), settings.get("queries", MOST)
    split = library.split("test", most)
    queries = library.split("test", most, spec.queries).queries
    if words:
        index = library.index
        analyzer = index.source_analyzer if spec.queries == QUERIES else index.analyzer
        queries = [first_words(query, words, analyzer) for query in queries]
    found = library.system(name).search(queries, 1000, split.scope, progress=progress)
    run = Run(name, {own_id(query): found.rankings[query.id] for query in queries})
    scores = measure_run(run, split, [parse(one) for one in MEASURES])
    return Measured({one: scores.of(parse(one)) for one in MEASURES}, {"words": float(words)})


RECIPES = (
    Recipe(
        "lengths",
        "short and whole queries (no published figures)",
        "a collection with trained translation and dense",
        (
            f"the first words of at most {MOST} test queries, evenly chosen, without metadata; *whole* is the query as "
            "it is, with its metadata",
            f"every row is tested against `{REFERENCE}` asked with the same words; `dense` answers as it was trained",
        ),
        rows(),
        MEASURES,
        measure,
        state=row_state,
        has=has_systems,
        takes_queries=True,
    ),
)
