"""K20 tables 2 to 4: networks over words and classes order candidate pools of any collection with classes.

A pool is every relevant document of a query and n others. The published collections are not available, so only the
order and direction of figures can be compared. `neural_pools.py` measures, this file lists the rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kakehashi.corpus.collection import read_info
from kakehashi.experiments.neural_pools import MEASURE, NetworkSettings, measure_pools
from kakehashi.experiments.tables import Configuration, Recipe

SEEDS = (1, 2, 3)
ROUNDS = 1_100_000  # the paper quotes p below 1e-6
PAIRS = {"En-Ja": "ja", "En-De": "de", "En-Fr": "fr"}
Runs = tuple[float, float, float]
# (pair, n) -> runs of text, runs of text and meta, means of meta, of text, of both
TABLE_2: Mapping[tuple[str, int], tuple[Runs, Runs, Runs]] = {
    ("En-Ja", 40): ((89.4, 89.4, 89.3), (90.2, 90.0, 90.0), (66.5, 89.4, 90.0)),
    ("En-Ja", 200): ((78.8, 78.2, 78.0), (79.0, 79.2, 79.3), (51.1, 78.3, 79.2)),
    ("En-Ja", 1000): ((62.4, 61.3, 61.2), (62.3, 62.8, 62.8), (35.9, 61.6, 62.6)),
    ("En-De", 40): ((90.4, 90.2, 90.7), (90.9, 90.7, 90.8), (72.0, 90.4, 90.8)),
    ("En-De", 200): ((80.2, 79.8, 80.7), (81.7, 81.0, 81.2), (54.8, 80.2, 81.3)),
    ("En-De", 1000): ((64.4, 64.0, 65.0), (67.0, 65.9, 66.3), (38.1, 64.5, 66.4)),
    ("En-Fr", 40): ((90.3, 90.4, 90.4), (91.0, 90.9, 91.0), (71.2, 90.4, 91.0)),
    ("En-Fr", 200): ((78.7, 79.1, 78.7), (80.3, 80.2, 80.1), (53.5, 78.8, 80.2)),
    ("En-Fr", 1000): ((62.1, 62.5, 62.1), (64.3, 64.1, 64.0), (36.9, 62.2, 64.1)),
}
# n -> runs of text, joint, stacked; means of meta, joint, stacked; of text beside joint, and beside stacked
TABLE_3: Mapping[int, tuple[Runs, Runs, Runs, Runs, tuple[float, float]]] = {
    40: ((92.6, 92.8, 92.5), (92.9, 92.8, 92.9), (93.5, 93.8, 93.6), (80.9, 92.8, 93.6), (92.6, 92.7)),
    200: ((84.9, 85.4, 84.9), (85.2, 85.4, 86.9), (88.1, 88.5, 87.9), (68.4, 85.9, 88.2), (85.1, 85.0)),
    400: ((79.3, 81.0, 80.0), (80.4, 81.0, 82.4), (84.1, 85.3, 84.2), (62.3, 81.3, 84.4), (80.1, 80.1)),
    1000: ((71.1, 72.7, 71.4), (72.4, 72.6, 74.5), (77.1, 78.4, 77.1), (53.1, 73.2, 77.5), (71.9, 71.2)),
}
TFIDF = {40: 61.9, 200: 56.3, 400: 55.0, 1000: 53.9}
# (strategy, n) -> runs of text, runs of text and meta, means of meta, of text, of both
TABLE_4: Mapping[tuple[str, int], tuple[Runs, Runs, Runs]] = {
    ("rerank", 40): ((66.2, 66.8, 66.1), (69.7, 70.2, 69.5), (63.6, 66.5, 69.8)),
    ("rerank", 200): ((51.5, 52.4, 51.7), (55.8, 56.6, 55.5), (47.1, 52.0, 55.9)),
    ("rerank", 400): ((46.1, 47.4, 46.5), (50.8, 51.8, 50.5), (41.3, 46.8, 50.9)),
    ("rerank", 1000): ((40.5, 41.7, 40.8), (45.3, 46.2, 45.1), (35.1, 41.1, 45.5)),
    ("weighted", 40): ((66.5, 67.2, 66.7), (69.8, 70.2, 69.5), (64.2, 66.8, 69.8)),
    ("weighted", 200): ((60.0, 60.1, 59.9), (61.9, 62.1, 61.7), (58.4, 60.0, 61.9)),
    ("weighted", 400): ((58.5, 58.8, 58.5), (60.4, 60.8, 60.5), (57.1, 58.6, 60.5)),
    ("weighted", 1000): ((57.3, 57.7, 57.2), (59.2, 59.5, 59.1), (56.1, 57.4, 59.2)),
}


def _published(value: float | None) -> dict[str, float]:
    """As a fraction; the paper prints NDCG times a hundred."""
    return {} if value is None else {MEASURE: round(value / 100, 6)}


def _runs(
    label: str, settings: Mapping[str, Any], values: Runs | None, mean: float, against: str = ""
) -> Iterator[Configuration]:
    """A row for every seed, tested against the same seed of another kind, and their mean."""
    for i, seed in enumerate(SEEDS):
        rival = f"{against}, seed {seed}" if against else ""
        yield Configuration(
            f"{label}, seed {seed}", {**settings, "seed": seed}, _published(values and values[i]), rival
        )
    yield _mean(label, settings, mean)


def _mean(label: str, settings: Mapping[str, Any], value: float, printed: str = "") -> Configuration:
    of = tuple(f"{label}, seed {seed}" for seed in SEEDS)
    return Configuration(f"{label}, mean{printed}", settings, _published(value), mean_of=of)


def _table_2() -> Iterator[Configuration]:
    for (pair, n), (text, both, (meta_mean, text_mean, both_mean)) in TABLE_2.items():
        base = {"pair": pair, "others": n, "drawn": "random", "size": "wikipedia"}
        name = f"{pair}, {n} others"
        yield from _runs(f"{name}, text", {**base, "of": ["text"]}, text, text_mean)
        yield from _runs(f"{name}, meta", {**base, "of": ["meta"]}, None, meta_mean)
        yield from _runs(f"{name}, text+meta", {**base, "of": ["joint"]}, both, both_mean, f"{name}, text")


def _table_3() -> Iterator[Configuration]:
    for n, (text, joint, stacked, (meta_mean, joint_mean, stacked_mean), text_means) in TABLE_3.items():
        base, name = {"others": n, "drawn": "random", "size": "patents"}, f"{n} others"
        plain, of_text = f"{name}, text", {**base, "of": ["text"]}
        yield from _runs(plain, of_text, text, text_means[0])
        yield _mean(plain, of_text, text_means[1], " as printed beside stacked")
        yield from _runs(f"{name}, meta", {**base, "of": ["meta"]}, None, meta_mean)
        yield from _runs(f"{name}, joint", {**base, "of": ["joint"]}, joint, joint_mean, plain)
        yield from _runs(f"{name}, stacked", {**base, "of": ["text", "meta"]}, stacked, stacked_mean, plain)


def _table_4() -> Iterator[Configuration]:
    for n, value in TFIDF.items():
        base = {"others": n, "drawn": "tf-idf", "size": "patents"}
        yield Configuration(f"{n} others, tf-idf", {**base, "of": ["tf-idf"], "seed": 0}, _published(value))
        for strategy in ("rerank", "weighted"):
            text, both, (meta_mean, text_mean, both_mean) = TABLE_4[strategy, n]
            also = ["tf-idf"] if strategy == "weighted" else []
            name = f"{n} others, {strategy}"
            plain, stacked = {**base, "of": [*also, "text"]}, {**base, "of": [*also, "text", "meta"]}
            yield from _runs(f"{name}, text", plain, text, text_mean)
            yield from _runs(f"{name}, meta", {**base, "of": [*also, "meta"]}, None, meta_mean)
            yield from _runs(f"{name}, text+meta", stacked, both, both_mean, f"{name}, text")


def is_pair(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether a collection has the languages of a row, in either direction."""
    info = read_info(folder)
    return {info.source_language, info.target_language} == {"en", PAIRS[settings["pair"]]}


DEPARTS = (
    "the collection: not the published one, see --collection",
    "dev and test pools hold every relevant document that is in the index; the others are drawn once, training "
    "documents for every seed",
    "the step size of each kind is the better of 0.0001 and 0.001 on dev with the first seed",
    "text+meta and joint are one network over both; stacked scores are added by weights found on dev, unscaled unless "
    "--set normalise says so",
    "each run is tested against the same run of text with 1,100,000 rounds; --json has p",
)
OF_TFIDF = (
    "tf-idf compares documents with the query translated by the decoder; --set translated=psq takes word translations",
)
CLASSES = "a collection with train, dev and test judgments, and classes on queries and documents"


def _recipe(name: str, title: str, collections: str, rows: Sequence[Configuration], **more: Any) -> Recipe:
    return Recipe(
        name, title, collections, more.pop("departs", DEPARTS), rows, (MEASURE,), measure_pools, takes_queries=True,
        settings=NetworkSettings, rounds=ROUNDS, **more,
    )  # fmt: skip


RECIPES = (
    _recipe(
        "k20-2",
        "networks over words, classes and both, with random irrelevant documents (Wikipedia)",
        f"{CLASSES}, between English and Japanese, German or French",
        [*_table_2()],
        has=is_pair,
    ),
    _recipe(
        "k20-3",
        "networks over words, classes and both, with random irrelevant documents (patents)",
        CLASSES,
        [*_table_3()],
    ),
    _recipe(
        "k20-4",
        "networks that rerank the documents of the highest tf-idf (patents)",
        f"{CLASSES}, and parallel text",
        [*_table_4()],
        departs=(*DEPARTS, *OF_TFIDF),
    ),
)
