"""H18 table 1 and figure 1, related words in BM25 and LM, on any collection with related words.

Queries are the originals in the documents' language; in a further table, queries as they are, whose words are
translated by a translation table. Thresholds are chosen by five-fold cross-validation over the
queries of dev, for each measure separately. The published collection (CLEF-IP patents) is not available.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi.corpus.splits import QUERIES
from kakehashi.evaluation.crossval import cross_validate_settings
from kakehashi.evaluation.measures import parse_all
from kakehashi.evaluation.scores import Scores
from kakehashi.evaluation.significance import t_test_p
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.experiments.threshold_sweeps import (
    FIRST,
    NONE,
    SECOND,
    Part,
    Sweeper,
    Swept,
    kept_sweep,
    serpentine,
)
from kakehashi.learn.retrofit import retrofit
from kakehashi.lexicon.neighbours import Related, neighbours, unit_vectors
from kakehashi.lexicon.related import RelatedWords
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.query.extended import QueryWords, TranslatedWords
from kakehashi.query.psq import Psq
from kakehashi.retrieve.extended import ExtendedBm25, ExtendedLm
from kakehashi.store import META, checksum
from kakehashi.systems.related import MODEL, read_related
from kakehashi.systems.spec import ORIGINALS
from kakehashi.systems.translated import PsqSettings
from kakehashi.systems.translation import MODEL as TRANSLATION
from kakehashi.systems.translation import TABLE, read_table

MEASURES = ("MAP-mate", "PRES@1000-mate", "R@1000-mate")
WEIGHTINGS: Mapping[str, ExtendedBm25 | ExtendedLm] = {"BM25^": ExtendedBm25(), "LM^": ExtendedLm()}
SPLIT, MOST_QUERIES, TERMS, FOLDS, BINS = "dev", 500, 100, 5, 20
LEAST = min(FIRST)
# method -> lexicons it needs; published MAP, PRES and recall of BM25^, then of LM^
METHODS: Mapping[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "None": ((), (0.184, 0.607, 0.703, 0.200, 0.669, 0.755)),
    "SkipGram": ((), (0.207, 0.615, 0.679, 0.200, 0.665, 0.758)),
    "LSI": ((), (0.191, 0.650, 0.737, 0.205, 0.676, 0.752)),
    "Retro(FrameNet)": (("framenet",), (0.206, 0.633, 0.698, 0.188, 0.661, 0.762)),
    "Retro(WN.syn)": (("wordnet",), (0.206, 0.610, 0.705, 0.208, 0.651, 0.717)),
    "Retro(WN.syn+)": (("wordnet+",), (0.180, 0.597, 0.674, 0.207, 0.638, 0.754)),
    "Retro(PPDB)": (("ppdb",), (0.194, 0.625, 0.715, 0.240, 0.667, 0.758)),
    "PostFilter(LSI)": ((), (0.247, 0.638, 0.733, 0.228, 0.689, 0.785)),
    "Retro(LSI)": ((), (0.238, 0.639, 0.733, 0.221, 0.698, 0.812)),
    "ExtRetro(LSI,PPDB)": (("ppdb",), (0.239, 0.624, 0.733, 0.227, 0.669, 0.765)),
    "ExtRetro(LSI,PPDB), printed": (("ppdb",), ()),
    "PFRetro(LSI,PPDB)": (("ppdb",), (0.246, 0.643, 0.733, 0.218, 0.686, 0.788)),
}
RIVALS = {"None": "†", "SkipGram": "r", "LSI": "w"}
DRAWN = ("SkipGram", "Retro(LSI)", "PostFilter(LSI)")


def measure_method(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """Pooled scores of the held-out folds; the facts are p-values of a paired t-test against the paper's rivals."""
    lab = _Lab(folder, work, settings["weighting"], progress, settings.get("queries", ORIGINALS))
    own = lab.pooled(settings["method"])
    facts = {}
    for rival, mark in RIVALS.items():
        if list(METHODS).index(settings["method"]) > list(METHODS).index(rival):
            other = lab.pooled(rival)
            for measure in MEASURES:
                a, b = (np.array([*each[measure].values()]) for each in (own, other))
                facts[f"p({mark}) {measure.split('@')[0].removesuffix('-mate')}"] = round(t_test_p(a, b), 4)
    return Measured(own, facts)


def measure_robustness(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """The differences to None of a twentieth of the queries, from the worst to the best."""
    lab = _Lab(folder, work, "LM^", progress, ORIGINALS)
    own, none = lab.pooled(settings["method"]), lab.pooled("None")
    scores = {}
    for measure in DIFFERENCES.values():
        gains = {query: value - none[measure][query] for query, value in own[measure].items()}
        ordered = sorted(gains, key=lambda query: (gains[query], query))
        part = np.array_split(np.arange(len(ordered)), BINS)[settings["part"]]
        scores[measure] = {ordered[i]: gains[ordered[i]] for i in part.tolist()}
    named = {name: scores[measure] for name, measure in DIFFERENCES.items()}
    return Measured(named, {OVER: round(100 * (settings["part"] + 0.5) / BINS, 1)})


class _Lab:
    """One collection under one weighting: makes sweeps, or reads those of earlier runs."""

    def __init__(self, folder: Path, work: Path, weighting: str, progress: Progress, queries: str):
        self._library, self._work, self._name, self._progress = Library(folder), work, weighting, progress
        self._model = read_related(self._library)
        self._split = self._library.split(SPLIT, MOST_QUERIES, queries)
        index = self._library.index
        self._translation = [] if queries == ORIGINALS else [translation_state(self._library)]
        words = QueryWords(index, TERMS, "frequency") if queries == ORIGINALS else _translated(self._library)
        self._sweeper = Sweeper(index, self._model.terms, self._split, WEIGHTINGS[weighting], words, MEASURES)

    def pooled(self, method: str) -> dict[str, dict[str, float]]:
        """measure -> query -> score with the thresholds chosen on the other folds"""
        depends = [
            method,
            self._name,
            model_state(self._library.folder, {}),
            [q.id for q in self._split.queries],
            *self._translation,
        ]
        swept = kept_sweep(self._work, depends, lambda: self._swept(method))
        return cross_validated(swept, [query.id for query in self._split.queries])

    def _swept(self, method: str) -> Swept:
        progress = self._progress
        return self._sweeper.run(parts_of(method, self._model, self._sweeper), progress=progress)


def _translated(library: Library) -> TranslatedWords:
    """With the translations that `psq` takes by default."""
    used = PsqSettings()
    table = read_table(library).pruned(used.least, used.mass)
    return TranslatedWords(Psq(library.index, table), library.index, TERMS, "frequency")


def translation_state(library: Library) -> str:
    path = library.model_folder(TRANSLATION) / TABLE / META
    return checksum(path) if path.is_file() else ""


def parts_of(method: str, model: RelatedWords, sweeper: Sweeper) -> Iterator[Part]:
    """The words of a method of the paper, under all its thresholds."""
    skipgram, lsi = model.kind("skipgram"), model.kind("lsi")
    single = [(one, NONE) for one in FIRST]
    both = serpentine(FIRST, SECOND)
    if method == "None":
        yield Part(skipgram, None, [(NONE, NONE)], [(NONE, NONE)])
    elif method == "SkipGram":
        yield Part(skipgram, None, single, single)
    elif method == "LSI":
        alone = [(one, NONE) for one in SECOND]
        yield Part(lsi, None, alone, alone)
    elif method == "PostFilter(LSI)":
        yield Part(skipgram, lsi, both, both)
    elif method == "PFRetro(LSI,PPDB)":
        yield Part(_retro(model, sweeper, [model.kind("ppdb")]), lsi, both, both)
    elif "(LSI" in method:
        second = [model.kind("ppdb")] if "PPDB" in method else []
        form = "printed" if method.endswith("printed") else "consistent"
        for least in SECOND:
            related = _retro(model, sweeper, [lsi.above(least), *second], form)
            yield Part(related, None, single, [(one, least) for one in FIRST])
    else:
        yield Part(_retro(model, sweeper, [model.kind(METHODS[method][0][0])]), None, single, single)


def _retro(
    model: RelatedWords, sweeper: Sweeper, resources: list[Related], form: Any = "consistent"
) -> Related:
    vectors = retrofit(unit_vectors(model.vectors["skipgram"]), resources, form=form)
    return neighbours(vectors, LEAST, sweeper.query_words)


def cross_validated(swept: Swept, queries: list[str]) -> dict[str, dict[str, float]]:
    measures = tuple(parse_all(MEASURES))
    candidates = {
        thresholds: Scores(str(thresholds), tuple(queries), measures, values)
        for thresholds, values in zip(swept.thresholds, swept.values, strict=True)
    }
    scores, _ = cross_validate_settings(candidates, np.random.default_rng(1), FOLDS)
    return {name: scores.of(measure) for name, measure in zip(MEASURES, measures, strict=True)}


def model_state(folder: Path, settings: Mapping[str, Any]) -> list[Any]:
    """Changes with the index and with the related words."""
    library = Library(folder)
    path = library.model_folder(MODEL) / META
    told = [library.index.contents, library.index.fingerprint, checksum(path) if path.is_file() else ""]
    return [*told, translation_state(library)] if settings.get("queries", ORIGINALS) != ORIGINALS else told


def has_lexicons(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether the model was trained with what a row needs; otherwise the row is skipped."""
    library = Library(folder)
    known = {*read_related(library).kinds}
    if settings.get("queries", ORIGINALS) != ORIGINALS and not translation_state(library):
        return False
    return {"skipgram", "lsi", *METHODS[settings["method"]][0]} <= known


def _rows(**more: str) -> list[Configuration]:
    """Every method under both weightings; only the published queries have published figures."""
    return [
        Configuration(
            f"{weighting} {method}",
            {"weighting": weighting, "method": method, **more},
            {} if more else _published(method, weighting),
            f"{weighting} None" if method != "None" else "",
        )
        for weighting in WEIGHTINGS
        for method in METHODS
    ]


def _published(method: str, weighting: str) -> dict[str, float]:
    values = METHODS[method][1]
    half = values[:3] if weighting == "BM25^" else values[3:]
    return dict(zip(MEASURES, half, strict=False))


OVER = "percentile of queries"
DIFFERENCES = {"AP, difference to None": "MAP-mate", "recall, difference to None": "R@1000-mate"}
COLLECTIONS = (
    "a collection with originals.jsonl and related words (kakehashi train related DIR --set "
    "'kinds=skipgram lsi ppdb framenet wordnet wordnet+' --set 'lexicons=...')"
)
DEPARTS = (
    "the collection: not the published patents; English originals of the dev queries, at most 500, mates excluded",
    "words are the terms of the index, which may be stems; the 100 of highest tf-idf, weighted by their frequency",
    "skip-gram keeps words from 5 occurrences on (the paper: 100) and skips frequent words from 1e-4 on (1e-5)",
    "rows of lexicons that the model was not trained with are left out",
    "p(†), p(r), p(w): paired t-test against None, SkipGram and LSI, as in the paper",
)
FOREIGN = (
    "queries in another language: their words count as often as each translation is probable; not in the paper",
    *DEPARTS[1:],
)
RECIPES = (
    Recipe(
        "h18-1",
        "related words in extended BM25 and LM",
        COLLECTIONS,
        DEPARTS,
        _rows(),
        MEASURES,
        measure_method,
        state=model_state,
        has=has_lexicons,
    ),
    Recipe(
        "h18-foreign",
        "related words in BM25 and LM, queries in another language (no published figures)",
        f"{COLLECTIONS} and a translation (kakehashi train translation DIR)",
        FOREIGN,
        _rows(queries=QUERIES),
        MEASURES,
        measure_method,
        state=model_state,
        has=has_lexicons,
    ),
    Recipe(
        "h18-fig1",
        "how many queries related words help and harm (LM)",
        COLLECTIONS,
        DEPARTS[:3],
        [
            Configuration(f"{method}, {part + 1} of {BINS}", {"method": method, "part": part})
            for method in DRAWN
            for part in range(BINS)
        ],
        tuple(DIFFERENCES),
        measure_robustness,
        state=model_state,
        has=has_lexicons,
        over=OVER,
    ),
)
