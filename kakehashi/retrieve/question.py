"""One query put to all evidence: which documents may be the best, and the numbers known of any of them.

Candidates are found by a sum over all documents of what is cheap to know of each: the features, and the scores of
those inputs that weigh most or that have few postings. Only candidates are then looked up in the other inputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.features.table import FeatureTable
from kakehashi.index.numbering import Numbering
from kakehashi.retrieve.inputs import Extent, Input, extent_of, factors_of, fit_of, scaled
from kakehashi.types import Array, Bools, Floats, Longs, Text

PAYS = (
    0.003  # share of the weights of all inputs, per posting and document, from which an input enters the sum
)
BEST, SPREAD = 2048, 1024  # documents by which the scores of the other inputs are scaled


@dataclass(frozen=True)
class Screen:
    """By which sum candidates are found."""

    weights: Floats  # (inputs + features,)
    n_inputs: int
    is_raw: bool  # weights of scores that are not scaled say nothing of size
    by_input: bool  # the best by each input of the sum are candidates, too: what decides is not a sum

    def chosen(self, costs: Sequence[float]) -> list[int]:
        """The inputs of the sum, by what each costs: those that weigh most for it, and at least one."""
        if self.is_raw:
            return list(range(self.n_inputs))
        sizes = np.abs(self.weights[: self.n_inputs])
        gains = sizes / np.maximum(costs, 1e-3)
        best = int(np.argmax(gains)) if self.n_inputs else 0
        return [i for i in range(self.n_inputs) if gains[i] >= PAYS * sizes.sum() or i == best]


@dataclass(frozen=True)
class Measured:
    """What a query's scores are scaled by; depends on the query and the live documents alone."""

    extents: tuple[Extent | None, ...]  # by input
    is_known: bool  # whether the query has anything in common with any document


class Question:
    """Belongs to one thread and one query."""

    def __init__(
        self,
        query: Text,
        inputs: Sequence[Input],
        scaling: str,
        table: FeatureTable,
        screen: Screen,
        anchors: "Anchors",
        measured: Measured | None = None,
        related: bool = False,
    ):
        self._query, self._scaling, self._table, self._screen = query, scaling, table, screen
        self._anchors, self._related = anchors, related
        self._probes = [each.probe(query) for each in inputs]
        if measured is not None:
            self.measured = measured

    @cached_property
    def _summed(self) -> tuple[Floats, bool]:
        """(documents,) the sum by which candidates are found; whether anything is in common."""
        sums, fit = np.zeros(self._table.n_docs), np.zeros(self._table.n_docs)
        common = False
        for i, extent in self._screened.items():
            off, factor = factors_of(extent, self._scaling)
            _add_scaled(sums, self._probes[i].every, off, factor * self._screen.weights[i])
            if self._related:  # as far as the inputs of the sum know it
                _add_scaled(fit, self._probes[i].every, off, factor / len(self._screened))
            common = common or extent is not None
        np.maximum(fit, 0.0, out=fit)
        weights = self._screen.weights[len(self._probes) :]
        common |= self._table.add(self._query, weights, sums, fit if self._related else None)
        return sums, common

    @cached_property
    def _screened(self) -> dict[int, Extent | None]:
        """The inputs that are part of the sum."""
        chosen = self._screen.chosen([each.cost for each in self._probes])
        return {i: extent_of(self._probes[i].every) for i in chosen}

    @cached_property
    def measured(self) -> Measured:
        """Exact for inputs in the sum; for the others, by the best documents and by some from everywhere."""
        extents: list[Extent | None] = []
        for i, each in enumerate(self._probes):
            if i in self._screened:
                extents.append(self._screened[i])
            else:
                extents.append(extent_of(self._anchored[i]) or extent_of(each.every))
        is_known = self._summed[1] or any(extent is not None for extent in extents)
        return Measured(tuple(extents), is_known)

    @cached_property
    def _anchor_docs(self) -> Longs:
        return self._anchors.of(self._summed[0])

    @cached_property
    def _anchored(self) -> dict[int, Floats]:
        """What the inputs that are not in the sum give the anchors."""
        others = [i for i in range(len(self._probes)) if i not in self._screened]
        return {i: self._probes[i].some(self._anchor_docs) for i in others}

    def _some(self, docs: Longs) -> list[Floats]:
        """What each input gives these documents; most of them are anchors, whose scores are known."""
        if "_anchored" not in self.__dict__ or not self._anchored:
            return [each.some(docs) for each in self._probes]
        places = np.full(self._table.n_docs, -1, np.int32)
        places[self._anchor_docs] = np.arange(len(self._anchor_docs))
        at = places[docs]
        is_new = at < 0
        found = []
        for i, each in enumerate(self._probes):
            if i in self._anchored:
                scores = self._anchored[i][at]
                scores[is_new] = each.some(docs[is_new])
            else:
                scores = each.some(docs)
            found.append(scores)
        return found

    @cached_property
    def _gain_unfound(self) -> bool:
        """Whether a document that shares no word counts more than others in the inputs that are not in the sum.

        It counts 0 there, where a likelihood gives all others less.
        """
        step = 0.0
        for i, scores in self._anchored.items():
            if not self._probes[i].finds_all and not np.isnan(scores).all():
                off, factor = factors_of(self.measured.extents[i], self._scaling)
                step += float(self._screen.weights[i] * factor * (np.nanmean(scores) - off))
        return step < 0.0

    def _unfound(self, docs: Longs) -> Longs:
        """Those that no input of the sum finds by a word."""
        for i in self._screened:
            if not self._probes[i].finds_all:
                docs = docs[np.isnan(self._probes[i].every[docs])]
        return docs

    def columns(self, docs: Longs) -> Array:
        """(inputs + features, these documents) float32; each column depends on its document alone."""
        n_inputs = len(self._probes)
        columns = np.zeros((n_inputs + len(self._table), len(docs)), np.float32)
        for row, scores, extent in zip(columns, self._some(docs), self.measured.extents, strict=False):
            row[:] = scaled(scores, *factors_of(extent, self._scaling))
        fit = fit_of(columns[:n_inputs]) if self._related else None
        self._table.fill(self._query, columns[n_inputs:], docs, fit)
        return columns

    def candidates(self, n: int, allowed: Bools, numbering: Numbering) -> Longs:
        """At least n of the allowed documents, ascending."""
        docs = np.flatnonzero(allowed)
        sums = self._summed[0]
        chosen = [best_of(sums, docs, n, numbering)]
        if self._gain_unfound:
            chosen.append(best_of(sums, self._unfound(docs), n // 2, numbering))
        if self._screen.by_input:
            for i in self._screened:
                values = np.nan_to_num(self._probes[i].every, nan=-np.inf)
                chosen.append(best_of(values, docs, n, numbering))
        return np.unique(np.concatenate(chosen)) if len(chosen) > 1 else chosen[0]


class Anchors:
    """Documents by which scores are scaled where not all are known: the best, and some spread over all ids."""

    def __init__(self, numbering: Numbering):
        self._numbering = numbering

    @cached_property
    def spread(self) -> Longs:
        """They depend on the ids of the live documents, not on the segments these lie in."""
        live = np.flatnonzero(self._numbering.live)
        if len(self._numbering.firsts) > 2:
            live = np.array(sorted(live.tolist(), key=self._numbering.id, reverse=True), np.int64)
        chosen = np.linspace(0, max(len(live) - 1, 0), min(SPREAD, len(live))).astype(np.int64)
        return live[chosen]

    def of(self, sums: Floats) -> Longs:
        live = np.flatnonzero(self._numbering.live)
        if len(live) <= BEST + SPREAD:
            return live
        return np.concatenate([best_of(sums, live, BEST, self._numbering), self.spread])


def best_of(values: Floats, docs: Longs, n: int, numbering: Numbering) -> Longs:
    """The n of these documents with the highest values; among equals those with the highest ids, as in a ranking."""
    if len(docs) <= n:
        return docs
    own = values[docs]
    least = np.partition(own, len(own) - n)[len(own) - n]
    above, tied = docs[own > least], docs[own == least]
    if len(numbering.firsts) > 2 and len(above) + len(tied) > n:
        tied = np.array(sorted(tied.tolist(), key=numbering.id, reverse=True), np.int64)
    return np.sort(np.concatenate([above, tied[: n - len(above)]]))


@kernel
def _add_scaled(sums: Array, scores: Array, off: float, factor: float) -> None:
    for d in range(len(sums)):
        if not np.isnan(scores[d]):
            sums[d] += factor * (scores[d] - off)
