"""S13 table 2, translated queries, on any collection with parallel text; and what translation reaches beyond it.

The published collection (Japanese and English patents) is not at hand, so figures can be compared by their order
and direction only.
"""

import hashlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi.corpus.collection import Collection
from kakehashi.experiments.patents import linked_copy
from kakehashi.experiments.scoring import score_split
from kakehashi.experiments.tables import Configuration, Measured, Recipe, checksum_of, state_of
from kakehashi.index.index import Index
from kakehashi.index.prepare import index_collection, index_folder
from kakehashi.progress import Progress
from kakehashi.query.psq import Psq
from kakehashi.registry import build, read_values, spec_of
from kakehashi.retrieve.models import model_folder, read_model
from kakehashi.retrieve.psq import TABLE, IndexedPsq, read_table
from kakehashi.retrieve.source_index import SourceSegment
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.training import translation
from kakehashi.training.dev import split_scope
from kakehashi.types import Text

MEASURES, ALL_MEASURES = ("MAP", "PRES@1000"), ("MAP", "MAP-mate", "PRES@1000", "R@1000")
COLLECTIONS = "a collection with parallel text, such as packages-ja or world"
TRAINED = "a collection with a trained translation (kakehashi train translation)"
PUBLISHED = {  # the best of each method on the paper's dev part
    ("dt", "large"): (0.2636, 0.5669),
    ("psq", "none"): (0.2520, 0.5445),
    ("psq-nbest", "large"): (0.2698, 0.5789),
    ("boosted", "boosted-1g"): (0.2064, 0.5850),
    ("boosted", "boosted"): (0.2526, 0.6900),
}
BOOSTED = {"boosted-1g": "Boost-1g", "boosted": "Boost-2g"}  # models that were trained by hand
LABELS = {"dt": "DT", "psq": "PSQ lexical", "psq-nbest": "PSQ n-best"}
STOP_LISTS = ("none", "small", "large")
LEAST, MASS = (0.001, 0.005, 0.01, 0.05, 0.1), (0.8, 0.9, 0.95, 1.0)
PRUNING = ((0.0, 1.0), (0.001, 0.99), (0.005, 0.97), (0.01, 0.95), (0.02, 0.9), (0.05, 0.9), (0.1, 0.8), (0.2, 0.6),
           (0.3, 0.4))  # fmt: skip
N_TIMED, MOST_QUERIES = 50, 500


def measure_stop_list(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """A system over documents with one of the stop lists, on dev; without one, the collection's own model."""
    if settings["stop"]:
        collection, index = _trained(folder, work, settings["stop"], progress)
    else:
        collection = Collection(folder)
        index = Index(index_folder(collection))
    system = build(settings["system"], index, settings["use"], split_scope(collection, "dev"))
    return Measured(score_split(system, collection, "dev", MEASURES, 1000, progress), {})


def _trained(folder: Path, work: Path, stop: str, progress: Progress) -> tuple[Collection, Index]:
    """A copy of the collection for every stop list, trained once."""
    collection = linked_copy(folder, work / f"{folder.name}-stop-{stop}-{_key(state_of(folder))}")
    index_collection(collection, {"stop": stop}, {}, progress=progress)
    index = Index(index_folder(collection))
    place = model_folder(index, "translation")
    if not (place / TABLE).exists():  # the table is what training writes last
        values = read_values("translation", translation.TranslationTraining, {})
        translation.train(collection, index, place, values, progress=progress)
    return collection, index


def trained_state(folder: Path, settings: Mapping[str, Any]) -> list[Any]:
    """Changes with the index, and with the translation trained over it."""
    index = Index(index_folder(Collection(folder)))
    metas = sorted(model_folder(index, "translation").glob("*/meta.json"))
    return [index.contents, index.fingerprint, [[path.parent.name, _key(path.read_text())] for path in metas]]


def _key(state: Any) -> str:
    return hashlib.blake2b(msgspec.json.encode(state), digest_size=6).hexdigest()


def measure_system(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """A system with its defaults on test, or on some of it: decoders take their time."""
    collection = Collection(folder)
    index, spec = Index(index_folder(collection)), spec_of(settings["system"])
    system = build(spec.name, index, settings.get("use", {}), split_scope(collection, "test"))
    most = settings["queries"]
    scores = score_split(system, collection, "test", ALL_MEASURES, 1000, progress, spec.queries, most)
    return Measured(scores, {})


def measure_pruning(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """MAP on dev, size of the index in the queries' words, and time of a query in it, on one thread."""
    collection = Collection(folder)
    index = Index(index_folder(collection))
    table = read_model("translation", index, "translation", read_table)
    psq = Psq(index, table.pruned(settings["least"], settings["mass"]))
    plain = Sparse("psq", psq, Bm25(), index, split_scope(collection, "dev"), threads=1)
    system = IndexedPsq(plain, psq, None)
    scores = score_split(system, collection, "dev", MEASURES, 1000, progress)
    segments = [part for part in system.stored(progress).index.segments if isinstance(part, SourceSegment)]
    size = sum(array.nbytes for part in segments for array in part.postings_by_group)
    queries = collection.split_queries("dev")[:N_TIMED]
    facts = {
        "entries": float(psq.table.n_entries),
        "MiB on disk": round(size / 2**20, 1),
        "ms": round(_milliseconds(system, queries), 3),
    }
    return Measured(scores, facts)


def _milliseconds(system: IndexedPsq, queries: list[Text]) -> float:
    """Of a query, at best of three rounds."""
    rounds = []
    for _ in range(3):
        start = time.perf_counter()
        for query in queries:
            system.search([query], 1000)
        rounds.append(time.perf_counter() - start)
    return 1000.0 * float(np.min(rounds)) / max(1, len(queries))


def _stop_list_rows() -> list[Configuration]:
    rows = []
    for system, label in LABELS.items():
        for stop in STOP_LISTS:
            published = dict(zip(MEASURES, PUBLISHED.get((system, stop), ()), strict=False))
            settings = {"system": system, "stop": stop, "use": {}}
            against = "" if stop == STOP_LISTS[0] else f"{label}, {STOP_LISTS[0]} stop list"
            rows.append(Configuration(f"{label}, {stop} stop list", settings, published, against))
    for model, label in BOOSTED.items():
        published = dict(zip(MEASURES, PUBLISHED["boosted", model], strict=True))
        settings = {"system": "boosted", "stop": "", "use": {"model": model}}
        rows.append(Configuration(label, settings, published, "" if model == "boosted-1g" else "Boost-1g"))
    return rows


def stop_list_state(folder: Path, settings: Mapping[str, Any]) -> Any:
    """Rows with a stop list train a model themselves."""
    return None if settings["stop"] else model_state(folder, settings["use"])


def model_state(folder: Path, settings: Mapping[str, Any]) -> list[Any]:
    """Changes with the index, and with the model a row is measured with."""
    index = Index(index_folder(Collection(folder)))
    meta = model_folder(index, settings["model"]) / "meta.json"
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
    "the collection: not the published patents; measured on its dev part, on which the paper chose",
    "the decoder is phrase-based (sil-thot), not hierarchical; three-word language model; beam 10",
    "published figures stand beside the stop list that was best in the paper",
)
RECIPES = (
    Recipe(
        "s13-2",
        "translated queries and stop lists, and boosting",
        f"{COLLECTIONS}, with the models boosted-1g and boosted",
        (*DEPARTS, NOT_OURS),
        _stop_list_rows(),
        MEASURES,
        measure_stop_list,
        state=stop_list_state,
    ),
    Recipe(
        "s13-2-grid",
        "where rows of the table are cut",
        COLLECTIONS,
        DEPARTS[:1],
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
        "size, time and quality where documents are indexed in the queries' words (no published figures)",
        TRAINED,
        ("on dev; times are this machine's",),
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
