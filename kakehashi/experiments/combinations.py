"""Domain knowledge, linear learning and fusion of T13, S13 and P14, on any collection with trained systems.

The published collections (patents in Japanese and English, Wikipedia) are not available, so only the order and
direction of figures can be compared. All weights are tuned on dev; rows are measured on test unless they say dev.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kakehashi.errors import FileError, InputError
from kakehashi.experiments.combining import MOST_QUERIES, PUBLISHED, Answers, fused, learned
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.features.sets import NONE
from kakehashi.learn.linear import LinearSettings
from kakehashi.learn.linear_model import Asked
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.retrieve.inputs import Scaling, parse_inputs
from kakehashi.types import Floats, Run

MEASURES = ("MAP", "PRES@1000", "NDCG", "MAP-mate", "R@1000")
TWO = ("MAP", "PRES@1000")
DK = "DK"  # domain knowledge, learned for the row that names it
ONE_GRAM = "boosted(model=boosted-1g)"
NEEDS = "a collection with trained translation, bilinear, boosted and boosted-1g; other rows are skipped"
HERE = (
    "the collection: not the published one",
    f"at most {MOST_QUERIES} dev and test queries, evenly chosen; weights are tuned on dev, rows are measured on test",
)


def asked(name: str) -> Asked:
    """Parses `boosted(model=boosted-1g)` and the like."""
    return parse_inputs(name)[0]


def measure_row(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """A system alone, a fusion or a linear ranker, depending on the settings."""
    test = Answers(folder, work, settings.get("split", "test"), progress)
    systems, measures = _asked_of(settings), settings["measures"]
    if settings["by"] == "alone":
        return Measured(test.measure(test.run(systems[0]), measures), {})
    dev = Answers(folder, work, "dev", progress)
    if settings["by"] == "borda":
        runs = [_runs(dev, test, name) for name in settings["of"]]
        return _fused_row(dev, test, runs, measures, settings.get("nest", False))
    learning, scaling = LinearSettings(loss=settings.get("loss", "softmax")), settings.get("scaling", "best")
    run, weights = _linear(dev, test, systems, settings["features"], learning, scaling)
    names = test.evidence(systems, settings["features"], scaling).names
    facts = {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)}
    return Measured(test.measure(run, measures), facts)


def _linear(
    dev: Answers,
    answers: Answers,
    systems: Sequence[Asked],
    features: str,
    learning: LinearSettings,
    scaling: Scaling,
) -> tuple[Run, Floats]:
    """The lists of a linear ranker with weights from the dev queries, and the weights."""
    weights = learned(dev, systems, features, learning, scaling=scaling)
    ranker, split = answers.ranker(systems, features, weights, scaling), answers.split
    return ranker.search(split.queries, scope=split.scope), weights


def _runs(dev: Answers, test: Answers, name: str) -> tuple[Run, Run]:
    """On dev and on test: a system's own, or those of domain knowledge by the margin ranking perceptron."""
    if name != DK:
        return dev.run(asked(name)), test.run(asked(name))
    by_margin = LinearSettings(loss="margin")
    found = [_linear(dev, answers, [], PUBLISHED, by_margin, "raw")[0] for answers in (dev, test)]
    return replace(found[0], system=DK), replace(found[1], system=DK)


def _asked_of(settings: Mapping[str, Any]) -> list[Asked]:
    """The trained systems of a row; domain knowledge is learned for it."""
    return [asked(name) for name in settings["of"] if name != DK]


def _fused_row(
    dev: Answers, test: Answers, runs: Sequence[tuple[Run, Run]], measures: Sequence[str], nest: bool
) -> Measured:
    """MAP and PRES each with the weights that are best for it on dev, as in S13; other measures with those of MAP."""
    on_dev, on_test = zip(*runs, strict=True)
    by_map = fused(dev, on_dev, "MAP", nest)
    scores = test.measure(by_map.fuse(on_test), measures)
    facts = _weights(by_map, "MAP")
    if "PRES@1000" in measures:
        by_pres = fused(dev, on_dev, "PRES@1000", nest)
        scores |= test.measure(by_pres.fuse(on_test), ["PRES@1000"])
        facts |= _weights(by_pres, "PRES")
    return Measured(scores, facts)


def _weights(tuned: Any, measure: str) -> dict[str, float]:
    return {f"κ {measure} {i + 1}": round(step.weights[0], 3) for i, step in enumerate(tuned.steps)}


def has_systems(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether all systems of a row can be opened."""
    library = Library(folder)
    try:
        for one in _asked_of(settings):
            library.system(one.system, one.settings)
    except (FileError, InputError):
        return False
    return True


def row_state(folder: Path, settings: Mapping[str, Any]) -> list[Any]:
    """Changes with the index, the models used and the features of the collection's set."""
    dev = Answers(folder, folder, "dev")
    features = [list(kind.names) for kind in dev.features(settings.get("features", NONE)).kinds]
    return [dev.index.fingerprint, [dev.key(one) for one in _asked_of(settings)], features]


def row(
    label: str,
    by: str,
    of: Sequence[str],
    published: Sequence[float] = (),
    compared_with: str | tuple[str, ...] = "",
    measures: Sequence[str] = TWO,
    **more: Any,
) -> Configuration:
    settings = {"by": by, "of": list(of), "measures": list(measures), **more}
    return Configuration(label, settings, dict(zip(measures, published, strict=False)), compared_with)


def _s13_3() -> list[Configuration]:
    names = {
        "DT": "dt",
        "PSQ lex": "psq",
        "PSQ n-best": "psq-nbest",
        "Boost-1g": ONE_GRAM,
        "Boost-2g": "boosted",
    }
    published = {
        ("DT", "PSQ n-best"): (0.2726, 0.5942),
        ("DT", "Boost-1g"): (0.2728, 0.6225),
        ("DT", "Boost-2g"): (0.3300, 0.7279),
        ("PSQ lex", "Boost-1g"): (0.2653, 0.6131),
        ("PSQ lex", "Boost-2g"): (0.3187, 0.7240),
        ("PSQ n-best", "Boost-1g"): (0.2850, 0.6402),
        ("PSQ n-best", "Boost-2g"): (0.3416, 0.7376),
    }
    alone = [row(label, "alone", [system]) for label, system in names.items()]
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
    """Of the paper's dev part, on which it chose; here test."""
    knowledge = "domain knowledge only"
    return [
        row("sparse", "alone", ["bilinear"], (0.2227, 0.4933)),
        row(knowledge, "linear", [], (0.1871, 0.4861), "sparse", features=PUBLISHED, loss="margin"),
        *_dense("dense", ["bilinear"], (0.2891, 0.6933), ("sparse", knowledge)),
    ]


def _t13_10() -> list[Configuration]:
    """Test figures in the order of S13."""
    both = ["bilinear", "boosted"]
    return [
        row("sparse", "alone", ["bilinear"], (0.2227, 0.4933)),
        row("Boost-1g", "alone", [ONE_GRAM], (0.1982, 0.6122)),
        row("Boost-2g", "alone", ["boosted"], (0.2474, 0.7196)),
        *_dense("dense", ["bilinear"], (0.2891, 0.6933), "sparse"),
        *_dense("dense with Boost-2g", both, (0.3022, 0.7213), ("dense", "Boost-2g")),
    ]


def _t13_11() -> list[Configuration]:
    """The paper's test part."""
    return [
        row("final sparse", "alone", ["bilinear"], (0.2301, 0.4994)),
        *_dense("final dense", ["bilinear"], (0.2901, 0.6881), "final sparse"),
    ]


def _p14(published: Mapping[str, Sequence[float]]) -> list[Configuration]:
    measures = ("MAP", "NDCG", "PRES@1000")
    mt, dkvw = ("DT", "PSQ"), ("DK", "VW")

    def one(label: str, by: str, of: Sequence[str], than: tuple[str, ...] = (), **more: Any) -> Configuration:
        return row(label, by, of, published[label], than, measures, **more)

    def learned_row(
        label: str, of: Sequence[str], than: tuple[str, ...], features: str
    ) -> list[Configuration]:
        """The paper's pairwise hinge over scores as they are; then our softmax over scaled ones."""
        ours = {"features": features, "loss": "softmax", "scaling": "best"}
        return [
            one(label, "linear", of, than, features=features, loss="margin", scaling="raw"),
            row(f"{label}, softmax (ours)", "linear", of, (), label, measures, **ours),
        ]

    everything = (*mt, *dkvw)
    return [
        one("DT", "alone", ["dt"]),
        one("PSQ", "alone", ["psq-nbest"]),
        *learned_row("DK", [], (), PUBLISHED),
        one("VW", "alone", ["bilinear"]),
        one("BM", "alone", ["boosted"]),
        one("Borda DT+PSQ", "borda", ["dt", "psq-nbest"], mt),
        one("Borda DK+VW", "borda", [DK, "bilinear"], dkvw),
        one("Borda (DT+PSQ)+(DK+VW)", "borda", ["dt", "psq-nbest", DK, "bilinear"], everything, nest=True),
        *learned_row("LinLearn DT+PSQ", ["dt", "psq-nbest"], mt, "none"),
        *learned_row("LinLearn DK+VW", ["bilinear"], dkvw, PUBLISHED),
        *learned_row("LinLearn DT+PSQ+DK+VW", ["dt", "psq-nbest", "bilinear"], everything, PUBLISHED),
    ]


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
    name: str, title: str, rows: Sequence[Configuration], measures: Sequence[str] = TWO, *departs: str
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


BY_HINGE = (
    "DK and LinLearn are learned by the pairwise hinge over raw scores; our rows by softmax over scaled ones"
)
P14 = ("MAP", "NDCG", "PRES@1000")
RECIPES = (
    _recipe("s13-3", "fusion of translated and boosted rankings", _s13_3()),
    _recipe("t13-5.8", "domain knowledge alone and with the score of word pairs", _t13_8()),
    _recipe("t13-5.10", "boosted pairs as an additional dense feature", _t13_10()),
    _recipe("t13-5.11", "the final systems", _t13_11()),
    _recipe(
        "p14-patents",
        "translation, domain knowledge and word pairs, fused and learned",
        _p14(dict(zip(P14_LABELS, P14_PATENTS, strict=True))),
        P14,
        BY_HINGE,
    ),
    _recipe(
        "p14-wikipedia",
        "the same, compared with the figures for Wikipedia",
        _p14(dict(zip(P14_LABELS, P14_WIKIPEDIA, strict=True))),
        P14,
        BY_HINGE,
    ),
)
