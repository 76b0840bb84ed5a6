"""T13 figures 4.1 to 4.6 on 20 Newsgroups: progressive error and MAP while rankers learn.

Where the thesis prints a value of a curve in a table, the plot shows it beside ours.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kakehashi.experiments.newsgroups import (
    COLLECTION,
    DEPARTS,
    DIAGONAL,
    LIMITED,
    SHORT,
    measure,
)
from kakehashi.experiments.newsgroups import indexed as newsgroups
from kakehashi.experiments.tables import Configuration, Measured, Point, Recipe
from kakehashi.learn.steps import Tick
from kakehashi.progress import Progress

AMOUNTS = (10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000)
SMALL = {**SHORT, **LIMITED}
OVER = "training pairs"
MAP_POINTS = {f"MAP, {n:,} pairs": Point("MAP on test", float(n)) for n in AMOUNTS}
LEVEL = {"MAP, at best": Point("MAP on test", None)}
ERROR_POINTS = {f"error, {n:,} pairs": Point("progressive error", float(n)) for n in AMOUNTS}
PAIRS = 2_000_000  # of the published models
THINNED = ("quadratic rankers have 10,000 words a side and 200,000 pairs, diagonal ones two million",)


def measure_error(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """The share of wrongly ordered pairs, each judged before its own update, since the amount before."""
    library = newsgroups(folder, progress)
    _, trained = library.train("bilinear", settings["training"], model="table", progress=progress)
    scores = {f"error, {n:,} pairs": {"train": error} for n, error in errors(trained.curve).items()}
    return Measured(scores, {"pairs": float(trained.curve[-1].pairs)})


def errors(curve: Sequence[Tick]) -> dict[int, float]:
    """The mean error between one amount and the next; ticks are means of the pairs since the tick before."""
    found, before, seen, wrong = dict[int, float](), 0, 0, 0.0
    for tick in curve:
        pairs, before = tick.pairs - before, tick.pairs
        seen, wrong = seen + pairs, wrong + pairs * tick.error
        passed = [n for n in AMOUNTS if n not in found and n <= tick.pairs]
        if passed:
            found[passed[-1]] = wrong / seen
            seen, wrong = 0, 0.0
    return found


def measure_growth(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """MAP on test after so many pairs: a training each, with the rate of the whole."""
    if "df" in settings:
        return Measured({"MAP, at best": measure(folder, work, settings, progress).scores["MAP"]}, {})
    scores = {}
    for amount in settings["amounts"]:
        training = {**settings["training"], "pairs": amount}
        found = measure(folder, work, {"training": training}, progress)
        scores[f"MAP, {amount:,} pairs"] = found.scores["MAP"]
    return Measured(scores, {})


def _errors(training: Mapping[str, Mapping[str, Any]]) -> list[Configuration]:
    return [Configuration(label, {"training": one}) for label, one in training.items()]


def _growth(label: str, training: Mapping[str, Any], published: Mapping[str, float]) -> Configuration:
    amounts = [n for n in AMOUNTS if 20_000 <= n <= training["pairs"]]
    return Configuration(label, {"training": training, "amounts": amounts}, published)


def _recipe(
    number: str,
    title: str,
    rows: Sequence[Configuration],
    how: Any,
    curves: Mapping[str, Point],
) -> Recipe:
    return Recipe(
        f"t13-fig{number}", f"20 Newsgroups: {title}", COLLECTION, (*DEPARTS[1:], *THINNED), rows, tuple(curves), how,
        over=OVER, curves=curves, logarithmic=True,
    )  # fmt: skip


MANY = {**DIAGONAL, "pairs": PAIRS}
FIXED = {**MANY, "rates": "fixed"}
BOTH = {"diagonal": MANY, "quadratic": SMALL}
AFTER = f"MAP, {PAIRS:,} pairs"
FINAL = {"diagonal": {AFTER: 0.3050}, "quadratic": {AFTER: 0.4948}}
L1 = {0.0: 0.4966, 1e-9: 0.4964, 1e-8: 0.4943, 1e-7: 0.4740, 1e-6: 0.2892}  # best MAP, of table 4.5
RECIPES = (
    _recipe(
        "4.1",
        "progressive error at the beginning",
        _errors(BOTH),
        measure_error,
        {name: point for name, point in ERROR_POINTS.items() if point.x and point.x <= 100_000},
    ),
    _recipe("4.2", "progressive error until it converges", _errors(BOTH), measure_error, ERROR_POINTS),
    _recipe(
        "4.3",
        "MAP on test while rankers learn",
        [_growth(label, training, FINAL[label]) for label, training in BOTH.items()],
        measure_growth,
        MAP_POINTS,
    ),
    _recipe(
        "4.4",
        "progressive error of the diagonal ranker with fixed rates",
        _errors({f"rate {rate:g}": {**FIXED, "rate": rate} for rate in (0.5, 5.0, 50.0, 500.0)}),
        measure_error,
        ERROR_POINTS,
    ),
    _recipe(
        "4.5",
        "MAP with decaying and with fixed rates",
        [
            Configuration("identity", {"df": "pool=train", "amounts": []}, {"MAP, at best": 0.2041}),
            _growth("diagonal, decaying rate", MANY, {AFTER: 0.3050}),
            _growth("diagonal, fixed rate", {**FIXED, "rate": 500.0}, {AFTER: 0.2406}),
            _growth(
                "quadratic, decaying rate", {**SMALL, "rates": "schedule", "rate": 500.0}, {AFTER: 0.4948}
            ),
            _growth("quadratic, fixed rate", SMALL, {AFTER: 0.4660}),
        ],
        measure_growth,
        {**MAP_POINTS, **LEVEL},
    ),
    _recipe(
        "4.6",
        "MAP of the quadratic ranker while it learns under l1",
        [_growth(f"l1 {l1:g}", {**SMALL, "l1": l1}, {"MAP, at best": best}) for l1, best in L1.items()],
        measure_growth,
        {**MAP_POINTS, **LEVEL},
    ),
)
