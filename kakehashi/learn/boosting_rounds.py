"""The rounds of boosting: choose the best candidate and apply its changes."""

from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.learn.boosting_sums import Candidates, Changes, Mass, Space, add, gain, get_bit, set_bit
from kakehashi.learn.boosting_table import ASLEEP, Table
from kakehashi.learn.instances import WORSE, Instances, find
from kakehashi.types import Array

NONE = -1
LEAST_SMOOTHING = 1e-12  # an ε of 0 would give an infinite weight to a feature that is never wrong


class Chosen(NamedTuple):
    """The choice of each round."""

    candidates: Array  # (rounds,) int64
    weights: Array  # (rounds,) float64
    sums: Array  # (rounds, 2) float64: W⁺ and W⁻
    totals: Array  # (rounds,) float64: Z before the round
    touched: Array  # (rounds,) int64: instances that changed


@kernel
def run_rounds(
    n: int,
    instances: Instances,
    table: Table,
    sums: Array,
    weights: Array,
    total: float,
    mass: Mass,
    smoothing: float,
    used: Array,
    bar: float,
    candidates: Candidates,
    chosen: Chosen,
    space: Space,
) -> Any:
    """Up to n rounds; (rounds done, Z after them). Fewer than n: candidates must be searched again."""
    hits = np.empty(len(weights) + 1, np.int64)
    for t in range(n):
        best = _best(sums, candidates, used, bar)
        if best == NONE or candidates.counts[1] > 0:
            return t, total
        n_hits, better, worse = _hits(instances, weights, candidates, best, len(table.columns), hits)
        if n_hits > len(hits):
            hits = np.empty(2 * n_hits, np.int64)
            _hits(instances, weights, candidates, best, len(table.columns), hits)
        extra = max(smoothing, LEAST_SMOOTHING) * total
        weight = 0.5 * np.log((better + extra) / (worse + extra))
        chosen.candidates[t], chosen.weights[t], chosen.touched[t] = best, weight, n_hits
        chosen.sums[t, 0], chosen.sums[t, 1], chosen.totals[t] = better, worse, total
        if len(used):
            set_bit(used, candidates.places[best])
        changes, difference = _reweigh(
            instances, weights, weight, hits[:n_hits], table, mass, bar, candidates, space
        )
        total += difference
        add(instances, changes, table, sums, bar, candidates, space)
    return n, total


@kernel
def _best(sums: Array, candidates: Candidates, used: Array, bar: float) -> Any:
    """The candidate with the largest gain; ties go to the smallest feature. NONE: search candidates again."""
    best, highest, smallest = NONE, np.float32(bar), np.int64(NONE)
    for c in range(candidates.counts[0]):
        place = candidates.places[c]
        value = gain(sums[2 * place], sums[2 * place + 1])
        if value < highest or (len(used) > 0 and get_bit(used, place)):
            continue
        first = candidates.starts[c]
        feature = candidates.features[first] if first < candidates.starts[c + 1] else np.int64(NONE)
        if value > highest or best == NONE or feature < smallest:
            best, highest, smallest = c, value, feature
    return best if smallest != NONE else NONE


@kernel
def _hits(
    instances: Instances, weights: Array, candidates: Candidates, c: int, n_columns: int, hits: Array
) -> Any:
    """The instances that contain a feature of the place, as 2·instance + WORSE, by group; their W⁺ and W⁻."""
    n, better, worse = 0, 0.0, 0.0
    for f in range(candidates.starts[c], candidates.starts[c + 1]):
        i, j = candidates.features[f] // n_columns, candidates.features[f] % n_columns
        for m in range(instances.met_starts[i], instances.met_starts[i + 1]):
            g = instances.met[m]
            first = instances.word_starts[g]
            place = find(instances.words, first, instances.word_starts[g + 1], j)
            if place == NONE:
                continue
            for instance in range(instances.starts[g], instances.starts[g + 1]):
                start, end = instances.entry_starts[instance], instances.entry_starts[instance + 1]
                at = find(instances.entries, start, end, 2 * (place - first))
                if at == NONE:
                    at = find(instances.entries, start, end, 2 * (place - first) + WORSE)
                if at == NONE:
                    continue
                side = instances.entries[at] & WORSE
                if n < len(hits):
                    hits[n] = 2 * np.int64(instance) + side
                n += 1
                if side == WORSE:
                    worse += weights[instance]
                else:
                    better += weights[instance]
    return n, better, worse


@kernel
def _reweigh(
    instances: Instances,
    weights: Array,
    weight: float,
    hits: Array,
    table: Table,
    mass: Mass,
    bar: float,
    candidates: Candidates,
    space: Space,
) -> Any:
    """New weights of the affected instances, the resulting changes, and the change of Z."""
    fall, rise = np.exp(-weight), np.exp(weight)
    room = 0
    for h in hits:
        room += instances.entry_starts[(h >> 1) + 1] - instances.entry_starts[h >> 1]
    groups, starts = np.empty(len(hits), np.int64), np.zeros(len(hits) + 1, np.int64)
    columns, values = np.empty(room, np.uint32), np.empty(2 * room, np.float32)
    met = np.empty(len(space.marked), np.int64)
    difference = 0.0
    h = n_groups = n = 0
    while h < len(hits):
        g = np.searchsorted(instances.starts, hits[h] >> 1, side="right") - 1
        of_group, n_met = 0.0, 0
        while h < len(hits) and instances.starts[g] <= hits[h] >> 1 < instances.starts[g + 1]:
            instance = hits[h] >> 1
            change = weights[instance] * (rise if hits[h] & WORSE else fall) - weights[instance]
            weights[instance] += change
            of_group += change
            for e in range(instances.entry_starts[instance], instances.entry_starts[instance + 1]):
                word = instances.entries[e] >> 1
                if not space.marked[word]:
                    space.marked[word] = True
                    met[n_met] = word
                    n_met += 1
                space.changes[word, instances.entries[e] & WORSE] += change
            h += 1
        for word in met[:n_met]:
            j = instances.words[instances.word_starts[g] + word]
            for side in range(2):
                mass.documents[2 * j + side] += space.changes[word, side]
            column = table.columns[j]
            if column != ASLEEP:
                columns[n] = column
                values[2 * n], values[2 * n + 1] = space.changes[word, 0], space.changes[word, 1]
                n += 1
            elif max(mass.documents[2 * j], mass.documents[2 * j + 1]) >= bar:
                candidates.counts[1] += 1
            space.changes[word, 0] = space.changes[word, 1] = 0.0
            space.marked[word] = False
        for q in range(instances.query_starts[g], instances.query_starts[g + 1]):
            i = instances.query_words[q]
            mass.queries[i] += of_group
            if table.rows[i] == ASLEEP and mass.queries[i] >= bar:
                candidates.counts[1] += 1
        difference += of_group
        groups[n_groups] = g
        n_groups += 1
        starts[n_groups] = n
    return Changes(groups[:n_groups], starts[: n_groups + 1], columns[:n], values[: 2 * n]), difference
