"""How hard the collections are: both baselines on the test split of every collection that can be built here.

`monolingual` searches in the documents' own language: how far words go where no translation is needed.
`passthrough` searches with untranslated words: what a cross-language system must beat. Neither is trained. This
measures quality, not speed.

    python bench/baselines.py FOLDER      prints the table of docs/collections.md
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import world

from kakehashi.corpus.debian.build import build_help, build_packages
from kakehashi.evaluation.measures import parse_all
from kakehashi.evaluation.scores import evaluate
from kakehashi.library import Library
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Qrels, Run

MEASURES = parse_all(["MAP", "MAP-mate", "PRES@1000", "R@1000"])
LANGUAGES = ("de", "fr", "ja")
SYSTEMS = ("monolingual", "passthrough")
WORLD_DOCUMENTS = 20_000
NAMES = (
    *(f"help-{language}{form}" for form in ("", "-short") for language in LANGUAGES),
    *(f"packages-{language}" for language in LANGUAGES),
    "world",
)


@dataclass(frozen=True)
class Size:
    """What a collection holds."""

    collection: str
    documents: int
    queries: dict[str, int]  # split -> queries
    relevant: float  # per test query
    pairs: int  # of parallel sentences


@dataclass(frozen=True)
class Score:
    """One system over one set of test queries."""

    collection: str
    system: str
    which: str  # "all", or "linked": queries with something to find besides their mate
    n_queries: int
    values: dict[str, tuple[float, float, float]]  # measure -> mean, and its 95 % interval


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    """`documents` is the size of the world; the Debian collections are as large as they are."""
    sizes, scores = measure(folder, documents, progress)
    figures: dict[str, Any] = {}
    for size in sizes:
        figures[f"{size.collection} documents"] = size.documents
        figures[f"{size.collection} parallel sentences"] = size.pairs
        for split, count in size.queries.items():
            figures[f"{size.collection} {split} queries"] = count
    for score in scores:
        for name, values in score.values.items():
            key = f"{score.collection} {score.system} {score.which} {name}"
            figures[key] = [round(value, 4) for value in values]
    return {"figures": figures, "ratios": {}}


def measure(folder: Path, documents: int, progress: Progress) -> tuple[list[Size], list[Score]]:
    sizes: list[Size] = []
    scores: list[Score] = []
    for name in NAMES:
        library = _library(folder, name, documents, progress)
        library.update_index(progress=progress)
        sizes.append(_size(name, library))
        for system in SYSTEMS:
            scores += _scores(name, library, system, progress)
    return sizes, scores


def _library(folder: Path, name: str, documents: int, progress: Progress) -> Library:
    """Built once and kept."""
    if name == "world":
        return world(folder, documents, progress)
    place = folder / name
    if not place.exists():
        kind, language = name.split("-")[:2]
        if kind == "help":
            build_help(place, language, short=name.endswith("-short"), progress=progress)
        else:
            build_packages(place, language, progress=progress)
    return Library(place)


def _size(name: str, library: Library) -> Size:
    collection = library.collection
    judged = {split: collection.qrels(split) for split in collection.splits}
    relevant = [sum(level > 0 for level in levels.values()) for levels in judged["test"].values()]
    return Size(
        name,
        library.index.n_docs,
        {split: len(queries) for split, queries in judged.items()},
        sum(relevant) / len(relevant),
        sum(1 for _ in collection.parallel()),
    )


def _scores(name: str, library: Library, system: str, progress: Progress) -> Iterator[Score]:
    ranked = library.rank(system, "test", pool="all", progress=progress)
    collection, judged = library.collection, library.qrels("test")
    yield _score(name, system, "all", collection.info.mate_level, judged, ranked)
    if "links" in collection.info.fields:
        linked = {text.id for text in collection.queries() if text.meta["links"] > 0}
        some = {query: levels for query, levels in judged.items() if query in linked}
        yield _score(name, system, "linked", collection.info.mate_level, some, ranked)


def _score(name: str, system: str, which: str, mates: int | None, judged: Qrels, ranked: Run) -> Score:
    found = evaluate(judged, ranked, MEASURES, mate_level=mates)
    values = {str(one): (found.mean(one), *found.interval(one)) for one in MEASURES}
    return Score(name, system, which, len(judged), values)


def sizes_table(sizes: Sequence[Size]) -> str:
    rows = ["| collection | documents | train | dev | test | relevant per test query | parallel sentences |"]
    rows.append("|---|--:|--:|--:|--:|--:|--:|")
    for size in sizes:
        counts = [size.documents, *(size.queries[split] for split in ("train", "dev", "test"))]
        cells = [size.collection, *(f"{n:,}" for n in counts), f"{size.relevant:.1f}", f"{size.pairs:,}"]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def scores_table(scores: Sequence[Score]) -> str:
    names = [str(one) for one in MEASURES]
    rows = [
        f"| collection | test queries | system | {' | '.join(names)} |",
        f"|---|--:|---|{'--:|' * len(names)}",
    ]
    for score in scores:
        cells = [f"{mean:.3f} ± {(high - low) / 2:.3f}" for mean, low, high in score.values.values()]
        which = f"{score.n_queries:,} {score.which}"
        rows.append(f"| {score.collection} | {which} | {score.system} | {' | '.join(cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    measured = measure(Path(sys.argv[1]), WORLD_DOCUMENTS, SILENT)
    print(sizes_table(measured[0]), scores_table(measured[1]), sep="\n\n")
