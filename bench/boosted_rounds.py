"""Rounds of boosting in a fresh process: seconds by phase, highest resident memory, drift of the sums."""

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from streaming import peak_mib

from kakehashi.corpus.pairs import PairBlock
from kakehashi.learn import boosting_sums
from kakehashi.learn.boosting import NO_ROUNDS, NOBODY, Boosted, BoostingSettings, _Learner
from kakehashi.learn.instances import Instances, instances_of
from kakehashi.learn.vectors import Rows
from kakehashi.progress import SILENT
from kakehashi.types import Floats


@dataclass(frozen=True)
class Sample:
    """What is learned from."""

    instances: Instances
    weights: Floats  # D before the first round
    query_words: Sequence[str]
    document_words: Sequence[str]

    def save(self, folder: Path) -> None:
        np.savez(folder / "arrays.npz", weights=self.weights, **self.instances._asdict())
        words = [list(self.query_words), list(self.document_words)]
        (folder / "words.json").write_bytes(msgspec.json.encode(words))

    def learner(self, settings: BoostingSettings) -> "Timed":
        start = Boosted(NO_ROUNDS, self.weights)
        return Timed(self.instances, self.query_words, self.document_words, settings, start)


def read_sample(folder: Path) -> Sample:
    arrays = dict(np.load(folder / "arrays.npz"))
    weights = arrays.pop("weights")
    words = msgspec.json.decode((folder / "words.json").read_bytes())
    return Sample(Instances(**arrays), weights, *words)


class Timed(_Learner):
    """A learner that knows what its time went into."""

    surveys, seconds = 0, 0.0

    def learn(self) -> None:
        """As `boost` does."""
        self.ticks = [(0, 0.0)]  # (rounds, seconds they took)
        rounds, refresh = self.settings.rounds, self.settings.refresh
        start = time.perf_counter()
        while self.n_rounds < rounds and not self.exhausted:
            self.run_until(min(rounds, self.n_rounds + refresh), SILENT)
        self.seconds = time.perf_counter() - start

    def _list_candidates(self) -> None:
        super()._list_candidates()
        self.surveys += 1

    def _run(self, n: int) -> int:
        start = time.perf_counter()
        done = super()._run(n)
        self.ticks.append((self.n_rounds, self.ticks[-1][1] + time.perf_counter() - start))
        return done

    @property
    def round_seconds(self) -> float:
        return self.ticks[-1][1]

    @property
    def survey_seconds(self) -> float:
        """All the rest: filling sums, listing candidates."""
        return self.seconds - self.round_seconds

    def speed(self, first: int, end: int) -> float:
        """Rounds per second, surveys not counted."""
        rounds, seconds = zip(*self.ticks, strict=True)
        begun, ended = np.interp([first, end], rounds, seconds)
        return float((min(end, rounds[-1]) - first) / (ended - begun))

    def drift(self) -> float:
        """The largest difference to recomputed sums, relative to the best gain; the sums are lost."""
        best = float(boosting_sums.largest_gain(self.sums, self.used))
        taken_off = boosting_sums.all_changes(self.instances, -self.weights, self.table, self.space)
        boosting_sums.add(
            self.instances, taken_off, self.table, self.sums, np.float32(np.inf), NOBODY, self.space
        )
        return max(float(self.sums.max()), -float(self.sums.min())) / best


def warm_up() -> None:
    """Nothing is compiled after this."""
    rows = Rows(np.array([0, 1, 2]), np.array([0, 1], np.int32), np.ones(2, np.float32))
    one = np.zeros(1, np.int32)
    pair = PairBlock(one, np.array([0, 1]), one, one + 1, np.ones(1, np.float32))
    words = ["a", "b"]
    for hashed in (False, True):
        tiny = Sample(instances_of(pair, rows, rows, 2), np.ones(1), words, words)
        learner = tiny.learner(BoostingSettings(rounds=2, hashed=hashed, bits=8))
        learner.learn()
        learner.drift()


def measured_alone(folder: Path, settings: BoostingSettings, phases: tuple[int, ...]) -> dict[str, Any]:
    given = msgspec.json.encode([settings, phases]).decode()
    command = [sys.executable, __file__, str(folder), given]
    result: dict[str, Any] = msgspec.json.decode(subprocess.run(command, check=True, stdout=-1).stdout)
    return result


def _measure(folder: Path, settings: BoostingSettings, phases: tuple[int, ...]) -> dict[str, Any]:
    sample = read_sample(folder)
    warm_up()
    learner = sample.learner(settings)
    learner.learn()
    rounds = learner.result().rounds
    peak = peak_mib() * 2**20 / 1e9
    reached = [end for end in phases if end <= len(rounds)]
    return {
        "rounds": len(rounds),
        "loss_left": round(float(learner.weights.sum() / sample.weights.sum()), 4),
        "instances_per_round": round(float(rounds.touched.mean())),
        "surveys": learner.surveys,
        "surveys_seconds": round(learner.survey_seconds, 1),
        "rounds_seconds": round(learner.round_seconds, 1),
        **{
            f"rounds_per_second_{first + 1}_{end}": round(learner.speed(first, end), 1)
            for first, end in zip([0, *reached], reached, strict=False)
        },
        "places": learner.table.n_places,
        "peak_gb": round(peak, 2),
        "drift_in_best_gains": float(f"{learner.drift():.2g}"),
    }


if __name__ == "__main__":
    given = msgspec.json.decode(sys.argv[2], type=tuple[BoostingSettings, tuple[int, ...]])
    sys.stdout.write(msgspec.json.encode(_measure(Path(sys.argv[1]), *given)).decode())
