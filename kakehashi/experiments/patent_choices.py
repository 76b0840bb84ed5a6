"""T13 chapter 5, the choices one by one: vectors, sampling, vocabulary, correlated words; some epoch by epoch."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kakehashi.experiments.patents import (
    BASE,
    CFH,
    COLLECTIONS,
    MEASURES,
    NUMBERED,
    QUERY_CFH,
    SAMPLED,
    STOPPED,
    measure,
    train,
)
from kakehashi.experiments.tables import Configuration, Measured, Point, Recipe
from kakehashi.progress import Progress

BYTES = 8  # of a weight in a model file: its place and its value
EPOCHS = range(1, 10)
BY_EPOCH = tuple(f"{what}, epoch {epoch}" for what in ("MAP", "MB") for epoch in EPOCHS)
CURVES = {f"{what}, epoch {epoch}": Point(what, epoch) for what in ("MAP", "MB") for epoch in EPOCHS}
PUBLISHED_MB = {
    "scheme 1": (57.7, 28.1, 18.1, 13.0, 10.2, 8.3, 7.1, 6.1, 5.3),
    "scheme 2": (47.0, 23.7, 15.7, 11.5, 9.0, 7.4, 6.2, 5.3, 4.7),
    "scheme 3": (25.6, 10.2, 5.7, 3.7, 2.7, 2.0, 1.6, 1.3, 1.2),
    "scheme 3, l1 0": (2402.4,),
    "all words": (25.6, 10.2, 5.69, 3.71, 2.67, 2.04, 1.62),
    "30,000 words": (17.9, 7.17, 4.08, 2.69, 1.92, 1.49, 1.23),
}
PUBLISHED_MAP = {
    "all words": (0.1959, 0.2000, 0.2009, 0.2010, 0.2011, 0.2007, 0.2000),
    "30,000 words": (0.1952, 0.2002, 0.2009, 0.2010, 0.2008, 0.2005, 0.2002),
}
NINE = {"epochs": len(EPOCHS), "patience": len(EPOCHS), "dev_queries": 10_000}
ALL_WORDS = {"query_words": 0, "document_words": 0, "layout": "blocks", "bits": 27}
VECTORS = ("binary", "tfidf")
DEPARTS = (
    "the collection: not the published patents, see --collection; measured on its dev split, as published",
    "200,000 pairs instead of five million, and a different l1: compare directions, not figures",
    "the thesis does not say with which scheme it trained its model without l1; here scheme 3",
)


def measure_epochs(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """MAP on dev and the size of the model after every epoch; one figure each, so nothing to test."""
    _, trained = train(folder, work, settings, progress)
    sizes = [n * BYTES / 1e6 for n in trained.made_from["nonzero_by_epoch"]]
    figures = zip(BY_EPOCH, [*trained.measures, *sizes], strict=True)
    return Measured({name: {"dev": value} for name, value in figures}, {"best epoch": trained.epoch})


def _row(
    label: str, chain: Mapping[str, Any], training: Mapping[str, Any], before: str = ""
) -> Configuration:
    published = {
        f"{what}, epoch {epoch}": value
        for what, figures in (("MB", PUBLISHED_MB), ("MAP", PUBLISHED_MAP))
        for epoch, value in enumerate(figures.get(label, ()), 1)
    }
    return Configuration(label, {"chain": chain, "source": {}, "training": training}, published, before)


def _recipe(name: str, title: str, rows: Sequence[Configuration], by_epoch: bool = False) -> Recipe:
    if not by_epoch:
        return Recipe(f"t13-{name}", title, COLLECTIONS, DEPARTS, rows, MEASURES, measure)
    return Recipe(
        f"t13-{name}",
        title,
        COLLECTIONS,
        DEPARTS,
        rows,
        BY_EPOCH,
        measure_epochs,
        over="epoch",
        curves=CURVES,
    )


RECIPES = (
    _recipe(
        "5.3",
        "patents: sampling schemes, epoch by epoch",
        [
            *(_row(f"scheme {n}", STOPPED, {**BASE, **NINE, "scheme": n, "per_query": 10}) for n in "123"),
            _row("scheme 3, l1 0", STOPPED, {**SAMPLED, **NINE, "l1": 0.0}),
        ],
        by_epoch=True,
    ),
    _recipe(
        "5.4",
        "patents: all words or 30,000, epoch by epoch",
        [
            _row("all words", STOPPED, {**SAMPLED, **NINE, **ALL_WORDS}),
            _row("30,000 words", STOPPED, {**SAMPLED, **NINE}),
        ],
        by_epoch=True,
    ),
    _recipe(
        "fig5.2",
        "patents: binary vectors, tf-idf, one of each",
        [
            _row(
                f"queries {query}, documents {document}",
                STOPPED,
                {**SAMPLED, "query_vectors": query, "document_vectors": document},
                "" if (query, document) == ("binary", "binary") else "queries binary, documents binary",
            )
            for query in VECTORS
            for document in VECTORS
        ],
    ),
    _recipe(
        "fig5.8",
        "patents: correlated words on one side and on both",
        [
            _row("as they are", NUMBERED, SAMPLED),
            _row("documents rewritten", NUMBERED, {**SAMPLED, **CFH}, "as they are"),
            _row("queries rewritten", NUMBERED, {**SAMPLED, **QUERY_CFH}, "as they are"),
            _row("both rewritten", NUMBERED, {**SAMPLED, **CFH, **QUERY_CFH}, "documents rewritten"),
        ],
    ),
)
