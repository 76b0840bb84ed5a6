"""Boosting of S13 on any collection with trained models: tables 2 and 4, and the effect of samples and rounds.

The published collection (Japanese and English patents) is not available, so only the order and direction of
figures can be compared. Models are the collection's own: `boosted-1g` of single words, `boosted` of uni- and bigrams.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kakehashi import store
from kakehashi.errors import FileError
from kakehashi.experiments.scoring import scored
from kakehashi.experiments.tables import Configuration, Listed, Listing, Measured, Recipe
from kakehashi.experiments.translation import (
    ALL_MEASURES,
    BOOSTED,
    MEASURES,
    MOST_QUERIES,
    SYSTEM_ROWS,
    measure_system,
    model_state,
    trained_state,
)
from kakehashi.learn.boosted_model import KIND, VERSION
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.systems.boosted import boosted_system, read_boosted, read_with_grams
from kakehashi.training.boosting_jobs import sample_features, saved_model

ONE, TWO = "boosted-1g", "boosted"
TRAINED = (
    "a collection with trained boosting (kakehashi train boosted, "
    "and once more with --name boosted-1g --set ngrams=1)"
)
SAMPLES, ROUNDS = (1, 2, 3, 5, 8, 12, 16, 20, 30, 40, 65), (50, 100, 250, 500, 1000, 2000, 5000)
FEATURES = {  # S13 table 4: round -> (feature, weight)
    1: ("層 - layer", 1.29),
    2: ("データ - data", 1.13),
    3: ("回路 - circuit", 1.13),
    76: ("で - voltage", -0.39),
    77: ("導 電 - conductive", 1.25),
    81: ("解決 - image", -0.25),
    99: ("変速 - transmission", 1.68),
    100: ("液晶 - liquid crystal", 1.73),
    123: ("力 - force", 0.91),
    124: ("圧縮 機 - compressor", 2.83),
    132: ("ケーブル - cable", 1.81),
    133: ("超 音波 - ultrasonic", 3.34),
    169: ("粒子 - particles", 1.57),
    170: ("算出 - for each", 1.14),
    184: ("ロータ - rotor", 2.01),
    185: ("検出 器 - detector", 1.43),
}


def measure_part(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """The first samples of a trained model, or the first rounds of all of them, on dev."""
    library = Library(folder)
    whole, grams = read_with_grams(library, settings["model"])
    samples, rounds = settings.get("samples", whole.n_samples), settings.get("rounds")
    model = saved_model(library.model_folder(settings["model"]), samples, rounds, library.fingerprints)
    system = boosted_system("boosted", grams, model, whole.beta)
    scores = scored(system, library.split("dev"), MEASURES, progress)
    facts = {"samples": float(samples), "features": float(len(model.rounds))}
    return Measured(scores, facts if rounds is None else {**facts, "rounds": float(rounds)})


def has_as_many(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether a model has the samples or rounds of a row; if there is no model, measuring reports it."""
    try:
        meta = store.read(Library(folder).model_folder(settings["model"]), KIND, VERSION).meta
    except FileError:
        return True
    samples, rounds = meta.settings["n_samples"], max(meta.made_from["rounds"])
    return bool(settings.get("samples", 0) <= samples and settings.get("rounds", 0) <= rounds)


def state_on_test(folder: Path, settings: Mapping[str, Any]) -> list[Any]:
    """Like that of rows that translate, which are measured once for both tables."""
    use = settings.get("use")
    own = model_state(folder, use)[2:] if use else []
    return [*trained_state(folder, settings), *own]


def listed_features(folder: Path, work: Path) -> list[Listed]:
    """The choices of a model's first sample in the rounds shown in the paper."""
    library = Library(folder)
    read_boosted(library, TWO)
    chosen = {each.round: each for each in sample_features(library.model_folder(TWO), 0)}
    return [
        Listed(f"{t}", f"{feature} {weight:.2f}", f"{own.query} - {own.document} {own.weight:.2f}")
        for t, (feature, weight) in FEATURES.items()
        if (own := chosen.get(t))
    ]


ON_TEST = [
    *SYSTEM_ROWS,
    Configuration("bilinear", {"system": "bilinear", "queries": MOST_QUERIES, "use": {"model": "bilinear"}}),
    *(
        Configuration(
            BOOSTED[model],
            {"system": "boosted", "queries": MOST_QUERIES, "use": {"model": model}},
            compared_with=other,
        )
        for model, other in ((ONE, "pass-through"), (TWO, BOOSTED[ONE]))
    ),
]


def _grown(fact: str, amounts: tuple[int, ...]) -> list[Configuration]:
    return [
        Configuration(f"{BOOSTED[model]}, {amount} {fact}", {"model": model, fact: amount})
        for model in (ONE, TWO)
        for amount in amounts
    ]


HERE = "the collection: not the published patents; measured on its dev split"
RECIPES = (
    Recipe(
        "boosting",
        "boosting and all other systems, on test (no published figures)",
        TRAINED,
        (
            f"at most {MOST_QUERIES} test queries, evenly chosen; each n-gram model is compared with the one before",
        ),
        ON_TEST,
        ALL_MEASURES,
        measure_system,
        state=state_on_test,
    ),
    Recipe(
        "boosting-samples",
        "the effect of more samples",
        TRAINED,
        (HERE,),
        _grown("samples", SAMPLES),
        MEASURES,
        measure_part,
        over="samples",
        state=model_state,
        has=has_as_many,
    ),
    Recipe(
        "boosting-rounds",
        "the effect of more rounds",
        TRAINED,
        (HERE,),
        _grown("rounds", ROUNDS),
        MEASURES,
        measure_part,
        over="rounds",
        state=model_state,
        has=has_as_many,
    ),
)
LISTINGS = (
    Listing(
        "s13-4",
        "features in the order in which boosting chose them",
        TRAINED,
        ("the collection, and stems for words; the first sample of the model of uni- and bigrams",),
        listed_features,
        {f"{t}": {"feature": feature, "weight": weight} for t, (feature, weight) in FEATURES.items()},
    ),
)
