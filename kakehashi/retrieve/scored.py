"""Turns a scorer of given documents into a searcher: it is called for every document."""

from collections.abc import Sequence
from itertools import compress

import numpy as np

from kakehashi.errors import KakehashiError
from kakehashi.index.index import Index
from kakehashi.types import Floats, Ranking, Run, Scorer, Text, in_order


class ByScores:
    """Lists all documents by their scores, without those whose score is NaN."""

    def __init__(self, name: str, scorer: Scorer, index: Index):
        self._name, self._scorer = name, scorer
        self._ids = list(compress(index.numbering.ids, index.numbering.live))

    def search(self, queries: Sequence[Text], k: int = 1000) -> Run:
        return Run(self._name, {query.id: self._best(query, k) for query in queries})

    def score(self, query: Text, doc_ids: Sequence[str]) -> Floats:
        return np.asarray(self._scorer.score(query, doc_ids), np.float64)

    def _best(self, query: Text, k: int) -> Ranking:
        scores = self.score(query, self._ids)
        if scores.shape != (len(self._ids),):
            raise KakehashiError(f"{self._name}: score must return a number for each document, or NaN")
        listed = np.flatnonzero(~np.isnan(scores))
        if len(listed) > k:
            values = scores[listed]
            listed = listed[values >= np.partition(values, -k)[-k]]
        return in_order([self._ids[i] for i in listed.tolist()], scores[listed], k)
