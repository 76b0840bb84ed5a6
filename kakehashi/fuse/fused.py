"""The Fused kind of system: several systems, a rule, and weights that were tuned on judged queries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.fuse.credit import Credit, credits_of
from kakehashi.fuse.tuned import Tuned, check_steps
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN, Numbering
from kakehashi.learn.linear_model import Asked
from kakehashi.progress import SILENT, Progress
from kakehashi.query.terms import check_source
from kakehashi.retrieve.inputs import prepare
from kakehashi.retrieve.models import check_analyzers, read_model
from kakehashi.retrieve.sparse import Explanation, Scope, Share
from kakehashi.retrieve.system import IndexSystem
from kakehashi.settings import ModelName
from kakehashi.types import Floats, Ranking, Run, Text

KIND, VERSION = "fused", 1
BLOCK = 256  # queries whose lists are in memory together
Builder = Callable[[str, Index, Mapping[str, Any], Scope], IndexSystem]


class FusedUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which trained model answers."""

    model: ModelName = "fused"


@dataclass(frozen=True)
class FusedModel:
    """Systems, and the weights that were tuned for them."""

    inputs: Sequence[Asked]
    tuned: Tuned
    analyzers: Mapping[str, str]  # those of the index it was tuned over

    def save(self, folder: Path, settings: Mapping[str, Any], made_from: Mapping[str, Any]) -> None:
        own = {
            "inputs": [msgspec.to_builtins(asked) for asked in self.inputs],
            "tuned": msgspec.to_builtins(self.tuned),
            "analyzers": dict(self.analyzers),
            "training": dict(settings),
        }
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.commit(own, made_from)


def read_fused(folder: Path, index: Index) -> FusedModel:
    artifact = store.read(folder, KIND, VERSION)
    check_analyzers(artifact, index)
    settings = artifact.meta.settings
    try:
        inputs = msgspec.convert(settings["inputs"], list[Asked])
        tuned = msgspec.convert(settings["tuned"], Tuned)
        check_steps(tuned)
    except (KeyError, msgspec.ValidationError, InputError) as error:
        raise FileError(folder, None, f"is damaged ({error}): train it again") from None
    if [asked.name for asked in inputs] != list(tuned.runs):
        raise FileError(folder, None, "has weights for other systems than it names: train it again")
    return FusedModel(inputs, tuned, settings["analyzers"])


def open_inputs(index: Index, inputs: Sequence[Asked], scope: Scope, build: Builder) -> list[IndexSystem]:
    """Under the names they were asked for by, as weights know them."""
    systems = []
    for asked in inputs:
        system = build(asked.system, index, asked.settings, scope)
        system.name = asked.name
        systems.append(system)
    return systems


def open_fused(name: str, index: Index, settings: FusedUse, scope: Scope, build: Builder) -> "Fused":
    model = read_model("fused", index, settings.model, read_fused)
    return Fused(name, index, open_inputs(index, model.inputs, scope, build), model.tuned)


@dataclass
class Fused:
    """Asks every system for its best documents and fuses the lists; one object serves any number of threads."""

    name: str
    index: Index
    systems: Sequence[IndexSystem]
    tuned: Tuned  # for systems of these names, in this order
    threads: int = 0  # 0: one per core
    progress: Progress = SILENT

    def __post_init__(self) -> None:
        self.tuned.check([Run(system.name, {}) for system in self.systems])
        self._numbering = Numbering(self.index)
        self._last: tuple[Text, list[Run]] | None = None

    def search(self, queries: Sequence[Text], k: int = 1000) -> Run:
        """The k best by the sum; none that no system has among its best."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        for query in queries:
            check_source(self.index, query)
        for system in self.systems:
            system.threads, system.progress = self.threads, self.progress
            prepare(system, queries)
        rankings: dict[str, Ranking] = {}
        for start in range(0, len(queries), BLOCK):
            some = queries[start : start + BLOCK]
            found = self.tuned.fuse(self._lists(some), k).rankings
            rankings |= {query.id: found[query.id] for query in some}
        return Run(self.name, rankings)

    def score(self, query: Text, doc_ids: Sequence[str]) -> Floats:
        """NaN for a document that no system has among its best."""
        ranking = self._ranking(query)
        known = dict(zip(ranking.docs, ranking.scores.tolist(), strict=True))
        return np.array([known.get(doc, np.nan) for doc in doc_ids], np.float64)

    def score_all(self, query: Text) -> Floats:
        ranking = self._ranking(query)
        numbers = self._numbering.of(ranking.docs)
        scores = np.full(len(self._numbering), np.nan)
        scores[numbers[numbers != UNKNOWN]] = ranking.scores[numbers != UNKNOWN]
        return scores

    def explain(self, query: Text, doc_id: str) -> Explanation:
        """What the words of every system gave, scaled to what its list gave the sum."""
        if self.index.place(doc_id) is None:
            raise InputError(f"there is no document '{doc_id}' in the index")
        made = self.tuned.stages(self._one(query))
        lists = [run.rankings[query.id] for run in made]
        if doc_id not in lists[-1].docs:
            return Explanation(0.0, [])
        score = float(lists[-1].scores[list(lists[-1].docs).index(doc_id)])
        shares: list[Share] = []
        owed = {len(made) - 1: Credit(score, 1.0)}  # by the number of a list
        n_systems = len(self.systems)
        for number in reversed(range(n_systems, len(made))):
            step, credit = self.tuned.steps[number - n_systems], owed.pop(number)
            if doc_id not in lists[number].docs:  # it got what lists give to documents they do not hold
                shares.append(Share(made[number].system, "", credit.amount))
                owed |= dict.fromkeys(step.of, Credit(0.0, 0.0))
                continue
            of = [lists[i] for i in step.of]
            parts = credits_of(self.tuned.fusion, step.weights, of, doc_id)
            factor, rest = credit.split(sum(part.amount for part in parts))
            shares.append(Share(made[number].system, "", rest))
            for i, part in zip(step.of, parts, strict=True):
                owed[i] = Credit(factor * part.amount, factor * part.steepness)
        for i, system in enumerate(self.systems):
            listed = doc_id in lists[i].docs
            shares += _reasons(system, query, doc_id, owed[i], listed)
        return Explanation(
            score, sorted((one for one in shares if one.share), key=lambda one: -abs(one.share))
        )

    def _lists(self, queries: Sequence[Text]) -> list[Run]:
        depth = self.tuned.fusion.depth
        return [Run(system.name, system.search(queries, depth).rankings) for system in self.systems]

    def _one(self, query: Text) -> list[Run]:
        """The lists of one query; those of the last one are kept, for a hit after the other is explained."""
        last = self._last
        if last is None or last[0] != query:
            check_source(self.index, query)
            last = self._last = (query, self._lists([query]))
        return last[1]

    def _ranking(self, query: Text) -> Ranking:
        """Whole."""
        return self.tuned.fuse(self._one(query), max(len(self._numbering), 1)).rankings[query.id]


def _reasons(system: IndexSystem, query: Text, doc_id: str, credit: Credit, listed: bool) -> list[Share]:
    """A system's own shares, made to sum to what its list gave."""
    if not credit.amount:
        return []
    own = system.explain(query, doc_id).shares if listed else []
    factor, rest = credit.split(sum(one.share for one in own))
    found = [_of(system, one, factor) for one in own]
    return [*found, Share(system.name, "", rest)]


def _of(system: IndexSystem, one: Share, factor: float) -> Share:
    if one.document:
        return Share(one.query, f"{one.document} ({system.name})", factor * one.share)
    return Share(f"{one.query} ({system.name})".lstrip(), "", factor * one.share)
