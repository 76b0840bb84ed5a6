"""S13 figures 1 to 3: a translated and a boosted ranking fused, over the weight κ of the translated one.

κ = 0 is the boosted ranking alone, κ = 1 the translated one; the paper prints both ends and the best value.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi.experiments.combinations import HERE, NEEDS, asked, has_systems, row_state
from kakehashi.experiments.combining import Answers
from kakehashi.experiments.tables import Configuration, Measured, Point, Recipe
from kakehashi.fuse.rules import Fusion, fuse_runs
from kakehashi.progress import Progress

KAPPAS = tuple(round(step / 20, 2) for step in range(21))
BOOSTED = "boosted"
NAMES = {"dt": "DT", "psq": "PSQ lex", "psq-nbest": "PSQ n-best"}
# (measure, split) -> of Boost-2g alone, and system -> (alone, best fusion); tables 2 and 3
ENDS: Mapping[tuple[str, str], tuple[float, Mapping[str, tuple[float, float]]]] = {
    ("MAP", "dev"): (
        0.2526,
        {"dt": (0.2636, 0.3309), "psq": (0.2520, 0.3215), "psq-nbest": (0.2698, 0.3439)},
    ),
    ("MAP", "test"): (0.2474, {"psq-nbest": (0.2659, 0.3416)}),
    ("PRES@1000", "dev"): (
        0.6900,
        {"dt": (0.5669, 0.7132), "psq": (0.5445, 0.7071), "psq-nbest": (0.5789, 0.7212)},
    ),
}


def measure(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """One measure at every κ; the best is that of these."""
    answers, name = Answers(folder, work, settings["split"], progress), settings["measure"]
    runs = [answers.run(asked(system)) for system in settings["of"]]
    scores = {}
    for kappa in KAPPAS:
        fused = fuse_runs(Fusion("borda"), runs, (kappa, 1.0 - kappa), 1000)
        scores[f"{name}, κ {kappa:g}"] = answers.measure(fused, [name])[name]
    best = max(scores, key=lambda one: float(np.mean(list(scores[one].values()))))
    return Measured({**scores, f"{name}, at best": scores[best]}, {"κ": float(best.rpartition(" ")[2])})


def _row(system: str, measure: str, split: str) -> Configuration:
    boosted, published = ENDS[measure, split]
    alone, best = published[system]
    settings = {"of": [system, BOOSTED], "measure": measure, "split": split}
    values = {f"{measure}, κ 0": boosted, f"{measure}, κ 1": alone, f"{measure}, at best": best}
    return Configuration(f"{NAMES[system]} + Boost-2g, {split}", settings, values)


def _recipe(number: int, title: str, measure_name: str, rows: list[Configuration]) -> Recipe:
    curves = {f"{measure_name}, κ {kappa:g}": Point(measure_name, kappa) for kappa in KAPPAS}
    curves[f"{measure_name}, at best"] = Point(measure_name, None)
    departs = (HERE[0], "PSQ lex is the table's, as trained; at most 500 queries of a split")
    return Recipe(
        f"s13-fig{number}", title, NEEDS, departs, rows, tuple(curves), measure,
        over="κ", curves=curves, state=row_state, has=has_systems,
    )  # fmt: skip


RECIPES = (
    _recipe(
        1,
        "MAP of translated and boosted rankings fused, on dev",
        "MAP",
        [_row(name, "MAP", "dev") for name in NAMES],
    ),
    _recipe(
        2,
        "MAP of PSQ n-best and boosted rankings fused, on dev and test",
        "MAP",
        [_row("psq-nbest", "MAP", split) for split in ("dev", "test")],
    ),
    _recipe(
        3,
        "PRES of translated and boosted rankings fused, on dev",
        "PRES@1000",
        [_row(name, "PRES@1000", "dev") for name in NAMES],
    ),
)
