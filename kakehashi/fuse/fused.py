"""The Fused kind of system: several systems, a rule, and weights tuned on judged queries."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kakehashi.errors import InputError
from kakehashi.fuse.credit import Credit, credits_of
from kakehashi.fuse.tuned import Tuned
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN
from kakehashi.progress import SILENT, Progress
from kakehashi.query.edits import Edit
from kakehashi.query.terms import check_source
from kakehashi.retrieve.inputs import Input
from kakehashi.retrieve.recent import Recent
from kakehashi.retrieve.system import takes_edits, used_edits
from kakehashi.types import EVERYTHING, Explanation, Floats, Ranking, Run, Scope, Share, Text

BLOCK = 256  # queries whose lists are in memory together


@dataclass
class Fused:
    """Gets the best documents of every system and fuses the lists; one object serves any number of threads."""

    name: str
    index: Index
    inputs: Sequence[Input]
    tuned: Tuned  # for inputs of these names, in this order

    def __post_init__(self) -> None:
        self.tuned.check([Run(each.name, {}) for each in self.inputs])
        self._found: Recent[tuple[Scope, list[Run]]] = Recent()

    @property
    def takes_edits(self) -> bool:
        return any(takes_edits(each.system) for each in self.inputs)

    def used_edits(self, query: Text) -> set[Edit]:
        return used_edits((each.system for each in self.inputs), query)

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        for each in self.inputs:
            each.prepare(queries, progress)

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best by the sum, only from documents among the best of some system."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        for query in queries:
            check_source(self.index, query)
        self.prepare(queries, progress)
        rankings: dict[str, Ranking] = {}
        for start in range(0, len(queries), BLOCK):
            some = queries[start : start + BLOCK]
            if len(queries) == 1:
                lists = self._lists_of(queries[0], scope, threads, progress)
            else:
                lists = self._lists(some, scope, threads, progress)
            found = self.tuned.fuse(lists, k).rankings
            rankings |= {query.id: found[query.id] for query in some}
        return Run(self.name, rankings)

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """NaN for a document that is not among the best of any system."""
        ranking = self._ranking(query, scope)
        known = dict(zip(ranking.docs, ranking.scores.tolist(), strict=True))
        return np.array([known.get(doc, np.nan) for doc in doc_ids], np.float64)

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        ranking = self._ranking(query, scope)
        numbers = self.index.numbering.of(ranking.docs)
        scores = np.full(len(self.index.numbering), np.nan)
        scores[numbers[numbers != UNKNOWN]] = ranking.scores[numbers != UNKNOWN]
        return scores

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        """The contributions of the words of every system, scaled to the contribution of its list."""
        for doc_id in doc_ids:
            self.index.known_place(doc_id)
        check_source(self.index, query)
        made = self.tuned.stages(self._lists_of(query, scope))
        lists = [run.rankings[query.id] for run in made]
        owed = [self._owed(doc_id, made, lists) for doc_id in doc_ids]
        reasons = self._reasons(query, doc_ids, lists, [credits for credits, _ in owed], scope)
        found = []
        for doc_id, own, (_, rests) in zip(doc_ids, reasons, owed, strict=True):
            if doc_id not in lists[-1].docs:
                found.append(Explanation(0.0, []))
                continue
            score = float(lists[-1].scores[list(lists[-1].docs).index(doc_id)])
            shares = sorted((one for one in [*rests, *own] if one.share), key=lambda one: -abs(one.share))
            found.append(Explanation(score, shares))
        return found

    def _owed(
        self, doc_id: str, made: Sequence[Run], lists: Sequence[Ranking]
    ) -> tuple[list[Credit], list[Share]]:
        """(the contribution of every input to a document, the contributions of steps that no input accounts for)"""
        n_inputs, nothing = len(self.inputs), Credit(0.0, 0.0)
        if doc_id not in lists[-1].docs:
            return [nothing] * n_inputs, []
        score = float(lists[-1].scores[list(lists[-1].docs).index(doc_id)])
        shares: list[Share] = []
        owed = {len(made) - 1: Credit(score, 1.0)}  # by the number of a list
        for number in reversed(range(n_inputs, len(made))):
            step, credit = self.tuned.steps[number - n_inputs], owed.pop(number)
            if doc_id not in lists[number].docs:  # it got what lists give to documents they do not contain
                shares.append(Share(made[number].system, "", credit.amount, made[number].system))
                owed |= dict.fromkeys(step.of, nothing)
                continue
            of = [lists[i] for i in step.of]
            parts = credits_of(self.tuned.fusion, step.weights, of, doc_id)
            factor, rest = credit.split(sum(part.amount for part in parts))
            shares.append(Share(made[number].system, "", rest, made[number].system))
            for i, part in zip(step.of, parts, strict=True):
                owed[i] = Credit(factor * part.amount, factor * part.steepness)
        return [owed[i] for i in range(n_inputs)], shares

    def _reasons(
        self,
        query: Text,
        doc_ids: Sequence[str],
        lists: Sequence[Ranking],
        credits: Sequence[Sequence[Credit]],
        scope: Scope,
    ) -> list[list[Share]]:
        """For each document, every input's own shares, scaled to the contribution of its list."""
        found: list[list[Share]] = [[] for _ in doc_ids]
        for i, each in enumerate(self.inputs):
            paid = [n for n in range(len(doc_ids)) if credits[n][i].amount]
            listed = [n for n in paid if doc_ids[n] in lists[i].docs]
            own = each.system.explain(query, [doc_ids[n] for n in listed], scope) if listed else []
            shares = {n: explanation.shares for n, explanation in zip(listed, own, strict=True)}
            for n in paid:
                factor, rest = credits[n][i].split(sum(one.share for one in shares.get(n, ())))
                found[n] += [
                    Share(one.query, one.document, factor * one.share, each.name) for one in shares.get(n, ())
                ]
                found[n].append(Share(each.name, "", rest, each.name))
        return found

    def _lists_of(
        self, query: Text, scope: Scope, threads: int = 0, progress: Progress = SILENT
    ) -> list[Run]:
        """Of one query: found once, then explained and scored."""
        known = self._found.find(query)
        if known is None or known[0] != scope:
            known = self._found.keep(query, (scope, self._lists([query], scope, threads, progress)))
        return known[1]

    def _lists(
        self, queries: Sequence[Text], scope: Scope, threads: int = 0, progress: Progress = SILENT
    ) -> list[Run]:
        depth = self.tuned.fusion.depth
        return [
            Run(
                each.name,
                each.system.search(queries, depth, scope, threads=threads, progress=progress).rankings,
            )
            for each in self.inputs
        ]

    def _ranking(self, query: Text, scope: Scope) -> Ranking:
        """Whole."""
        check_source(self.index, query)
        lists = self._lists_of(query, scope)
        return self.tuned.fuse(lists, max(len(self.index.numbering), 1)).rankings[query.id]
