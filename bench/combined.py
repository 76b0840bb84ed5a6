"""`dense` by candidates against scoring every document: time, what is missed, opening, and growth with the collection.

The world is trained with small settings: what a model is worth does not matter here, only that all its parts are
there. A folder of an existing collection with a model `dense` can be measured instead.
"""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from harness import world

from kakehashi.evaluation.measures import parse_all
from kakehashi.evaluation.plots import growth_plot, render
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.retrieve.linear import LinearRanker
from kakehashi.systems.registry import spec_of
from kakehashi.training.measuring import measure_run
from kakehashi.types import Ranking, Run, Text

QUERIES, DEPTH, TOP, HITS = 100, 1000, 100, 10
EARLIER = 100  # dev queries that are asked before anything is measured, as a running service has been asked
ROUNDS = 3  # of opening; the first compiles
MEASURES = ("MAP", "PRES@1000")
SMALLER = (100, 10, 1)  # the world is measured in a hundredth and a tenth of its size, too
PLOT = "combined.svg"
TRAINED: dict[str, dict[str, Any]] = {
    "translation": {"decoder": False, "rounds": 3},
    "bilinear": {"pairs": 50_000, "epochs": 1, "dev_queries": 0},
    "boosted": {"ngrams": 1, "samples": 1, "rounds": 300, "dev_queries": 0, "beta": 0.2},
    "lowrank": {"pairs": 50_000, "epochs": 1, "dev_queries": 0},
    "topics": {"dev_queries": 0},
    "examples": {},
    "dense": {"queries": 100, "best": 100, "random": 300},
}
OPEN = (
    "import sys; sys.path[:0] = {path!r}\n"
    "import time; start = time.perf_counter()\n"
    "from kakehashi.library import Library\n"
    "library = Library({folder!r}); query = library.split('test', 1).queries[0]\n"
    "imported = time.perf_counter(); system = library.system('dense')\n"
    "opened = time.perf_counter(); system.search([query], 10, threads=1)\n"
    "print(opened - imported, time.perf_counter() - imported)"
)


def run(folder: Path, documents: int, progress: Progress, collection: Path | None = None) -> dict[str, Any]:
    if collection is not None:
        return _measured(Library(collection))
    found = _measured(_trained(world(folder, documents, progress), progress))
    figures, costs = found["figures"], {}
    for size in sorted({max(documents // times, 500) for times in SMALLER}):
        library = _trained(world(folder, size, progress), progress)
        costs[size] = _seconds(library, _queries(library))
        for name, seconds in costs[size].items():
            figures[f"{name}_ms_at_{size}_documents"] = round(1000 * float(np.median(seconds)), 2)
    lines = {
        name: [(size, 1000 * float(np.median(cost[name]))) for size, cost in costs.items()]
        for name in ("candidates", "full")
    }
    (folder / PLOT).write_bytes(render(growth_plot("documents", {"milliseconds a query": lines}), "svg"))
    return found


def _trained(library: Library, progress: Progress) -> Library:
    library.update_index(progress=progress)
    for name, settings in TRAINED.items():
        is_there = (
            library.model_folder(name).is_dir()
            if name == "translation"
            else spec_of(name).is_trained(library)
        )
        if not is_there:
            library.train(name, settings, progress=progress)
    return library


def _systems(library: Library) -> dict[str, LinearRanker]:
    found = {"candidates": library.system("dense"), "full": library.system("dense", {"full": True})}
    return {name: system for name, system in found.items() if isinstance(system, LinearRanker)}


def _queries(library: Library) -> list[Text]:
    return list(library.split("test", QUERIES).queries)


def _measured(library: Library) -> dict[str, Any]:
    systems, queries = _systems(library), _queries(library)
    seconds = _seconds(library, queries)
    runs = {name: system.search(queries, DEPTH, threads=1).rankings for name, system in systems.items()}
    fast, full = runs["candidates"], runs["full"]
    medians = {name: float(np.median(values)) for name, values in seconds.items()}
    both = _throughput(systems, queries)
    opened, first = _opening(library.folder)
    figures = {
        "documents": library.index.n_docs,
        "queries": len(queries),
        **{f"{name}_ms": round(1000 * value, 2) for name, value in medians.items()},
        f"top{TOP}_found": round(_found(fast, full, TOP), 5),
        f"top{DEPTH}_found": round(_found(fast, full, DEPTH), 5),
        "largest_difference_of_a_score": _largest_difference(fast, full),
        **_differences(library, runs),
        **{f"two_threads_{name}_queries_per_second": round(value, 1) for name, value in both.items()},
        "opening_s": round(opened, 2),
        "opening_and_first_query_s": round(first, 2),
    }
    ratios = {
        "dense_vs_full": round(medians["full"] / medians["candidates"], 2),
        "two_threads_dense_vs_full": round(both["candidates"] / both["full"], 2),
        "explained_query_vs_60_ms": round(0.06 / medians["explained"], 2),
        "opening_vs_2_s": round(2.0 / first, 2),
    }
    return {"figures": figures, "ratios": ratios}


def _seconds(library: Library, queries: Sequence[Text]) -> dict[str, list[float]]:
    """Per query, on one thread; both ways take turns.

    `explained`: ten hits and their reasons. `compiled`: the least any way must do, which is to analyse and translate
    the query for every input, before a posting is read.
    """
    systems = _systems(library)
    fast = systems["candidates"]
    for system in systems.values():
        system.explain(queries[0], system.search(queries[:3], HITS, threads=1).rankings[queries[0].id].docs)
        system.search(queries[:3], DEPTH, threads=1)
        system.search(library.split("dev", EARLIER).queries, DEPTH, threads=1)
    seconds: dict[str, list[float]] = {"candidates": [], "full": [], "explained": [], "compiled": []}
    for query in queries:
        for name, system in systems.items():
            again = _unknown(query)
            start = time.perf_counter()
            system.search([again], DEPTH, threads=1)
            seconds[name].append(time.perf_counter() - start)
        again = _unknown(query)
        start = time.perf_counter()
        _costs(fast, again)
        seconds["compiled"].append(time.perf_counter() - start)
        again = _unknown(query)
        start = time.perf_counter()
        fast.explain(again, fast.search([again], HITS, threads=1).rankings[again.id].docs)
        seconds["explained"].append(time.perf_counter() - start)
    return seconds


def _unknown(query: Text) -> Text:
    """The same query, of which no system remembers what it worked out."""
    return Text(query.id, query.lang, query.text, query.title, query.meta)


def _costs(system: LinearRanker, query: Text) -> list[float]:
    return [each.probe(query).cost for each in system.evidence.inputs]


def _throughput(systems: dict[str, LinearRanker], queries: Sequence[Text]) -> dict[str, float]:
    found = {}
    for name, system in systems.items():
        start = time.perf_counter()
        system.search(queries, DEPTH, threads=2)
        found[name] = len(queries) / (time.perf_counter() - start)
    return found


def _found(fast: dict[str, Ranking], full: dict[str, Ranking], k: int) -> float:
    """Of the k best by full scoring."""
    shares = [
        len({*ranking.docs[:k]} & {*fast[query].docs[:k]}) / min(k, len(ranking))
        for query, ranking in full.items()
        if len(ranking)
    ]
    return float(np.mean(shares)) if shares else 1.0


def _largest_difference(fast: dict[str, Ranking], full: dict[str, Ranking]) -> float:
    largest = 0.0
    for query, ranking in full.items():
        scores = dict(zip(ranking.docs, ranking.scores.tolist(), strict=True))
        pairs = zip(fast[query].docs, fast[query].scores.tolist(), strict=True)
        largest = max([largest, *(abs(scores[doc] - score) for doc, score in pairs if doc in scores)])
    return float(f"{largest:.2g}")


def _differences(library: Library, runs: dict[str, dict[str, Ranking]]) -> dict[str, float]:
    split, wanted = library.split("test", QUERIES), parse_all(list(MEASURES))
    fast, full = (measure_run(Run(name, rankings), split, wanted) for name, rankings in runs.items())
    return {
        f"difference_in_{name}": round(abs(fast.mean(measure) - full.mean(measure)), 6)
        for name, measure in zip(MEASURES, wanted, strict=True)
    }


def _opening(folder: Path) -> tuple[float, float]:
    """Seconds until `dense` is open, and until it has answered, in a fresh process; the best of several."""
    code = OPEN.format(folder=str(folder.resolve()), path=sys.path)
    times = []
    for _ in range(ROUNDS):
        answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        opened, first = map(float, answer.stdout.split())
        times.append((first, opened))
    first, opened = min(times)
    return opened, first
