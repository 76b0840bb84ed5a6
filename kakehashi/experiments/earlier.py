"""What earlier queries add: `examples` alone and as an input of `dense`, by how many training queries it knows.

Everything else that `dense` weighs, citations received included, knows all training queries. Weights are learned on
dev as `kakehashi train dense` learns them, and rows are measured on test.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kakehashi.experiments import overview
from kakehashi.experiments.combinations import row
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.systems.examples import MODEL

MEASURES = ("MAP", "MAP-mate", "PRES@1000", "R@100:new")
OF, ALSO = ("psq", "psq-hmm"), ("titles", "bilinear", "boosted", "lowrank", "topics")
SHARES = (10, 30, 100)  # percent of the training queries
KNOWN = "training queries known, %"


def knowing(percent: int) -> str:
    """`examples` that knows this share of the training queries."""
    return MODEL if percent == 100 else f"{MODEL}(model={_model_of(percent)})"


def _model_of(percent: int) -> str:
    return f"{MODEL}-{percent}"


def rows() -> list[Configuration]:
    alone = [
        row(f"examples, {percent} %", "alone", [knowing(percent)], measures=MEASURES, known=percent)
        for percent in SHARES
    ]
    return alone + _combined("dense", ()) + _combined("dense without citations", [overview.CITATIONS])


def _combined(name: str, without: Sequence[str]) -> list[Configuration]:
    """The combination with more and more earlier queries, compared with the one that has none."""
    more: dict[str, Any] = {"measures": MEASURES, "also": list(ALSO), "without": list(without)}
    none = f"{name}, no examples"
    return [
        row(none, "linear", OF, known=0, **more),
        *(
            row(f"{name}, {percent} %", "linear", [*OF, knowing(percent)], (), none, known=percent, **more)
            for percent in SHARES
        ),
    ]


def measure_rows(
    folder: Path, work: Path, wanted: Sequence[Mapping[str, Any]], progress: Progress
) -> list[Measured]:
    found = overview.measure_rows(folder, work, wanted, progress)
    return [
        Measured(one.scores, {KNOWN: float(settings["known"]), **one.facts})
        for one, settings in zip(found, wanted, strict=True)
    ]


def measure(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    return measure_rows(folder, work, [settings], progress)[0]


def has_inputs(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether the systems of a row are trained; models of `examples` that know less are trained on the way."""
    library, percent = Library(folder), settings["known"]
    is_smaller = percent not in (0, 100)
    if is_smaller and not (library.model_folder(_model_of(percent)) / "meta.json").is_file():
        library.train(MODEL, {"share": percent / 100}, model=_model_of(percent))
    return overview.has_rows(folder, settings)


RECIPES = (
    Recipe(
        "earlier",
        "what similar earlier queries cited adds, by their number (no published figures)",
        "a collection with training judgments and trained systems",
        (
            "weights are learned on dev, as `train dense` does; rows are measured on test, on all queries unless "
            "--queries limits them",
            "mates are left out of MAP-mate and R@100:new, which counts only documents that training judgments "
            "never cite",
        ),
        rows(),
        MEASURES,
        measure,
        over=KNOWN,
        state=overview.rows_state,
        has=has_inputs,
        together=measure_rows,
        takes_queries=True,
    ),
)
