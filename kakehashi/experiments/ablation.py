"""T13 table 5.9: the weight of each dense feature, and what is lost without it, on dev by cross-validation."""

from collections.abc import Mapping
from pathlib import Path

from kakehashi.experiments.combinations import HERE
from kakehashi.experiments.tables import Listed, Listing, Published
from kakehashi.features.sets import made_for
from kakehashi.library import Library
from kakehashi.systems.linear import DenseTraining
from kakehashi.systems.opening import job_of
from kakehashi.systems.spec import read_values
from kakehashi.training.ablation import ALL, MEASURES, AblationRow, ablate

SETTINGS = {"inputs": "bilinear", "scaling": "raw", "loss": "margin"}
SCORE, PLACES = "score", "city, state, country"
PUBLISHED: Mapping[str, Mapping[str, Published]] = {  # group -> weights, measures without it
    ALL: {"MAP": 0.2891, "PRES": 0.6933},
    SCORE: {"weight": (1.411876,), "MAP": 0.1871, "PRES": 0.4861},
    "ipc3": {"weight": (0.945277,), "MAP": 0.2816, "PRES": 0.6507},
    "inventor": {"weight": (0.239652,), "MAP": 0.2773, "PRES": 0.6907},
    "assignee": {"weight": (0.017165,), "MAP": 0.2888, "PRES": 0.6929},
    "independent": {"weight": (0.043821,), "MAP": 0.2891, "PRES": 0.6934},
    "claims": {"weight": (0.051620, 0.024788, -0.000341, 0.021732), "MAP": 0.2889, "PRES": 0.6932},
    "ipc1": {"weight": (0.000417, 0.079988, -0.025161, -0.100250), "MAP": 0.2890, "PRES": 0.6933},
    "ipc2": {"weight": (-0.278392, 0.003336, 0.210527, 0.406972), "MAP": 0.2843, "PRES": 0.6881},
    PLACES: {"weight": (0.057727, -0.016517, -0.022161), "MAP": 0.2897, "PRES": 0.6935},
}
SIGNIFICANT = {  # group -> measures that the thesis marks
    **dict.fromkeys((SCORE, "ipc3", "inventor", "ipc2"), ("MAP", "PRES")),
    **dict.fromkeys(("assignee", PLACES), ("PRES",)),
}
LEVEL = 0.01


def listed(folder: Path, work: Path) -> list[Listed]:
    library = Library(folder)
    made_with = {**SETTINGS, "features": made_for(library.index.fields)}
    settings = read_values("dense", DenseTraining, made_with)
    places = PLACES.split(", ")
    wanted = []
    if (
        "ipc" in library.index.fields
    ):  # groups of the paper; otherwise each group of the collection's own features
        own = [[group] for group in PUBLISHED if group not in (ALL, SCORE, PLACES)]
        wanted = [["bilinear"], *own, places]
    found = ablate(job_of("dense", library, settings, "table"), groups=wanted)
    rows = {SCORE if row.group == "bilinear" else row.group: row for row in found}
    order = [*(name for name in PUBLISHED if name in rows), *(name for name in rows if name not in PUBLISHED)]
    return [Listed(name, told(name), _found(rows[name])) for name in order]


def told(group: str) -> str:
    """The published weights, MAP and PRES of a group, with four decimals."""
    if group not in PUBLISHED:
        return ", , "
    values = PUBLISHED[group]
    weights = values.get("weight", ())
    cells = [" ".join(f"{weight:.4f}" for weight in weights) if isinstance(weights, tuple) else ""]
    for measure in ("MAP", "PRES"):
        cells.append(f"{values[measure]:.4f}{' †' if measure in SIGNIFICANT.get(group, ()) else ''}")
    return ", ".join(cells)


def _found(row: AblationRow) -> str:
    cells = [" ".join(f"{weight:.4f}" for weight in row.weights)]
    for measure in MEASURES:
        mark = " †" if row.group != ALL and row.p[measure] < LEVEL else ""
        cells.append(f"{row.means[measure]:.4f}{mark}")
    return ", ".join(cells)


LISTINGS = (
    Listing(
        "t13-5.9",
        "weights of dense features; MAP and PRES without each († p < 0.01)",
        "a collection with metadata and a trained bilinear model, such as world",
        (HERE[0], "cross-validated over dev queries; the margin ranking perceptron on raw scores"),
        listed,
        PUBLISHED,
    ),
)
