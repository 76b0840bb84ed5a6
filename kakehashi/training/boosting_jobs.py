"""The samples of bagged boosting as jobs: each draws its instances, boosts, and saves its work regularly.

A job needs only a folder and a number, and gives the same rounds wherever it runs: here on threads, or in one
process each on machines that share the folder. A stopped job resumes from what it saved last.
"""

import hashlib
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.corpus import judged_pool
from kakehashi.corpus.pairs import PairBlock, PairSettings, draw_pairs
from kakehashi.errors import FileError, InputError
from kakehashi.learn import boosted_model
from kakehashi.learn.boosted_model import BoostedModel, Feature, average, readable
from kakehashi.learn.boosting import NO_ROUNDS, Boosted, BoostingSettings, Rounds, boost
from kakehashi.learn.boosting_table import BYTES_PER_PLACE, available_memory
from kakehashi.learn.instances import Instances, instances_of
from kakehashi.learn.vectors import Rows, Words, read_words
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Array

WORK, SAMPLES, JUDGED = "work", "samples", "judged."
WORK_KIND, SAMPLE_KIND, VERSION = "boosting-work", "boosting-sample", 1
ROUND_ARRAYS = ("weights", "starts", "features", "sums", "totals", "touched")


def put_work(
    folder: Path,
    query_words: Words,
    document_words: Words,
    queries: Rows,
    documents: Rows,
    judgments: judged_pool.Judgments,
    pairs: PairSettings,
    boosting: BoostingSettings,
) -> None:
    """The data read by all jobs; `documents` are those of the pool, in its order."""
    arrays: dict[str, Array] = {**query_words.arrays("query"), **document_words.arrays("document")}
    for side, rows in (("query", queries), ("document", documents)):
        arrays |= {f"{side}.starts": rows.starts, f"{side}.columns": rows.columns}
    counts = {}
    for name, value in judgments._asdict().items():
        if isinstance(value, np.ndarray):
            arrays[f"{JUDGED}{name}"] = value
        else:
            counts[name] = value
    settings = {
        "query_words": query_words.settings(),
        "document_words": document_words.settings(),
        "pairs": msgspec.to_builtins(pairs),
        "boosting": msgspec.to_builtins(boosting),
        "counts": counts,
    }
    with store.Writer(folder / WORK, WORK_KIND, VERSION) as writer:
        writer.put(arrays)
        writer.commit(settings, {}, pairs.seed)


def boost_sample(folder: Path, number: int, progress: Progress = SILENT, key: str = "") -> Rounds:
    """The rounds of one sample; saved ones are reused. `key` rejects work that was replaced meanwhile."""
    work = store.read(folder / WORK, WORK_KIND, VERSION)
    if key and key != _key(work):
        raise InputError(f"{folder / WORK} was overwritten by another training: train one model at a time")
    boosting = msgspec.convert(work.meta.settings["boosting"], BoostingSettings)
    place, key = folder / SAMPLES / f"{number:03}", _key(work)
    saved = _read_sample(place, key)
    if saved is not None and _is_done(saved, boosting):
        found = saved.rounds.first(boosting.rounds)
        progress.advance(len(found))
        return found
    drawn, instances = _draw(work, number)
    start = (
        saved if saved and _fits(saved, drawn, work) and not len(saved.rounds) % boosting.refresh else None
    )
    progress.advance(len(start.rounds) if start else 0)

    def save(state: Boosted) -> None:
        with store.Writer(place, SAMPLE_KIND, VERSION) as writer:
            writer.put({name: getattr(state.rounds, name) for name in ROUND_ARRAYS})
            writer.put({"instances": state.instance_weights})
            writer.commit({"bar": state.bar, "exhausted": state.exhausted}, {"work": key}, work.meta.seed)

    finished = boost(
        instances,
        work.strings("query.terms"),
        work.strings("document.terms"),
        boosting,
        start or Boosted(NO_ROUNDS, drawn.margins.astype(np.float64)),
        save,
        progress,
    )
    return finished.rounds


def _draw(work: store.Artifact, number: int) -> tuple[PairBlock, Instances]:
    """The instances of a sample: always the same for the same number."""
    settings, array = work.meta.settings, work.array
    judged = {name.removeprefix(JUDGED): array(name) for name in work.meta.arrays if name.startswith(JUDGED)}
    judgments = judged_pool.Judgments(**{**judged, **settings["counts"]})
    pairs = msgspec.convert(settings["pairs"], PairSettings)
    drawn = draw_pairs(judgments, pairs, np.random.default_rng([pairs.seed, number]))
    n_query_words = len(array("query.idf"))
    return drawn, instances_of(drawn, _rows(work, "query"), _rows(work, "document"), n_query_words)


def sample_features(folder: Path, number: int) -> Iterator[Feature]:
    """The choices of one sample, round by round; a feature chosen again is repeated."""
    work = store.read(folder / WORK, WORK_KIND, VERSION)
    rounds = _saved(folder, work, number)
    queries, documents = work.strings("query.terms"), work.strings("document.terms")
    for n, weight in enumerate(rounds.weights.tolist()):
        for feature in rounds.features[rounds.starts[n] : rounds.starts[n + 1]].tolist():
            i, j = divmod(feature, len(documents))
            yield Feature(n + 1, readable(queries[i]), readable(documents[j]), weight, 1)


def saved_model(folder: Path, samples: int, rounds: int | None, analyzers: Mapping[str, str]) -> BoostedModel:
    """The average of the first samples, or of their first rounds, without further boosting."""
    work = store.read(folder / WORK, WORK_KIND, VERSION)
    found = [_saved(folder, work, number) for number in range(samples)]
    if rounds is not None:
        found = [sample.first(rounds) for sample in found]
    return average(found, read_words(work, "query"), read_words(work, "document"), analyzers)


def boost_samples(folder: Path, numbers: Sequence[int], threads: int, progress: Progress) -> list[Rounds]:
    """Run jobs on this many threads, or on fewer if their sums would not fit into memory."""
    work = store.read(folder / WORK, WORK_KIND, VERSION)
    boosting = msgspec.convert(work.meta.settings["boosting"], BoostingSettings)
    n_features = len(work.array("query.idf")) * len(work.array("document.idf"))
    at_once = min(threads or len(os.sched_getaffinity(0)), len(numbers), jobs_that_fit(boosting, n_features))
    shared = _Shared(progress)
    rounds: dict[int, Rounds] = {}
    progress.start("boosting, rounds of all samples", len(numbers) * boosting.rounds)
    try:
        with ThreadPoolExecutor(at_once) as pool:
            jobs = {
                pool.submit(boost_sample, folder, number, shared, _key(work)): number for number in numbers
            }
            try:
                for job in as_completed(jobs):
                    rounds[jobs[job]] = job.result()
            except BaseException:
                shared.stop()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        progress.finish()
    return [rounds[number] for number in numbers]


def jobs_that_fit(boosting: BoostingSettings, n_features: int, available: int | None = None) -> int:
    """How many may run at once; a quarter of exact sums is counted, since most words are usually dormant."""
    room = available_memory() if available is None else available
    places = 1 << boosting.bits
    needed = BYTES_PER_PLACE * (places if boosting.hashed else min(places, n_features) // 4)
    if boosting.hashed and room < needed:
        raise InputError(
            f"2^{boosting.bits} places need {needed / 2**30:.1f} GiB, and {room / 2**30:.1f} are free: "
            f"set fewer bits, or hashed=false"
        )
    return max(1, room // max(1, needed))


class _Shared:
    """One progress bar for several threads; after `stop`, the next report ends its thread."""

    def __init__(self, progress: Progress):
        self._progress, self._lock, self._stopped = progress, threading.Lock(), False

    def start(self, what: str, total: int | None = None) -> None:
        pass

    def advance(self, n: int = 1) -> None:
        if self._stopped:
            raise InputError("stopped")
        with self._lock:
            self._progress.advance(n)

    def finish(self) -> None:
        pass

    def stop(self) -> None:
        self._stopped = True


def _rows(work: store.Artifact, side: str) -> Rows:
    starts, columns = np.asarray(work.array(f"{side}.starts")), np.asarray(work.array(f"{side}.columns"))
    return Rows(starts, columns, np.ones(len(columns), np.float32))


def _saved(folder: Path, work: store.Artifact, number: int) -> Rounds:
    """The rounds of the model; there may be more, or others of a training that was stopped."""
    model, key = store.read(folder, boosted_model.KIND, boosted_model.VERSION).meta, _key(work)
    saved = _read_sample(folder / SAMPLES / f"{number:03}", key)
    if saved is None or model.made_from.get("work") != key:
        raise InputError(
            f"{folder / SAMPLES} does not contain sample {number + 1} of this model: train it again"
        )
    return saved.rounds.first(model.settings["training"]["rounds"])


def _read_sample(place: Path, key: str) -> Boosted | None:
    try:
        artifact = store.read(place, SAMPLE_KIND, VERSION)
        if artifact.meta.made_from.get("work") != key or artifact.faults():
            return None  # other data or settings, or damaged
        arrays = [np.array(artifact.array(name)) for name in ROUND_ARRAYS]
        instances = np.array(artifact.array("instances"))
        bar, exhausted = float(artifact.meta.settings["bar"]), bool(artifact.meta.settings["exhausted"])
    except (FileError, KeyError, TypeError, ValueError):
        return None  # none yet, or damaged: it can be rebuilt
    return Boosted(Rounds(*arrays), instances, bar, exhausted)


def _fits(saved: Boosted, drawn: PairBlock, work: store.Artifact) -> bool:
    """Whether compiled loops may trust its numbers."""
    n_features = len(work.array("query.idf")) * len(work.array("document.idf"))
    features = saved.rounds.features
    in_range = features.min(initial=0) >= 0 and features.max(initial=0) < n_features
    return len(saved.instance_weights) == len(drawn.margins) and bool(in_range)


def _is_done(saved: Boosted, boosting: BoostingSettings) -> bool:
    return saved.exhausted or len(saved.rounds) >= boosting.rounds


def work_key(folder: Path) -> str:
    """The origin recorded by samples and models."""
    return _key(store.read(folder / WORK, WORK_KIND, VERSION))


def _key(work: store.Artifact) -> str:
    """Changes with everything a job depends on, except the number of rounds: a sample may be boosted further."""
    settings: dict[str, Any] = {**work.meta.settings}
    settings["boosting"] = {name: value for name, value in settings["boosting"].items() if name != "rounds"}
    sums = {name: entry.xxh3 for name, entry in work.meta.arrays.items()}
    told = msgspec.json.encode([settings, sums], order="sorted")
    return hashlib.blake2b(told, digest_size=12).hexdigest()
