"""Domain knowledge, linear learning and fusion of T13, S13 and P14, on any collection with trained systems.

The published collections (patents in Japanese and English, Wikipedia) are not available, so only the order and
direction of figures can be compared. All weights are tuned on dev; rows are measured on test unless they say dev.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kakehashi.errors import FileError, InputError
from kakehashi.experiments.combining import MOST_QUERIES, PUBLISHED, Answers, fused, learned, learned_by_folds
from kakehashi.experiments.patents import CONFIGURATIONS, LAST_STEP, LONE_QSTEM
from kakehashi.experiments.patents import measure as measure_step
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.features.sets import NONE
from kakehashi.learn.linear import LinearSettings
from kakehashi.learn.linear_model import Asked
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.retrieve.inputs import parse_inputs

MEASURES = ("MAP", "PRES@1000", "NDCG", "MAP-mate", "R@1000")
FOUR = ("MAP, dev", "MAP, test", "PRES@1000, dev", "PRES@1000, test")  # a measure alone is on test
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
    for split, names in by_split(settings["measures"]).items():
        answers = Answers(folder, work, split, progress)
        dev = answers if split == "dev" else Answers(folder, work, "dev", progress)
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
    systems, features = [asked(name) for name in settings["of"]], settings["features"]
    learning = LinearSettings(loss=settings.get("loss", "softmax"))
    without = settings.get("without", ())
    if answers is dev:
        run = learned_by_folds(dev, systems, features, learning, without)
        return Measured(dev.measure(run, measures), {})
    weights = learned(dev, systems, features, learning, without)
    run = answers.ranker(systems, features, weights).search(answers.split.queries, scope=answers.split.scope)
    names = answers.evidence(systems, features).names
    facts = {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)}
    return Measured(answers.measure(run, measures), facts)


def _borda(dev: Answers, answers: Answers, settings: Mapping[str, Any], measures: Sequence[str]) -> Measured:
    """MAP and PRES each with the weights that are best for it on dev, as in S13; other measures with those of MAP."""
    systems, nest = [asked(name) for name in settings["of"]], settings.get("nest", False)
    runs = [answers.run(system) for system in systems]
    by_map = fused(dev, systems, "MAP", nest)
    scores = answers.measure(by_map.fuse(runs), measures)
    facts = _weights(by_map, "MAP")
    if "PRES@1000" in measures:
        by_pres = fused(dev, systems, "PRES@1000", nest)
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
    library = Library(folder)
    try:
        for name in settings["of"]:
            one = asked(name)
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
    return [dev.index.fingerprint, [dev.key(asked(name)) for name in settings["of"]], features]


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


DENSE: dict[str, Any] = {"features": PUBLISHED, "loss": "margin"}


def _t13_8() -> list[Configuration]:
    return [
        row("sparse", "alone", ["bilinear"], (0.2227, 0.2301, 0.4933, 0.4994)),
        row("dense", "linear", ["bilinear"], (0.2891, 0.2901, 0.6933, 0.6881), "sparse", **DENSE),
    ]


def _t13_10() -> list[Configuration]:
    """The thesis has dev and test here in the order of S13, so they are exchanged against its other tables."""
    both = ["bilinear", "boosted"]
    return [
        row("sparse", "alone", ["bilinear"], (0.2301, 0.2227, 0.4994, 0.4933)),
        row("Boost-1g", "alone", [ONE_GRAM], (0.2064, 0.1982, 0.5850, 0.6122)),
        row("Boost-2g", "alone", ["boosted"], (0.2526, 0.2474, 0.6900, 0.7196)),
        row("dense", "linear", ["bilinear"], (0.2901, 0.2891, 0.6881, 0.6933), "sparse", **DENSE),
        row("dense with Boost-2g", "linear", both, (0.3030, 0.3022, 0.7164, 0.7213), ("dense", "Boost-2g"), **DENSE),
    ]  # fmt: skip


def _t13_11() -> list[Configuration]:
    """The steps of the sparse ranker are those of table 5.7, with its last one the collection's own model."""
    final, knowledge = "best sparse", "domain knowledge only"
    steps = [one for one in CONFIGURATIONS if one.label not in (LONE_QSTEM, LAST_STEP)]
    return [
        *steps,
        row(final, "alone", ["bilinear"], (0.2227, 0.2301, 0.4933, 0.4994), steps[-1].label),
        row(knowledge, "linear", [], (0.1871, None, 0.4861), final, **DENSE),
        row("final dense", "linear", ["bilinear"], (0.2891, 0.2901, 0.6933, 0.6881), (final, knowledge), **DENSE),
    ]  # fmt: skip


def _p14(published: Mapping[str, Sequence[float]]) -> list[Configuration]:
    measures = ("MAP", "NDCG", "PRES@1000")
    mt, dkvw = ("DT", "PSQ"), ("DK", "VW")

    def one(label: str, by: str, of: Sequence[str], than: tuple[str, ...] = (), **more: Any) -> Configuration:
        return row(label, by, of, published[label], than, measures, **more)

    linear: dict[str, Any] = {"features": PUBLISHED, "loss": "softmax"}
    none: dict[str, Any] = {"features": "none", "loss": "softmax"}
    rows = [
        one("DT", "alone", ["dt"]),
        one("PSQ", "alone", ["psq"]),
        one("DK", "linear", [], **linear),
        one("VW", "alone", ["bilinear"]),
        one("BM", "alone", ["boosted"]),
        one("Borda DT+PSQ", "borda", ["dt", "psq"], mt),
        one("Borda DK+VW", "borda", ["knowledge", "bilinear"], dkvw),
        one(
            "Borda (DT+PSQ)+(DK+VW)", "borda", ["dt", "psq", "knowledge", "bilinear"], (*mt, *dkvw), nest=True
        ),
        one("LinLearn DT+PSQ", "linear", ["dt", "psq"], mt, **none),
        one("LinLearn DK+VW", "linear", ["bilinear"], dkvw, **linear),
        one("LinLearn DT+PSQ+DK+VW", "linear", ["dt", "psq", "bilinear"], (*mt, *dkvw), **linear),
    ]
    return rows


P14_LABELS = (
    "DT", "PSQ", "DK", "VW", "BM", "Borda DT+PSQ", "Borda DK+VW", "Borda (DT+PSQ)+(DK+VW)",
    "LinLearn DT+PSQ", "LinLearn DK+VW", "LinLearn DT+PSQ+DK+VW",
)  # fmt: skip
P14_PATENTS = (
    (0.2554, 0.5397, 0.5680), (0.2659, 0.5508, 0.5851), (0.2203, 0.4874, 0.5171), (0.2205, 0.4989, 0.4911),
    (0.1669, 0.4167, 0.4665), (0.2747, 0.5618, 0.5988), (0.3023, 0.5980, 0.6137), (0.3465, 0.6420, 0.6858),
    (0.2707, 0.5578, 0.5941), (0.3283, 0.6366, 0.7104), (0.3739, 0.6755, 0.7599),
)  # fmt: skip
P14_WIKIPEDIA = (
    (0.3678, 0.5691, 0.7219), (0.3642, 0.5671, 0.7165), (0.2661, 0.4584, 0.6717), (0.1249, 0.3389, 0.6466),
    (0.1386, 0.3418, 0.6145), (0.3742, 0.5777, 0.7306), (0.3238, 0.5484, 0.7736), (0.4173, 0.6333, 0.8031),
    (0.3718, 0.5751, 0.7251), (0.3436, 0.5686, 0.7914), (0.4137, 0.6435, 0.8233),
)  # fmt: skip


def _recipe(
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


PSQ_IS = (
    "PSQ is the lexical one; DK is trained as `knowledge` by kakehashi train knowledge for the Borda rows"
)
P14 = ("MAP", "NDCG", "PRES@1000")
RECIPES = (
    _recipe("s13-3", "fusion of translated and boosted rankings", _s13_3()),
    _recipe("t13-5.8", "domain knowledge alone and with the score of word pairs", _t13_8()),
    _recipe("t13-5.10", "boosted pairs as an additional dense feature", _t13_10()),
    replace(
        _recipe("t13-5.11", "the sparse ranker step by step, and the final systems", _t13_11()),
        measure=measure_final,
    ),
    _recipe(
        "p14-patents",
        "translation, domain knowledge and word pairs, fused and learned",
        _p14(dict(zip(P14_LABELS, P14_PATENTS, strict=True))),
        P14,
        PSQ_IS,
    ),
    _recipe(
        "p14-wikipedia",
        "the same, compared with the figures for Wikipedia",
        _p14(dict(zip(P14_LABELS, P14_WIKIPEDIA, strict=True))),
        P14,
        PSQ_IS,
    ),
)
