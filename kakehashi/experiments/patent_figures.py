"""T13 figures 5.1, 5.4, 5.7 and 5.9: error while a sparse ranker learns, and measures over l1 and over epochs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kakehashi.experiments.newsgroups_figures import errors
from kakehashi.experiments.patent_choices import BY_EPOCH, CURVES, DEPARTS, NINE, measure_epochs
from kakehashi.experiments.patents import (
    BASE,
    CFH,
    COLLECTIONS,
    MEASURES,
    NUMBERED,
    SAMPLED,
    STOPPED,
    chain,
    measure,
    train,
)
from kakehashi.experiments.tables import Configuration, Measured, Point, Recipe
from kakehashi.progress import Progress

AMOUNTS = (10_000, 20_000, 50_000, 100_000, 200_000)
L1 = (1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 3e-5)
BEST = "at the best l1"
ERRORS = {f"error, {n:,} pairs": Point("progressive error", float(n)) for n in AMOUNTS}
SWEPT = {f"{name}, l1 {l1:g}": Point(name, l1) for name in MEASURES for l1 in L1}
SWEPT |= {f"{name}, {BEST}": Point(name, None) for name in MEASURES}


def measure_error(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """One epoch; the share of wrongly ordered pairs since the amount before."""
    _, trained = train(folder, work, settings, progress)
    first = [tick for tick in trained.curve if tick.epoch == trained.curve[0].epoch]
    found = errors(first).items()
    return Measured({f"error, {n:,} pairs": {"train": error} for n, error in found}, {})


def measure_sweep(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """A training for each l1, on dev."""
    scores: dict[str, dict[str, float]] = {}
    for l1 in L1:
        one = {**settings, "training": {**settings["training"], "l1": l1}}
        found = measure(folder, work, one, progress)
        for name in MEASURES:
            scores[f"{name}, l1 {l1:g}"] = found.scores[name]
            best = scores.get(f"{name}, {BEST}", {"": -1.0})
            if found.mean(name) > sum(best.values()) / len(best):
                scores[f"{name}, {BEST}"] = found.scores[name]
    return Measured(scores, {})


def _row(
    label: str,
    words: Mapping[str, Any],
    training: Mapping[str, Any],
    published: Mapping[str, float] | None = None,
    **source: Any,
) -> Configuration:
    settings = {"chain": words, "source": source, "training": training}
    return Configuration(label, settings, published or {})


def _best(pres: float, mean: float) -> dict[str, float]:
    return {f"PRES@1000, {BEST}": pres, f"MAP, {BEST}": mean}


def _by_epoch(values: Sequence[float]) -> dict[str, float]:
    return {f"MAP, epoch {epoch}": value for epoch, value in enumerate(values, 1)}


def _recipe(
    number: str,
    title: str,
    rows: Sequence[Configuration],
    how: Any,
    curves: Mapping[str, Point],
    over: str,
    *more: str,
) -> Recipe:
    return Recipe(
        f"t13-fig{number}", f"patents: {title}", COLLECTIONS, (*DEPARTS[:2], *more), rows, tuple(curves), how,
        over=over, curves=curves, logarithmic=over != "epoch",
    )  # fmt: skip


ALL_WORDS = (0.1959, 0.2000, 0.2009, 0.2010, 0.2011, 0.2007, 0.2000)
LIMITED = (0.1952, 0.2002, 0.2009, 0.2010, 0.2008, 0.2005, 0.2002)
RECIPES = (
    _recipe(
        "5.1",
        "progressive error on tf-idf and on binary vectors",
        [
            _row(
                vectors,
                STOPPED,
                {**SAMPLED, "l1": 0.0, "epochs": 1, "query_vectors": vectors, "document_vectors": vectors},
            )
            for vectors in ("tfidf", "binary")
        ],
        measure_error,
        ERRORS,
        "training pairs",
    ),
    _recipe(
        "5.4",
        "MAP over l1, with and without stop words",
        [
            _row("unmodified", chain(), BASE, {f"MAP, {BEST}": 0.1765}),
            _row("without stop words", STOPPED, BASE, {f"MAP, {BEST}": 0.1927}),
        ],
        measure_sweep,
        {name: point for name, point in SWEPT.items() if point.panel == "MAP"},
        "l1",
        "the levels published are those of table 5.7",
    ),
    _recipe(
        "5.7",
        "MAP by epoch: standard, limited, numbers, qStem",
        [
            _row("standard", STOPPED, {**SAMPLED, **NINE}, _by_epoch(ALL_WORDS)),
            _row(
                "limited to 10,000 words",
                STOPPED,
                {**SAMPLED, **NINE, "query_words": 10_000, "document_words": 10_000},
                _by_epoch(LIMITED),
            ),
            _row("numbers", NUMBERED, {**SAMPLED, **NINE}, {"MAP, epoch 4": 0.2055}),
            _row("qStem", STOPPED, {**SAMPLED, **NINE}, {"MAP, at best": 0.2035}, qstem=True),
        ],
        measure_epochs,
        {
            **{name: CURVES[name] for name in BY_EPOCH if name.startswith("MAP")},
            "MAP, at best": Point("MAP", None),
        },
        "epoch",
        "the thesis limits each side to 30,000 words, which the collections here do not have",
    ),
    _recipe(
        "5.9",
        "PRES and MAP over l1 with correlated words (figures 5.8 and 5.9)",
        [
            _row("numbers", NUMBERED, SAMPLED, _best(0.4481, 0.2055)),
            _row("CFH of documents", NUMBERED, {**SAMPLED, **CFH}, _best(0.4882, 0.2185)),
            _row("CFH of documents, qStem", NUMBERED, {**SAMPLED, **CFH}, _best(0.4933, 0.2227), qstem=True),
            _row("CFH of both", NUMBERED, {**SAMPLED, **CFH, "query_cfh": 5}),
        ],
        measure_sweep,
        SWEPT,
        "l1",
        "the levels published are those of table 5.7",
    ),
)
