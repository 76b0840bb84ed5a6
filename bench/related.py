"""Related words: exact neighbours against gensim's `most_similar`, and a sweep of thresholds against single searches.

Neighbours: 100,000 words of 300 dimensions in clusters, all pairs from a cosine of 0.6 on. gensim answers a sample of
the words one after another, with all similarities, and its time is extrapolated. Sweep: 41 x 21 thresholds over the
test queries of the world, against one search of all queries with one pair of thresholds, times 861.
"""

import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from harness import world

from kakehashi.experiments.threshold_sweeps import FIRST, SECOND, Part, Sweeper, serpentine
from kakehashi.lexicon.neighbours import neighbours
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.query.extended import Extended, QueryWords
from kakehashi.retrieve.extended import ExtendedBm25
from kakehashi.retrieve.sparse import Sparse
from kakehashi.systems.related import read_related
from kakehashi.types import Floats32

N_WORDS, DIMENSIONS, N_CLUSTERS, LEAST = 100_000, 300, 10_000, 0.6
SAMPLE = 50  # words that gensim answers
N_QUERIES, LSI_DIMENSIONS = 500, 100
MODEL = "bench-related"


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    figures: dict[str, Any] = {"words": N_WORDS, "dimensions": DIMENSIONS}
    ratios: dict[str, Any] = {}
    _neighbours(figures, ratios)
    library = world(folder, documents, progress)
    library.update_index(progress=progress)
    _sweep(library, figures, ratios)
    figures["peak_memory_gib"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2)
    return {"figures": figures, "ratios": ratios}


def clustered(rng: np.random.Generator) -> Floats32:
    """Words around centres, so that each has some neighbours."""
    centres = rng.standard_normal((N_CLUSTERS, DIMENSIONS), dtype=np.float32)
    noise = rng.standard_normal((N_WORDS, DIMENSIONS), dtype=np.float32)
    return centres[rng.integers(N_CLUSTERS, size=N_WORDS)] + np.float32(0.7) * noise


def _neighbours(figures: dict[str, Any], ratios: dict[str, Any]) -> None:
    vectors = clustered(np.random.default_rng(1))
    start = time.perf_counter()
    found = neighbours(vectors, LEAST)
    ours = time.perf_counter() - start
    figures["neighbours_seconds"] = round(ours, 1)
    figures["neighbours_pairs"] = found.n_entries
    figures["neighbours_peak_memory_gib"] = round(
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2
    )
    peer = KeyedVectors(DIMENSIONS)
    peer.add_vectors([str(i) for i in range(N_WORDS)], vectors)
    peer.fill_norms()
    start, same = time.perf_counter(), 0
    for word in range(SAMPLE):
        cosines = peer.most_similar(str(word), topn=None)
        near = {*np.flatnonzero(cosines >= LEAST).tolist()} - {word}
        same += near == {*found.row(word)[0].tolist()}
    seconds = (time.perf_counter() - start) / SAMPLE * N_WORDS
    figures["gensim_seconds_extrapolated"] = round(seconds, 1)
    ratios["neighbours_speed_vs_gensim"] = round(seconds / ours, 1)
    ratios["words_with_the_same_neighbours"] = round(same / SAMPLE, 3)


def _sweep(library: Library, figures: dict[str, Any], ratios: dict[str, Any]) -> None:
    settings = {"kinds": "lsi", "lsi_dimensions": LSI_DIMENSIONS, "least": min(SECOND)}
    library.train("related", settings, model=MODEL)
    model, index = read_related(library, MODEL), library.index
    split = library.split("test", N_QUERIES, "originals.jsonl")
    words, related = QueryWords(index, 100, "frequency"), model.kind("lsi")
    sweeper = Sweeper(index, model.terms, split, ExtendedBm25(), words, ["MAP-mate"])
    steps = serpentine(FIRST, SECOND)
    start = time.perf_counter()
    sweeper.run(iter([Part(related, related, steps, steps)]))
    ours = time.perf_counter() - start
    single = Sparse("one", Extended(index, model.terms, related.above(0.7), words), ExtendedBm25(), index)
    start = time.perf_counter()
    single.search(split.queries, 1000)
    seconds = (time.perf_counter() - start) * len(steps)
    figures |= {"documents": index.n_docs, "queries": len(split), "thresholds": len(steps)}
    figures["sweep_seconds"] = round(ours, 1)
    figures["single_searches_seconds_extrapolated"] = round(seconds, 1)
    ratios["sweep_speed_vs_single_searches"] = round(seconds / ours, 1)
