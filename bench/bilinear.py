"""Learning q'Wd: pairs per second against Vowpal Wabbit, and against the machine's limit of random reads.

Both get the same 100,000 pairs in the same order, the same vectors, 2^24 or 2^28 weights, hinge loss with margin
1, one pass and one thread. Each rival's rate is the best of the same kind of grid by MAP on the dev queries,
ranked over all documents; Vowpal Wabbit's weights are read from its model and ranked by the same engine. Weights
are touched before any clock starts, so that nobody pays for fresh memory. Streaming is measured on its own:
memory besides the weights while 5 million pairs are learned from.

Vowpal Wabbit runs with `--sgd` and with its default, words called by names; and once more with `--sgd` and words
called by numbers, which it does not hash: a layout of other speed and other collisions, so its ratios stand apart.
"""

import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from harness import fastest, world
from random_access import random_reads_per_second
from streaming import peak_besides_weights
from vowpal import VARIANTS, Vowpal, predictions, write_examples

from kakehashi.corpus.pairs import PairSettings
from kakehashi.learn import bilinear_kernels as kernels
from kakehashi.learn.bilinear import BilinearSettings, train_bilinear
from kakehashi.learn.bilinear_model import Bilinear, weights_of
from kakehashi.learn.epochs import Trained
from kakehashi.learn.layout import LayoutName
from kakehashi.library import Library
from kakehashi.progress import SILENT, Progress, Silent
from kakehashi.systems.bilinear import bilinear_system
from kakehashi.training.data import TrainingData, WordSettings, prepare
from kakehashi.training.dev import DevSet, DevSettings

N_PAIRS, ROUNDS = 100_000, 3
N_STREAMED = 5_000_000
SIZES = (24, 28)
RATES = (0.2, 0.4, 0.6, 1.0)
NAMED = ("sgd", "default")  # with words called by names, as words are
LAYOUTS: dict[str, tuple[LayoutName, int]] = {
    "rows": ("rows", 24),
    "scattered_2e24": ("scattered", 24),
    "scattered_2e28": ("scattered", 28),
}


@dataclass(frozen=True)
class Task:
    """What is learned from, and what judges."""

    data: TrainingData
    library: Library
    dev: DevSet

    def map(self, weights: Any) -> float:
        words = self.data.query_words, self.data.document_words
        model = Bilinear(*words, weights, self.library.fingerprints)
        return self.dev.measure(bilinear_system("bilinear", self.data.reading, model))

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.data.query_words), len(self.data.document_words)


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    library = world(folder, documents, progress)
    library.update_index(progress=progress)
    dev = DevSet(library, DevSettings())
    with tempfile.TemporaryDirectory(dir=folder) as place:
        sampled = PairSettings(scheme="3", pairs=N_PAIRS, margin="one")
        task = Task(prepare(library, WordSettings(), sampled, Path(place), progress), library, dev)
        figures = _described(task)
        ratios: dict[str, Any] = {}
        examples = {prefix: Path(place) / f"pairs{prefix}.txt" for prefix in ("w", "")}
        for prefix, path in examples.items():
            write_examples(path, task.data.blocks(), task.data.queries, task.data.documents, prefix)
        best_rates: dict[str, float] = {}
        for bits in SIZES:
            peers = {prefix: Vowpal(path, bits, prefix) for prefix, path in examples.items()}
            best_rates = best_rates or _tuned(task, peers, examples, figures)
            _compare(task, peers, bits, best_rates, figures, ratios)
            for peer in peers.values():
                peer.close()
        _other_layouts(task, best_rates["kakehashi"], figures)
        _two_threads(task, best_rates["kakehashi"], figures, ratios)
        figures.update(peak_besides_weights(library.folder, Path(place), N_STREAMED))
    return {"figures": figures, "ratios": ratios}


def _described(task: Task) -> dict[str, Any]:
    data = task.data
    return {
        "pairs": data.pairs.n_pairs,
        "query_words": len(data.query_words),
        "document_words": len(data.document_words),
        "words_per_query": round(float(np.diff(data.queries.starts).mean()), 1),
        "words_per_document": round(float(np.diff(data.documents.starts).mean()), 1),
        "dev_queries": len(task.dev),
        "documents_ranked": task.library.index.n_docs,
    }


def _tuned(
    task: Task, peers: dict[str, Vowpal], examples: dict[str, Path], figures: dict[str, Any]
) -> dict[str, float]:
    """The best rate of each rival by dev MAP, at the smaller size."""
    measured = {
        "kakehashi": {
            rate: task.map(weights_of(_Ours(task, "blocks", SIZES[0], rate).learn(), task.sizes[1]))
            for rate in RATES
        }
    }
    for name, variant in VARIANTS.items():
        measured[f"vw_{name}"] = {}
        for rate in variant.rates:
            peer = peers[variant.prefix]
            weights = peer.learn(variant.at(rate), task.sizes).weights
            if rate == variant.rates[0]:
                _check_scores(peer, weights, examples[variant.prefix])
            measured[f"vw_{name}"][rate] = task.map(weights)
    for name, maps in measured.items():
        figures[f"{name}_dev_map_by_rate"] = {str(rate): round(value, 4) for rate, value in maps.items()}
    return {name: max(maps, key=maps.__getitem__) for name, maps in measured.items()}


def _check_scores(peer: Vowpal, weights: Any, examples: Path) -> None:
    """The weights we rank with give the predictions Vowpal Wabbit makes itself."""
    with examples.open(encoding="ascii") as file:
        lines = [line for line, _ in zip(file, range(50), strict=False)]
    if not np.allclose(peer.predict(lines), predictions(weights, lines), rtol=1e-3, atol=1e-4):
        raise AssertionError("the weights read from Vowpal Wabbit's model do not give its predictions")


def _compare(
    task: Task,
    peers: dict[str, Vowpal],
    bits: int,
    rates: dict[str, float],
    figures: dict[str, Any],
    ratios: dict[str, Any],
) -> None:
    ours = _Ours(task, "blocks", bits, rates["kakehashi"])
    runs: dict[str, Any] = {
        f"vw_{name}": partial(peers[variant.prefix].learn, variant.at(rates[f"vw_{name}"]))
        for name, variant in VARIANTS.items()
    }
    timed = {name: lambda learn=learn: learn().seconds for name, learn in runs.items()}
    seconds = fastest(ROUNDS, {"kakehashi": lambda: ours.seconds(1), **timed})
    maps = {name: task.map(learn(task.sizes).weights) for name, learn in runs.items()}
    maps["kakehashi"] = task.map(weights_of(ours.learn(), task.sizes[1]))
    for name, value in seconds.items():
        figures[f"{name}_2e{bits}_pairs_per_second"] = round(task.data.pairs.n_pairs / value)
        figures[f"{name}_2e{bits}_dev_map"] = round(maps[name], 4)
    for ending, names in (("", [f"vw_{name}" for name in NAMED]), ("_numbered", ["vw_sgd_numbered"])):
        better = min(seconds[name] for name in names)
        ratios[f"bilinear_2e{bits}_vs_vw{ending}"] = round(better / seconds["kakehashi"], 2)
        best_map = max(maps[name] for name in names)
        ratios[f"bilinear_2e{bits}_dev_map_vs_vw{ending}"] = round(maps["kakehashi"] / best_map, 3)
    _against_the_limit(ours, bits, task.data.pairs.n_pairs, seconds["kakehashi"], figures, ratios)


def _against_the_limit(
    ours: "_Ours", bits: int, n: int, seconds: float, figures: dict[str, Any], ratios: dict[str, Any]
) -> None:
    reads, writes = ours.touched()
    limit = random_reads_per_second(bits)
    figures[f"kakehashi_2e{bits}_reads_per_pair"] = round(reads / n)
    figures[f"kakehashi_2e{bits}_writes_per_pair"] = round(writes / n)
    figures[f"random_reads_2e{bits}_million_per_second"] = round(limit / 1e6, 1)
    ratios[f"bilinear_2e{bits}_share_of_random_limit"] = round((reads + writes) / seconds / limit, 2)


def _other_layouts(task: Task, rate: float, figures: dict[str, Any]) -> None:
    learners = {name: _Ours(task, layout, bits, rate) for name, (layout, bits) in LAYOUTS.items()}
    seconds = fastest(ROUNDS, {name: partial(each.seconds, 1) for name, each in learners.items()})
    for name, value in seconds.items():
        figures[f"kakehashi_{name}_pairs_per_second"] = round(task.data.pairs.n_pairs / value)


def _two_threads(task: Task, rate: float, figures: dict[str, Any], ratios: dict[str, Any]) -> None:
    """By the wall clock, as threads count."""
    for bits in SIZES:
        ours = _Ours(task, "blocks", bits, rate)
        ours.learn(threads=2)  # compiles
        seconds = fastest(2 * ROUNDS, {str(n): partial(ours.seconds, n, time.perf_counter) for n in (1, 2)})
        figures[f"kakehashi_2e{bits}_two_threads_pairs_per_second"] = round(
            task.data.pairs.n_pairs / seconds["2"]
        )
        ratios[f"two_threads_vs_one_2e{bits}"] = round(seconds["1"] / seconds["2"], 2)
    ratios["two_threads_vs_one"] = min(ratios[f"two_threads_vs_one_2e{bits}"] for bits in SIZES)


class _Stopwatch(Silent):
    """Times the one epoch of a training, without what comes before and after."""

    def __init__(self, clock: Any):
        self._clock, self.seconds = clock, 0.0

    def start(self, what: str, total: int | None = None) -> None:
        self._start = self._clock()

    def finish(self) -> None:
        self.seconds += self._clock() - self._start


class _Ours:
    """One epoch of our learner at a fixed rate."""

    def __init__(self, task: Task, layout: LayoutName, bits: int, rate: float):
        self._data, self._sizes = task.data, task.sizes
        self._settings = BilinearSettings(layout=layout, bits=bits, rates="fixed", rate=rate, epochs=1)
        self._layout = self.learn().layout  # the first run compiles, too

    def learn(self, threads: int = 1, progress: Progress = SILENT, start: Trained | None = None) -> Trained:
        data = self._data
        return train_bilinear(
            data.blocks, data.queries, data.documents, *self._sizes, self._settings,
            threads=threads, progress=progress, start=start,
        )  # fmt: skip

    def seconds(self, threads: int, clock: Any = time.thread_time) -> float:
        """Of the epoch, its weights touched before, and of sizing the blocks."""
        watch = _Stopwatch(clock)
        zeros = np.zeros(self._layout.n_weights, np.float32)
        self.learn(threads, watch, Trained(self._layout, zeros, 0))
        return watch.seconds + self._sizing(clock)

    def _sizing(self, clock: Any) -> float:
        if self._settings.layout != "blocks":
            return 0.0
        start, demand = clock(), np.zeros(self._sizes[0])
        for block in self._data.blocks():
            kernels.count_demand(block, self._data.queries, self._data.documents, demand)
        return float(clock() - start)

    def touched(self) -> tuple[int, int]:
        """(weights read, weights written) in the epoch."""
        queries, reads, writes = self._data.queries, 0, 0
        n_words = np.diff(queries.starts)
        write = kernels.write_changes

        def counting(owner: int, owners: int, first: int, last: int, pairs: Any, *rest: Any) -> None:
            nonlocal writes
            if owner == 0:
                counts = rest[-1].counts[: last - first]
                writes += int((counts * n_words[pairs.queries[first:last]]).sum())
            write(owner, owners, first, last, pairs, *rest)

        with patch.object(kernels, "write_changes", counting):  # two threads write through the module's name
            self.learn(threads=2)
        for block in self._data.blocks():
            reads += int((_distinct(block, self._data.documents) * n_words[block.queries]).sum())
        return reads, writes


def _distinct(block: Any, documents: Any) -> Any:
    """(groups,) how many different words the documents of each group have."""
    out = np.zeros(len(block.queries), np.int64)
    for g in range(len(out)):
        part = slice(block.starts[g], block.starts[g + 1])
        rows = np.concatenate([block.positives[part], block.negatives[part]])
        words = [documents.columns[documents.starts[r] : documents.starts[r + 1]] for r in rows.tolist()]
        out[g] = len(np.unique(np.concatenate(words)))
    return out
