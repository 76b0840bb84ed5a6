"""Domain knowledge, linear learning and fusion of T13, S13 and P14, on any collection with trained systems.

The published collections (patents in Japanese and English, Wikipedia) are not available, so only the order and
direction of figures can be compared. All weights are tuned on dev; rows are measured on test unless they say dev.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi.errors import FileError, InputError
from kakehashi.experiments.combining import MOST_QUERIES, PUBLISHED, Answers, fused, learned, learned_by_folds
from kakehashi.experiments.contents import opened
from kakehashi.experiments.patents import CONFIGURATIONS, LAST_STEP, LONE_QSTEM
from kakehashi.experiments.patents import measure as measure_step
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.features.sets import NONE
from kakehashi.learn.asked import Asked, parse_inputs
from kakehashi.learn.linear import LinearSettings
from kakehashi.progress import Progress
from kakehashi.retrieve.inputs import Scaling
from kakehashi.types import Floats, Run

MEASURES = ("MAP", "PRES@1000", "NDCG", "MAP-mate", "R@1000")
FOUR = ("MAP, dev", "MAP, test", "PRES@1000, dev", "PRES@1000, test")  # a measure alone is on test
DK = "DK"  # domain knowledge, learned for the row that names it
ONE_GRAM = "boosted(model=boosted-1g)"
NEEDS = "a collection with trained translation, bilinear, boosted and boosted-1g; other rows are skipped"
HERE = (
    "the collection: not the published one",
    f"at most {MOST_QUERIES} dev and test queries, evenly chosen; weights are tuned on dev",
    "on dev, κ is the best one, as in the paper; linear rankers rank each query with weights of other folds",
)


def asked(name: str) -> Asked:
    """Parses `boosted(model=boosted-1g)` and the like."""
    return parse_inputs(name)[0]


def measure_final(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """A step of the sparse ranker, which is trained for it, or a row like those of the other tables."""
    return (measure_step if "chain" in settings else measure_row)(folder, work, settings, progress)


def measure_row(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """A system alone, a fusion or a linear ranker, depending on the settings, on the splits that measures name."""
    scores: dict[str, dict[str, float]] = {}
    facts: dict[str, float] = {}
    dev = Answers(folder, work, "dev", progress)
    for split, names in by_split(settings["measures"]).items():
        answers = dev if split == "dev" else Answers(folder, work, split, progress)
        found = _MEASURED[settings["by"]](dev, answers, settings, list(names.values()))
        scores |= {name: found.scores[measure] for name, measure in names.items()}
        facts |= found.facts
    return Measured(scores, facts)


def by_split(measures: Sequence[str]) -> dict[str, dict[str, str]]:
    """split -> name of the measure in a table -> the measure; `MAP, dev` is MAP on dev, `MAP` is MAP on test"""
    found: dict[str, dict[str, str]] = {}
    for name in measures:
        measure, _, split = name.partition(", ")
        found.setdefault(split or "test", {})[name] = measure
    return found


def _alone(dev: Answers, answers: Answers, settings: Mapping[str, Any], measures: Sequence[str]) -> Measured:
    return Measured(answers.measure(answers.run(asked(settings["of"][0])), measures), {})


def _linear(dev: Answers, answers: Answers, settings: Mapping[str, Any], measures: Sequence[str]) -> Measured:
    systems, features = _asked_of(settings), settings["features"]
    learning, scaling = LinearSettings(loss=settings.get("loss", "softmax")), settings.get("scaling", "best")
    run, weights = _learned(dev, answers, systems, features, learning, scaling)
    names = answers.evidence(systems, features, scaling).names if len(weights) else []
    facts = {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)}
    return Measured(answers.measure(run, measures), facts)


def _learned(
    dev: Answers,
    answers: Answers,
    systems: Sequence[Asked],
    features: str,
    learning: LinearSettings,
    scaling: Scaling,
) -> tuple[Run, Floats]:
    """The lists of a linear ranker with weights from the dev queries, and the weights.

    Dev queries themselves are ranked with weights from the folds that they are not in, so there are no weights of all.
    """
    if answers is dev:
        return learned_by_folds(dev, systems, features, learning, scaling=scaling), np.zeros(0)
    weights = learned(dev, systems, features, learning, scaling=scaling)
    ranker, split = answers.ranker(systems, features, weights, scaling), answers.split
    return ranker.search(split.queries, scope=split.scope), weights


def _listed(dev: Answers, answers: Answers, name: str) -> Run:
    """A system's own lists, or those of domain knowledge by the margin ranking perceptron."""
    if name != DK:
        return answers.run(asked(name))
    by_margin = LinearSettings(loss="margin")
    return replace(_learned(dev, answers, [], PUBLISHED, by_margin, "raw")[0], system=DK)


def _asked_of(settings: Mapping[str, Any]) -> list[Asked]:
    """The trained systems of a row; domain knowledge is learned for it."""
    return [asked(name) for name in settings["of"] if name != DK]


def _borda(dev: Answers, answers: Answers, settings: Mapping[str, Any], measures: Sequence[str]) -> Measured:
    """MAP and PRES each with the weights that are best for it on dev, as in S13; other measures with those of MAP."""
    nest = settings.get("nest", False)
    on_dev, runs = ([_listed(dev, each, name) for name in settings["of"]] for each in (dev, answers))
    by_map = fused(dev, on_dev, "MAP", nest)
    scores = answers.measure(by_map.fuse(runs), measures)
    facts = _weights(by_map, "MAP")
    if "PRES@1000" in measures:
        by_pres = fused(dev, on_dev, "PRES@1000", nest)
        scores |= answers.measure(by_pres.fuse(runs), ["PRES@1000"])
        facts |= _weights(by_pres, "PRES")
    return Measured(scores, facts)


_MEASURED = {"alone": _alone, "linear": _linear, "borda": _borda}


def _weights(tuned: Any, measure: str) -> dict[str, float]:
    return {f"κ {measure} {i + 1}": round(step.weights[0], 3) for i, step in enumerate(tuned.steps)}


def has_systems(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether all systems of a row can be opened."""
    if "chain" in settings:
        return True
    library = opened(folder)
    try:
        for one in _asked_of(settings):
            library.system(one.system, one.settings)
    except (FileError, InputError):
        return False
    return True


def row_state(folder: Path, settings: Mapping[str, Any]) -> list[Any] | None:
    """Changes with the index, the models used and the features of the collection's set."""
    if "chain" in settings:  # as in the table of these steps
        return None
    dev = Answers(folder, folder, "dev")
    features = [list(kind.names) for kind in dev.features(settings.get("features", NONE)).kinds]
    return [dev.index.fingerprint, [dev.key(one) for one in _asked_of(settings)], features]


def row(
    label: str,
    by: str,
    of: Sequence[str],
    published: Sequence[float | None] = (),
    compared_with: str | tuple[str, ...] = "",
    measures: Sequence[str] = FOUR,
    **more: Any,
) -> Configuration:
    settings = {"by": by, "of": list(of), "measures": list(measures), **more}
    known = {name: value for name, value in zip(measures, published, strict=False) if value is not None}
    return Configuration(label, settings, known, compared_with)


def _s13_3() -> list[Configuration]:
    names = {
        "DT": "dt",
        "PSQ lex": "psq",
        "PSQ n-best": "psq-nbest",
        "Boost-1g": ONE_GRAM,
        "Boost-2g": "boosted",
    }
    single = {  # of table 2
        "DT": (0.2636, 0.2555, 0.5669, 0.5681),
        "PSQ lex": (0.2520, 0.2444, 0.5445, 0.5498),
        "PSQ n-best": (0.2698, 0.2659, 0.5789, 0.5851),
        "Boost-1g": (0.2064, 0.1982, 0.5850, 0.6122),
        "Boost-2g": (0.2526, 0.2474, 0.6900, 0.7196),
    }
    published = {
        ("DT", "PSQ n-best"): (0.2778, 0.2726, 0.5884, 0.5942),
        ("DT", "Boost-1g"): (0.2778, 0.2728, 0.6157, 0.6225),
        ("DT", "Boost-2g"): (0.3309, 0.3300, 0.7132, 0.7279),
        ("PSQ lex", "Boost-1g"): (0.2695, 0.2653, 0.6068, 0.6131),
        ("PSQ lex", "Boost-2g"): (0.3215, 0.3187, 0.7071, 0.7240),
        ("PSQ n-best", "Boost-1g"): (0.2863, 0.2850, 0.6309, 0.6402),
        ("PSQ n-best", "Boost-2g"): (0.3439, 0.3416, 0.7212, 0.7376),
    }
    alone = [row(label, "alone", [system], single[label]) for label, system in names.items()]
    pairs = [*published, ("DT", "PSQ lex")]
    return alone + [
        row(f"{one} + {two}", "borda", [names[one], names[two]], published.get((one, two), ()), (one, two))
        for one, two in pairs
    ]


def _dense(
    label: str, of: Sequence[str], published: Sequence[float], than: str | tuple[str, ...]
) -> list[Configuration]:
    """The margin ranking perceptron over metadata and scores as they are, as in the paper; then our scaling."""
    perceptron: dict[str, Any] = {"features": PUBLISHED, "loss": "margin"}
    return [
        row(label, "linear", of, published, than, **perceptron, scaling="raw"),
        row(f"{label}, scaled scores (ours)", "linear", of, (), label, **perceptron, scaling="best"),
    ]


def _t13_8() -> list[Configuration]:
    return [
        row("sparse", "alone", ["bilinear"], (0.2227, 0.2301, 0.4933, 0.4994)),
        *_dense("dense", ["bilinear"], (0.2891, 0.2901, 0.6933, 0.6881), "sparse"),
    ]


def _t13_10() -> list[Configuration]:
    """The thesis has dev and test here in the order of S13, so they are exchanged against its other tables."""
    both = ["bilinear", "boosted"]
    return [
        row("sparse", "alone", ["bilinear"], (0.2301, 0.2227, 0.4994, 0.4933)),
        row("Boost-1g", "alone", [ONE_GRAM], (0.2064, 0.1982, 0.5850, 0.6122)),
        row("Boost-2g", "alone", ["boosted"], (0.2526, 0.2474, 0.6900, 0.7196)),
        *_dense("dense", ["bilinear"], (0.2901, 0.2891, 0.6881, 0.6933), "sparse"),
        *_dense("dense with Boost-2g", both, (0.3030, 0.3022, 0.7164, 0.7213), ("dense", "Boost-2g")),
    ]


def _t13_11() -> list[Configuration]:
    """The steps of the sparse ranker are those of table 5.7, with its last one the collection's own model."""
    final, knowledge = "best sparse", "domain knowledge only"
    steps = [one for one in CONFIGURATIONS if one.published and one.label not in (LONE_QSTEM, LAST_STEP)]
    return [
        *steps,
        row(final, "alone", ["bilinear"], (0.2227, 0.2301, 0.4933, 0.4994), steps[-1].label),
        row(
            knowledge, "linear", [], (0.1871, None, 0.4861), final, features=PUBLISHED, loss="margin", scaling="raw"
        ),
        *_dense("final dense", ["bilinear"], (0.2891, 0.2901, 0.6933, 0.6881), (final, knowledge)),
    ]  # fmt: skip


def recipe(
    name: str, title: str, rows: Sequence[Configuration], measures: Sequence[str] = FOUR, *departs: str
) -> Recipe:
    return Recipe(
        name,
        title,
        NEEDS,
        (*HERE, *departs),
        rows,
        measures,
        measure_row,
        state=row_state,
        has=has_systems,
    )


RECIPES = (
    recipe("s13-3", "fusion of translated and boosted rankings", _s13_3()),
    recipe("t13-5.8", "domain knowledge alone and with the score of word pairs", _t13_8()),
    recipe("t13-5.10", "boosted pairs as an additional dense feature", _t13_10()),
    replace(
        recipe("t13-5.11", "the sparse ranker step by step, and the final systems", _t13_11()),
        measure=measure_final,
    ),
)
