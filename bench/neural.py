"""Training and scoring of the CNN ranker: seconds by phase, and the share of what the machine's arithmetic allows.

The training has the shape of the largest German one published: 32.6 + 34.4 thousand relevant documents times ten,
four irrelevant for each of the former, 1.976 million instances, twenty epochs, four layers of 1,600, on word numbers
drawn at random. On a GPU it is run as a whole, on a processor a small part of it. Scoring is 1,000 documents of one
query with kept encodings, on one core. Only PyTorch and NumPy are needed for the former.
"""

import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch

from kakehashi.learn.cnn import Network, Part, Shape, Texts, encoded, flops, scored
from kakehashi.learn.cnn_draws import Drawing, Judged, Lists, draw_epoch
from kakehashi.learn.cnn_training import State, Steps, Trainer, fresh, train_cnn
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Floats32, Ints, Longs

HIGH, LOW, EPOCHS = 326_000, 344_000, 20  # relevant documents of level 2 and of level 1
QUERY, DOCUMENT = 25, 200  # words of a query and of a document
WORDS, K, FILTERS, WINDOW = 200_000, 100, 100, 4
SHAPE = Shape(1600, 4, 0.5)
BATCH = {"cpu": 64, "cuda": 2048}  # queries
WANTED = 180.0  # seconds for all epochs on a GPU
CANDIDATES, ROUNDS = 1000, 7


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    figures, ratios = training(device, 1.0 if device == "cuda" else 0.002, EPOCHS if device == "cuda" else 1)
    found, more = reranking()
    return {"figures": {**figures, **agreement(device), **found}, "ratios": {**ratios, **more}}


def training(device: str, part_of_it: float, epochs: int) -> tuple[dict[str, Any], dict[str, float]]:
    began = time.perf_counter()
    parts, judged = generated(part_of_it, np.random.default_rng(7))
    drawing = Drawing(BATCH[device], 8, 4, 0.0, 0, 0)  # every instance draws its own, as published
    instances = sum(len(batch.query_of) for batch in draw_epoch(judged, drawing, np.random.default_rng(1)))
    packed = time.perf_counter() - began
    peak, reading = peaks(device)
    warm_up(parts, judged, drawing, device)
    by_phase = phases(parts, judged, drawing, device)
    began = time.perf_counter()
    train_cnn(parts, judged, SHAPE, drawing, Steps(1e-4, epochs, epochs, 1), device)
    if device == "cuda":
        torch.cuda.synchronize()
    seconds = time.perf_counter() - began
    work = flops(parts, SHAPE, len(judged.relevant.starts) - 1, instances, instances)
    # filters need no gradient of their words; the layers above need that of their weights and of what they read
    total = (2.0 * work["encoding"] + 3.0 * work["scoring"]) * epochs
    floor = total / peak
    figures = {
        "device": torch.cuda.get_device_name() if device == "cuda" else f"{torch.get_num_threads()} threads",
        "torch": torch.__version__,
        "instances_per_epoch": instances,
        "epochs": epochs,
        "packing_seconds": round(packed, 1),
        "training_seconds": round(seconds, 2),
        "million_instances_per_second": round(instances * epochs / seconds / 1e6, 4),
        "tflop": round(total / 1e12, 2),
        "matrix_tflop_per_second": round(peak / 1e12, 3),
        "copy_gb_per_second": round(reading / 1e9, 1),
        "arithmetic_floor_seconds": round(floor, 2),
        **{f"one_epoch_{name}_seconds": round(value, 3) for name, value in by_phase.items()},
    }
    if device == "cuda":
        figures["peak_memory_gb"] = round(torch.cuda.max_memory_allocated() / 1e9, 2)
    ratios = {"arithmetic_floor_vs_training": round(floor / seconds, 4)}
    if part_of_it == 1.0:
        ratios["three_minutes_vs_training"] = round(WANTED / seconds, 2)
    return figures, ratios


def generated(part_of_it: float, rng: np.random.Generator) -> tuple[list[Part], Judged]:
    """Words as frequent as Zipf has it; every query has one relevant document of level 2, and one of level 1."""
    n = max(int(HIGH * part_of_it), 64)
    n_low = int(LOW * part_of_it)
    lows = np.bincount(rng.integers(n, size=n_low), minlength=n)
    starts = np.append(0, np.cumsum(1 + lows)).astype(np.int64)
    levels = np.ones(int(starts[-1]), np.int64)
    levels[starts[:-1]] = 2
    n_docs = max(int(2_091_278 * part_of_it), 1000)
    relevant = Lists(starts, rng.integers(n_docs, size=int(starts[-1])))
    hard = Lists(np.zeros(n + 1, np.int64), np.zeros(0, np.int64))
    texts = texts_of(n, QUERY, rng), texts_of(n_docs, DOCUMENT, rng)
    part = Part("text", WINDOW, FILTERS, (vectors(rng), vectors(rng)), texts, (QUERY, DOCUMENT))
    return [part], Judged(relevant, levels, hard, n_docs)


def agreement(device: str) -> dict[str, Any]:
    """Scores of a device beside those of the processor, and whether a training that was stopped goes on alike."""
    parts, judged = generated(0.0005, np.random.default_rng(5))
    shape, drawing, saved = Shape(256, 2, 0.5), Drawing(32, 8, 4, 0.0, 0, 0), list[State]()
    rows = np.arange(64)
    scores = []
    for each in ("cpu", device):
        network = Network(parts, shape, fresh(parts, shape, 1).weights, each)
        scores.append(
            scored(network, encoded(network, "query", rows), encoded(network, "document", rows), rows, rows)
        )
    steps = Steps(1e-3, 4, 4, 1)
    whole = train_cnn(
        parts, judged, shape, drawing, steps, device, save=lambda state: saved.append(deepcopy(state))
    )
    resumed = train_cnn(parts, judged, shape, drawing, steps, device, start=saved[1])
    return {
        "largest_difference_from_cpu": float(np.abs(scores[0] - scores[1]).max()),
        "resumed_is_the_same": all(
            np.array_equal(whole.weights[name], resumed.weights[name]) for name in whole.weights
        ),
    }


def texts_of(n: int, length: int, rng: np.random.Generator) -> Texts:
    words: Ints = np.empty(n * length, np.int32)
    step = 1 << 24
    for first in range(0, len(words), step):  # an inverse of Zipf's distribution, log-uniform ranks
        some = rng.random(min(step, len(words) - first), dtype=np.float32)
        words[first : first + len(some)] = np.minimum(np.exp(some * np.log(WORDS)), WORDS - 1).astype(
            np.int32
        )
    return Texts(np.arange(0, (n + 1) * length, length, dtype=np.int64), words)


def vectors(rng: np.random.Generator) -> Floats32:
    return rng.standard_normal((WORDS, K), dtype=np.float32) / np.float32(np.sqrt(K))


def warm_up(parts: list[Part], judged: Judged, drawing: Drawing, device: str) -> None:
    """A few batches: kernels are loaded and memory is taken."""
    trainer = Trainer(parts, judged, SHAPE, drawing, Steps(1e-4, 1, 1, 1), device, fresh(parts, SHAPE, 1))
    generator = torch.Generator(device).manual_seed(1)
    for _, batch in zip(range(3), draw_epoch(judged, drawing, np.random.default_rng(2)), strict=False):
        trainer.step(batch, generator)


def phases(parts: list[Part], judged: Judged, drawing: Drawing, device: str) -> dict[str, float]:
    """Seconds of one epoch by what they are spent on; waiting for the device after each adds a little."""
    state: State = fresh(parts, SHAPE, 1)
    trainer = Trainer(parts, judged, SHAPE, drawing, Steps(1e-4, 1, 1, 1), device, state, SILENT, timed=True)
    began = time.perf_counter()
    trainer.epoch()
    whole = time.perf_counter() - began
    return {**trainer.seconds, "other": whole - sum(trainer.seconds.values()), "all": whole}


def peaks(device: str) -> tuple[float, float]:
    """(operations per second of a large matrix product, bytes read and written per second by a large copy)"""
    on_gpu = device == "cuda"
    n, kind = (8192, torch.bfloat16) if on_gpu else (1024, torch.float32)
    a, b = (torch.randn(n, n, device=device).to(kind) for _ in range(2))
    big = torch.empty((1 << 30) if on_gpu else (1 << 26), dtype=torch.float32, device=device)
    other = torch.empty_like(big)
    return 2.0 * n**3 / timed(lambda: a @ b, device), 2 * big.nbytes / timed(lambda: other.copy_(big), device)


def timed(work: Any, device: str) -> float:
    """Seconds of the median round."""
    found = []
    for _ in range(3 + ROUNDS):
        began = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        found.append(time.perf_counter() - began)
    return float(np.median(found[3:]))


def reranking() -> tuple[dict[str, Any], dict[str, float]]:
    """1,000 kept encodings of documents against one query, from its words to its scores, on one core."""
    from threadpoolctl import threadpool_limits

    from kakehashi.learn.cnn_model import CnnModel, Filters

    rng, found = np.random.default_rng(3), dict[str, Any]()
    words: Ints = rng.integers(0, 5000, 100).astype(np.int32)
    starts: Longs = np.array([0, 100])
    for name, (hidden, layers) in {"small": (256, 2), "patents": (3200, 2), "wikipedia": (1600, 4)}.items():
        sides = [
            Filters(
                vectors(rng)[:5000], uniform(rng, WINDOW * K, FILTERS), np.zeros(FILTERS, np.float32), 200
            )
            for _ in range(2)
        ]
        sizes = [2 * FILTERS, *[hidden] * (layers - 1), 1]
        model = CnnModel(
            {"text": (sides[0], sides[1])}, tuple(uniform(rng, *sizes[i : i + 2]) for i in range(layers))
        )
        docs = model.half("document", rng.standard_normal((CANDIDATES, FILTERS)) * 0.1)

        def rerank(model: CnnModel = model, docs: Floats32 = docs) -> None:
            query, _ = model.parts["text"]
            model.scores(model.half("query", query.encode(starts, words)), docs)

        with threadpool_limits(1):
            found[f"rerank_1000_{name}_ms"] = round(1000 * timed(rerank, "cpu"), 2)
    return found, {"fifty_ms_vs_rerank_small": round(50 / found["rerank_1000_small_ms"], 2)}


def uniform(rng: np.random.Generator, rows: int, columns: int) -> Floats32:
    values = (2.0 * rng.random((rows, columns)) - 1.0) / np.sqrt(rows)
    return np.asarray(values, np.float32)
