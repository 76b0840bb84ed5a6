"""T13 table 5.9: the weight of each dense feature, and what is lost without it, on dev by cross-validation."""

from pathlib import Path

from kakehashi.experiments.combinations import HERE
from kakehashi.experiments.tables import Listed, Listing
from kakehashi.features.sets import made_for
from kakehashi.library import Library
from kakehashi.systems.linear import DenseTraining
from kakehashi.systems.opening import job_of
from kakehashi.systems.spec import read_values
from kakehashi.training.ablation import ALL, MEASURES, AblationRow, ablate

SETTINGS = {"inputs": "bilinear", "scaling": "raw", "loss": "margin"}
SCORE, PLACES = "score", "city, state, country"
PUBLISHED = {  # group -> (weights, MAP without, PRES without)
    ALL: ("", "0.2891", "0.6933"),
    SCORE: ("1.4119", "0.1871 †", "0.4861 †"),
    "ipc3": ("0.9453", "0.2816 †", "0.6507 †"),
    "inventor": ("0.2397", "0.2773 †", "0.6907 †"),
    "assignee": ("0.0172", "0.2888", "0.6929 †"),
    "independent": ("0.0438", "0.2891", "0.6934"),
    "claims": ("0.0516 0.0248 -0.0003 0.0217", "0.2889", "0.6932"),
    "ipc1": ("0.0004 0.0800 -0.0252 -0.1003", "0.2890", "0.6933"),
    "ipc2": ("-0.2784 0.0033 0.2105 0.4070", "0.2843 †", "0.6881 †"),
    PLACES: ("0.0577 -0.0165 -0.0222", "0.2897", "0.6935 †"),
}
LEVEL = 0.01


def listed(folder: Path) -> list[Listed]:
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
    return [Listed(name, ", ".join(PUBLISHED.get(name, ("", "", ""))), _found(rows[name])) for name in order]


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
    ),
)
