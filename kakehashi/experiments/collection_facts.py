"""Counts of a collection beside the published ones: S13 table 1, T13 tables 4.2, 5.1 and 5.5, K20 table 1."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.facts import CLASSES
from kakehashi.corpus.pools import pool_documents
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.progress import Progress
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.learn import learn
from kakehashi.text.settings import AnalyzerSettings, newsgroup_settings
from kakehashi.types import Text

ANY = "any collection with judgments"
ALL = "all"
SPLITS = ("train", "dev", "test")
NOTE = "the collection: not the published one; every figure is a count, so nothing is tested"


def counted(values: Mapping[str, float]) -> Measured:
    return Measured({name: {"collection": float(value)} for name, value in values.items()}, {})


def measure_split(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """Queries, relevant judgments and documents that are relevant at all."""
    qrels = Collection(folder).qrels(settings["split"])
    relevant = [doc for judged in qrels.values() for doc, level in judged.items() if level > 0]
    return counted(dict(zip(LINKS, (len(qrels), len(relevant), len(set(relevant))), strict=True)))


def measure_words(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """Texts, judgments, mean lengths and vocabularies of a split or of the whole collection."""
    collection, split = Collection(folder), settings["split"]
    some = [name for name in (SPLITS if split == ALL else (split,)) if name in collection.splits]
    qrels = [collection.qrels(name) for name in some]
    asked = {query for one in qrels for query in one}
    documents = collection.documents() if split == ALL else pool_documents(collection, split)
    info = collection.info
    n, length, types = lengths(documents, words_of(info.target_language))
    queries = (text for text in collection.queries() if text.id in asked)
    n_asked, asked_length, asked_types = lengths(queries, words_of(info.source_language))
    links = sum(level > 0 for one in qrels for judged in one.values() for level in judged.values())
    values = (n, n_asked, links, length, asked_length, types, asked_types)
    return counted(dict(zip(WORDS, values, strict=True)))


def words_of(language: str) -> Analyzer:
    """Words in lower case; punctuation counts, as in the thesis."""
    return Analyzer(AnalyzerSettings(lang=language, punctuation=True))


def lengths(texts: Iterator[Text], analyzer: Analyzer) -> tuple[int, float, int]:
    """(texts, mean words, different words)"""
    n, total, types = 0, 0, set[str]()
    for text in texts:
        words = analyzer.terms(text.content)
        n, total = n + 1, total + len(words)
        types.update(words)
    return n, total / max(n, 1), len(types)


def measure_group(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    return measure_groups(folder, work, [settings], progress)[0]


def measure_groups(
    folder: Path, work: Path, rows: Sequence[Mapping[str, Any]], progress: Progress
) -> list[Measured]:
    """Posts and their mean length: of a group, of a part, or the mean over groups; all in one pass."""
    collection, analyzer = Collection(folder), Analyzer(newsgroup_settings())
    posts, words = Counter[str](), Counter[str]()
    for text in collection.documents():
        n = len(analyzer.terms(text.content))
        for name in (*as_strings(text.meta["group"]), *as_strings(text.meta["pool"])):
            posts[name] += 1
            words[name] += n
    found = []
    for settings in rows:
        names = list(PUBLISHED_GROUPS) if settings["group"] == MEAN else [settings["group"]]
        n = sum(posts[name] for name in names)
        values = n / len(names), sum(words[name] for name in names) / max(n, 1)
        found.append(counted(dict(zip(POSTS, values, strict=True))))
    return found


def measure_vectors(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """Different terms of a query, and of all queries, after a chain of filters that learns from the train queries."""
    collection = Collection(folder)
    given = AnalyzerSettings(lang=collection.info.source_language, **settings["chain"])
    analyzer = learn(given, (text.content for text in collection.split_queries("train")), progress)
    sizes, types = list[int](), set[str]()
    for text in collection.queries():
        terms = set(analyzer.terms(text.content))
        sizes.append(len(terms))
        types |= terms
    return counted(dict(zip(VECTORS, (sum(sizes) / max(len(sizes), 1), len(types)), strict=True)))


def measure_classes(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """Documents, different classes on both sides, and queries and documents of each split."""
    collection = Collection(folder)
    values = {
        "documents": sum(1 for _ in collection.documents()),
        "classes of queries": len(_classes(collection.queries())),
        "classes of documents": len(_classes(collection.documents())),
    }
    for split in SPLITS:
        there = split in collection.splits
        values[f"{split} queries"] = len(collection.qrels(split)) if there else 0
        if split != "train":
            values[f"{split} documents"] = sum(1 for _ in pool_documents(collection, split)) if there else 0
    return counted(values)


def _classes(texts: Iterator[Text]) -> set[str]:
    """Of the fields that are known to hold classes."""
    return {
        value
        for text in texts
        for name in CLASSES
        if name in text.meta
        for value in as_strings(text.meta[name])
    }


def as_strings(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [one for one in value if isinstance(one, str)]


def is_pair(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether the collection has the languages of a row."""
    info = Collection(folder).info
    return bool(f"{info.source_language}-{info.target_language}" == settings["languages"])


LINKS = ("queries", "relevant", "documents that are relevant")
S13_1 = {
    "train": (107_061, 1_422_253, 888_127), "dev": (2_000, 26_478, 25_669), "test": (2_000, 25_173, 24_668),
}  # fmt: skip
WORDS = (
    "documents", "queries", "relevant", "words per document", "words per query", "types of documents",
    "types of queries",
)  # fmt: skip
T13_5_1 = {  # dev and test are exchanged against S13
    ALL: (1_088_127, 111_061, 1_473_904, 135.63, 154.43, 365_553, 60_470),
    "train": (888_127, 107_061, 1_422_253, 136.98, 154.34, 305_257, 59_284),
    "dev": (100_000, 2_000, 25_173, 128.79, 157.00, 110_637, 10_014),
    "test": (100_000, 2_000, 26_478, 128.48, 156.97, 111_214, 9_834),
}
POSTS = ("posts", "words per post")
MEAN = "mean of groups"
PUBLISHED_PARTS = {"train": (11_314, 315.20), "test": (7_532, 291.64)}
PUBLISHED_GROUPS = {
    "alt.atheism": (799, 357.32), "comp.graphics": (973, 271.81), "comp.os.ms-windows.misc": (985, 499.66),
    "comp.sys.ibm.pc.hardware": (982, 206.65), "comp.sys.mac.hardware": (963, 192.45),
    "comp.windows.x": (988, 319.13), "misc.forsale": (975, 142.35), "rec.autos": (990, 230.00),
    "rec.motorcycles": (996, 209.15), "rec.sport.baseball": (994, 233.28), "rec.sport.hockey": (999, 262.09),
    "sci.crypt": (991, 343.69), "sci.electronics": (984, 214.61), "sci.med": (990, 305.67),
    "sci.space": (987, 298.04), "soc.religion.christian": (997, 393.88), "talk.politics.guns": (910, 358.20),
    "talk.politics.mideast": (940, 509.64), "talk.politics.misc": (775, 451.37),
    "talk.religion.misc": (628, 374.07),
}  # fmt: skip
T13_4_2 = {**PUBLISHED_PARTS, **PUBLISHED_GROUPS, MEAN: (942.3, 304.77)}
BY_CLASS = (
    "documents", "classes of queries", "classes of documents", "train queries", "dev queries", "dev documents",
    "test queries", "test documents",
)  # fmt: skip
ONE_POOL = [name for name in BY_CLASS if name not in ("dev documents", "test documents")]
K20_1: Mapping[str, tuple[str, tuple[int, ...]]] = {  # dev and test documents of Wikipedia are all
    "En-Ja": ("en-ja", (1_071_292, 1_023_000, 172_000, 298_468, 42_638, 42_638)),
    "En-De": ("en-de", (2_091_278, 1_023_000, 282_000, 656_735, 93_820, 93_819)),
    "En-Fr": ("en-fr", (1_894_397, 1_023_000, 332_000, 762_336, 108_905, 108_905)),
    "Ja-En, patents": ("ja-en", (1_039_656, 23_000, 50_000, 107_061, 2_000, 100_000, 2_000, 100_000)),
}
VECTORS = ("terms per query", "different terms")
STEPS: Mapping[str, tuple[dict[str, Any], tuple[float, float]]] = {
    "without punctuation": ({}, (67.15, 59_410)),
    "+ stop words": ({"stop": "induced"}, (50.71, 59_389)),
    "+ numbers": ({"stop": "induced", "numbers": "simplify"}, (49.23, 57_459)),
    "+ qStem": ({"stop": "induced", "numbers": "simplify", "qstem": True}, (41.53, 50_342)),
}


def _recipe(
    name: str,
    title: str,
    collections: str,
    rows: Mapping[str, tuple[Mapping[str, Any], Sequence[float]]],
    measures: Sequence[str],
    how: Callable[..., Measured],
    *departs: str,
) -> Recipe:
    configurations = [
        Configuration(label, settings, dict(zip(measures, published, strict=True)))
        for label, (settings, published) in rows.items()
    ]
    return Recipe(
        name, title, collections, (NOTE, *departs), configurations, measures, how,
        has=lambda folder, settings: settings.get("split", ALL) in (ALL, *Collection.split_names(folder)),
    )  # fmt: skip


RECIPES = (
    _recipe(
        "s13-1",
        "queries, judgments and relevant documents",
        ANY,
        {split: ({"split": split}, values) for split, values in S13_1.items()},
        LINKS,
        measure_split,
    ),
    _recipe(
        "t13-5.1",
        "patents: texts, judgments, lengths and vocabularies",
        ANY,
        {split: ({"split": split}, values) for split, values in T13_5_1.items()},
        WORDS,
        measure_words,
        "the thesis calls dev what S13 calls test, and the other way round",
        "words are those of the tokenizer in lower case, with numbers and punctuation",
    ),
    replace(
        _recipe(
            "t13-4.2",
            "20 Newsgroups: posts and their lengths",
            "20 Newsgroups (data get newsgroups)",
            {label: ({"group": label}, values) for label, values in T13_4_2.items()},
            POSTS,
            measure_group,
            "the published data itself, with headers; words are runs of letters in lower case",
        ),
        together=measure_groups,
    ),
    _recipe(
        "t13-5.5",
        "patents: what filters leave of Japanese queries",
        "a collection with Japanese queries, such as world or packages-ja",
        {label: ({"chain": chain}, values) for label, (chain, values) in STEPS.items()},
        VECTORS,
        measure_vectors,
        "stop words are learned from the train queries; compounds are not split",
    ),
    Recipe(
        "k20-1",
        "documents, classes and queries",
        "a collection in the languages of a row, with classes on queries and documents",
        (NOTE, "the paper prints 1,023M classes where it can only mean 1.023 million"),
        [
            Configuration(
                label,
                {"languages": languages},
                dict(zip(BY_CLASS if len(values) == len(BY_CLASS) else ONE_POOL, values, strict=True)),
            )
            for label, (languages, values) in K20_1.items()
        ],
        BY_CLASS,
        measure_classes,
        has=is_pair,
    ),
)
