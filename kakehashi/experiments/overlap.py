"""K20 figure 2: how many of a relevant document's classes its query has, as a histogram.

    overlap(q, d) = |T(C_q) ∩ C_d| / |C_d|

T says what classes of queries are called among documents: `class_links.tsv`, or nothing where both use the same.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kakehashi.corpus.collection import Collection, read_info
from kakehashi.errors import InputError
from kakehashi.experiments.tables import Configuration, Measured, Point, Recipe
from kakehashi.library import Library
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.cnn_parts import classes_of
from kakehashi.systems.spec import read_values
from kakehashi.training.cnn_vectors import ClassSettings, class_fields

SHARE, ALL = "share of pairs", "all"
LINKS = "class_links.tsv"
BINS = ("0", *(f"{10 * i}-{10 * (i + 1)}" for i in range(10)))
CURVES = {f"{SHARE}, {bar} %": Point(SHARE, float(i)) for i, bar in enumerate(BINS)}
PUBLISHED = {"2": {"0": 0.43, "90-100": 0.14}, "1": {"0": 0.76}}  # what the paper says of En-Ja


def bin_of(overlap: float) -> str:
    """Exactly 0 has a bar of its own; 10 % belongs to the bar that ends there."""
    return BINS[math.ceil(round(10 * overlap, 9))]


def count(folder: Path, classes: str, progress: Progress = SILENT) -> Mapping[str, Mapping[str, int]]:
    """level -> bar -> pairs of a query and a relevant document with classes, in all splits."""
    library = Library(folder)
    collection, fields = library.collection, class_fields(library, classes)
    if not fields:
        raise InputError(f"no field of {folder} holds classes: name fields with --set classes=NAME")
    qrels = {
        query: judged for split in collection.splits for query, judged in collection.qrels(split).items()
    }
    wanted = {doc for judged in qrels.values() for doc, level in judged.items() if level > 0}
    held = {text.id: {*classes_of(text.meta, fields)} for text in collection.documents() if text.id in wanted}
    called = _links(collection)
    counts: dict[str, dict[str, int]] = {}
    for query in collection.queries():
        own = classes_of(query.meta, fields)
        said = {*own} if called is None else {other for one in own for other in called.get(one, ())}
        for doc, level in qrels.get(query.id, {}).items():
            if level > 0 and (theirs := held.get(doc)):
                bar = bin_of(len(said & theirs) / len(theirs))
                for name in (str(level), ALL):
                    bars = counts.setdefault(name, dict.fromkeys(BINS, 0))
                    bars[bar] += 1
    return counts


def _links(collection: Collection) -> Mapping[str, set[str]] | None:
    """What classes of queries are called among documents; None where both use the same."""
    if not collection.has(LINKS):
        return None
    found: dict[str, set[str]] = {}
    for source, target in collection.class_links():
        found.setdefault(source, set()).add(target)
    return found


def measure_all(
    folder: Path, work: Path, rows: Sequence[Mapping[str, Any]], progress: Progress
) -> list[Measured]:
    """Every level at once."""
    given: Any = read_values("k20-fig2", ClassSettings, rows[0].get("set", {}))
    counts = count(folder, given.classes, progress)
    found = []
    for row in rows:
        bars = counts.get(row["level"], dict.fromkeys(BINS, 0))
        pairs = sum(bars.values())
        shares = {f"{SHARE}, {bar} %": {"pairs": n / max(pairs, 1)} for bar, n in bars.items()}
        found.append(Measured(shares, {"pairs": float(pairs)}))
    return found


def measure_one(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    return measure_all(folder, work, [settings], progress)[0]


def has_level(folder: Path, settings: Mapping[str, Any]) -> bool:
    return settings["level"] == ALL or settings["level"] in read_info(folder).levels


def _rows() -> Iterator[Configuration]:
    for level in (ALL, "3", "2", "1"):
        name = "all levels" if level == ALL else f"level {level}"
        published = {f"{SHARE}, {bar} %": value for bar, value in PUBLISHED.get(level, {}).items()}
        yield Configuration(name, {"level": level}, published)


RECIPES = (
    Recipe(
        "k20-fig2",
        "how many of a relevant document's classes its query has",
        "an indexed collection with classes on queries and documents",
        (
            "the collection: not the published one; published figures are what the paper says of English and Japanese",
            "pairs of all splits whose document has classes; classes of queries are translated by class_links.tsv "
            "where a collection has it",
        ),
        [*_rows()],
        tuple(CURVES),
        measure_one,
        over="% of a document's classes that its query has",
        curves=CURVES,
        bars=BINS,
        has=has_level,
        together=measure_all,
        settings=ClassSettings,
    ),
)
