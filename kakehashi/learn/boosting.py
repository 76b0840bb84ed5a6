"""Boosting on one sample: in each round, the feature that reduces the loss most gets a weight.

    L = Σ D·exp(f(q, d⁻) - f(q, d⁺)),   f(q, d) = Σ_t w_t·h_t(q, d)

A feature h is 1 if its words occur in the query and in the document. W⁺ and W⁻ are the weights of the instances
that it ranks correctly and wrongly. The feature with the largest |√W⁺ - √W⁻| is chosen, with the weight
w = ½·ln((W⁺ + εZ)/(W⁻ + εZ)), and D changes for the instances that contain it. Every `refresh` rounds all sums are
recomputed from D, which removes rounding errors; a stopped run resumes there. This module reads and writes no files.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.errors import InputError
from kakehashi.learn import boosting_rounds, boosting_sums
from kakehashi.learn.boosting_table import Table, check_bits, check_memory, exact_table, hashed_table
from kakehashi.learn.instances import Instances
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Floats, Longs

LOWERED = 0.5  # a new threshold, relative to the best known gain
STEADY = (
    0.5  # words below this fraction of the threshold are dormant, so that they need not be activated at once
)
SPARE = 1 << 14  # room for candidates beyond those found
STRIDE = 16  # rounds between two progress reports, which may end the work
RAISED = 1.5  # factor for the threshold if too many words would be active
LEAST_GAIN = 1e-12  # relative to Z: below this nothing is left to learn
LEAST_LOSS = 1e-20  # a Z below this is practically zero, and soon too small for single precision
NOBODY = boosting_sums.Candidates(
    np.zeros(2, np.int64),
    np.zeros(0, np.int64),
    np.zeros(1, np.int64),
    np.zeros(0, np.int64),
    np.zeros(0, np.uint8),
)


class BoostingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How features are chosen."""

    rounds: Annotated[int, Meta(description="Features chosen per sample, one each round.")] = 1000
    smoothing: Annotated[
        float, Meta(description="ε in a feature's weight ½·ln((W⁺ + εZ)/(W⁻ + εZ)); at least 0, below 1.")
    ] = 1e-5
    unique: Annotated[
        bool,
        Meta(
            description="Choose each feature at most once. If false, the weights of repeated choices add up."
        ),
    ] = False
    hashed: Annotated[
        bool, Meta(description="Hash all features into 2^bits places. If false, each has its own place.")
    ] = False
    bits: Annotated[
        int, Meta(description="Maximum number of places, as a power of two; each takes 8 bytes.")
    ] = 30
    refresh: Annotated[
        int, Meta(description="Rounds after which all sums are recomputed and the work done is saved.")
    ] = 250

    def __post_init__(self) -> None:
        for name in ("rounds", "refresh"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0.0 <= self.smoothing < 1.0:
            raise InputError(f"smoothing must be from 0 to 1, not {self.smoothing}")
        check_bits(self.bits)


@dataclass(frozen=True)
class Rounds:
    """The features chosen, round by round."""

    weights: Floats  # (rounds,) w
    starts: Longs  # (rounds + 1,) features of a round; more than one if hashed features share a place
    features: Longs  # (features,) query word · document words + document word
    sums: Floats  # (rounds, 2) W⁺ and W⁻
    totals: Floats  # (rounds,) Z before the round
    touched: Longs  # (rounds,) instances that contain the feature

    def __len__(self) -> int:
        return len(self.weights)

    def first(self, n: int) -> "Rounds":
        n = min(n, len(self))
        features = self.features[: self.starts[n]]
        return Rounds(
            self.weights[:n], self.starts[: n + 1], features, self.sums[:n], self.totals[:n], self.touched[:n]
        )


NO_ROUNDS = Rounds(
    np.zeros(0),
    np.zeros(1, np.int64),
    np.zeros(0, np.int64),
    np.zeros((0, 2)),
    np.zeros(0),
    np.zeros(0, np.int64),
)


@dataclass(frozen=True)
class Boosted:
    """The rounds so far, and everything needed to continue."""

    rounds: Rounds
    instance_weights: Floats  # D
    bar: float = 0.0  # 0: none yet
    exhausted: bool = False  # nothing is left to learn


OnRefresh = Callable[[Boosted], None]


def boost(
    instances: Instances,
    query_words: Sequence[str],
    document_words: Sequence[str],
    settings: BoostingSettings,
    start: Boosted,
    on_refresh: OnRefresh | None = None,
    progress: Progress = SILENT,
) -> Boosted:
    """Continue from `start` until there are `rounds` rounds, or nothing is left to learn."""
    learner = _Learner(instances, query_words, document_words, settings, start)
    while learner.n_rounds < settings.rounds:
        end = min(settings.rounds, (learner.n_rounds // settings.refresh + 1) * settings.refresh)
        learner.run_until(end, progress)
        if on_refresh is not None:
            on_refresh(learner.result())
        if learner.exhausted:
            break
    return learner.result()


class _Learner:
    """The sums of features, and the features chosen so far."""

    def __init__(
        self,
        instances: Instances,
        query_words: Sequence[str],
        document_words: Sequence[str],
        settings: BoostingSettings,
        start: Boosted,
    ):
        self.instances, self.settings = instances, settings
        self.weights = start.instance_weights.copy()
        self.mass = boosting_sums.Mass(np.zeros(len(query_words)), np.zeros(2 * len(document_words)))
        self.space = _space(instances, len(query_words))
        self.hashed = hashed_table(query_words, document_words, settings.bits) if settings.hashed else None
        self.room, self.sums = np.zeros(0, np.float32), np.zeros(0, np.float32)
        self.used = np.zeros(0, np.uint8)
        self.parts, self.bar = [start.rounds], start.bar
        self.n_rounds, self.exhausted = len(start.rounds), False
        self.n_looked_up = 0  # candidates at hashed places whose features are known

    def run_until(self, end: int, progress: Progress) -> None:
        """Fewer rounds only if nothing is left to learn."""
        self.exhausted = not self.survey(self.bar)
        while not self.exhausted and self.n_rounds < end:
            n = min(STRIDE, end - self.n_rounds)
            done = self._run(n)
            progress.advance(done)
            if done < n:
                self.exhausted = not self._look_again()

    def _look_again(self) -> bool:
        best, full = self._best_known(), bool(self.candidates.counts[1])
        # a non-candidate may now be better than the best candidate, but not better than the threshold
        bar = LOWERED * max(best, STEADY * self.bar)
        if not self.table.hashed or best < bar:
            return self.survey(bar)
        if best < self.bar or full:  # no word is dormant, so sums need not be filled again
            self.bar = bar
            self._list_candidates()
        else:
            self._look_up_new()
        return True

    def survey(self, bar: float) -> bool:
        """Fill the table from D and list the features that reach the threshold; lower it if there are none."""
        self.total = float(self.weights.sum())
        if self.total < LEAST_LOSS:
            return False
        boosting_sums.mass_of(self.instances, self.weights, self.mass)
        self.bar = bar or float(self.mass.queries.max(initial=0.0))
        if self.hashed is not None:
            self._fill(self.hashed)
        tight = False
        while self.bar > LEAST_GAIN * self.total:
            if self.hashed is None:
                table = self._awake()
                if table.n_places > 1 << self.settings.bits:
                    self.bar, tight = RAISED * self.bar, True
                    continue
                self._fill(table)
            best = float(boosting_sums.largest_gain(self.sums, self.used))
            if tight and STEADY * self.bar <= best < self.bar:
                self.bar = best  # dormant words have less than this, so it is the best of all
            if best >= self.bar:
                self._list_candidates()
                return True
            if tight:
                raise InputError(
                    f"sums do not fit into 2^{self.settings.bits} places: "
                    f"set fewer query_words and document_words, more bits, or hashed=true"
                )
            self.bar = LOWERED * max(best, STEADY * self.bar)
        return False

    def _awake(self) -> Table:
        """Words with enough weight for one of their features to be chosen."""
        least = STEADY * self.bar
        return exact_table(
            self.mass.queries >= least, self.mass.documents.reshape(-1, 2).max(axis=1) >= least
        )

    def _fill(self, table: Table) -> None:
        if len(self.room) < 2 * table.n_places:
            check_memory(table.n_places)
            self.room = np.zeros(0, np.float32)  # free it before allocating a second one
            self.room = np.empty(2 * table.n_places, np.float32)
        self.table, self.sums = table, self.room[: 2 * table.n_places]
        self.sums[:] = 0.0
        changes = boosting_sums.all_changes(self.instances, self.weights, table, self.space)
        boosting_sums.add(self.instances, changes, table, self.sums, np.float32(np.inf), NOBODY, self.space)
        flags = table.n_places // 8 + 1
        self.used = np.zeros(flags if self.settings.unique else 0, np.uint8)
        if self.settings.unique:
            features = np.concatenate([part.features for part in self.parts])
            boosting_sums.mark_used(table, features, self.used)

    def _list_candidates(self) -> None:
        known = np.zeros(self.table.n_places // 8 + 1, np.uint8)
        places = np.empty(2 * SPARE, np.int64)
        n = boosting_sums.collect(self.sums, np.float32(self.bar), known, places)
        if n > len(places) - SPARE:
            places = np.empty(n + SPARE, np.int64)
            boosting_sums.collect(self.sums, np.float32(self.bar), known, places)
        starts, features = np.zeros(len(places) + 1, np.int64), np.zeros(len(places), np.int64)
        if not self.table.hashed:
            starts[: n + 1] = np.arange(n + 1)
            features[:n] = boosting_sums.features_of(self.table, places[:n])
        self.candidates = boosting_sums.Candidates(
            np.array([n, 0], np.int64), places, starts, features, known
        )
        self.n_looked_up = 0
        if self.table.hashed:
            self._look_up_new()

    def _look_up_new(self) -> None:
        """Which features of the sample share each hashed place that has become a candidate since the last time."""
        counts, places, starts, features, _ = self.candidates
        first, n = self.n_looked_up, int(counts[0])
        new = np.sort(places[first:n])
        places[first:n] = new
        found_at, found = self._looked_up(new)
        before = starts[first]
        starts[first : n + 1] = before + np.searchsorted(found_at, np.append(new, new[-1:] + 1))
        features = np.concatenate(
            [features[:before], found, np.zeros(1, np.int64)]
        )  # one more: there is room
        self.candidates = self.candidates._replace(features=features)
        self.n_looked_up = n

    def _looked_up(self, places: Longs) -> tuple[Longs, Longs]:
        """(place, feature) of all features at these places, ascending."""
        room = 4 * len(places) + 1024
        while True:
            at, features = np.empty(room, np.int64), np.empty(room, np.int64)
            n = boosting_sums.look_up(self.instances, self.table, places, at, features)
            if n <= room:
                break
            room = n
        order = np.lexsort((features[:n], at[:n]))
        return at[:n][order], features[:n][order]

    def _best_known(self) -> float:
        return float(boosting_sums.largest_known(self.sums, self.candidates, self.used))

    def _run(self, n: int) -> int:
        chosen = boosting_rounds.Chosen(
            np.zeros(n, np.int64), np.zeros(n), np.zeros((n, 2)), np.zeros(n), np.zeros(n, np.int64)
        )
        done, self.total = boosting_rounds.run_rounds(
            n,
            self.instances,
            self.table,
            self.sums,
            self.weights,
            self.total,
            self.mass,
            self.settings.smoothing,
            self.used,
            np.float32(self.bar),
            self.candidates,
            chosen,
            self.space,
        )
        starts, features = self.candidates.starts, self.candidates.features
        rows = [features[starts[c] : starts[c + 1]] for c in chosen.candidates[:done].tolist()]
        ends = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int64)
        flat = np.concatenate([*rows, np.zeros(0, np.int64)])
        self.parts.append(
            Rounds(chosen.weights, ends, flat, chosen.sums, chosen.totals, chosen.touched).first(done)
        )
        self.n_rounds += done
        return int(done)

    def result(self) -> Boosted:
        parts = self.parts
        sizes = np.concatenate([np.diff(part.starts) for part in parts])
        rounds = Rounds(
            np.concatenate([part.weights for part in parts]),
            np.append(0, np.cumsum(sizes)).astype(np.int64),
            np.concatenate([part.features for part in parts]),
            np.concatenate([part.sums for part in parts]),
            np.concatenate([part.totals for part in parts]),
            np.concatenate([part.touched for part in parts]),
        )
        return Boosted(rounds, self.weights.copy(), self.bar, self.exhausted)


def _space(instances: Instances, n_query_words: int) -> boosting_sums.Space:
    largest = int(np.diff(instances.word_starts).max(initial=1))
    return boosting_sums.Space(
        np.zeros((largest, 2)), np.zeros(largest, np.bool_), np.zeros(n_query_words, np.int64)
    )
