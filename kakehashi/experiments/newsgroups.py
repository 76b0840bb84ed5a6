"""T13 chapter 4 on 20 Newsgroups: identity, diagonal and quadratic rankers, rates, l1, vocabulary, CFH."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kakehashi.corpus.collection import Collection
from kakehashi.experiments.scoring import score_split
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.index.index import Index
from kakehashi.index.prepare import index_collection, index_folder
from kakehashi.progress import Progress
from kakehashi.retrieve.registry import build, read_values
from kakehashi.text.settings import newsgroup_settings
from kakehashi.training import bilinear
from kakehashi.training.dev import split_scope

DEPTH = 7532  # all posts of the test part
MEASURES = ("MAP",)
COMMON = {
    "scheme": "2",
    "per_query": 20,
    "pairs": 1_000_000,
    "query_words": 0,
    "document_words": 0,
    "query_share": 0.5,
    "document_share": 0.5,
    "query_vectors": "tfidf",
    "document_vectors": "tfidf",
    "idf": "rsj_clamped",
    "epochs": 1,
    "multipartite": False,
}
QUADRATIC = {**COMMON, "layout": "blocks", "bits": 27, "rates": "fixed", "rate": 2.0, "l1": 0.0}
DIAGONAL = {
    **COMMON,
    "scheme": "1",
    "pairs": 2_000_000,
    "shape": "diagonal",
    "rates": "schedule",
    "rate": 2e5,
    "l1": 0.0,
}
DECAYING = {"rates": "schedule", "rate": 500.0}
CFH = {"query_cfh": 5, "document_cfh": 5, "cfh_words": 10_000}
LIMITED = {"query_words": 10_000, "document_words": 10_000}
DEPARTS = (
    "quadratic: one million pairs, 20 for each drawn post (scheme 2); published: two million, one each (scheme 1)",
    "rates are those of plain SGD over vectors of unit length, chosen by progressive validation on the training "
    "part; the published ones belong to another update rule and cannot be carried over",
    "2^27 weights lie in blocks by query word, not scattered",
    "a post is never its own answer; measured over all 7,532 posts of the test part",
)


def measure(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    collection = Collection(folder)
    chain = msgspec.to_builtins(newsgroup_settings())
    index_collection(collection, chain, chain, progress=progress)
    index, scope = Index(index_folder(collection)), split_scope(collection, "test")
    facts: dict[str, float] = {}
    if settings.get("system") == "tfidf":
        system = build("tfidf", index, {"df": "pool=train"}, scope)
    else:
        values = read_values("bilinear", bilinear.BilinearTraining, settings)
        name = "table"
        trained = bilinear.train(collection, index, folder / "models" / name, values, progress=progress)
        facts = {"weights": trained.n_weights, "error": round(trained.curve[-1].error, 4)}
        system = build("bilinear", index, {"model": name}, scope)
    return Measured(score_split(system, collection, "test", MEASURES, DEPTH, progress), facts)


def _row(label: str, settings: Mapping[str, Any], published: float | None, before: str = "") -> Configuration:
    return Configuration(label, settings, {} if published is None else {"MAP": published}, before)


IDENTITY = _row("identity", {"system": "tfidf"}, 0.2055)
DIAGONAL_ROW = _row("diagonal", DIAGONAL, 0.3050, "identity")
QUADRATIC_ROW = _row("quadratic", QUADRATIC, 0.4948, "diagonal")
ROWS_4_3 = (
    IDENTITY,
    _row("diagonal, decaying rate", DIAGONAL, 0.3050, "identity"),
    _row("diagonal, fixed rate", {**DIAGONAL, "rates": "fixed", "rate": 500.0}, 0.2406),
    _row("quadratic, decaying rate", {**QUADRATIC, **DECAYING}, 0.4948, "diagonal, decaying rate"),
    _row("quadratic, fixed rate", QUADRATIC, 0.4660, "quadratic, decaying rate"),
)
RATES = (1e-2, 1e-1, 1.0, 10.0, 100.0, 1e3, 1e4)
PUBLISHED_4_4 = {
    "diagonal": (0.2818, 0.2574, 0.2393, 0.2353, 0.2289, 0.2264, 0.2347),
    "quadratic": (0.2686, 0.2976, 0.2350, 0.1116, 0.1096, 0.1096, 0.1096),
}
ROWS_4_4 = tuple(
    _row(f"{shape}, rate {rate:g}", {**base, "rates": "fixed", "rate": rate}, published)
    for shape, base in (("diagonal", DIAGONAL), ("quadratic", QUADRATIC))
    for rate, published in zip(RATES, PUBLISHED_4_4[shape], strict=True)
)
ROWS_4_5 = (
    _row("quadratic", QUADRATIC, 0.4966),
    *(
        _row(f"quadratic, l1 {l1:g}", {**QUADRATIC, "l1": l1}, published, "quadratic")
        for l1, published in ((1e-9, 0.4964), (1e-8, 0.4943), (1e-7, 0.4740), (1e-6, 0.2892))
    ),
)
ROWS_4_7 = (
    IDENTITY,
    DIAGONAL_ROW,
    QUADRATIC_ROW,
    _row("diagonal, 10,000 words", {**DIAGONAL, **LIMITED}, 0.2826, "diagonal"),
    _row("quadratic, 10,000 words", {**QUADRATIC, **LIMITED}, 0.4536, "quadratic"),
)
ROWS_4_9 = (
    IDENTITY,
    DIAGONAL_ROW,
    QUADRATIC_ROW,
    _row("diagonal, CFH k=5 of train", {**DIAGONAL, **CFH}, 0.4136, "diagonal"),
    _row("diagonal, CFH k=5 of all", {**DIAGONAL, **CFH, "cfh_from": "all"}, 0.3795),
    _row("quadratic, CFH k=5 of train", {**QUADRATIC, **CFH}, 0.5289, "quadratic"),
    _row("quadratic, CFH k=5 of all", {**QUADRATIC, **CFH, "cfh_from": "all"}, 0.5012),
    _row("quadratic, CFH k=1 of train", {**QUADRATIC, **CFH, "query_cfh": 1, "document_cfh": 1}, 0.3915),
)
ROWS_4_10 = (*ROWS_4_7, *ROWS_4_5[2:], *(row for row in ROWS_4_9[3:] if "k=5" in row.label))


def _recipe(number: str, title: str, rows: Sequence[Configuration]) -> Recipe:
    return Recipe(
        f"t13-{number}", title, "20 Newsgroups (data get newsgroups)", DEPARTS, rows, MEASURES, measure
    )


RECIPES = (
    _recipe("4.3", "20 Newsgroups: decaying and fixed rates", ROWS_4_3),
    _recipe("4.4", "20 Newsgroups: fixed rates", ROWS_4_4),
    _recipe("4.5", "20 Newsgroups: l1 on the quadratic ranker", ROWS_4_5),
    _recipe("4.7", "20 Newsgroups: full and limited vocabulary", ROWS_4_7),
    _recipe("4.9", "20 Newsgroups: correlated feature hashing", ROWS_4_9),
    _recipe("4.10", "20 Newsgroups: overview", ROWS_4_10),
)
