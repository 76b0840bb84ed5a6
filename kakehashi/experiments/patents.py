"""T13 chapter 5 on patents or any cross-language collection: the steps that improved a sparse ranker.

The available collections are not the published one (1.1 million abstracts), so only the order and direction of
figures can be compared.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from kakehashi.experiments.scoring import scored, scored_on
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.training.outcome import Outcome

MEASURES = ("PRES@1000", "MAP")
BOTH_SPLITS = ("PRES@1000, dev", "PRES@1000, test", "MAP, dev", "MAP, test")
MODEL = "table"
COLLECTIONS = "a collection with Japanese queries, such as world or packages-ja"
LONE_QSTEM, LAST_STEP = "qStem, without numbers", "+ tuned l1"
PUBLISHED = {  # PRES on the thesis' dev part, MAP on dev; of the last also PRES and MAP on test
    "unmodified": (0.3315, 0.1765),
    "+ stop words": (0.4196, 0.1927),
    "+ new sampling": (0.4252, 0.2011),
    LONE_QSTEM: (0.4452, 0.2035),
    "+ numbers": (0.4481, 0.2055),
    "+ CFH of documents": (0.4882, 0.2185),
    "+ qStem": (0.4930, 0.2216),
    LAST_STEP: (0.4933, 0.2227, 0.4994, 0.2301),
}
PUBLISHED_ORDER = ("PRES@1000, dev", "MAP, dev", "PRES@1000, test", "MAP, test")
BASE = {
    "scheme": "1",
    "pairs": 200_000,
    "query_share": 1.0,
    "document_share": 1.0,
    "multipartite": False,
    "l1": 1e-6,
}
SAMPLED = {**BASE, "scheme": "3"}
REWRITTEN = (
    0.5  # the stop filter again after rewriting: no term that more than half of the rewritten texts have
)
CFH = {"document_cfh": 5, "cfh_words": 30_000, "document_share": REWRITTEN}
QUERY_CFH = {"query_cfh": 5, "cfh_words": 30_000, "query_share": REWRITTEN}
TUNED = {"l1_steps": 5, "l1_low": 1e-6, "l1_high": 1e-4}
DEPARTS = (
    "the collection: not the published patents, see --collection",
    "vectors have unit length; epochs end when MAP on dev falls; 200,000 pairs",
    "rows build on each other, except qStem and numbers, which each build on the new sampling",
    "weights change after every 1,024 pairs; published: after every pair, as in the last row",
)


def chain(**settings: Any) -> dict[str, Any]:
    return {"split_hyphens": False, "stem": False, "stop": "none", **settings}


STOPPED = chain(stop="induced")
NUMBERED = chain(stop="induced", numbers="simplify")
STEPS: tuple[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]], ...] = (
    ("unmodified", chain(), {}, BASE),
    ("+ stop words", STOPPED, {}, BASE),
    ("+ new sampling", STOPPED, {}, SAMPLED),
    (LONE_QSTEM, STOPPED, {"qstem": True}, SAMPLED),
    ("+ numbers", NUMBERED, {}, SAMPLED),
    ("+ CFH of documents", NUMBERED, {}, {**SAMPLED, **CFH}),
    ("+ qStem", NUMBERED, {"qstem": True}, {**SAMPLED, **CFH}),
    (LAST_STEP, NUMBERED, {"qstem": True}, {**SAMPLED, **CFH, **TUNED}),
    (
        f"{LAST_STEP}, warm starts (ours)",
        NUMBERED,
        {"qstem": True},
        {**SAMPLED, **CFH, **TUNED, "l1_runs": "warm"},
    ),
)


def measure(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """The model after its best epoch, on dev, and on test if the settings say so."""
    library, trained = train(folder, work, settings, progress)
    facts: dict[str, float] = {"weights": trained.n_weights, "epoch": trained.epoch}
    system = library.system("bilinear", {"model": MODEL})
    if "splits" in settings:
        return Measured(scored_on(system, library, settings["splits"], MEASURES, progress), facts)
    return Measured(scored(system, library.split("dev"), MEASURES, progress), facts)


def train(
    folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress
) -> tuple[Library, Outcome]:
    """A copy of the collection, indexed with the chain of the settings, and a model of theirs."""
    library = linked_copy(folder, work / f"{folder.name}-copy")
    info, source = library.collection.info, {**settings["chain"], **settings["source"]}
    library.update_index(
        for_language(info.target_language, settings["chain"]),
        for_language(info.source_language, source),
        progress=progress,
    )
    _, outcome = library.train("bilinear", settings["training"], model=MODEL, progress=progress)
    return library, outcome


def linked_copy(folder: Path, copy: Path) -> Library:
    """The same collection in another folder, with its own index and models."""
    copy.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in ("index", "models") and not (copy / path.name).exists():
            (copy / path.name).symlink_to(path.resolve())
    return Library(copy)


def for_language(lang: str, chain: Mapping[str, Any]) -> dict[str, Any]:
    defaults = msgspec.to_builtins(AnalyzerSettings(lang=lang))
    wanted = {**defaults, **chain}
    return {**wanted, "compounds": lang == "ja"}


def _configurations() -> list[Configuration]:
    rows, before = [], ""
    for label, texts, source, training in STEPS:
        before = "+ new sampling" if label == "+ numbers" else before
        rows.append(_row(label, texts, source, training, before))
        before = label
    return [
        *rows,
        _row("unmodified, after every pair (ours)", chain(), {}, {**BASE, "batch": 1}, "unmodified"),
    ]


def _row(
    label: str, texts: dict[str, Any], source: dict[str, Any], training: dict[str, Any], before: str
) -> Configuration:
    settings = {"chain": texts, "source": source, "training": training, "splits": ["dev", "test"]}
    published = dict(zip(PUBLISHED_ORDER, PUBLISHED.get(label, ()), strict=False))
    return Configuration(label, settings, published, before)


CONFIGURATIONS = _configurations()
RECIPES = (
    Recipe(
        "t13-5.7",
        "patents: steps that improved the sparse ranker",
        COLLECTIONS,
        DEPARTS,
        CONFIGURATIONS,
        BOTH_SPLITS,
        measure,
    ),
)
