"""Every kind of system on every available collection, tuned on dev and measured on test, in one table.

Combinations of two systems are tested against the better of the two, all others against the best single system by
the same measure. `monolingual` and the rows named after it search with the human translation of the query: they are
the references for comparison. *monolingual, everything* is the same combination over the same inputs, learned in the
collection that `kakehashi data get originals` derives, which stands beside the collection as NAME-originals.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kakehashi import store
from kakehashi.corpus.collection import INFO
from kakehashi.evaluation.measures import parse
from kakehashi.experiments.combinations import ONE_GRAM, asked, row
from kakehashi.experiments.contents import checksum_of, opened, state_of
from kakehashi.experiments.tables import Configuration, Contrast, Ladder, Measured, Recipe
from kakehashi.experiments.together import GRIDS, Pass, Plan
from kakehashi.features.sets import AUTO, features_of
from kakehashi.learn.asked import Asked
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.systems.linear import DenseTraining
from kakehashi.systems.registry import spec_of
from kakehashi.systems.spec import read_settings
from kakehashi.training.measuring import measure_run
from kakehashi.types import Run

MEASURES = ("MAP", "MAP-mate", "PRES@1000", "R@100:cited", "R@100:new")
MONOLINGUAL, EVERYTHING = "monolingual", "monolingual, everything"
WANTS = "a collection with trained systems; rows that need other systems are skipped; PSQ n-best is slow"
SINGLE = {
    "pass-through": "passthrough",
    "pass-through, HMM": "hmm",
    "pass-through, LM": "lm",
    "pass-through, tf-idf": "tfidf",
    "pass-through, related words": "extended-bm25",
    "pass-through, LM, related words": "extended-lm",
    "DT": "dt",
    "PSQ": "psq",
    "PSQ-HMM": "psq-hmm",
    "PSQ n-best": "psq-nbest",
    "PSQ, related words": "psq-related",
    "PSQ, mapped words": "psq-mapped",
    "titles": "titles",
    "bilinear": "bilinear",
    "Boost-1g": ONE_GRAM,
    "Boost-2g": "boosted",
    "low rank": "lowrank",
    "topics": "topics",
    "examples": "examples",
    "encoder": "encoder",
    "CNN, text": "cnn-text",
    "CNN, classes": "cnn-meta",
    "CNN, joint": "cnn-joint",
    "CNN, stacked": "cnn-stacked",
    "knowledge": "knowledge",
}
TRANSLATED, TITLES, EXAMPLES = ("psq", "psq-hmm"), ("titles",), ("examples",)
LEARNED = ("bilinear", "boosted", "lowrank", "topics")
ORIGINALS = "-originals"  # follows the name of a collection in that of its monolingual twin
BEFORE = "dense, as before"  # no titles, no examples, one weight for queries of any length, citations for any query
CITATIONS = "citations"  # the group of features of citations received
STEPS = {  # what comes from where, each on top of those before
    "translation": "dense: translation",
    "+ learned pairs and vectors": "dense: + learned",
    "+ metadata": "dense: + metadata",
    "+ examples": "dense: + examples",
    "+ citations received": "dense, all inputs",
}

WHOLE, UNCITED, TEXT = (
    STEPS["+ citations received"],
    STEPS["+ examples"],
    STEPS["+ learned pairs and vectors"],
)
CONTRASTS = (  # what the documentation claims of `dense`
    Contrast(TEXT, MONOLINGUAL, "MAP-mate"),
    Contrast(UNCITED, MONOLINGUAL, "MAP-mate"),
    Contrast(WHOLE, BEFORE, "MAP-mate"),
    Contrast(WHOLE, EVERYTHING, "MAP-mate"),
    Contrast(WHOLE, BEFORE, "R@100:new"),
    Contrast(WHOLE, UNCITED, "R@100:new"),
    Contrast(WHOLE, "PSQ-HMM", "R@100:new"),
    Contrast(WHOLE, BEFORE, "PRES@1000"),
)

HEADLINE = {
    "human translation, BM25": MONOLINGUAL,
    "human translation, HMM, tuned": "monolingual, HMM tuned",
    "human translation, everything but citations received": f"{EVERYTHING} without citations",
    "human translation, everything": EVERYTHING,
    "untranslated words": "pass-through",
    "structured queries (`psq`)": "PSQ",
    "learned vectors (`lowrank`)": "low rank",
    "everything but citations received": "dense: + examples",
    "everything (`dense`)": "dense, all inputs",
}


def combined(label: str, of: Sequence[str], also: Sequence[str], **more: Any) -> Configuration:
    """A combination of systems that must be there and others that need not."""
    return row(label, "linear", of, (), tuple(SINGLE), MEASURES, also=list(also), **more)


def rows() -> list[Configuration]:
    alone = [row(label, "alone", [system], measures=MEASURES) for label, system in SINGLE.items()]
    words, both, out = (*TITLES, *LEARNED), (*TITLES, *LEARNED, *EXAMPLES), [CITATIONS]
    translation, learned, metadata, examples, everything = STEPS.values()
    return [
        row(MONOLINGUAL, "alone", ["monolingual"], measures=MEASURES),
        row("monolingual, tuned", "tuned", ["monolingual"], measures=MEASURES),
        row("monolingual, HMM", "alone", ["monolingual-hmm"], measures=MEASURES),
        row("monolingual, HMM tuned", "tuned", ["monolingual-hmm"], measures=MEASURES),
        combined(f"{EVERYTHING} without citations", ["bm25", "hmm"], both, twin=True, without=out),
        combined(EVERYTHING, ["bm25", "hmm"], both, twin=True),
        *alone,
        row("Borda DT+PSQ", "borda", ["dt", "psq"], (), ("DT", "PSQ"), MEASURES),
        row("Borda PSQ+Boost-1g", "borda", ["psq", ONE_GRAM], (), ("PSQ", "Boost-1g"), MEASURES),
        row("Borda, all inputs", "borda", TRANSLATED, (), tuple(SINGLE), MEASURES, also=[*both, "knowledge"]),
        combined(translation, TRANSLATED, TITLES, features=False),
        combined(learned, TRANSLATED, words, features=False),
        combined("dense, scores alone", TRANSLATED, both, features=False),
        combined(metadata, TRANSLATED, words, without=out),
        combined(examples, [*TRANSLATED, *EXAMPLES], words, without=out),
        combined("dense without examples", TRANSLATED, words),
        combined(everything, TRANSLATED, both),
        combined(BEFORE, TRANSLATED, LEARNED, as_before=True),
    ]


def measure_rows(
    folder: Path, work: Path, wanted: Sequence[Mapping[str, Any]], progress: Progress
) -> list[Measured]:
    """All rows of a collection in one pass over dev and one over test, and another of each for its twin."""
    found: dict[int, Measured] = {}
    for twin in (False, True):
        some = {i: settings for i, settings in enumerate(wanted) if settings.get("twin", False) == twin}
        if some:
            found |= _measured(Library(_place(folder, twin)), some, progress)
    return [found[i] for i in range(len(wanted))]


def _measured(
    library: Library, wanted: Mapping[int, Mapping[str, Any]], progress: Progress
) -> dict[int, Measured]:
    ready = {i: _ready(library, settings) for i, settings in wanted.items()}
    plans = {
        str(i): Plan(
            [one.name for one in ready[i]],
            settings.get("features", True),
            settings.get("without", ()),
            settings.get("as_before", False),
        )
        for i, settings in wanted.items()
        if settings["by"] == "linear"
    }
    inputs = {one.name: one for i in map(int, plans) for one in ready[i]}
    most = next((settings["queries"] for settings in wanted.values() if "queries" in settings), None)
    work = Pass(library, list(inputs.values()), progress, most)
    worths = work.learned(plans) if plans else {}
    runs = work.rank(worths, list(inputs)) if plans else {}
    found = {}
    for i, settings in wanted.items():
        if settings["by"] == "linear":
            weights = work.names_and_weights(worths[str(i)])
            found[i] = _scored(
                work, {"": runs[str(i)]}, settings, {k: round(v, 4) for k, v in weights.items()}
            )
        elif settings["by"] == "borda":
            found[i] = _fused(work, ready[i], settings)
        else:
            [one] = ready[i] if settings["by"] == "alone" else [work.tuned(settings["of"][0])]
            facts = {name: float(value) for name, value in one.settings.items() if one.system in GRIDS}
            found[i] = _scored(work, {"": work.searched(one, work.test)}, settings, facts)
    return found


def _fused(work: Pass, systems: Sequence[Asked], settings: Mapping[str, Any]) -> Measured:
    """MAP and PRES each with the weights that are best for it on dev, as in S13; other measures with those of MAP."""
    runs = [work.searched(one, work.test) for one in systems]
    tuned = {measure: work.fused(systems, measure) for measure in ("MAP", "PRES@1000")}
    facts = {
        f"κ {measure} {i + 1}": round(step.weights[0], 3)
        for measure, one in tuned.items()
        for i, step in enumerate(one.steps)
    }
    return _scored(
        work, {"": tuned["MAP"].fuse(runs), "PRES@1000": tuned["PRES@1000"].fuse(runs)}, settings, facts
    )


def _scored(
    work: Pass, runs: Mapping[str, Run], settings: Mapping[str, Any], facts: Mapping[str, float]
) -> Measured:
    """By measure; a measure without a run of its own is that of the first."""
    scores = {}
    for name in settings["measures"]:
        measure = parse(name)
        scores[name] = measure_run(runs.get(name, runs[""]), work.test, [measure]).of(measure)
    return Measured(scores, dict(facts))


def has_rows(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether all systems that a row cannot do without are trained."""
    place = _place(folder, settings.get("twin", False))
    if not (place / INFO).is_file():
        return False
    library = opened(place)
    return all(_is_ready(library, asked(name)) for name in settings["of"])


def rows_state(folder: Path, settings: Mapping[str, Any]) -> list[Any]:
    """Changes with the index, the models, the features and the way weights are learned."""
    library = opened(_place(folder, settings.get("twin", False)))
    kinds = features_of(AUTO, library).kinds if settings.get("features", True) else ()
    models = [[one.name, model_state(library, one)] for one in _ready(library, settings)]
    learning = msgspec.to_builtins(DenseTraining()) if settings["by"] == "linear" else {}
    grid = GRIDS[settings["of"][0]] if settings["by"] == "tuned" else {}
    names = [list(kind.names) for kind in kinds]
    twin = state_of(library.folder) if settings.get("twin") else []
    return [library.index.contents, library.index.fingerprint, models, names, learning, grid, twin]


def _ready(library: Library, settings: Mapping[str, Any]) -> list[Asked]:
    """The systems of a row, and those of the optional ones that are trained."""
    optional = map(asked, settings.get("also", ()))
    return [*map(asked, settings["of"]), *(one for one in optional if _is_ready(library, one))]


def _is_ready(library: Library, one: Asked) -> bool:
    spec = spec_of(one.system)
    if spec.trainer is None:
        return library.collection.has(spec.queries)
    if "model" not in one.settings:
        return spec.is_trained(library)
    folder = library.model_folder(one.settings["model"])
    return (folder / spec.trainer.parts[0] / store.META).is_file()


def model_state(library: Library, one: Asked) -> list[str]:
    """Changes with the model of a system."""
    spec = spec_of(one.system)
    model = getattr(read_settings(spec, one.settings), "model", "")
    if not (model and spec.trainer):
        return []
    folder = library.model_folder(model)
    return [checksum_of(path) for path in sorted([*folder.glob("meta.json"), *folder.glob("*/meta.json")])]


def _place(folder: Path, twin: bool) -> Path:
    return folder.resolve().with_name(folder.resolve().name + ORIGINALS) if twin else folder


def measure_one(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    return measure_rows(folder, work, [settings], progress)[0]


RECIPES = (
    Recipe(
        "overview",
        "every kind of system, alone and combined (no published figures)",
        WANTS,
        (
            "weights and settings are chosen on dev, as training does by default; rows are measured on test, on all "
            "queries unless --queries limits them",
            "mates are left out of MAP-mate and R@100; R@100:cited counts documents that training judgments cite, "
            "R@100:new those that they never cite",
            "the rows from `dense: translation` to `dense, all inputs` each add something to the one before: learned "
            "pairs and vectors, metadata, examples, citations received",
            "`monolingual, everything` learns the same from human translations of the queries, in the collection "
            "NAME-originals (kakehashi data get originals NAME-originals --from NAME)",
            "Borda DT+PSQ and Borda PSQ+Boost-1g are tested against the better of their two inputs, the other "
            "combinations against the best single system, always by the same measure",
        ),
        rows(),
        MEASURES,
        measure_one,
        state=rows_state,
        has=has_rows,
        relative_to=MONOLINGUAL,
        drawn="MAP-mate",
        headline=HEADLINE,
        headlined=("MAP-mate", "R@100:new"),
        contrasts=CONTRASTS,
        ladder=Ladder(STEPS, [MONOLINGUAL, EVERYTHING]),
        together=measure_rows,
        takes_queries=True,
    ),
)
