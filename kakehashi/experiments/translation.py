"""S13 table 2, translated queries, on any collection with parallel text, and further results of translation.

The published collection (Japanese and English patents) is not available, so only the order and direction of
figures can be compared.
"""

import hashlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi.experiments.contents import checksum_of, state_of
from kakehashi.experiments.patents import linked_copy
from kakehashi.experiments.scoring import scored, scored_on
from kakehashi.experiments.tables import Configuration, Measured, Recipe
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.query.psq import Psq
from kakehashi.retrieve.indexed_psq import IndexedPsq
from kakehashi.retrieve.source_index import SourceSegment
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.systems.registry import spec_of
from kakehashi.systems.translation import MODEL, TABLE, read_table
from kakehashi.types import Text

MEASURES, ALL_MEASURES = ("MAP", "PRES@1000"), ("MAP", "MAP-mate", "PRES@1000", "R@1000")
COLLECTIONS = "a collection with parallel text, such as packages-ja or world"
TRAINED = (
    "a collection with a trained translation and decoder (kakehashi train translation --set decoder=true)"
)
FOUR = ("MAP, dev", "MAP, test", "PRES@1000, dev", "PRES@1000, test")
PUBLISHED = {  # the best of each method on the paper's dev part
    ("dt", "large"): (0.2636, 0.2555, 0.5669, 0.5681),
    ("psq", "none"): (0.2520, 0.2444, 0.5445, 0.5498),
    ("psq-nbest", "large"): (0.2698, 0.2659, 0.5789, 0.5851),
    ("boosted", "boosted-1g"): (0.2064, 0.1982, 0.5850, 0.6122),
    ("boosted", "boosted"): (0.2526, 0.2474, 0.6900, 0.7196),
}
BOOSTED = {"boosted-1g": "Boost-1g", "boosted": "Boost-2g"}  # models trained beforehand
SPLITS = ("dev", "test")
LABELS = {"dt": "DT", "psq": "PSQ lexical", "psq-nbest": "PSQ n-best"}
STOP_LISTS = ("none", "small", "large")
LEAST, MASS = (0.001, 0.005, 0.01, 0.05, 0.1), (0.8, 0.9, 0.95, 1.0)
PRUNING = ((0.0, 1.0), (0.001, 0.99), (0.005, 0.97), (0.01, 0.95), (0.02, 0.9), (0.05, 0.9), (0.1, 0.8), (0.2, 0.6),
           (0.3, 0.4))  # fmt: skip
N_TIMED, MOST_QUERIES = 50, 500


def measure_stop_list(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """A system over documents with one of the stop lists; without one, the collection's own model."""
    stop = settings["stop"]
    library = _trained(folder, work, stop, progress) if stop else Library(folder)
    system = library.system(settings["system"], settings["use"])
    if "splits" in settings:
        return Measured(scored_on(system, library, settings["splits"], MEASURES, progress), {})
    return Measured(scored(system, library.split("dev"), MEASURES, progress), {})


def _trained(folder: Path, work: Path, stop: str, progress: Progress) -> Library:
    """A copy of the collection for every stop list, trained once."""
    library = linked_copy(folder, work / f"{folder.name}-stop-{stop}-{_key(state_of(folder))}")
    library.update_index({"stop": stop}, {}, progress=progress)
    if not (library.model_folder(MODEL) / TABLE).exists():  # the table is what training writes last
        library.train(MODEL, {"decoder": True}, progress=progress)
    return library


def trained_state(folder: Path, settings: Mapping[str, Any]) -> list[Any]:
    """Changes with the index, and with the translation trained over it."""
    library = Library(folder)
    index, metas = library.index, sorted(library.model_folder(MODEL).glob("*/meta.json"))
    return [index.contents, index.fingerprint, [[path.parent.name, _key(path.read_text())] for path in metas]]


def _key(state: Any) -> str:
    return hashlib.blake2b(msgspec.json.encode(state), digest_size=6).hexdigest()


def measure_system(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """A system with its defaults on test, or on part of it, because decoders are slow."""
    library, spec = Library(folder), spec_of(settings["system"])
    split = library.split("test", settings["queries"], spec.queries)
    return Measured(
        scored(library.system(spec.name, settings.get("use", {})), split, ALL_MEASURES, progress), {}
    )


def measure_pruning(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """MAP on dev, size of the index by query words, and time of a query in it, on one thread."""
    library = Library(folder)
    index, split = library.index, library.split("dev")
    psq = Psq(index, read_table(library).pruned(settings["least"], settings["mass"]))
    system = IndexedPsq(Sparse("psq", psq, Bm25(), index), psq, None)
    scores = scored(system, split, MEASURES, progress, threads=1)
    segments = [part for part in system.stored(progress).index.segments if isinstance(part, SourceSegment)]
    size = sum(array.nbytes for part in segments for array in part.postings_by_group)
    queries = split.queries[:N_TIMED]
    facts = {
        "entries": float(psq.table.n_entries),
        "MiB on disk": round(size / 2**20, 1),
        "ms": round(_milliseconds(system, queries), 3),
    }
    return Measured(scores, facts)


def _milliseconds(system: IndexedPsq, queries: list[Text]) -> float:
    """Time per query, best of three rounds."""
    rounds = []
    for _ in range(3):
        start = time.perf_counter()
        for query in queries:
            system.search([query], 1000, threads=1)
        rounds.append(time.perf_counter() - start)
    return 1000.0 * float(np.min(rounds)) / max(1, len(queries))


def _stop_list_rows() -> list[Configuration]:
    rows = []
    for system, label in LABELS.items():
        for stop in STOP_LISTS:
            published = dict(zip(FOUR, PUBLISHED.get((system, stop), ()), strict=False))
            settings = {"system": system, "stop": stop, "use": {}, "splits": SPLITS}
            against = "" if stop == STOP_LISTS[0] else f"{label}, {_named(STOP_LISTS[0])}"
            rows.append(Configuration(f"{label}, {_named(stop)}", settings, published, against))
    for model, label in BOOSTED.items():
        published = dict(zip(FOUR, PUBLISHED["boosted", model], strict=True))
        settings = {"system": "boosted", "stop": "", "use": {"model": model}, "splits": SPLITS}
        rows.append(Configuration(label, settings, published, "" if model == "boosted-1g" else "Boost-1g"))
    return rows


def _named(stop: str) -> str:
    return "no stop list" if stop == "none" else f"{stop} stop list"


def stop_list_state(folder: Path, settings: Mapping[str, Any]) -> Any:
    """Rows with a stop list train a model themselves."""
    return None if settings["stop"] else model_state(folder, settings["use"])


def model_state(folder: Path, settings: Mapping[str, Any]) -> list[Any]:
    """Changes with the index, and with the model a row is measured with."""
    library = Library(folder)
    index, meta = library.index, library.model_folder(settings["model"]) / "meta.json"
    return [index.contents, index.fingerprint, checksum_of(meta)]


def _grid_rows() -> list[Configuration]:
    cuts = [{"least": least, "mass": mass} for least in LEAST for mass in MASS]
    return [
        Configuration(
            f"PSQ lexical, p_L {cut['least']:g}, p_C {cut['mass']:g}",
            {"system": "psq", "stop": "small", "use": cut},
        )
        for cut in cuts
    ]


SYSTEM_ROWS = [
    Configuration(label, {"system": system, "queries": MOST_QUERIES}, compared_with=other)
    for label, system, other in (
        ("pass-through", "passthrough", ""),
        ("monolingual", "monolingual", ""),
        ("DT", "dt", "monolingual"),
        ("PSQ lexical", "psq", "DT"),
        ("PSQ lexical, HMM", "psq-hmm", "DT"),
        ("PSQ n-best", "psq-nbest", "DT"),
    )
]
NOT_OURS = "Boost rows: models trained before, with the collection's own stop lists, where the paper has none"
DEPARTS = (
    "the collection: not the published patents",
    "the decoder is phrase-based (sil-thot), not hierarchical; three-word language model; beam 10",
    "published figures are next to the stop list that was best in the paper",
)
RECIPES = (
    Recipe(
        "s13-2",
        "translated queries and stop lists, and boosting",
        f"{COLLECTIONS}, with the models boosted-1g and boosted",
        (*DEPARTS, NOT_OURS),
        _stop_list_rows(),
        FOUR,
        measure_stop_list,
        state=stop_list_state,
    ),
    Recipe(
        "s13-2-grid",
        "pruning thresholds of the translation table",
        COLLECTIONS,
        (f"{DEPARTS[0]}; measured on its dev split, because the paper also chose on dev",),
        _grid_rows(),
        MEASURES,
        measure_stop_list,
    ),
    Recipe(
        "translation",
        "all systems that translate, on test (no published figures)",
        TRAINED,
        (
            f"at most {MOST_QUERIES} test queries, evenly chosen; PSQ is compared with DT, DT with monolingual",
        ),
        SYSTEM_ROWS,
        ALL_MEASURES,
        measure_system,
        state=trained_state,
    ),
    Recipe(
        "psq-pruning",
        "size, time and quality of the index by query words (no published figures)",
        TRAINED,
        ("on dev; times are those of this machine",),
        [
            Configuration(f"least {least:g}, mass {mass:g}", {"least": least, "mass": mass})
            for least, mass in PRUNING
        ],
        MEASURES,
        measure_pruning,
        against=("MiB on disk", "ms"),
        state=trained_state,
    ),
)
