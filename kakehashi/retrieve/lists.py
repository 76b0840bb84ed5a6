"""Converts document numbers of a segment to ids, and merges the lists of several segments."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kakehashi.index.numbering import Numbering
from kakehashi.index.segment import Segment
from kakehashi.types import Array, Floats, Longs, Ranking, Scope, in_order


class DocIds:
    """Strings for numbers; once a large part of a segment was requested, all are kept decoded."""

    def __init__(self, segment: Segment):
        self._segment = segment
        self._all: Array | None = None
        self._asked = 0

    def of(self, docs: Array) -> list[str]:
        self._asked += len(docs)
        if self._all is None and self._asked > self._segment.n_docs // 16:
            self._all = np.array(list(self._segment.ids), dtype=object)
        if self._all is None:
            return [self._segment.ids[d] for d in docs.tolist()]
        ids: list[str] = self._all[docs].tolist()
        return ids


def merged(lists: list[tuple[list[str], Array]]) -> tuple[list[str], Array]:
    """One list (ids best first, scores) from those of all segments."""
    if len(lists) == 1:
        return lists[0]
    ids = [doc_id for part, _ in lists for doc_id in part]
    scores = [part for _, part in lists] or [np.zeros(0)]  # an index without documents has no segments
    ranking = in_order(ids, np.concatenate(scores).astype(np.float64))
    return list(ranking.docs), ranking.scores


def without(doc_id: str, ids: list[str], scores: Array) -> tuple[list[str], Array]:
    """The list without one document, such as the query itself."""
    if doc_id not in ids:
        return ids, scores
    place = ids.index(doc_id)
    return ids[:place] + ids[place + 1 :], np.delete(scores, place)


def best_listed(
    ids: Sequence[DocIds],
    numbering: Numbering,
    query: str,
    numbers: Longs,
    scores: Floats,
    k: int,
    scope: Scope,
) -> Ranking:
    """The k best of some documents, numbered through all segments, ascending; `ids` are those of each segment."""
    wanted, lists = k + scope.not_itself, []
    ends = np.searchsorted(numbers, numbering.firsts).tolist()
    for own, first, (start, end) in zip(ids, numbering.firsts.tolist(), pairwise(ends), strict=False):
        docs, values = numbers[start:end] - first, scores[start:end]
        if len(docs) > wanted:
            kept = values >= np.partition(values, -wanted)[-wanted]
            docs, values = docs[kept], values[kept]
        order = np.argsort(-values, kind="stable")[:wanted]
        lists.append((own.of(docs[order]), values[order]))
    names, values = merged(lists)
    if scope.not_itself:
        names, values = without(query, names, values)
    return Ranking(names[:k], values[:k])
