"""Boosting on one core: rounds per second and memory, with hashed and exact sums, updated and recomputed.

100,000 instances of about 45 words times 77, single words, 5,000 rounds; each kind of sums in a process of its own.
The rival recomputes all sums from D in every round and scans them for the best feature, at 10,000 instances: exact
sums of all words, exact sums of the words that were active last, 2^30 hashed sums. Only in the second and third does
it use the same table as ours, whose time includes surveys.
"""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from boosted_rounds import Sample, Timed, measured_alone, warm_up
from harness import best_of, world

from kakehashi.corpus.pairs import PairBlock, PairSettings
from kakehashi.learn import boosting_sums
from kakehashi.learn.boosting import BoostingSettings
from kakehashi.learn.boosting_table import Table, exact_table
from kakehashi.learn.instances import instances_of
from kakehashi.learn.vectors import Rows
from kakehashi.progress import Progress
from kakehashi.training.data import TrainingData, WordSettings, prepare

N_INSTANCES, PER_QUERY, ROUNDS, BITS, REFRESH = 100_000, 10, 5000, 30, 1000
PHASES = (100, 500, 1000, 2000, 5000)
KEPT = (0.81, 0.83)  # of the words of queries and documents, at random: leaves about 45 times 77
FEW, FEW_ROUNDS, FEW_BITS, TIMES = 10_000, ROUNDS, 30, 3
LIMIT = 12.0  # GB that hashed sums may take


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    library = world(folder, documents, progress)
    library.update_index(progress=progress)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        words = WordSettings(unit=False, query_share=0.5, document_share=0.5)
        pairs = PairSettings(scheme="bootstrap", pairs=N_INSTANCES, per_query=PER_QUERY)
        data = prepare(library, words, pairs, Path(place), progress)
        sample = _sample(data, N_INSTANCES)
        figures, ratios = _described(sample), {}
        sample.save(Path(place))
        kinds = {
            "hashed": BoostingSettings(rounds=ROUNDS, hashed=True, bits=BITS, refresh=REFRESH),
            "exact": BoostingSettings(rounds=ROUNDS, refresh=REFRESH),
        }
        for name, settings in kinds.items():
            measured = measured_alone(Path(place), settings, PHASES)
            figures.update({f"{name}_{key}": value for key, value in measured.items()})
            ratios[f"{name}_memory_vs_limit"] = round(measured["peak_gb"] / LIMIT, 3)
        _race(_sample(data, FEW), figures, ratios)
    return {"figures": figures, "ratios": ratios}


def _sample(data: TrainingData, n: int) -> Sample:
    rng = np.random.default_rng(1)
    queries, documents = (
        _thinned(rows, kept, rng) for rows, kept in zip((data.queries, data.documents), KEPT, strict=True)
    )
    block = _first(list(data.blocks()), n)
    instances = instances_of(block, queries, documents, len(data.query_words))
    return Sample(
        instances, block.margins.astype(np.float64), data.query_words.terms, data.document_words.terms
    )


def _thinned(rows: Rows, kept: float, rng: np.random.Generator) -> Rows:
    chosen = rng.random(len(rows.columns)) < kept
    starts = np.append(0, np.cumsum(chosen))[rows.starts]
    return Rows(starts, rows.columns[chosen], rows.values[chosen])


def _first(blocks: list[PairBlock], n: int) -> PairBlock:
    """The first groups, of n pairs together."""
    sizes = np.concatenate([np.diff(block.starts) for block in blocks])
    starts = np.append(0, np.cumsum(sizes))
    groups = int(np.searchsorted(starts, n))
    end = int(starts[min(groups, len(sizes))])
    pairs = (
        np.concatenate([getattr(block, name) for block in blocks])[:end] for name in PairBlock._fields[2:]
    )
    return PairBlock(
        np.concatenate([block.queries for block in blocks])[:groups], starts[: groups + 1], *pairs
    )


def _described(sample: Sample) -> dict[str, Any]:
    instances = sample.instances
    sizes = np.diff(instances.starts)
    return {
        "instances": len(sample.weights),
        "query_words": len(sample.query_words),
        "document_words": len(sample.document_words),
        "words_per_query": round(float(np.average(np.diff(instances.query_starts), weights=sizes)), 1),
        "differing_words_per_instance": round(float(np.diff(instances.entry_starts).mean()), 1),
    }


def _race(few: Sample, figures: dict[str, Any], ratios: dict[str, Any]) -> None:
    """A round that updates sums against one that recomputes them."""
    warm_up()
    exact = few.learner(BoostingSettings(rounds=FEW_ROUNDS, refresh=REFRESH))
    hashed = few.learner(BoostingSettings(rounds=FEW_ROUNDS, hashed=True, bits=FEW_BITS, refresh=REFRESH))
    for learner in (exact, hashed):
        learner.learn()
    everything = exact_table(np.ones(len(few.query_words), bool), np.ones(len(few.document_words), bool))
    rivals = {
        "exact": (exact, everything),
        "awake": (exact, exact.table),
        f"hashed_2e{FEW_BITS}": (hashed, hashed.table),
    }
    anew = best_of(TIMES, {name: partial(_made_anew, *rival) for name, rival in rivals.items()})
    for name, (learner, _) in rivals.items():
        ours = (learner.round_seconds + learner.survey_seconds) / learner.n_rounds
        figures[f"few_{name}_ms_per_round"] = round(1000 * ours, 3)
        figures[f"few_{name}_ms_per_round_without_surveys"] = round(
            1000 * learner.round_seconds / learner.n_rounds, 3
        )
        figures[f"few_{name}_ms_per_round_made_anew"] = round(1000 * anew[name], 1)
        ratios[f"kept_up_{name}_vs_made_anew"] = round(anew[name] / ours, 1)


def _made_anew(learner: Timed, table: Table) -> None:
    learner._fill(table)
    boosting_sums.largest_gain(learner.sums, learner.used)
